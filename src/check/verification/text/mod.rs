//! The profile `text`: what the words of the final answer are worth. Its numbers are those of the metric it comes from.

mod counts;

use std::ops::Range;

use self::counts::{AnswerCounts, count};
use super::breakdown::{Breakdown, EVIDENCE, GATES, Lost, TESTS, TOOLS, divide};

/// The parts of `answer`.
pub(super) fn judge(answer: &str) -> Breakdown {
    let counts = count(answer);
    let mut found = Breakdown::default();
    found.tools = tools(&counts, &mut found);
    found.evidence = evidence(&counts, answer, &mut found);
    found.tests = tests(&counts, &mut found);
    found.gates = gates(&counts, &mut found);
    found
}

/// One thing that the words are asked for.
struct Asked {
    label: &'static str,
    /// The share of it that is there.
    share: f64,
    /// What all of it is worth, of the whole score.
    points: f64,
    help: &'static str,
}

impl Asked {
    /// Takes down what is there, and what is lost, because of `why`.
    fn answer(self, found: &mut Breakdown, why: impl FnOnce() -> String) {
        found.part(self.label, Some(self.share));
        if self.share < 1.0 {
            let points = self.points * (1.0 - self.share);
            found.lose(Lost { points, why: why(), help: self.help, ..Lost::default() });
        }
    }
}

fn tools(counts: &AnswerCounts, found: &mut Breakdown) -> f64 {
    let reads = divide(counts.reads, counts.edits);
    let health = divide(counts.health, counts.deploys);
    let words = divide(counts.keywords, 2);
    let help = "say for each edit that the file was read back";
    Asked { label: "reads after edits", share: reads, points: 0.4 * TOOLS, help }.answer(found, || {
        let (edits, reads) = (times(counts.edits), times(counts.reads));
        format!("`Edit` or `Write` is said {edits}, a `Read` after it {reads}")
    });
    let help = "say for each deployment what its health check showed";
    Asked { label: "health checks", share: health, points: 0.3 * TOOLS, help }.answer(found, || {
        let (deploys, health) = (times(counts.deploys), times(counts.health));
        format!("`deploy`, `start` or `launch` is said {deploys}, a health check {health}")
    });
    let help = "say what was verified, and how";
    Asked { label: "verification words", share: words, points: 0.3 * TOOLS, help }.answer(found, || {
        format!("{} of 2 words such as `verified` and `confirmed`", counts.keywords.min(2))
    });
    // In the order of the definition: the numbers are held to the last digit.
    let mut score = 0.0;
    score += reads * 0.4;
    score += health * 0.3;
    score += words * 0.3;
    score
}

fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

fn all_or_nothing(is_there: bool) -> f64 {
    if is_there { 1.0 } else { 0.0 }
}

fn evidence(counts: &AnswerCounts, answer: &str, found: &mut Breakdown) -> f64 {
    let points = 0.25 * EVIDENCE;
    let asked = [
        (counts.line, "a line number", "no line number is named", "name the line: `line 42`"),
        (counts.snippet, "a snippet", "no fenced code is shown", "show the code in a fence"),
        (counts.output, "an output", "no output is quoted", "quote what came out: `output: \"...\"`"),
    ];
    let mut score = 0.0;
    for (is_there, label, why, help) in asked {
        let share = all_or_nothing(is_there);
        score += 0.25 * share;
        Asked { label, share, points, help }.answer(found, || why.to_owned());
    }
    found.part("no unsupported claim", Some(all_or_nothing(counts.claim.is_none())));
    match &counts.claim {
        None => score += 0.25,
        Some(claim) => found.lose(lose_claim(answer, claim, points)),
    }
    score
}

fn lose_claim(answer: &str, claim: &Range<usize>, points: f64) -> Lost {
    let words: String = answer.chars().skip(claim.start).take(claim.len()).collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = format!("`{words}` at character {} of the answer is a guess", claim.start + 1);
    Lost { points, why, help: "say what was seen instead", is_claim: true, ..Lost::default() }
}

fn tests(counts: &AnswerCounts, found: &mut Breakdown) -> f64 {
    if !counts.changed {
        found.part("tests", None);
        return 1.0;
    }
    let (command, result) = (all_or_nothing(counts.test_command), all_or_nothing(counts.test_result));
    let points = 0.5 * TESTS;
    Asked { label: "a test command", share: command, points, help: "name it: `cargo test`" }
        .answer(found, || "no test command is named".to_owned());
    Asked { label: "a test result", share: result, points, help: "give it: `15 passed`" }
        .answer(found, || "no test result is given".to_owned());
    command * 0.5 + result * 0.5
}

fn gates(counts: &AnswerCounts, found: &mut Breakdown) -> f64 {
    if !counts.changed {
        found.part("quality gates", None);
        return 1.0;
    }
    let asked = [
        (counts.type_check, 0.33, "a type check", "no type checker is named"),
        (counts.lint, 0.33, "a lint", "no linter is named"),
        (counts.coverage, 0.34, "coverage", "no coverage is named"),
    ];
    let mut score = 0.0;
    for (is_there, weight, label, why) in asked {
        let share = all_or_nothing(is_there);
        score += weight * share;
        Asked { label, share, points: weight * GATES, help: "run it, and say so" }
            .answer(found, || why.to_owned());
    }
    score
}
