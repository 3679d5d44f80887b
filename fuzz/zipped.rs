//! Zipped logs: the samples of an archive, one after the other and one alone.

#![no_main]

use std::io::Cursor;

use arraign::reader;
use libfuzzer_sys::fuzz_target;

/// What may be unpacked: little, so that each text is quickly read.
const LIMIT: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let _ = reader::read_zipped(&mut Cursor::new(bytes), None, LIMIT);
    let _ = reader::read_zipped(&mut Cursor::new(bytes), Some("1"), LIMIT);
});
