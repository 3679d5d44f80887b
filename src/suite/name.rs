//! The names of trials: module-like, stable, and safe for every runner.
//!
//! `evals/payments/refund.yaml`, case `auth_flow`: `payments::refund::auth_flow`. What libtest's listing, nextest or
//! a terminal cannot carry is escaped as `%XX`, injectively: two cases never share a name.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// The name of the case `id` of the file at `path` (relative to the eval root).
pub fn build_trial_name(path: &Path, id: Option<&str>) -> String {
    build_case_name(&build_file_name(path), id)
}

/// Builds the prefix of the names of the trials in the file at `path`, which is relative to the eval root.
pub fn build_file_name(path: &Path) -> String {
    let stem = path.with_extension("");
    let folders = stem.components().map(|component| component.as_os_str().to_string_lossy());
    let parts: Vec<String> = folders.map(|part| escape_part(&part).into_owned()).collect();
    let name = parts.join("::");
    match name.strip_prefix('-') {
        Some(rest) => format!("%2D{rest}"),
        None => name,
    }
}

/// Builds the name of the case `id` in the file `file`.
pub fn build_case_name(file: &str, id: Option<&str>) -> String {
    match id {
        Some(id) => [file, "::", &escape_part(id)].concat(),
        None => file.to_owned(),
    }
}

/// Builds the name of the trial of one run of the case `case`: the path of its trace file without the extension, and for one
/// of several runs of a file, its id or its number.
pub(super) fn build_run_name(case: &str, trace: &Path, run: Option<&str>) -> String {
    let parts = trace.components().map(|component| component.as_os_str().to_string_lossy());
    let mut name = case.to_owned();
    for part in parts {
        name.push_str("::");
        name.push_str(&escape_part(&part));
    }
    if let Some(run) = run {
        name.extend(["[", &escape_part(run), "]"]);
    }
    name
}

/// Escapes one part of a name.
fn escape_part(part: &str) -> Cow<'_, str> {
    if part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
        return Cow::Borrowed(part);
    }
    let chars: Vec<char> = part.chars().collect();
    let mut escaped = String::with_capacity(part.len());
    for (index, &c) in chars.iter().enumerate() {
        // Some characters are plain only between others, such as a point that is not the first one.
        let before = index.checked_sub(1).map(|at| chars[at]);
        if is_plain(c, before, chars.get(index + 1).copied()) {
            escaped.push(c);
        } else {
            let mut bytes = [0; 4];
            escaped.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    Cow::Owned(escaped)
}

/// The characters that Windows or an artifact store refuses in file names.
const RESERVED: &[char] = &['"', '*', '/', ':', '<', '>', '?', '\\', '|'];

/// Escapes the id of a case, or another part of a file name, injectively: files of all names can be copied and uploaded
/// anywhere.
pub fn escape_file_name(part: &str) -> String {
    let name = escape_part(part);
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        if is_reserved(c) || (escaped.is_empty() && names_device(part)) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%x{:02X}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Returns the name of a recording for the id of a case: what a file name cannot contain on every system becomes `_`.
pub fn name_recording(id: &str) -> String {
    let device = if names_device(id) { "_" } else { "" };
    format!("{device}{}", id.replace(is_reserved, "_"))
}

fn is_reserved(c: char) -> bool {
    c.is_ascii_control() || RESERVED.contains(&c)
}

/// Whether Windows takes a file of this name for a device, whatever its extension.
fn names_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    let is_port = port.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']));
    is_port || matches!(stem.as_str(), "AUX" | "CON" | "NUL" | "PRN")
}

/// A single colon or blank inside a part is plain; at its edge, or doubled, it would read as something else.
fn is_plain(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        '%' | '/' | '\\' => false,
        // `::` separates the parts of a name.
        ':' => before.is_some_and(|b| b != ':') && after.is_some_and(|a| a != ':'),
        ' ' => before.is_some() && after.is_some(),
        c => !c.is_control() && !c.is_whitespace() && !is_invisible(c),
    }
}

/// Characters that reorder or hide the text around them.
fn is_invisible(c: char) -> bool {
    let joins = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{feff}');
    joins || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
}

/// The parts of a name, unescaped; `None` where it is no name of ours.
pub(crate) fn split_name(name: &str) -> Option<Vec<String>> {
    name.split("::").map(unescape).collect()
}

fn unescape(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    // `%XX` is one byte of UTF-8; a text that is not valid after decoding is not one of our names.
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let [high, low] = [rest.next()?, rest.next()?].map(|digit| char::from(digit).to_digit(16));
            bytes.push(u8::try_from(high? * 16 + low?).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, id: Option<&str>) -> String {
        build_trial_name(Path::new(path), id)
    }

    #[test]
    fn names_are_module_like() {
        assert_eq!(name("payments/refund.yaml", Some("auth_flow")), "payments::refund::auth_flow");
        assert_eq!(name("one.yaml", None), "one");
        assert_eq!(name("a b.yaml", Some("refund: happy path")), "a b::refund: happy path");
    }

    #[test]
    fn a_run_is_named_after_its_file() {
        let name = |trace: &str, run: Option<&str>| build_run_name("rules", Path::new(trace), run);
        assert_eq!(name("conv_005", None), "rules::conv_005");
        assert_eq!(name("2026/ a", Some("x::y ")), "rules::2026::%20a[x%3A%3Ay%20]");
    }

    #[test]
    fn what_breaks_a_listing_is_escaped_and_comes_back() {
        let ids = "a\nb|-x|a::b|:a|a:|50%|a/b| a |a\u{202e}b|a\u{61c}b|x: test|%2D|tab\there|é";
        for id in ids.split('|') {
            let name = name("s.yaml", Some(id));
            assert!(!name.chars().any(char::is_control), "{name}");
            assert_eq!(split_name(&name).expect("it is a name"), ["s", id], "{name}");
        }
        assert!(name("-s.yaml", None).starts_with("%2D"));
    }

    #[test]
    fn escaping_is_injective() {
        let ids = ["a::b", "a%3A%3Ab", "a:b", "a%3Ab", "a: :b", "%", "%25", "%x3A", ":", "aux", "%x61ux"];
        for escape in [|part: &str| escape_part(part).into_owned(), escape_file_name] {
            let names: std::collections::HashSet<String> = ids.iter().map(|id| escape(id)).collect();
            assert_eq!(names.len(), ids.len());
        }
    }

    #[test]
    fn a_file_name_is_one_on_every_system() {
        assert_eq!(escape_file_name("a \"b\" <c> d|e? *"), "a %x22b%x22 %x3Cc%x3E d%x7Ce%x3F %x2A");
        assert_eq!(name_recording("is 1/2: \"ok\"?"), "is 1_2_ _ok__");
        for device in ["aux", "Con.x", "nul ", "com1", "LPT9.json"] {
            assert_eq!(name_recording(device), format!("_{device}"));
            assert!(escape_file_name(device).starts_with("%x"), "{device}");
        }
        for plain in ["auxiliary", "com", "com0", "com10", "a.aux"] {
            assert_eq!(
                (name_recording(plain), escape_file_name(plain)),
                (plain.to_owned(), plain.to_owned())
            );
        }
    }
}
