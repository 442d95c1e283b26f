//! Which inputs figures were computed from.

use std::fmt;
use std::thread;

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

/// From so many bytes on, a thread for the fingerprint is worth its while.
const LONG: usize = 1 << 20;

impl Fingerprint {
    /// The same, beside other work on the texts: to hash long ones takes as long as to parse them.
    pub(crate) fn beside<T>(texts: [Option<&[u8]>; 3], work: impl FnOnce() -> T) -> (Self, T) {
        if texts.iter().flatten().map(|text| text.len()).sum::<usize>() < LONG {
            return (Self::of(texts), work());
        }
        thread::scope(|scope| {
            let hashing = thread::Builder::new().spawn_scoped(scope, || Self::of(texts));
            let done = work();
            let hashed = hashing.ok().and_then(|thread| thread.join().ok());
            (hashed.unwrap_or_else(|| Self::of(texts)), done)
        })
    }

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
