//! The profile `text`: what the words of the final answer are worth. Its numbers are those of the metric it comes from.

mod counts;

use std::ops::Range;

use self::counts::{RuledText, TextRule};
use super::breakdown::{Breakdown, EVIDENCE, GATES, Lost, TESTS, TOOLS, all_or_nothing, divide};
use crate::check::support::messages::say_times;

/// The parts of `answer`.
pub(super) fn judge(answer: &str) -> Breakdown {
    let text = RuledText::new(answer);
    let mut found = Breakdown::default();
    found.tools = judge_tools(&text, &mut found);
    found.evidence = judge_evidence(&text, answer, &mut found);
    // Tests and gates are asked for only of an answer that speaks of a change.
    let is_change = text.has_word(TextRule::Change);
    found.tests = judge_tests(&text, is_change, &mut found);
    found.gates = judge_gates(&text, is_change, &mut found);
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
            found.lost.push(Lost { points, why: why(), help: self.help, ..Lost::default() });
        }
    }
}

fn judge_tools(text: &RuledText, found: &mut Breakdown) -> f64 {
    let edit_count = text.count_words(TextRule::Edit);
    let read_count = text.count(TextRule::Read);
    let deploy_count = text.count_words(TextRule::Deploy);
    let health_count = text.count(TextRule::Health);
    let keyword_count = text.count_keywords();
    let reads = divide(read_count, edit_count);
    let health = divide(health_count, deploy_count);
    let words = divide(keyword_count, 2);
    let help = "say for each edit that the file was read back";
    Asked { label: "reads after edits", share: reads, points: 0.4 * TOOLS, help }.answer(found, || {
        let edits = say_times(edit_count);
        let reads = say_times(read_count);
        format!("`Edit` or `Write` is said {edits}, a `Read` after it {reads}")
    });
    let help = "say for each deployment what its health check showed";
    Asked { label: "health checks", share: health, points: 0.3 * TOOLS, help }.answer(found, || {
        let deploys = say_times(deploy_count);
        let health = say_times(health_count);
        format!("`deploy`, `start` or `launch` is said {deploys}, a health check {health}")
    });
    let help = "say what was verified, and how";
    Asked { label: "verification words", share: words, points: 0.3 * TOOLS, help }
        .answer(found, || format!("{} of 2 words such as `verified` and `confirmed`", keyword_count.min(2)));
    // In the order of the definition: the numbers are held to the last digit.
    let mut score = 0.0;
    score += reads * 0.4;
    score += health * 0.3;
    score += words * 0.3;
    score
}

fn judge_evidence(text: &RuledText, answer: &str, found: &mut Breakdown) -> f64 {
    let points = 0.25 * EVIDENCE;
    let asked = [
        (TextRule::Line, "a line number", "no line number is named", "name the line: `line 42`"),
        (TextRule::Snippet, "a snippet", "no fenced code is shown", "show the code in a fence"),
        (TextRule::Output, "an output", "no output is quoted", "quote what came out: `output: \"...\"`"),
    ];
    let mut score = 0.0;
    for (rule, label, why, help) in asked {
        let share = all_or_nothing(text.has(rule));
        score += 0.25 * share;
        Asked { label, share, points, help }.answer(found, || why.to_owned());
    }
    // The fourth quarter is for what the answer does not do: it claims nothing that it does not show.
    let claim = text.find_claim();
    score += 0.25 * found.keep("no unsupported claim", claim.is_none());
    if let Some(claim) = claim {
        found.lost.push(lose_claim(answer, &claim, points));
    }
    score
}

fn lose_claim(answer: &str, claim: &Range<usize>, points: f64) -> Lost {
    let words: String = answer.chars().skip(claim.start).take(claim.len()).collect();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = format!("`{words}` at character {} of the answer is a guess", claim.start + 1);
    Lost { points, why, help: "say what was seen instead", is_claim: true, ..Lost::default() }
}

fn judge_tests(text: &RuledText, is_change: bool, found: &mut Breakdown) -> f64 {
    if !is_change {
        found.part("tests", None);
        return 1.0;
    }
    let command = all_or_nothing(text.has(TextRule::TestCommand));
    let result = all_or_nothing(text.has(TextRule::TestResult));
    let points = 0.5 * TESTS;
    Asked { label: "a test command", share: command, points, help: "name it: `cargo test`" }
        .answer(found, || "no test command is named".to_owned());
    Asked { label: "a test result", share: result, points, help: "give it: `15 passed`" }
        .answer(found, || "no test result is given".to_owned());
    command * 0.5 + result * 0.5
}

fn judge_gates(text: &RuledText, is_change: bool, found: &mut Breakdown) -> f64 {
    if !is_change {
        found.part("quality gates", None);
        return 1.0;
    }
    let asked = [
        (TextRule::TypeCheck, 0.33, "a type check", "no type checker is named"),
        (TextRule::Lint, 0.33, "a lint", "no linter is named"),
        (TextRule::Coverage, 0.34, "coverage", "no coverage is named"),
    ];
    let mut score = 0.0;
    for (rule, weight, label, why) in asked {
        let share = all_or_nothing(text.has(rule));
        score += weight * share;
        Asked { label, share, points: weight * GATES, help: "run it, and say so" }
            .answer(found, || why.to_owned());
    }
    score
}
