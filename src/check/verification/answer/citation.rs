//! Lines that an answer cites: `src/a.rs:42`, `src/a.rs#L42`, `line 42`, `lines 3-9`.

use super::Answer;
use crate::check::verification::path::extension;
use crate::pattern::WordSet;

/// A cited line.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::check::verification) struct Citation {
    /// The file, if it stands with the number.
    pub(in crate::check::verification) path: Option<String>,
    /// The lines: the first and the last.
    pub(in crate::check::verification) lines: Vec<usize>,
    /// The citation as it is written.
    pub(in crate::check::verification) text: String,
    /// The first byte of the citation.
    pub(in crate::check::verification) start: usize,
}

/// More citations than these are not looked at.
const MOST: usize = 200;

/// Extensions of files that have lines; `example.com:80` has none.
static EXTENSIONS: WordSet = WordSet::new(include_str!("../data/source_extensions.txt"));

/// The citations in `answer`: in its prose and in the code in its lines, not inside of fences.
pub(in crate::check::verification) fn citations(answer: &Answer<'_>) -> Vec<Citation> {
    let mut found = in_text(&answer.parts.prose, 0);
    // Each code is a piece of the text, so its place is the distance of the two addresses.
    let base = answer.text.as_ptr() as usize;
    for code in answer.parts.code.iter().filter(|code| !code.contains('\n')) {
        found.extend(in_text(code, code.as_ptr() as usize - base));
    }
    // The citations of code are among those of the prose, and the first of all are kept.
    found.sort_by_key(|citation| citation.start);
    found.truncate(MOST);
    found
}

fn in_text(text: &str, offset: usize) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut pieces = split_pieces(text).into_iter().peekable();
    // `lines 3-9` is two pieces: the word is followed by its numbers.
    while let Some((start, piece)) = pieces.next() {
        if let Some((path, lines)) = parse_place(piece) {
            found.push(Citation {
                path: Some(path.to_owned()),
                lines,
                text: piece.to_owned(),
                start: offset + start,
            });
        } else if matches!(piece.to_ascii_lowercase().as_str(), "line" | "lines") {
            let Some(lines) = pieces.peek().and_then(|(_, next)| parse_numbers(next)) else { continue };
            let end = pieces.peek().map_or(start, |(at, next)| at + next.len());
            let text = text[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
            found.push(Citation { path: None, lines, text, start: offset + start });
        }
    }
    found
}

/// Whether `c` separates two pieces.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || "()[],;*\"'<>|".contains(c)
}

/// Splits `text` at whitespace, brackets and commas, and trims the marks at the end of each piece.
fn split_pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut start = None;
    // The space behind the end closes the last piece.
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_edge(c), start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                pieces.push((from, text[from..at].trim_end_matches(['.', ':', '!', '?'])));
                start = None;
            }
            _ => {}
        }
    }
    pieces
}

/// `src/a.rs:42`, `src/a.rs:42:5`, `src/a.rs:42-48`, `src/a.rs#L42`.
fn parse_place(piece: &str) -> Option<(&str, Vec<usize>)> {
    // A URL with a port looks like a path with a line.
    if piece.contains("://") {
        return None;
    }
    let (path, rest) = piece.split_once("#L").or_else(|| piece.split_once(':'))?;
    let lines = parse_numbers(rest.split(':').next().unwrap_or(rest))?;
    // An extension that is known keeps times (`12:30`) and ratios (`a:1`) out.
    let is_file = EXTENSIONS.contains(extension(path).as_str())
        || path.ends_with("Makefile")
        || path.ends_with("Dockerfile");
    is_file.then_some((path, lines))
}

/// `42`, `42-48`, `L42-L48`.
fn parse_numbers(text: &str) -> Option<Vec<usize>> {
    // Both numbers of a range count, because an answer may cite a range of which only one end exists.
    let parts = text.split(['-', '–', '—']).map(|part| part.trim_start_matches('L'));
    parts.map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, lines: &[usize]) -> (Option<String>, Vec<usize>) {
        (Some(path.to_owned()), lines.to_vec())
    }

    fn of(text: &str) -> Vec<(Option<String>, Vec<usize>)> {
        citations(&Answer::new(text)).into_iter().map(|found| (found.path, found.lines)).collect()
    }

    #[test]
    fn places_and_lines_are_citations() {
        assert_eq!(
            of("See src/a.rs:42, `b.py:7:3` and (c.ts#L3-L9)."),
            [at("src/a.rs", &[42]), at("b.py", &[7]), at("c.ts", &[3, 9])]
        );
        assert_eq!(of("Lines 3-9 changed; on line 12."), [(None, vec![3, 9]), (None, vec![12])]);
        assert_eq!(of("http://web:8080/x and localhost:3000, example.com:443 at 10:30, a line of 3"), []);
    }
}
