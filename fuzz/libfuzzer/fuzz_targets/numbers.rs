//! `castile_fuzz`'s target `numbers` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| castile_fuzz::run("numbers", bytes));
