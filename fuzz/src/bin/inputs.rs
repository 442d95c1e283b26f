//! Inputs files: any text gives valid data or a readable error.

#![no_main]

use ghi_engine::Inputs;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| ghi_fuzz::check(Inputs::parse(text)));
