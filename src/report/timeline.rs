//! A trace for people: what a reader saw, in the order in which it happened, and what the file does not tell.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::plain::{one_line, plain};
use super::summary::{dollars, grouped};
use crate::score::written;
use crate::trace::{Arguments, Call, CallStatus, Message, Role, Trace, Usage};

/// How many characters of one text are shown in short.
const TEXT: usize = 300;
/// How many texts and calls are shown in short.
const STEPS: usize = 200;
/// Where what a line says begins.
const WIDTH: usize = 11;
/// Where what is said of a call begins.
const INDENT: usize = 9;

/// How much is shown of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// What a person reads at once: long texts and long runs are cut.
    Short,
    /// All of it.
    Full,
}

/// A run, told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// One or several lines for each thing that happened.
    pub text: String,
    /// Whether something was left out.
    pub cut: bool,
}

/// Tells `run`.
pub fn timeline(run: &Trace, length: Length) -> Timeline {
    let mut teller = Teller { text: String::new(), cut: false, length };
    teller.head(run);
    teller.text.push('\n');
    teller.steps(run);
    let gaps = gaps(run);
    if !gaps.is_empty() {
        teller.text.push('\n');
        teller.line("not told", &gaps.join(", "));
    }
    Timeline { text: teller.text, cut: teller.cut }
}

struct Teller {
    text: String,
    cut: bool,
    length: Length,
}

/// A thing that happened.
enum Step<'t> {
    Said(&'t str, &'t str),
    /// The call that begins it, and how many there are in it.
    Turn(&'t Call, usize),
    Called(&'t Call),
}

impl Teller {
    fn line(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.text, "  {name:WIDTH$}{text}");
    }

    fn head(&mut self, run: &Trace) {
        let facts = [
            ("id", run.id.clone()),
            ("agent", run.agent.clone()),
            ("model", run.model.clone()),
            ("tokens", run.usage.map(tokens)),
            ("cost", run.cost_usd.map(|usd| format!("${}", dollars(usd)))),
            ("duration", run.duration_ms.map(millis)),
            ("ended", run.stop_reason.clone()),
        ];
        for (name, fact) in facts {
            if let Some(fact) = fact {
                let fact = self.shown(&fact, WIDTH);
                self.line(name, &fact);
            }
        }
    }

    fn steps(&mut self, run: &Trace) {
        let steps = steps(run);
        let most = if self.length == Length::Full { steps.len() } else { STEPS };
        for step in steps.iter().take(most) {
            match step {
                Step::Said(who, text) => {
                    let text = self.shown(text, WIDTH);
                    self.line(who, &text);
                }
                Step::Turn(call, together) => self.turn(call, *together),
                Step::Called(call) => self.call(call),
            }
        }
        let left_out = steps.iter().skip(most).filter(|step| !matches!(step, Step::Turn(..))).count();
        if left_out > 0 {
            self.cut = true;
            self.line("...", &format!("and {left_out} more texts and calls"));
        }
        self.answer(run);
    }

    fn turn(&mut self, call: &Call, together: usize) {
        let parallel = if together > 1 { format!(", {together} calls in parallel") } else { String::new() };
        let nested = match call.agent_path.as_slice() {
            [] => String::new(),
            path => format!(", in {}", self.shown(&path.join(" > "), WIDTH)),
        };
        let _ = writeln!(self.text, "  turn {}{parallel}{nested}", call.turn);
    }

    fn call(&mut self, call: &Call) {
        let name = self.shown(&call.name, INDENT);
        let mut arguments = self.shown(&call.arguments.to_text(), INDENT);
        if let Arguments::Broken { error, .. } = &call.arguments {
            let _ = write!(arguments, "   (no JSON: {})", self.shown(error, INDENT));
        }
        let _ = writeln!(self.text, "    {:>3}  {name}  {arguments}", call.index);
        for line in facts(call).into_iter().chain(outcome(call)) {
            let line = self.shown(&line, INDENT);
            let _ = writeln!(self.text, "{:INDENT$}{line}", "");
        }
    }

    fn answer(&mut self, run: &Trace) {
        match &run.answer {
            None => self.line("answer", "none"),
            Some(answer) if answer.is_empty() => self.line("answer", "an empty text"),
            Some(answer) => {
                let answer = self.shown(answer, WIDTH);
                self.line("answer", &answer);
            }
        }
    }

    /// Text that is harmless: on one line and cut; in full with its lines below each other, behind a bar, so that none
    /// of them is the first thing on its line.
    fn shown(&mut self, text: &str, indent: usize) -> String {
        if self.length == Length::Full {
            let margin = format!("\n{:indent$}| ", "");
            return plain(&text.replace("\r\n", "\n")).replace('\n', &margin);
        }
        match text.char_indices().nth(TEXT) {
            None => one_line(text),
            Some((end, _)) => {
                self.cut = true;
                let more = text[end..].chars().count();
                format!("{}... ({} more characters)", one_line(&text[..end]), grouped(&more.to_string()))
            }
        }
    }
}

/// What happened, in order. What was said last is the answer, and is told as that.
fn steps(run: &Trace) -> Vec<Step<'_>> {
    let mut texts = run.messages[..run.messages.len() - said_as_answer(run)].iter().peekable();
    let mut together: HashMap<(usize, &[String]), usize> = HashMap::new();
    for call in &run.calls {
        *together.entry(turn_of(call)).or_default() += 1;
    }
    let mut steps = Vec::new();
    let mut last = None;
    for (made, call) in run.calls.iter().enumerate() {
        while let Some(message) = texts.next_if(|message| message.after_calls <= made) {
            steps.push(said(message));
            last = None;
        }
        let turn = turn_of(call);
        if last != Some(turn) {
            steps.push(Step::Turn(call, together.get(&turn).copied().unwrap_or_default()));
        }
        steps.push(Step::Called(call));
        last = Some(turn);
    }
    steps.extend(texts.map(said));
    steps
}

/// How many of the last messages are the answer.
fn said_as_answer(run: &Trace) -> usize {
    let Some(answer) = &run.answer else { return 0 };
    let is_last = |message: &&Message| {
        message.role == Role::Assistant && message.after_calls == run.calls.len() && message.text == *answer
    };
    usize::from(run.messages.last().as_ref().is_some_and(is_last))
}

fn said(message: &Message) -> Step<'_> {
    let who = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    Step::Said(who, &message.text)
}

/// Calls of one turn of one agent are parallel.
fn turn_of(call: &Call) -> (usize, &[String]) {
    (call.turn, &call.agent_path)
}

fn tokens(usage: Usage) -> String {
    let part = |count: Option<u64>, what: &str| {
        count.map_or_else(String::new, |count| format!(" ({} {what})", grouped(&count.to_string())))
    };
    let (input, output) =
        (grouped(&usage.input_tokens.to_string()), grouped(&usage.output_tokens.to_string()));
    let (cached, reasoning) =
        (part(usage.cached_tokens, "cached"), part(usage.reasoning_tokens, "reasoning"));
    let partial = if usage.partial { ", incomplete" } else { "" };
    format!("{input} in{cached}, {output} out{reasoning}{partial}")
}

fn millis(ms: f64) -> String {
    format!("{} ms", written(ms))
}

/// What is known of a call beside what was passed and what came back.
fn facts(call: &Call) -> Option<String> {
    let facts = [
        call.id.as_ref().map(|id| format!("id {id}")),
        call.server.as_ref().map(|server| format!("server {server}")),
        call.started_ms.map(|ms| format!("began after {}", millis(ms))),
        call.duration_ms.map(|ms| format!("took {}", millis(ms))),
        call.exit_code.map(|code| format!("exit code {code}")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

/// What came back. A tool that failed may have a result as well.
fn outcome(call: &Call) -> Vec<String> {
    let result = call.result.as_ref().map(|result| match result {
        serde_json::Value::String(text) => text.clone(),
        value => value.to_string(),
    });
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
        (_, Some(error), Some(result)) if *error == result => vec![format!("error: {error}")],
        (_, Some(error), Some(result)) => vec![format!("error: {error}"), format!("result: {result}")],
    }
}

/// What the file does not tell of the run: a check that asks for it is undecided.
fn gaps(run: &Trace) -> Vec<String> {
    let untold = [
        (run.input.is_none(), "what the user asked"),
        (run.model.is_none(), "the model"),
        (run.usage.is_none(), "tokens"),
        (run.usage.is_some_and(|usage| usage.partial), "some of the run's tokens"),
        (run.cost_usd.is_none(), "cost"),
        (run.duration_ms.is_none(), "duration"),
        (run.calls_unrecorded, "tool calls"),
    ];
    let untold = untold.into_iter().filter(|(missing, _)| *missing).map(|(_, what)| what.to_owned());
    untold.chain(gaps_of_calls(&run.calls)).collect()
}

fn gaps_of_calls(calls: &[Call]) -> Vec<String> {
    let of = |what: &str, lacks: fn(&Call) -> bool| match calls.iter().filter(|call| lacks(call)).count() {
        0 => None,
        count if count == calls.len() => Some(format!("{what} of all calls")),
        count => Some(format!("{what} of {count} of {} calls", calls.len())),
    };
    let gaps = [
        of("the ids", |call| call.id.is_none()),
        of("the arguments", |call| call.arguments == Arguments::Unrecorded),
        of("the results", |call| call.status == CallStatus::Unanswered),
        of("success or failure", |call| call.status == CallStatus::Unknown),
        of("the times", |call| call.started_ms.is_none() && call.duration_ms.is_none()),
    ];
    gaps.into_iter().flatten().collect()
}
