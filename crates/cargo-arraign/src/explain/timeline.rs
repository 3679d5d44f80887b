//! A trace as readable text: the messages and calls in order, and the facts that the file does not record.

use std::collections::HashMap;
use std::fmt::Write as _;

use arraign::__internals::report::plain::{escape_line, escape_text};
use arraign::__internals::report::summary::{group_thousands, render_dollars};
use arraign::__internals::score::written;
use arraign::__internals::yaml::render_plain;
use arraign::trace::{
    Arguments, Call, CallStatus, CallsUnrecorded, FailureSign, Message, Rewards, Role, Trace, Usage,
};

/// The largest length of one text in the short form, in characters.
const MAX_TEXT_CHARS: usize = 300;
/// The largest number of texts and calls in the short form.
const MAX_STEPS: usize = 200;
/// The column at which the text of a line begins.
const NAME_WIDTH: usize = 11;
/// The column at which the details of a call begin.
const CALL_INDENT: usize = 9;

/// How much of a run is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimelineLength {
    /// A page or two: long texts and long runs are cut.
    Short,
    /// Everything.
    Full,
}

/// A run as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Timeline {
    /// The lines of the timeline.
    pub(super) text: String,
    /// Whether something was left out.
    pub(super) cut: bool,
}

/// Renders `run`.
pub(super) fn render_timeline(run: &Trace, length: TimelineLength) -> Timeline {
    let mut writer = TimelineWriter { text: String::new(), cut: false, length };
    writer.write_head(run);
    writer.text.push('\n');
    writer.write_steps(run);
    // Unread parts are listed before the gaps, since they may be the reason of these.
    for sentence in run.describe_unread() {
        let sentence = writer.render_text(&sentence, NAME_WIDTH);
        writer.write_line("not read", &sentence);
    }
    let gaps = list_gaps(run);
    if !gaps.is_empty() {
        writer.text.push('\n');
        writer.write_line("missing", &gaps.join(", "));
    }
    Timeline { text: writer.text, cut: writer.cut }
}

/// Renders how the run ended, and the reason of the format where it says more: `well (end_turn)`.
fn render_ending(run: &Trace) -> Option<String> {
    let Some(reason) = run.stop_reason.as_deref() else {
        return (!run.ended.is_unknown()).then(|| run.ended.to_string());
    };
    let ended = run.ended.to_string();
    let word = ["error:", "cut:", "limit:"].iter().find_map(|prefix| reason.strip_prefix(prefix));
    if run.ended.is_unknown() {
        Some(reason.to_owned())
    } else if ended.contains(word.unwrap_or(reason).trim()) {
        Some(ended)
    } else {
        Some(format!("{ended} ({reason})"))
    }
}

struct TimelineWriter {
    text: String,
    cut: bool,
    length: TimelineLength,
}

/// One entry of the timeline.
enum TimelineStep<'t> {
    AnswerScope(&'t str, &'t str),
    /// The reasoning in front of what was said next.
    Thought(&'t str),
    /// The first call of a turn, and the number of calls in the turn.
    Turn(&'t Call, usize),
    Called(&'t Call),
}

/// Renders what a verifier gave the run, such as `reward 1`.
fn render_rewards(rewards: &Rewards) -> String {
    let mut parts: Vec<String> =
        rewards.values.iter().map(|(name, value)| format!("{name} {value}")).collect();
    parts.extend(rewards.invalid.iter().map(|why| format!("does not count: {why}")));
    parts.join(", ")
}

impl TimelineWriter {
    fn write_line(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.text, "  {name:NAME_WIDTH$}{text}");
    }

    fn write_head(&mut self, run: &Trace) {
        let facts = [
            ("id", run.id.clone()),
            ("agent", run.agent.clone()),
            ("model", run.model.clone()),
            ("tokens", run.usage.map(render_tokens)),
            ("cost", run.cost_usd.map(|usd| format!("${}", render_dollars(usd)))),
            ("duration", run.duration_ms.map(render_milliseconds)),
            ("ended", render_ending(run)),
            ("reward", run.rewards.as_deref().map(render_rewards)),
        ];
        for (name, fact) in facts {
            if let Some(fact) = fact {
                let fact = self.render_text(&fact, NAME_WIDTH);
                self.write_line(name, &fact);
            }
        }
    }

    fn write_steps(&mut self, run: &Trace) {
        let steps = list_steps(run);
        let most = if self.length == TimelineLength::Full { steps.len() } else { MAX_STEPS };
        for step in steps.iter().take(most) {
            match step {
                TimelineStep::AnswerScope(who, text) => {
                    let text = self.render_text(text, NAME_WIDTH);
                    self.write_line(who, &text);
                }
                TimelineStep::Thought(reasoning) => {
                    let reasoning = self.render_text(reasoning.trim(), NAME_WIDTH);
                    self.write_line("reasoning", &reasoning);
                }
                TimelineStep::Turn(call, together) => self.write_turn(call, *together),
                TimelineStep::Called(call) => self.write_call(call),
            }
        }
        // A heading of a turn is no entry that a reader could miss.
        let left_out = steps.iter().skip(most).filter(|step| !matches!(step, TimelineStep::Turn(..))).count();
        if left_out > 0 {
            self.cut = true;
            self.write_line("...", &format!("and {left_out} more texts and calls"));
        }
        self.write_answer(run);
    }

    fn write_turn(&mut self, call: &Call, together: usize) {
        let parallel = if together > 1 { format!(", {together} calls in parallel") } else { String::new() };
        let nested = match call.agent_path.as_slice() {
            [] => String::new(),
            path => format!(", in {}", self.render_text(&path.join(" > "), NAME_WIDTH)),
        };
        let _ = writeln!(self.text, "  turn {}{parallel}{nested}", call.turn);
    }

    fn write_call(&mut self, call: &Call) {
        let name = self.render_text(&call.name, CALL_INDENT);
        let mut arguments = self.render_text(&call.arguments.to_text(), CALL_INDENT);
        if let Arguments::Broken { error, .. } = &call.arguments {
            let _ = write!(arguments, "   (invalid JSON: {})", self.render_text(error, CALL_INDENT));
        }
        let _ = writeln!(self.text, "    {:>3}  {name}  {arguments}", call.index);
        for line in render_call_facts(call).into_iter().chain(render_call_outcome(call)) {
            let line = self.render_text(&line, CALL_INDENT);
            let _ = writeln!(self.text, "{:CALL_INDENT$}{line}", "");
        }
    }

    fn write_answer(&mut self, run: &Trace) {
        if let Some(reasoning) = &run.answer_reasoning {
            let reasoning = self.render_text(reasoning.trim(), NAME_WIDTH);
            self.write_line("reasoning", &reasoning);
        }
        match &run.answer {
            None => self.write_line("answer", "none"),
            Some(answer) if answer.is_empty() => self.write_line("answer", "empty"),
            Some(answer) => {
                let answer = self.render_text(answer, NAME_WIDTH);
                self.write_line("answer", &answer);
            }
        }
    }

    /// Escapes `text`. The short form puts it on one line and cuts it. The full form keeps its lines and puts a bar
    /// before each, so that no line of the text can begin a line of the output.
    fn render_text(&mut self, text: &str, indent: usize) -> String {
        if self.length == TimelineLength::Full {
            let margin = format!("\n{:indent$}| ", "");
            return escape_text(&text.replace("\r\n", "\n")).replace('\n', &margin);
        }
        // The limit counts characters and not bytes, so that the cut is never inside of one.
        match text.char_indices().nth(MAX_TEXT_CHARS) {
            None => escape_line(text),
            Some((end, _)) => {
                self.cut = true;
                let more = text[end..].chars().count();
                format!("{}... ({} more characters)", escape_line(&text[..end]), group_thousands(more))
            }
        }
    }
}

/// Lists the entries in order, without the text of the final message that is the answer.
///
/// Messages and calls are two lists. A message says how many calls precede it (`after_calls`), so both are merged by
/// inserting before each call the messages that belong there. The calls of a turn share one heading, which also says how many
/// there are; a message between two calls of a turn repeats the heading.
fn list_steps(run: &Trace) -> Vec<TimelineStep<'_>> {
    let (before, answer) = run.messages.split_at(run.messages.len() - count_answer_messages(run));
    let mut texts = before.iter().peekable();
    let mut together: HashMap<(usize, &[String]), usize> = HashMap::new();
    // Counted first: the heading of a turn comes before its calls and says how many follow.
    for call in &run.calls {
        *together.entry(turn_key(call)).or_default() += 1;
    }
    let mut steps = Vec::new();
    let mut last = None;
    for (made, call) in run.calls.iter().enumerate() {
        while let Some(message) = texts.next_if(|message| message.after_calls <= made) {
            push_message_steps(&mut steps, message);
            // A message ends the block of the turn, so the next call repeats the heading.
            last = None;
        }
        let turn = turn_key(call);
        if last != Some(turn) {
            steps.push(TimelineStep::Turn(call, together.get(&turn).copied().unwrap_or_default()));
        }
        steps.push(TimelineStep::Called(call));
        last = Some(turn);
    }
    texts.for_each(|message| push_message_steps(&mut steps, message));
    steps.extend(answer.iter().filter_map(|message| message.reasoning.as_deref()).map(TimelineStep::Thought));
    steps
}

/// Returns the number of final messages that are the answer: 0 or 1.
fn count_answer_messages(run: &Trace) -> usize {
    let (Some(answer), Some(last)) = (&run.answer, run.messages.last()) else { return 0 };
    let is_answer =
        // The same text before a call is a message of its own, and only the last one is the answer.
        last.role == Role::Assistant && last.after_calls == run.calls.len() && last.text == *answer;
    usize::from(is_answer)
}

/// Adds the reasoning and the text of a message. Thinking alone has no text.
fn push_message_steps<'t>(steps: &mut Vec<TimelineStep<'t>>, message: &'t Message) {
    let who = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    steps.extend(message.reasoning.as_deref().map(TimelineStep::Thought));
    if message.reasoning.is_none() || !message.text.is_empty() {
        steps.push(TimelineStep::AnswerScope(who, &message.text));
    }
}

/// Returns the key of a call's turn: calls of one agent with the same turn are parallel.
fn turn_key(call: &Call) -> (usize, &[String]) {
    (call.turn, &call.agent_path)
}

fn render_tokens(usage: Usage) -> String {
    let input = group_thousands(usage.input_tokens);
    let output = group_thousands(usage.output_tokens);
    let cached = render_token_part(usage.cached_tokens, "cached");
    let reasoning = render_token_part(usage.reasoning_tokens, "reasoning");
    let partial = if usage.partial { ", incomplete" } else { "" };
    format!("{input} in{cached}, {output} out{reasoning}{partial}")
}

fn render_token_part(count: Option<u64>, name: &str) -> String {
    count.map_or_else(String::new, |count| format!(" ({} {name})", group_thousands(count)))
}

fn render_milliseconds(ms: f64) -> String {
    format!("{} ms", written(ms))
}

/// Renders the facts about a call other than its arguments and its result.
fn render_call_facts(call: &Call) -> Option<String> {
    let facts = [
        call.id.as_ref().map(|id| format!("id {id}")),
        call.server.name().map(|server| format!("server {server}")),
        call.written.as_ref().map(|written| format!("written {written}")),
        call.served.map(|number| format!("answered as call {number} of the mock tools")),
        call.started_ms.map(|ms| format!("started after {}", render_milliseconds(ms))),
        call.duration_ms.map(|ms| format!("took {}", render_milliseconds(ms))),
        call.exit_code.map(|code| format!("exit code {code}")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

/// Says that the status of an answered call is in doubt: checks that need it are undecided.
fn describe_doubt(call: &Call) -> Option<String> {
    let is_recorded = call.status == CallStatus::Ok && call.status_mark.is_recorded();
    Some(match call.find_failure_sign()? {
        FailureSign::Mark(mark) => format!("may have failed ({mark})"),
        _ if call.error.is_some() => return None,
        _ if is_recorded => "ok, but it looks like a failure".to_owned(),
        _ => "looks like a failure".to_owned(),
    })
}

/// Renders the result and the error of a call. A failed call may have both.
fn render_call_outcome(call: &Call) -> Vec<String> {
    let result = call.result.as_ref().map(render_plain);
    if let Some(doubt) = describe_doubt(call) {
        return vec![result.map_or_else(|| doubt.clone(), |result| format!("{doubt}: {result}"))];
    }
    match (call.status, &call.error, result) {
        (CallStatus::Unanswered, None, None) => vec!["no result".to_owned()],
        (CallStatus::Ok, None, None) => vec!["ok".to_owned()],
        (CallStatus::Ok, None, Some(result)) => vec![format!("ok: {result}")],
        (CallStatus::Unknown | CallStatus::Unanswered, None, Some(result)) => {
            vec![format!("result: {result}")]
        }
        (CallStatus::Unknown, None, None) => vec!["answered".to_owned()],
        (CallStatus::Error, None, None) => vec!["error".to_owned()],
        (CallStatus::Error, None, Some(result)) => vec![format!("error: {result}")],
        (_, Some(error), None) => vec![format!("error: {error}")],
        // Some formats write the error as the result, too: once is enough.
        (_, Some(error), Some(result)) if *error == result => vec![format!("error: {error}")],
        (_, Some(error), Some(result)) => vec![format!("error: {error}"), format!("result: {result}")],
    }
}

/// Lists the facts that the trace does not record: checks that need them are undecided.
fn list_gaps(run: &Trace) -> Vec<String> {
    let facts = [
        (run.input.is_none(), "the user's input"),
        (run.model.is_none(), "the model"),
        (run.usage.is_none(), "tokens"),
        (run.usage.is_some_and(|usage| usage.partial), "some of the run's tokens"),
        (run.cost_usd.is_none(), "cost"),
        (run.duration_ms.is_none(), "duration"),
        (run.calls_unrecorded == Some(CallsUnrecorded::ByFormat), "tool calls"),
        (
            matches!(run.calls_unrecorded, Some(CallsUnrecorded::NotShown { .. })),
            "any sign that its writer records tool calls",
        ),
    ];
    let gaps = facts.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, fact)| fact.to_owned());
    gaps.chain(list_call_gaps(&run.calls)).collect()
}

/// A fact about a call, and whether a call lacks it.
type CallGap = (&'static str, fn(&Call) -> bool);

fn list_call_gaps(calls: &[Call]) -> Vec<String> {
    let facts: &[CallGap] = &[
        ("the ids", |call| call.id.is_none()),
        ("the arguments", |call| call.arguments == Arguments::Unrecorded),
        ("the results", |call| match call.status {
            CallStatus::Unanswered => true,
            CallStatus::Unknown => call.result.is_none(),
            CallStatus::Ok | CallStatus::Error => false,
        }),
        ("success or failure", |call| call.status == CallStatus::Unknown),
        ("the times", |call| call.started_ms.is_none() && call.duration_ms.is_none()),
    ];
    let gaps = facts.iter().filter_map(|(fact, is_missing)| {
        match calls.iter().filter(|call| is_missing(call)).count() {
            // "All" says more than a number that must be compared.
            0 => None,
            count if count == calls.len() => Some(format!("{fact} of all calls")),
            count => Some(format!("{fact} of {count} of {} calls", calls.len())),
        }
    });
    gaps.collect()
}
