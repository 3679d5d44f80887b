//! Counts of tests in a text: `15 passed`, `Tests: 2 failed`, `failures=1`, `88 of 88 tests pass`.

use std::sync::LazyLock;

use crate::pattern::{WordList, list_words};

/// The thing that a count counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check::verification) enum Counted {
    /// Tests that passed.
    Passed,
    /// Tests that failed, or could not run.
    Failed,
    /// Tests, however they ended.
    Run,
}

/// A count and its place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check::verification) struct TestCount {
    /// The number.
    pub(in crate::check::verification) number: u64,
    /// The thing that is counted.
    pub(in crate::check::verification) counted: Counted,
    /// The first byte of the number.
    pub(in crate::check::verification) start: usize,
    /// One past the last byte of the count.
    pub(in crate::check::verification) end: usize,
}

/// Words that may stand between a number and what it counts.
static BETWEEN: WordList = LazyLock::new(|| list_words(include_str!("../data/count_fillers.txt")));

/// The number of words between a number and the thing that it counts.
const REACH: usize = 4;

struct Piece<'t> {
    text: &'t str,
    start: usize,
}

/// The counts in `text`.
pub(in crate::check::verification) fn counts(text: &str) -> Vec<TestCount> {
    let pieces = split_pieces(text);
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let Ok(number) = piece.text.parse::<u64>() else { continue };
        let after = find_after(text, &pieces, index);
        let before = find_before(text, &pieces, index);
        // `passed=4 failed=0`: what follows is the name of the next number.
        let is_next = before.is_some() && after.is_some_and(|(_, end)| text[end..].starts_with(['=', ':']));
        let nearest = after.filter(|_| !is_next).or(before);
        found.extend(nearest.map(|(counted, end)| TestCount { number, counted, start: piece.start, end }));
    }
    found
}

/// The words and numbers.
fn split_pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        // A piece is a run of digits or a run of letters: `failures=1` is two pieces.
        let kind = if c.is_ascii_digit() { Some(true) } else { c.is_alphabetic().then_some(false) };
        if let Some((start, is_number)) = open
            && kind != Some(is_number)
        {
            pieces.push(Piece { text: &text[start..at], start });
            open = None;
        }
        if let (None, Some(is_number)) = (open, kind) {
            open = Some((at, is_number));
        }
    }
    pieces
}

/// `15 passed`, `88 of 88 tests pass`, `1 test has failed`.
fn find_after(text: &str, pieces: &[Piece<'_>], index: usize) -> Option<(Counted, usize)> {
    let number = &pieces[index];
    for piece in pieces[index + 1..].iter().take(REACH) {
        let between = text.get(number.start + number.text.len()..piece.start)?;
        // A mark between number and word ends the count: `15, failed` are two statements.
        if between.contains(['\n', ',', ';', ':', '.', '%', '(', '|', '=']) {
            return None;
        }
        if let Some(counted) = classify_word(piece.text) {
            return Some((counted, piece.start + piece.text.len()));
        }
        let is_number = piece.text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number && !BETWEEN.contains(&piece.text.to_lowercase().as_str()) {
            return None;
        }
    }
    None
}

/// `Failures: 2`, `failed=1`, `# pass 15`.
fn find_before(text: &str, pieces: &[Piece<'_>], index: usize) -> Option<(Counted, usize)> {
    let piece = pieces.get(index.checked_sub(1)?)?;
    let number = &pieces[index];
    let between = text.get(piece.start + piece.text.len()..number.start)?;
    let names = matches!(between.trim(), ":" | "=")
        || text[..piece.start].ends_with("# ")
        || text[..piece.start].ends_with("ℹ ");
    // `Tests run: 15` is the sentence of Maven's reports.
    let is_run =
        names && piece.text == "run" && index >= 2 && pieces[index - 2].text.eq_ignore_ascii_case("tests");
    let counted = if is_run { Some(Counted::Run) } else { classify_word(piece.text) };
    counted.filter(|_| names).map(|counted| (counted, number.start + number.text.len()))
}

fn classify_word(word: &str) -> Option<Counted> {
    match word.to_ascii_lowercase().as_str() {
        "passed" | "passing" | "pass" | "passes" | "succeeded" => Some(Counted::Passed),
        "failed" | "failing" | "fail" | "fails" | "failure" | "failures" | "error" | "errors" | "errored" => {
            Some(Counted::Failed)
        }
        "examples" | "example" => Some(Counted::Run),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(u64, Counted)> {
        counts(text).into_iter().map(|count| (count.number, count.counted)).collect()
    }

    #[test]
    fn counts_stand_on_either_side() {
        use Counted::{Failed, Passed, Run};
        assert_eq!(of("2 failed, 13 passed in 0.31s"), [(2, Failed), (13, Passed)]);
        assert_eq!(of("Tests run: 15, Failures: 0, Errors: 1"), [(15, Run), (0, Failed), (1, Failed)]);
        assert_eq!(of("88 tests run: 88 passed, 0 skipped"), [(88, Passed)]);
        assert_eq!(of("all 15 tests pass; 3/3 passed"), [(15, Passed), (3, Passed), (3, Passed)]);
        assert_eq!(of("100% tests passed, 0 tests failed out of 15"), [(0, Failed)]);
        assert_eq!(of("FAILED (failures=2, errors=1)"), [(2, Failed), (1, Failed)]);
        assert_eq!(of("<summary passed=4 failed=0 />"), [(4, Passed), (0, Failed)]);
        assert_eq!(of("# pass 15\n# fail 0"), [(15, Passed), (0, Failed)]);
        assert_eq!(of("15 examples, 0 failures"), [(15, Run), (0, Failed)]);
        assert_eq!(of("line 42: nothing"), []);
    }
}
