#![no_main]

libfuzzer_sys::fuzz_target!(init: arraign_fuzz::seeds::write_all(), |input: &[u8]| arraign_fuzz::cases::run(input));
