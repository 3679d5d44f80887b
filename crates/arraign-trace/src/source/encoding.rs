//! Files that are text only after a step: compressed with gzip, or in UTF-16, as PowerShell writes what a program prints.

use super::ReadProblem;

const GZIP: &[u8] = b"\x1f\x8b";

/// The first bytes that tell whether a file is encoded.
pub(super) const HEAD: usize = 2;

/// Whether a file that begins with these bytes is encoded.
pub(super) fn is_encoded(head: &[u8]) -> bool {
    head.starts_with(GZIP) || is_utf16(head)
}

/// Whether a file that begins with these bytes is UTF-16 with a byte order mark.
pub(super) fn is_utf16(head: &[u8]) -> bool {
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff")
}

/// Returns the text of an encoded file as UTF-8, of which at most `limit` bytes are unpacked, or `None` for a file that is
/// not encoded. What was compressed may be in UTF-16.
pub(crate) fn decode(bytes: &[u8], limit: u64) -> Result<Option<Vec<u8>>, ReadProblem> {
    if bytes.starts_with(GZIP) {
        let unpacked = unpack(bytes, limit)?;
        return decode_utf16(&unpacked).map(|text| Some(text.unwrap_or(unpacked)));
    }
    decode_utf16(bytes)
}

/// Decodes UTF-16 that begins with a byte order mark.
fn decode_utf16(bytes: &[u8]) -> Result<Option<Vec<u8>>, ReadProblem> {
    let from_bytes = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Ok(None),
    };
    let pairs = bytes[HEAD..].chunks_exact(2);
    // What was cut there may be more than a byte.
    if !pairs.remainder().is_empty() {
        return Err(ReadProblem::CutUtf16);
    }
    let text: Result<String, _> =
        char::decode_utf16(pairs.map(|pair| from_bytes([pair[0], pair[1]]))).collect();
    match text {
        Ok(text) => Ok(Some(text.into_bytes())),
        Err(error) => Err(ReadProblem::BrokenUtf16(error.unpaired_surrogate())),
    }
}

#[cfg(feature = "gzip")]
fn unpack(bytes: &[u8], limit: u64) -> Result<Vec<u8>, ReadProblem> {
    use std::io::Read as _;

    let mut unpacked = Vec::new();
    // A file may be several compressed ones on end, as logs are that a program appends to.
    let decoder = flate2::read::MultiGzDecoder::new(bytes);
    let read = decoder.take(limit.saturating_add(1)).read_to_end(&mut unpacked);
    read.map_err(|error| ReadProblem::BrokenGzip(error.to_string()))?;
    if unpacked.len() as u64 > limit {
        return Err(ReadProblem::UnpackedTooLarge { limit });
    }
    Ok(unpacked)
}

#[cfg(not(feature = "gzip"))]
fn unpack(_: &[u8], _: u64) -> Result<Vec<u8>, ReadProblem> {
    Err(ReadProblem::Gzipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(to_bytes).collect()
    }

    #[test]
    fn utf_16_is_read_in_either_order_of_bytes() {
        let text = "{\"say\": \"größer 🦀\"}";
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes = utf16(text, to_bytes);
            assert!(is_encoded(&bytes));
            assert_eq!(decode(&bytes, 100), Ok(Some(text.as_bytes().to_vec())));
        }
        assert_eq!(decode(text.as_bytes(), 100), Ok(None));
        assert_eq!(decode(b"\xff\xfe\x00\xd8a\x00", 100), Err(ReadProblem::BrokenUtf16(0xd800)));
        assert_eq!(decode(b"\xff\xfe", 100), Ok(Some(Vec::new())));
        assert_eq!(decode(b"\xff\xfea\x00b", 100), Err(ReadProblem::CutUtf16));
    }

    #[cfg(feature = "gzip")]
    #[test]
    fn gzip_is_unpacked_up_to_the_limit() {
        use std::io::Write as _;

        let pack = |text: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(text).and_then(|()| encoder.finish()).expect("memory")
        };
        let two = [pack(b"{\"a\": 1}\n"), pack(b"{\"a\": 2}\n")].concat();
        assert_eq!(decode(&two, 18), Ok(Some(b"{\"a\": 1}\n{\"a\": 2}\n".to_vec())));
        assert_eq!(decode(&two, 17), Err(ReadProblem::UnpackedTooLarge { limit: 17 }));
        let zeros = pack(&vec![0; 10 << 20]);
        assert!(zeros.len() < 20_000);
        assert_eq!(decode(&zeros, 1000), Err(ReadProblem::UnpackedTooLarge { limit: 1000 }));
        assert_eq!(decode(&pack(&utf16("ä", u16::to_le_bytes)), 100), Ok(Some("ä".as_bytes().to_vec())));
        assert!(matches!(decode(&two[..two.len() - 12], 100), Err(ReadProblem::BrokenGzip(_))));
    }
}
