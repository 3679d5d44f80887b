//! The layouts in which a text shows a name and its value: `name: value`, `--name value`, `<name>value</name>`, `| name | value |`.

use std::ops::Range;

use crate::pattern::steps::count_steps;

/// How a value is separated from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// `name=value` without spaces, as in a URL, and other forms in which nothing but a value can follow.
    Tight,
    /// Any other separator: `name: value`, `name = value`, `{"name": "DB_PASSWORD", "value": "..."}`.
    Loose,
    /// `--name value`.
    Flag,
    /// `<name>value</name>`.
    Element,
    /// `| name | value |`.
    Cell,
    /// `with password value`, `login ada password value`.
    Sentence,
}

/// The most bytes between a name and its value, and before a name, that are looked at.
const MAX_GAP: usize = 80;
/// The longest rest of a row that is looked at.
const MAX_ROW: usize = 500;

/// Returns where the value of the name at `name` begins, and how it is separated.
pub(super) fn find_layout(text: &str, name: &Range<usize>) -> Option<(usize, Layout)> {
    // The separator right behind the name says most. Without one, what stands before the name tells the layout.
    skip_separator(text, name.end)
        .or_else(|| Some((skip_pair(text, name.end)?, Layout::Loose)))
        .or_else(|| skip_tag(text, name))
        .or_else(|| skip_bar(text, name))
        .or_else(|| skip_flag(text, name))
        .or_else(|| skip_sentence(text, name))
}

/// Skips the quote after a name and the separator: `: `, `=`, `=>`, ` is `.
fn skip_separator(text: &str, at: usize) -> Option<(usize, Layout)> {
    // JSON inside a text has escaped quotes: `\"password\": \"...\"`. Markdown has asterisks: `**Password:** ...`.
    let rest = text[at..].trim_start_matches('\\').trim_start_matches(['"', '\'', '`', '*']);
    let tail = rest.trim_start_matches([' ', '\t']);
    let separators = [":=", "=>", "==", "=", ":", "：", "is ", "ist ", "est ", "es ", "é "];
    let (separator, value) =
        separators.iter().find_map(|separator| Some((*separator, tail.strip_prefix(separator)?)))?;
    let trimmed = value.strip_prefix("**").unwrap_or(value).trim_start_matches([' ', '\t']);
    let is_tight = separator == "=" && rest.len() == tail.len() && value.len() == trimmed.len();
    // `is` is a word of its own: `the password is ...`.
    if separator.ends_with(' ') && rest.len() == tail.len() {
        return None;
    }
    let layout = if is_tight { Layout::Tight } else { Layout::Loose };
    Some((text.len() - trimmed.len(), layout))
}

/// Skips the key of a pair after the name of its secret: `"name": "DB_PASSWORD", "value": `, also in YAML and XML.
fn skip_pair(text: &str, at: usize) -> Option<usize> {
    let marks: &[char] = &['\\', '"', '\'', '`', ' ', '\t', '\r', '\n', ','];
    let gap = &text[at..];
    let key = gap.trim_start_matches(marks);
    // A word directly after the name is a part of a sentence.
    let length = gap.len() - key.len();
    let value = key.strip_prefix("value").or_else(|| key.strip_prefix("Value"))?;
    let value = value.trim_start_matches('\\').trim_start_matches(['"', '\'']);
    let value = value.trim_start_matches(' ').strip_prefix([':', '=']).filter(|_| length > 1)?;
    (length <= MAX_GAP).then(|| text.len() - value.trim_start_matches([' ', '\t']).len())
}

/// Skips the end of an opening tag: `<password>`, `<db:password>`.
fn skip_tag(text: &str, name: &Range<usize>) -> Option<(usize, Layout)> {
    let before = &text.as_bytes()[name.start.saturating_sub(MAX_GAP)..name.start];
    let prefix = before.iter().rev().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b':')?;
    let is_tag = before[before.len() - 1 - prefix] == b'<' && text[name.end..].starts_with('>');
    is_tag.then_some((name.end + 1, Layout::Element))
}

/// Skips the bar between a name and a value in a row of a table. The head of a table has names only.
fn skip_bar(text: &str, name: &Range<usize>) -> Option<(usize, Layout)> {
    let marks: &[char] = &[' ', '\t', '*', '`'];
    let behind = text[name.end..].trim_start_matches(marks).strip_prefix('|')?;
    let before = text.as_bytes()[..name.start].iter().rev().take(MAX_GAP);
    let is_cell = before
        .copied()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'*' | b'`'))
        .is_some_and(|byte| byte == b'|');
    let value = behind.trim_start_matches([' ', '\t', '*']);
    let line_end = value.bytes().take(MAX_ROW).position(|byte| byte == b'\n').unwrap_or(value.len());
    count_steps(line_end.min(MAX_ROW));
    let next_line = value.get(line_end + 1..).unwrap_or_default().trim_start_matches([' ', '|', ':']);
    // The whole cell is the value: a cell of several words is a description.
    let cell = value.split(['|', '\n']).next().unwrap_or_default().trim();
    let is_value = !cell.contains([' ', '(']) && !next_line.starts_with("--");
    (is_cell && is_value).then(|| (text.len() - value.len(), Layout::Cell))
}

/// Skips the blank between a flag and its value. The next flag is no value.
fn skip_flag(text: &str, name: &Range<usize>) -> Option<(usize, Layout)> {
    // The hyphens of a flag are characters of a name.
    let is_flag = text.as_bytes()[name.start] == b'-';
    let value = text[name.end..].trim_start_matches(' ');
    let start = text.len() - value.len();
    let begins = !text[..name.start].ends_with(|c: char| c.is_alphanumeric()) && !value.starts_with('-');
    (is_flag && begins && start > name.end && start - name.end <= MAX_GAP).then_some((start, Layout::Flag))
}

/// Skips the blank after `password` where the words before it say that a value follows.
fn skip_sentence(text: &str, name: &Range<usize>) -> Option<(usize, Layout)> {
    let value = text[name.end..].trim_start_matches(' ');
    let start = text.len() - value.len();
    let from = text.ceil_char_boundary(name.start.saturating_sub(MAX_GAP));
    let name_text = text[name.clone()].to_ascii_lowercase();
    let is_password = name_text.starts_with("pass") || !name_text.is_ascii();
    if start == name.end || !is_password {
        return None;
    }
    let mut words =
        text[from..name.start].split_whitespace().rev().map(|word| word.trim_matches([',', '(', ';']));
    let words: [&str; 4] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let [last, before, .., first] = words.map(str::to_ascii_lowercase);
    // `machine example.org login ada password ...`, the form of `.netrc`.
    if before == "login" && first == "machine" {
        return Some((start, Layout::Tight));
    }
    let introduces = |word: &str| ["with", "using", "mit", "avec", "con", "com", "met"].contains(&word);
    let says_value = introduces(&last)
        || (introduces(&before) && ["the", "a", "this", "dem", "le", "la"].contains(&last.as_str()))
        || ["login", "user", "username"].contains(&before.as_str());
    says_value.then_some((start, Layout::Sentence))
}
