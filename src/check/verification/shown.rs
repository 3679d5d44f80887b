//! The files that the output of a tool names, and the line numbers that it shows.

use std::collections::HashSet;

/// The files that a difference names.
pub(super) fn changed_files(text: &str) -> Vec<&str> {
    let named = text.lines().filter_map(|line| {
        let path = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "));
        path.or_else(|| line.strip_prefix("diff --git ").and_then(|rest| rest.rsplit(' ').next()))
    });
    let bare =
        // A tab separates the path from a time; `/dev/null` stands for the side that does not exist.
        named.map(|path| path.split('\t').next().unwrap_or(path).trim()).filter(|path| *path != "/dev/null");
    keep_distinct(
        bare.map(|path| path.strip_prefix("b/").or_else(|| path.strip_prefix("a/")).unwrap_or(path)),
    )
}

/// The files that a search names: `src/a.rs:12: let x`, `src/a.rs-13-`, a line that is a path.
pub(super) fn named_files(text: &str) -> Vec<&str> {
    keep_distinct(text.lines().filter_map(find_numbered_path))
}

fn keep_distinct<'t>(paths: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut seen = HashSet::new();
    paths.filter(|path| !path.is_empty() && seen.insert(*path)).collect()
}

/// Returns the path of `src/a.rs:12: ...`.
fn find_numbered_path(line: &str) -> Option<&str> {
    let (path, rest) = line.split_once(':')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    // A time or a label before a colon is not a path.
    let looks_like_path = !path.is_empty() && !path.contains(' ') && path.contains(['.', '/']);
    (looks_like_path && digits > 0 && rest[digits..].starts_with(':')).then_some(path)
}

/// The number that a line begins with: `  42\t`, `42→`, `42:`, `42|`, `42 | `.
pub(super) fn leading_number(line: &str) -> Option<usize> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = line[digits..].trim_start_matches(' ');
    // A tab follows the number directly; other marks may have blanks before them.
    let is_number =
        digits > 0 && (line[digits..].starts_with('\t') || after.starts_with(['\t', '→', ':', '|', '-']));
    is_number.then(|| line[..digits].parse().ok())?
}

/// A line without the number that a reader put before it.
pub(super) fn without_number(line: &str) -> &str {
    if leading_number(line).is_none() {
        return line;
    }
    // The number, the blanks behind it, and one mark; further blanks are the line's own indentation.
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(' ');
    rest.strip_prefix(['\t', '→', ':', '|', '-']).unwrap_or(rest)
}

/// The line numbers that a text names, in `a.rs:42`, `line 42`, `#L42`, `(42,5)`, at the beginning of a line, or as
/// the range of a hunk.
pub(super) fn named_lines(text: &str, found: &mut HashSet<usize>) {
    for line in text.lines() {
        found.extend(leading_number(line));
        if let Some(hunk) = line.strip_prefix("@@ ") {
            found.extend(hunk_lines(hunk));
        }
        named_in_line(line, found);
    }
}

/// The lines after the change: `-40,3 +42,5 @@`. Of a long hunk, the first lines.
fn hunk_lines(hunk: &str) -> std::ops::Range<usize> {
    const MAX: usize = 300;
    let after = hunk.split('+').nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    // Without a count, a hunk is one line.
    let (start, count) = after.split_once(',').unwrap_or((after, "1"));
    let start = start.parse().unwrap_or(0_usize);
    let count = count.parse().unwrap_or(0_usize);
    start..start.saturating_add(count.min(MAX))
}

fn named_in_line(line: &str, found: &mut HashSet<usize>) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && names_line(&bytes[..at]) {
            found.extend(line[at..at + digits].parse::<usize>().ok());
        }
        // Without digits the step is one byte, or the loop would stand still.
        at += digits.max(1);
    }
}

fn names_line(before: &[u8]) -> bool {
    const HEADS: &[&[u8]] = &[b":", b"#L", b"line ", b"lines ", b"(", b"["];
    HEADS.iter().any(|head| {
        before.len() >= head.len() && before[before.len() - head.len()..].eq_ignore_ascii_case(head)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_name() {
        assert_eq!(without_number("42\tLIMIT = 5"), "LIMIT = 5");
        assert_eq!(named_files("src/a.rs:12:x\nsrc/a.rs:13:y\nb.py:1:z\nhttp: no"), ["src/a.rs", "b.py"]);
        assert_eq!(changed_files("diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n"), ["x.rs"]);
    }

    #[test]
    fn messages_name_lines() {
        let mut found = HashSet::new();
        named_lines(
            " --> src/a.rs:42:5\n  File \"x.py\", line 7\na.ts(9,5): error\n@@ -1,2 +100,2 @@\n8:x",
            &mut found,
        );
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        assert!([7, 8, 9, 42, 100, 101].iter().all(|line| found.contains(line)), "{found:?}");
    }
}
