//! Assertion evidence: the answer cites a line, a snippet and an output that the run shows, and claims nothing more.

use super::super::answer::citation::{Citation, citations};
use super::super::answer::statement::is_in_advice;
use super::super::breakdown::{Breakdown, EVIDENCE, Lost, divide};
use super::super::output::{CallOutput, squeezed};
use super::super::run_facts::RunFacts;
use super::claim::UnsupportedClaim;
use super::{JudgedRun, is_elsewhere, lost, only_looks};

const QUARTER: f64 = 0.25;

/// Quoted pieces with fewer characters besides whitespace are in every text.
const TRIVIAL: usize = 4;

/// The most quoted lines that are searched for.
const NEEDLES: usize = 120;

/// The most short pieces of code that are searched for.
const MOST_SHORT: usize = 5;

/// Scores the evidence without the false claims, which are charged afterwards.
pub(super) fn judge(
    run: &JudgedRun<'_>,
    guesses: Vec<UnsupportedClaim>,
    is_true: bool,
    found: &mut Breakdown,
) -> f64 {
    let mut score = 0.0;
    score += judge_lines(run, found) * QUARTER;
    score += judge_snippet(run, found) * QUARTER;
    score += judge_output(run, found) * QUARTER;
    score += judge_guesses(guesses, is_true, found) * QUARTER;
    score
}

fn judge_lines(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let citations = citations(&run.answer);
    // A run that only looked at files may answer without a line.
    if !run.facts.touches_files || (only_looks(run) && citations.is_empty()) {
        found.part("a line that was seen", None);
        return 1.0;
    }
    let deepest = run.facts.last_lines.iter().max().copied().unwrap_or(0);
    let last_lines = LastLines { facts: &run.facts, deepest };
    let unseen: Vec<&Citation> = citations.iter().filter(|citation| !last_lines.shows(citation)).collect();
    let is_kept = unseen.is_empty() && !citations.is_empty();
    if found.keep("a line that was seen", is_kept) > 0.0 {
        return 1.0;
    }
    // All citations that nothing shows cost together what one of them costs alone.
    let points = EVIDENCE * QUARTER * divide(1, unseen.len().max(1));
    if unseen.is_empty() {
        found.lost.push(lost(points, "the answer names no line of a file", "name the line: `src/lib.rs:42`"));
    }
    for citation in unseen {
        let why = format!("the answer cites `{}`, and no call shows that line", citation.text);
        found.lost.push(Lost { is_claim: true, ..lost(points, why, "cite lines as a result shows them") });
    }
    0.0
}

/// The lines that the run shows.
struct LastLines<'j> {
    facts: &'j RunFacts,
    deepest: usize,
}

impl LastLines<'_> {
    fn shows(&self, citation: &Citation) -> bool {
        let last = match &citation.path {
            Some(path) => self.facts.last_lines.get(path).copied().unwrap_or(0),
            None => self.deepest,
        };
        citation.lines.iter().all(|line| (1..=last).contains(line) || self.facts.named_lines.contains(line))
    }
}

fn judge_snippet(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let needs_none = only_looks(run) && quotes_nothing(run);
    // Nothing is lost where there was nothing to quote.
    if run.trace.calls.is_empty() || is_elsewhere(run) || needs_none {
        found.part("a snippet that was seen", None);
        return 1.0;
    }
    let kept = shows_any(run, &run.answer.parts.code, |line, output| {
        output.squeezed.contains(line) || output.given.contains(line)
    });
    let kept = if shows_short_code(run) { 1.0 } else { kept };
    found.part("a snippet that was seen", Some(kept));
    if kept < 1.0 {
        let help = "quote the code that was read or written, in backticks";
        found.lost.push(lost(EVIDENCE * QUARTER, "the answer quotes no code that occurs in the run", help));
    }
    kept
}

/// Whether a result, or a text that was given to a call, has a quoted piece of code that is too short to be searched for
/// letter by letter, such as `x = 2`: it must stand alone there, and be more than a name.
fn shows_short_code(run: &JudgedRun<'_>) -> bool {
    const LEAST: usize = 3;
    let is_short = |code: &&&str| {
        let count = squeezed(code).chars().count();
        let has = |is: fn(char) -> bool| code.chars().any(is);
        (LEAST..TRIVIAL).contains(&count)
            && has(char::is_alphanumeric)
            && has(|c| !c.is_alphanumeric() && !c.is_whitespace() && c != '_')
    };
    let pieces = run.answer.parts.code.iter().filter(is_short).take(MOST_SHORT);
    pieces.into_iter().any(|code| {
        let bare = squeezed(code);
        run.facts
            .outputs
            .iter()
            .any(|output| stands_alone(&output.text, code.trim()) || stands_alone(&output.given, &bare))
    })
}

/// Whether `text` has `piece` with no letter or digit beside it.
fn stands_alone(text: &str, piece: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(piece).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + piece.len()..].chars().next();
        !before.is_some_and(joins) && !behind.is_some_and(joins)
    })
}

/// Whether no code is quoted as something that was seen: all of it is trivial, or advice.
fn quotes_nothing(run: &JudgedRun<'_>) -> bool {
    let base = run.answer.text.as_ptr() as usize;
    run.answer.parts.code.iter().all(|code| {
        // Each code is a piece of the text, so its place is the distance of the two addresses.
        let start = code.as_ptr() as usize - base;
        let words = &run.answer.words;
        let at = words.partition_point(|word| word.end <= start).saturating_sub(1);
        let is_line = !code.contains('\n');
        is_line && (squeezed(code).chars().count() < TRIVIAL || is_in_advice(words, at))
    })
}

fn judge_output(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let quotes_none = quotes_nothing(run) && run.answer.parts.quotes.is_empty();
    let needs_none = only_looks(run) && quotes_none && run.test_claims.counts.is_empty();
    if is_elsewhere(run) || needs_none || run.facts.outputs.iter().all(|output| output.squeezed.is_empty()) {
        found.part("an output that was seen", None);
        return 1.0;
    }
    let pieces: Vec<&str> = run.answer.parts.code.iter().chain(&run.answer.parts.quotes).copied().collect();
    let counts: Vec<&str> =
        run.test_claims.counts.iter().map(|count| &run.answer.text[count.start..count.end]).collect();
    let pieces = [counts, pieces];
    // A piece of counts and a piece of quotes are two ways to show an output: the better one counts.
    let kept = pieces.map(|pieces| shows_any(run, &pieces, |line, output| output.squeezed.contains(line)));
    let kept = kept[0].max(kept[1]);
    found.part("an output that was seen", Some(kept));
    if kept < 1.0 {
        let help = "quote what a tool said, or give its counts: `15 passed`";
        found.lost.push(lost(EVIDENCE * QUARTER, "the answer quotes no output that a tool gave", help));
    }
    kept
}

/// Returns 1 if the run shows all lines of some piece, else 0. Trivial lines do not count. The number of lines that are
/// searched is limited, because each is searched in all outputs.
fn shows_any(run: &JudgedRun<'_>, pieces: &[&str], is_seen: impl Fn(&str, &CallOutput) -> bool) -> f64 {
    // The budget is shared by all pieces: the first ones are searched, and a long answer cannot make the check slow.
    let mut left = NEEDLES;
    for piece in pieces {
        let lines = piece.lines().map(squeezed).filter(|line| line.chars().count() >= TRIVIAL);
        let lines: Vec<String> = lines.take(left).collect();
        left -= lines.len();
        let mut missing =
            lines.iter().filter(|line| !run.facts.outputs.iter().any(|output| is_seen(line, output)));
        if !lines.is_empty() && missing.next().is_none() {
            return 1.0;
        }
    }
    0.0
}

fn judge_guesses(guesses: Vec<UnsupportedClaim>, is_true: bool, found: &mut Breakdown) -> f64 {
    found.keep("no unsupported claim", is_true && guesses.is_empty());
    // The guesses share the points, so that many of them do not cost more than the part is worth.
    let points = EVIDENCE * QUARTER * divide(1, guesses.len().max(1));
    let kept = if guesses.is_empty() { 1.0 } else { 0.0 };
    for guess in guesses {
        found.lost.push(guess.into_loss(points));
    }
    kept
}
