//! Inputs files: any text is refused in words, or has figures.

#![no_main]

use ghi_engine::Inputs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| ghi_fuzz::check(Inputs::parse(text)));
