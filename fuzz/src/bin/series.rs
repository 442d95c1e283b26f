//! Dated series.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ghi_fuzz::series::check(bytes));
