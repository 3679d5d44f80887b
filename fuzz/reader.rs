//! One target a reader, all of this text: the name of the target is the format.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = arraign::reader::read(text, Some(env!("CARGO_BIN_NAME")));
    let _ = arraign::reader::read(text, None);
});
