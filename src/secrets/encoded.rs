//! The forms in which programs write a text: with the escapes of JSON, in a URL, and in Base64.

/// Decodes the escapes of JSON in a text of any form. Everything else stays as it is.
pub(super) fn decode_escapes(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        decoded.push_str(&rest[..at]);
        let (c, length) = decode_escape(&rest[at..]);
        decoded.push(c);
        rest = &rest[at + length..];
    }
    decoded + rest
}

/// Decodes the escape at the beginning of `text`, a backslash. Returns its character and its length in bytes.
fn decode_escape(text: &str) -> (char, usize) {
    match text.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(byte @ (b'"' | b'\'' | b'/' | b'\\')) => (char::from(*byte), 2),
        Some(b'u') => decode_unicode(text).unwrap_or(('\\', 1)),
        _ => ('\\', 1),
    }
}

/// Decodes `\u00e9`, and a pair of surrogates as one character.
fn decode_unicode(text: &str) -> Option<(char, usize)> {
    let first = parse_code_unit(text)?;
    let second = text.get(6..).filter(|_| (0xd800..0xdc00).contains(&first)).and_then(parse_code_unit);
    let units = [first, second.unwrap_or_default()];
    let (units, length) = if second.is_some() { (&units[..], 12) } else { (&units[..1], 6) };
    char::decode_utf16(units.iter().copied()).next()?.ok().map(|c| (c, length))
}

fn parse_code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Decodes the escapes of a URL (`%2F`) in a text of any form. `None` if it has none.
pub(super) fn decode_percent(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = parse_hex(after).filter(|_| *first == b'%');
        decoded.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    (decoded.len() < text.len()).then(|| String::from_utf8_lossy(&decoded).into_owned())
}

/// Parses two hexadecimal digits.
fn parse_hex(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

/// The alphabet of Base64.
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Lists how Base64 writes some bytes that are part of a longer text. Four characters stand for three bytes, so there are three
/// places at which the bytes can begin. The characters that depend on the text around are left out.
pub(super) fn list_base64(bytes: &[u8]) -> Vec<String> {
    let mut spellings = Vec::new();
    for bytes_before in 0..3 {
        let spelling = encode_inside(bytes, bytes_before);
        let in_url = spelling.replace('+', "-").replace('/', "_");
        if in_url != spelling {
            spellings.push(in_url);
        }
        spellings.push(spelling);
    }
    spellings
}

/// Encodes bytes that stand behind this number of other bytes. A character stands for six bits.
fn encode_inside(bytes: &[u8], bytes_before: usize) -> String {
    let first = (bytes_before * 8).div_ceil(6);
    let last = (bytes_before + bytes.len()) * 8 / 6;
    let encoded = (first..last).map(|character| {
        let six = (0..6).fold(0, |bits, bit| {
            let at = character * 6 + bit - bytes_before * 8;
            bits << 1 | usize::from(bytes[at / 8] >> (7 - at % 8) & 1)
        });
        char::from(BASE64[six])
    });
    encoded.collect()
}
