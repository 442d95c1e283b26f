//! Which inputs figures were computed from.

use std::fmt;

use sha2::{Digest, Sha256};

/// The SHA-256 of every byte that inputs were read from: the TOML, then the series of the network,
/// then the series of the regions. `cat inputs.toml network.csv regions.csv | sha256sum` prints
/// the same.
///
/// ```
/// use ghi_engine::Inputs;
///
/// assert_eq!(Inputs::default().fingerprint().to_string().len(), 64);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of those of these texts that there are, in a row.
    pub(crate) fn of(texts: [Option<&[u8]>; 3]) -> Self {
        let mut hasher = Sha256::new();
        texts.into_iter().flatten().for_each(|text| hasher.update(text));
        Self(hasher.finalize().into())
    }
}

impl fmt::Display for Fingerprint {
    /// 64 lowercase hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
