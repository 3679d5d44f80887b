//! All readers: the first byte chooses the format, the rest is the file.

use std::io::Cursor;

use arraign::reader;

/// The longest text that detection reads as a whole. The beginning of a longer file may look like another format.
const DETECTED_WHOLE: usize = 256 << 10;

/// The largest size that an archive may unpack to, in bytes: little, so that each input is read quickly.
const UNPACKED: u64 = 1 << 20;

/// Reads a trace.
pub fn run(input: &[u8]) {
    let Some((choice, bytes)) = input.split_first() else { return };
    match reader::READERS.get(usize::from(*choice)) {
        None => {
            let _ = reader::read_zipped(&mut Cursor::new(bytes), None, UNPACKED);
            let _ = reader::read_zipped(&mut Cursor::new(bytes), Some("1"), UNPACKED);
        }
        Some(reader) => {
            let Ok(text) = std::str::from_utf8(bytes) else { return };
            read_in_all_ways(text, Some(reader.name));
            read_in_all_ways(text, None);
        }
    }
}

/// Reads the text as a whole, run by run, and one run alone. Whole or run by run, a text is the same recording.
fn read_in_all_ways(text: &str, format: Option<&str>) {
    let whole = reader::read(text, format).map(|recording| recording.runs);
    let runs = reader::runs(Cursor::new(text), format).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    if text.len() < DETECTED_WHOLE {
        assert_eq!(runs.ok(), whole.ok());
    }
    let _ = reader::read_run(&mut Cursor::new(text), format, "1");
}
