//! The rule *fit*: whether a run was recorded for the input of its case, by the agent of today.
//!
//! If the recording has a fingerprint of its input, the fingerprint decides. Otherwise the words decide: some user message
//! contains the case's text, and the texts of its turns come in their order. Runs of white space count as one blank.
//! The files that the agent depends on are compared by their fingerprints alone.

use regex::Regex;
use serde_json::{Value, json};

use super::{AgentFingerprint, Case, FileChange};
use crate::place::Place;
use crate::secrets::collapse_blanks;
use crate::source::fingerprint_bytes;
use crate::trace::{Role, Trace};

/// The text of the user in one turn of a case.
#[derive(Debug, Clone)]
pub struct TurnQuery {
    /// The number of the turn, from 1.
    pub turn: usize,
    /// The text.
    pub text: String,
    /// The place of the text.
    pub place: Place,
}

/// The answer that ends a conversation before its last turn.
#[derive(Debug, Clone)]
pub enum StopWhen {
    /// The answer contains this text.
    Contains(String),
    /// The answer matches this pattern.
    Matches(Regex),
}

impl StopWhen {
    /// Whether `answer` ends the conversation.
    pub fn holds(&self, answer: &str) -> bool {
        match self {
            Self::Contains(text) => answer.contains(text.as_str()),
            Self::Matches(pattern) => pattern.is_match(answer),
        }
    }

    fn describe(&self) -> Value {
        match self {
            Self::Contains(text) => json!({"contains": text}),
            Self::Matches(pattern) => json!({"regex": pattern.as_str()}),
        }
    }
}

impl PartialEq for StopWhen {
    fn eq(&self, other: &Self) -> bool {
        self.describe() == other.describe()
    }
}

/// The result of comparing the input of a case with a run.
#[derive(Debug)]
pub enum Fit<'c> {
    /// The run was recorded for this input.
    Same,
    /// The case or the run does not record what is needed for a comparison.
    NotCompared,
    /// The run was recorded for another input.
    Other(Misfit<'c>),
}

/// The difference between the input of a case and the input that a run was recorded for.
#[derive(Debug)]
pub enum Misfit<'c> {
    /// The fingerprints differ. The texts do not, as far as they are recorded.
    Fingerprint,
    /// The run does not contain a text of the case.
    Text {
        /// The text of the case.
        wanted: &'c str,
        /// The turn that has the text; `None` for the input.
        turn: Option<&'c TurnQuery>,
        /// The text of the run in its place, if there is one.
        found: Option<&'c str>,
    },
    /// Files of the agent have changed since the run was recorded.
    Files(Vec<FileChange>),
}

/// Compares the input of `case` and the files of its agent with those that `trace` was recorded for. Without `agent`, only
/// the input is compared.
pub fn compare_recording<'c>(case: &'c Case, trace: &'c Trace, agent: Option<&AgentFingerprint>) -> Fit<'c> {
    let fit = compare_input(case, trace);
    // Another input is the greater difference, so the files need not be looked at.
    if matches!(fit, Fit::Other(_)) {
        return fit;
    }
    let changes = agent.map(|agent| agent.find_changes(trace)).unwrap_or_default();
    if changes.is_empty() { fit } else { Fit::Other(Misfit::Files(changes)) }
}

/// Compares the input of `case` with the one that `trace` was recorded for.
fn compare_input<'c>(case: &'c Case, trace: &'c Trace) -> Fit<'c> {
    let fingerprint = trace.recorded.as_ref().and_then(|recorded| recorded.input.as_deref());
    match fingerprint {
        Some(fingerprint) if fingerprint == fingerprint_input(case) => Fit::Same,
        Some(_) => match compare_words(case, trace) {
            Fit::Other(misfit) => Fit::Other(misfit),
            // The words agree and the fingerprint does not: the rest of the input has changed.
            Fit::Same | Fit::NotCompared => Fit::Other(Misfit::Fingerprint),
        },
        None => compare_words(case, trace),
    }
}

/// Returns the fingerprint of the case's input: the hash of its value and of the texts of its turns. The order of keys
/// does not count.
pub fn fingerprint_input(case: &Case) -> String {
    let mut input = json!({ "input": case.input.as_ref().map(sort_keys) });
    // What a case does not use is left out, so that its fingerprint does not depend on it.
    if !case.turns.is_empty() {
        input["turns"] = case.turns.iter().map(|turn| turn.text.as_str()).collect();
    }
    if let Some(stop) = &case.stop_when {
        input["stop_when"] = stop.describe();
    }
    fingerprint_bytes(input.to_string().as_bytes())
}

fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sort_keys).collect(),
        Value::Object(entries) => {
            // The order of an object's keys has no meaning, and the texts are compared.
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            entries.into_iter().map(|(key, value)| (key.clone(), sort_keys(value))).collect()
        }
        scalar => scalar.clone(),
    }
}

fn compare_words<'c>(case: &'c Case, trace: &'c Trace) -> Fit<'c> {
    let Some(first) = user_texts(trace).next() else { return Fit::NotCompared };
    if let Some(wanted) = case.prompt()
        && !contains_text(trace, wanted)
    {
        return Fit::Other(Misfit::Text { wanted, turn: None, found: Some(first) });
    }
    // A trace without messages of the user has its input at most, in which later turns cannot be found.
    let has_messages = user_messages(trace).next().is_some();
    let turns = if has_messages { case.turns.as_slice() } else { &[] };
    match find_missing_turn(turns, trace) {
        Some(misfit) => Fit::Other(misfit),
        None if case.prompt().is_none() && turns.is_empty() => Fit::NotCompared,
        None => Fit::Same,
    }
}

/// Whether some text of the user contains `wanted`. Most texts contain it as it is, so the texts are searched without
/// changing them first.
pub(super) fn contains_text(trace: &Trace, wanted: &str) -> bool {
    let plain = wanted.trim();
    user_texts(trace).any(|text| text.contains(plain))
        || user_texts(trace).any(|text| contains_words(text, wanted))
}

/// Returns the first turn whose text is not in the run, after the texts of the turns before it.
fn find_missing_turn<'c>(turns: &'c [TurnQuery], trace: &'c Trace) -> Option<Misfit<'c>> {
    // Each turn takes the earliest message that is left, which leaves the most messages to the turns after it.
    take_in_order(turns, trace, |text, wanted| text.contains(wanted.trim()))?;
    take_in_order(turns, trace, contains_words)
}

fn take_in_order<'c>(
    turns: &'c [TurnQuery],
    trace: &'c Trace,
    contains: impl Fn(&str, &str) -> bool,
) -> Option<Misfit<'c>> {
    let mut rest = user_messages(trace);
    for turn in turns {
        let next = rest.clone().next();
        // `any` consumes up to the match, so that the next turn is looked for behind it.
        if !rest.any(|text| contains(text, &turn.text)) {
            return Some(Misfit::Text { wanted: &turn.text, turn: Some(turn), found: next });
        }
    }
    None
}

/// Returns what the user said, and the recorded input of a run that does not contain the messages.
pub(super) fn user_texts(trace: &Trace) -> impl Iterator<Item = &str> {
    user_messages(trace).chain(trace.input.as_deref())
}

fn user_messages(trace: &Trace) -> impl Iterator<Item = &str> + Clone {
    let said = trace.messages.iter().filter(|message| message.role == Role::User);
    said.map(|message| message.text.as_str())
}

/// Whether `text` contains `wanted`, if each run of white space counts as one blank.
fn contains_words(text: &str, wanted: &str) -> bool {
    collapse_blanks(text).contains(collapse_blanks(wanted).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_one_blank() {
        assert!(contains_words("Answer  this:\n\n  Where is\torder 7?", " Where is order 7?\n"));
        assert!(!contains_words("Where isorder 7?", "Where is order 7?"));
    }
}
