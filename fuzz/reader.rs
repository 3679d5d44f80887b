//! One target a reader, all of this text: the name of the target is the format. Run by run a file is what it is as a
//! whole.

#![no_main]

use std::io::Cursor;

use arraign::reader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for format in [Some(env!("CARGO_BIN_NAME")), None] {
        let whole = reader::read(text, format).map(|recording| recording.runs);
        let runs = reader::runs(Cursor::new(text), format).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        // A head that is cut off may look otherwise.
        if text.len() < 256 << 10 {
            assert_eq!(runs.ok(), whole.ok());
        }
        let _ = reader::read_run(&mut Cursor::new(text), format, "1");
    }
});
