//! `castile_fuzz`'s target `requests` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| castile_fuzz::run("requests", bytes));
