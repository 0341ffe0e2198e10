//! `castile_fuzz`'s target `replies` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| castile_fuzz::run("replies", bytes));
