//! Dated series: any bytes give valid data or a readable error.
//!
//! The bytes are `network.csv`, `regions.csv` and optionally the inputs file that names them, separated
//! by lines of `===`. The inputs file defaults to that of `examples/own-series`.

use ghi_engine::Inputs;

use super::inputs::check_result;

const INPUTS: &str = include_str!("../../examples/own-series/inputs.toml");

/// Checks series and the inputs file that names them.
pub fn check(bytes: &[u8]) {
    let (network, rest) = split(bytes);
    let (regions, inputs) = rest.map_or((&[][..], None), split);
    let inputs = match inputs.map(str::from_utf8) {
        None => INPUTS,
        Some(Ok(text)) => text,
        // The program refuses such a file before parsing it.
        Some(Err(_)) => return,
    };
    check_result(Inputs::parse_with_series(inputs, |name| match name {
        "network.csv" => Ok(network.to_vec()),
        "regions.csv" => Ok(regions.to_vec()),
        _ => Err("No such file or directory".to_owned()),
    }));
}

/// Returns the first part, and the rest if there is any.
fn split(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    const END: &[u8] = b"\n===\n";
    match bytes.windows(END.len()).position(|window| window == END) {
        Some(at) => (&bytes[..=at], Some(&bytes[at + END.len()..])),
        None => (bytes, None),
    }
}
