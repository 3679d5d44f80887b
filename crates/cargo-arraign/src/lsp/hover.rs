//! Hover: what a check asks and its settings, and what the last run measured.

use std::fmt::Write as _;

use arraign::Verdict;
use arraign::json;
use arraign::verdict::Finding;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use super::document::OpenDocument;
use super::last_run::LastRun;
use super::outline::outline_cases;
use super::position::{find_offset, find_range};

/// The folder of the pages of checks.
const PAGES: &str = "https://docs.rs/crate/arraign/latest/source/docs/checks";

/// Describes the check or the case at `position`.
pub(super) fn describe_at(document: &OpenDocument, last_run: &LastRun, position: Position) -> Option<Hover> {
    let offset = find_offset(&document.text, position);
    let (start, end) = find_word_around(&document.text, offset);
    let word = &document.text[start..end];
    let line = position.line as usize + 1;
    let verdicts = last_run.verdicts_of(&document.path);
    let text = match document.project.find_kind(word) {
        Some(kind) => {
            let measured = describe_findings(verdicts, word, line);
            format!("**`{word}`**: {}\n\n[page]({PAGES}/{word}.md){measured}", kind.summary)
        }
        None => describe_case(document, verdicts, offset)?,
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Some(Hover { contents, range: Some(find_range(&document.text, start, end)) })
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

fn find_word_around(text: &str, offset: usize) -> (usize, usize) {
    let start = text[..offset]
        .rfind(|c| !is_word_char(c))
        // The character before the word may have several bytes.
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[offset..].find(|c| !is_word_char(c)).map_or(text.len(), |at| offset + at);
    (start, end)
}

/// Describes what the check on this line found in each trial of the last run.
fn describe_findings(verdicts: &[Verdict], check: &str, line: usize) -> String {
    let mut text = String::new();
    for verdict in verdicts {
        let own = verdict.findings.iter().filter(|finding| finding.check == check && finding.at.line == line);
        for finding in own {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n\nLast run, `{}`: {}", verdict.name, describe_finding(finding));
        }
    }
    text
}

fn describe_finding(finding: &Finding) -> String {
    let mut text = format!("{}, {}", render_status(&finding.status), render_score(finding.score.get()));
    for violation in &finding.violations {
        let _ = write!(text, "\n- {}", violation.message);
    }
    if let Some(unfit) = &finding.unfit {
        let _ = write!(text, "\n- {unfit}");
    }
    for (name, value) in &finding.values {
        let _ = write!(text, "\n- `{name}`: `{value}`");
    }
    text
}

/// Describes the case, if the cursor is on its id.
fn describe_case(document: &OpenDocument, verdicts: &[Verdict], offset: usize) -> Option<String> {
    let cases = outline_cases(document);
    let case = cases.iter().find(|case| case.head.0 <= offset && offset <= case.head.1)?;
    // A case that was added since the run is told from one that passed.
    let Some(verdict) = verdicts.iter().find(|verdict| verdict.name == case.name) else {
        return Some(format!("**`{}`** has no verdict in the last run.", case.name));
    };
    let passed = if verdict.passed { "passed" } else { "did not pass" };
    let mut text = format!(
        "**`{}`** {passed}: {}, {}",
        case.name,
        render_status(&verdict.status),
        render_score(verdict.score.get())
    );
    for run in &verdict.runs {
        let file = run.file.as_deref().unwrap_or("in the case");
        let _ = write!(text, "\n- {file} ({}, {} calls)", run.format, run.count_calls());
        if let Some(duration) = run.duration_ms {
            let _ = write!(text, ", {duration:.0} ms");
        }
        if let Some(cost) = run.cost_usd {
            let _ = write!(text, ", ${cost:.4}");
        }
    }
    Some(text)
}

fn render_status(status: &impl serde::Serialize) -> String {
    let status = json::to_json(status).unwrap_or_default();
    status.as_str().unwrap_or_default().to_owned()
}

fn render_score(score: f64) -> String {
    format!("score {:.0} %", score * 100.0)
}
