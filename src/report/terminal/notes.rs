//! The notes below a diagnostic: expected and actual values, the score, the calls of the run, advice, and the command that
//! runs the trial again.

use std::ops::RangeInclusive;

use crate::report::plain::{count_noun, escape_line, escape_text, truncate_text};
use crate::report::quarantine::render_entry;
use crate::report::score;
use crate::score::Effect;
use crate::suite::LIVE;
use crate::trace::Role;
use crate::verdict::{Finding, RunSummary, Verdict};

/// The number of calls that are shown before and after a concerned call.
const CALLS_AROUND: usize = 3;
/// The number of changed files that are shown.
const FILES_SHOWN: usize = 10;
/// The largest length of what a case says of itself, in characters.
const MAX_DESCRIPTION_CHARS: usize = 200;
/// The largest length of the result of a call that no violation is about, in characters.
const MAX_RESULT_CHARS: usize = 60;
/// The largest length of a call's line, in characters.
const MAX_CALL_CHARS: usize = 100;
/// The largest number of characters of the name of an agent or a model.
const MAX_NAME_CHARS: usize = 40;

/// A run with its number and the number of all runs.
pub(super) struct NumberedRun<'r> {
    pub(super) run: &'r RunSummary,
    pub(super) place: (usize, usize),
}

/// One turn of a conversation, as the details of the run have it.
struct TurnPart {
    query: String,
    /// The numbers of its calls.
    calls: RangeInclusive<usize>,
    replies: Vec<String>,
}

impl TurnPart {
    /// Finds the turn of this number, from 1.
    fn find_turn(run: &RunSummary, turn: usize) -> Option<Self> {
        let messages = &run.details.as_ref()?.messages;
        let mut starts = messages.iter().enumerate().filter(|(_, message)| message.role == Role::User);
        let (at, first) = starts.nth(turn.checked_sub(1)?)?;
        let next = starts.next();
        let end = next.map_or(messages.len(), |(at, _)| at);
        let last_call = next.map_or(run.count_calls(), |(_, message)| message.after_calls);
        let said = messages[at + 1..end].iter().filter(|message| message.role == Role::Assistant);
        let mut replies: Vec<String> = said.map(|message| message.text.clone()).collect();
        // The final answer is not among the messages: the summary of the run has it.
        replies.extend(run.answer.clone().filter(|_| next.is_none()));
        Some(Self { query: first.text.clone(), calls: first.after_calls + 1..=last_call, replies })
    }
}

/// The notes below a snippet: a name (`None` for a continuation line) and an escaped text.
#[derive(Default)]
pub(super) struct DiagnosticNotes(pub(super) Vec<(Option<String>, String)>);

impl DiagnosticNotes {
    pub(super) fn push_note(&mut self, name: &str, text: &str) {
        self.0.push((Some(name.to_owned()), escape_text(text).into_owned()));
    }

    pub(super) fn push_help(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.push_note("help", text);
        }
    }

    /// Adds the points of each part for a threshold, or the statement that a hard gate leaves no score.
    pub(super) fn push_score(&mut self, verdict: &Verdict, finding: &Finding) {
        if finding.effect == Effect::Gate {
            self.push_note("score", "0: a hard gate is violated, nothing else was computed");
        }
        let Some(card) = score::find_card(verdict, finding) else { return };
        let mut parts = score::render_parts(card);
        // The sum is last; it needs a name only where several scorecards are shown.
        if let Some(sum) = parts.last_mut().filter(|_| score::is_one_of_several(verdict, card)) {
            *sum = format!("{}: {sum}", card.name);
        }
        self.push_list("score", parts);
        self.push_list("lost", score::render_losses(card));
        self.push_list("because", score::render_costs(verdict, card));
    }

    /// Adds several lines under one name.
    pub(super) fn push_list(&mut self, name: &str, lines: Vec<String>) {
        let name_width = name.len() + ": ".len();
        for (index, line) in lines.into_iter().enumerate() {
            let name = (index == 0).then(|| name.to_owned());
            // Continuation lines align with the text of the first line.
            let indent = if index == 0 { String::new() } else { " ".repeat(name_width) };
            self.0.push((name, format!("{indent}{}", escape_line(&line))));
        }
    }

    /// Adds what the case says of itself, the row of values that fills it, its quarantine, and the command that runs the trial
    /// again.
    pub(super) fn push_rerun(&mut self, verdict: &Verdict) {
        if let Some(description) = &verdict.description {
            self.push_note("case", &truncate_text(&escape_line(description), MAX_DESCRIPTION_CHARS));
        }
        if let Some(row) = &verdict.row {
            self.push_note("row", &format!("{row} {}", row.text));
        }
        if let Some(entry) = render_entry(verdict) {
            self.push_note("quarantine", &entry);
        }
        self.push_note("rerun", &verdict.rerun_command());
    }

    /// Adds the trace's name and its calls. In a long run only the calls around the concerned ones are listed, and the gaps
    /// between them are counted.
    pub(super) fn push_run(&mut self, numbered: &NumberedRun<'_>, concerned: &[usize], turn: Option<usize>) {
        let run = numbered.run;
        self.push_note("trace", &render_run_name(numbered));
        if let Some(part) = turn.and_then(|turn| TurnPart::find_turn(run, turn)) {
            return self.push_turn(run, &part, concerned);
        }
        let width =
            run.calls.iter().map(|call| call.render_name().chars().count()).max().unwrap_or(0).min(30);
        // Gaps are counted while walking, and written before the next shown call.
        let mut skipped = 0;
        for call in &run.calls {
            if !is_near(call.index, concerned, run.count_calls()) {
                skipped += 1;
                continue;
            }
            // The gap before this call, if calls were skipped; the one after the last call follows the loop.
            self.push_gap(&mut skipped);
            let mark = if concerned.contains(&call.index) { '>' } else { ' ' };
            let text = format!("{mark} {:>2}  {:width$}  {}", call.index, call.render_name(), call.arguments);
            self.0.push((None, truncate_call(&text)));
            self.push_result(run, call.index, concerned);
        }
        skipped += run.calls_left_out;
        self.push_gap(&mut skipped);
        if let Some(answer) = &run.answer {
            let text = format!("  {:>2}  {:width$}  {answer:?}", run.count_calls() + 1, "reply");
            self.0.push((None, truncate_call(&text)));
        }
        if let Some(workspace) = &run.workspace {
            self.push_list("files", workspace.render_lines(FILES_SHOWN));
        }
    }

    /// Adds what the call returned, if the verdict has it: whole for a call that a violation is about, or else its beginning.
    fn push_result(&mut self, run: &RunSummary, index: usize, concerned: &[usize]) {
        let details = run.details.iter().flat_map(|details| &details.calls);
        let Some(call) = details.into_iter().find(|call| call.index == index) else { return };
        let (mark, text) = match (&call.error, &call.result) {
            (Some(error), _) => ("failed:", error),
            (None, Some(result)) => ("->", result),
            (None, None) => return,
        };
        let text = escape_line(text);
        let text = if concerned.contains(&index) { text } else { truncate_text(&text, MAX_RESULT_CHARS) };
        self.0.push((None, format!("      {mark} {text}")));
    }

    /// Adds the words of the user, the calls and the reply of one turn.
    fn push_turn(&mut self, run: &RunSummary, part: &TurnPart, concerned: &[usize]) {
        let render_line = |mark: char, number: &str, name: &str, text: &str| {
            (None, truncate_call(&format!("{mark} {number:>2}  {name:<8}  {text}")))
        };
        self.0.push(render_line(' ', "", "user", &format!("{:?}", part.query)));
        for call in run.calls.iter().filter(|call| part.calls.contains(&call.index)) {
            let mark = if concerned.contains(&call.index) { '>' } else { ' ' };
            self.0.push(render_line(mark, &call.index.to_string(), &call.render_name(), &call.arguments));
            self.push_result(run, call.index, concerned);
        }
        for reply in &part.replies {
            self.0.push(render_line(' ', "", "reply", &format!("{reply:?}")));
        }
    }

    fn push_gap(&mut self, skipped: &mut usize) {
        if *skipped > 0 {
            self.0.push((None, format!("  ..  ({skipped} more)")));
            *skipped = 0;
        }
    }
}

/// Renders the trace's file, with its format, number of calls, id, and number among the runs.
fn render_run_name(numbered: &NumberedRun<'_>) -> String {
    let run = numbered.run;
    let no_file = if run.format == LIVE { "from the agent" } else { "in the case" };
    let file = run.file.as_deref().unwrap_or(no_file);
    let count = count_noun(run.count_calls(), "call");
    let id = run.id.as_deref().map_or(String::new(), |id| format!(", run {id}"));
    let nth = match numbered.place {
        (_, 1) => String::new(),
        (nth, all) => {
            // The runs of a case may be those of several agents or models.
            let by =
                run.agent.iter().chain(run.model.as_ref().filter(|model| run.agent.as_ref() != Some(model)));
            let by: Vec<String> =
                by.map(|name| format!(", {}", truncate_text(name, MAX_NAME_CHARS))).collect();
            format!(", run {nth} of {all}{}", by.concat())
        }
    };
    format!("{file} ({}, {count}{id}{nth})", run.format)
}

/// Whether a call is shown: all calls of a short run, else those around the concerned calls.
fn is_near(index: usize, concerned: &[usize], count: usize) -> bool {
    count <= 2 * CALLS_AROUND + 2
        || concerned.iter().take(CALLS_AROUND).any(|call| call.abs_diff(index) <= CALLS_AROUND)
        || (concerned.is_empty() && index <= CALLS_AROUND)
}

fn truncate_call(line: &str) -> String {
    truncate_text(&escape_line(line), MAX_CALL_CHARS)
}
