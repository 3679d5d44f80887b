//! The rule *fit*: whether a run was recorded for the input of its case, by the agent of today.
//!
//! If the recording has a fingerprint of its input, the fingerprint decides. Otherwise the words decide: the first text of
//! the user is the case's text, or holds it as a piece of its own, and the texts of its turns come in their order.
//! `input_match` says which texts are compared. The files that the agent depends on are compared by their fingerprints alone.

use std::borrow::Cow;

use regex::Regex;

use super::piece::{LinedText, normalize};
use super::{AgentFingerprint, BASELINE, Case, FileChange, OtherMaker};
use crate::check::InputMatch;
use crate::json::{self, Json, json};
use crate::place::Place;
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

    fn describe(&self) -> Json {
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
pub enum RecordingMatch<'c> {
    /// The run was recorded for this input.
    Same,
    /// The case or the run does not record what is needed for a comparison.
    NotCompared,
    /// The run was recorded for another input, or by another agent.
    Other(RecordingMismatch<'c>),
}

/// The difference between a case and what a run was recorded for.
#[derive(Debug)]
pub enum RecordingMismatch<'c> {
    /// Another agent made the recording.
    Agent {
        /// The name of the agent that made it.
        recorded: &'c str,
        /// The name of the agent that the case asks today.
        asked: &'c str,
    },
    /// Another variant of the agent made the recording.
    Variant {
        /// The variant that made it.
        recorded: &'c str,
        /// The variant of today.
        asked: &'c str,
    },
    /// The fingerprints differ. The texts do not, as far as they are recorded.
    Fingerprint,
    /// The run does not contain a text of the case.
    Text {
        /// The text of the case.
        wanted: &'c str,
        /// The turn that has the text; `None` for the input.
        turn: Option<&'c TurnQuery>,
        /// The text of the run that it was compared with, if there is one.
        found: Option<&'c str>,
        /// The setting with which the run counts.
        accepted_by: InputMatch,
    },
    /// Files of the agent have changed since the run was recorded.
    Files(Vec<FileChange>),
}

/// Compares the input of `case` and its agent with those that `trace` was recorded for. Without `agent`, only the input is
/// compared.
pub fn compare_recording<'c>(
    case: &'c Case,
    trace: &'c Trace,
    agent: Option<&'c AgentFingerprint>,
) -> RecordingMatch<'c> {
    // What another agent did says nothing about this one, whatever the input was.
    if let Some(agent) = agent
        && let Some(maker) = agent.find_other_maker(trace)
    {
        return RecordingMatch::Other(match maker {
            OtherMaker::Agent(recorded) => RecordingMismatch::Agent { recorded, asked: &agent.name },
            OtherMaker::Variant(recorded) => {
                let asked = agent.variant.as_deref().unwrap_or(BASELINE);
                RecordingMismatch::Variant { recorded, asked }
            }
        });
    }
    let input_match = case.find_input_match(agent);
    let fit = compare_input(case, trace, input_match);
    // Another input is the greater difference, so the files need not be looked at.
    if input_match == InputMatch::Off || matches!(fit, RecordingMatch::Other(_)) {
        return fit;
    }
    let changes = agent.map(|agent| agent.find_changes(trace)).unwrap_or_default();
    if changes.is_empty() { fit } else { RecordingMatch::Other(RecordingMismatch::Files(changes)) }
}

/// Compares the input of `case` with the one that `trace` was recorded for.
pub fn compare_input<'c>(case: &'c Case, trace: &'c Trace, input_match: InputMatch) -> RecordingMatch<'c> {
    if input_match == InputMatch::Off {
        return RecordingMatch::NotCompared;
    }
    let fingerprint = trace.recorded.as_ref().and_then(|recorded| recorded.input.as_deref());
    match fingerprint {
        Some(fingerprint) if fingerprint == fingerprint_input(case) => RecordingMatch::Same,
        Some(_) => match compare_words(case, trace, input_match) {
            RecordingMatch::Other(misfit) => RecordingMatch::Other(misfit),
            // The words agree and the fingerprint does not: the rest of the input has changed.
            RecordingMatch::Same | RecordingMatch::NotCompared => {
                RecordingMatch::Other(RecordingMismatch::Fingerprint)
            }
        },
        None => compare_words(case, trace, input_match),
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
    fingerprint_bytes(input.to_canonical().to_string().as_bytes())
}

fn sort_keys(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(sort_keys).collect(),
        Json::Object(entries) => {
            // The order of an object's keys has no meaning, and the texts are compared.
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            entries.into_iter().map(|(key, value)| (key.clone(), sort_keys(value))).collect()
        }
        scalar => scalar.clone(),
    }
}

/// Compares the texts of `case` with those of the user in `trace`.
pub(super) fn compare_words<'c>(
    case: &'c Case,
    trace: &'c Trace,
    input_match: InputMatch,
) -> RecordingMatch<'c> {
    let asked = AskedTexts::find_texts(trace);
    let Some(compared) = asked.list_compared(input_match).next() else { return RecordingMatch::NotCompared };
    if let Some(wanted) = case.prompt()
        && !asked.fits(wanted, input_match)
    {
        let accepted_by = find_accepting(|input_match| asked.fits(wanted, input_match));
        return RecordingMatch::Other(RecordingMismatch::Text {
            wanted,
            turn: None,
            found: Some(compared),
            accepted_by,
        });
    }
    // A trace without messages of the user has its input at most, in which later turns cannot be found.
    let turns = if asked.said.is_empty() { &[] } else { case.turns.as_slice() };
    // The first text of a conversation is its first turn, unless the case has an input before it.
    let is_anchored = input_match == InputMatch::First && case.input.is_none();
    match asked.find_missing_turn(turns, input_match, is_anchored) {
        Some((turn, found)) => {
            let accepted_by =
                find_accepting(|input_match| asked.find_missing_turn(turns, input_match, false).is_none());
            RecordingMatch::Other(RecordingMismatch::Text {
                wanted: &turn.text,
                turn: Some(turn),
                found,
                accepted_by,
            })
        }
        None if case.prompt().is_none() && turns.is_empty() => RecordingMatch::NotCompared,
        None => RecordingMatch::Same,
    }
}

/// Returns the strictest setting with which texts fit.
fn find_accepting(fits: impl Fn(InputMatch) -> bool) -> InputMatch {
    let settings = [InputMatch::Any, InputMatch::Contains];
    settings.into_iter().find(|input_match| fits(*input_match)).unwrap_or(InputMatch::Off)
}

/// What the user said in a run.
#[derive(Debug)]
pub(super) struct AskedTexts<'t> {
    /// The messages of the user that are not context alone.
    said: Vec<&'t str>,
    /// The recorded input, for a run that does not contain the messages, or contains them in another form.
    input: Option<&'t str>,
}

impl<'t> AskedTexts<'t> {
    pub(super) fn find_texts(trace: &'t Trace) -> Self {
        let said = trace.messages.iter().filter(|message| message.role == Role::User);
        let said = said.map(|message| message.text.as_str()).filter(|text| !is_context(text));
        Self { said: said.collect(), input: trace.input.as_deref().filter(|text| !is_context(text)) }
    }

    /// Lists the texts that are compared with an input, the most telling one first.
    pub(super) fn list_compared(&self, input_match: InputMatch) -> impl Iterator<Item = &'t str> {
        let said = match (input_match, self.said.as_slice()) {
            (InputMatch::First, [first, ..]) => std::slice::from_ref(first),
            (InputMatch::Last, [.., last]) => std::slice::from_ref(last),
            (_, said) => said,
        };
        // The recorded input is the first text. In a run of several messages it is not the last one.
        let input = self.input.filter(|_| input_match != InputMatch::Last || self.said.is_empty());
        said.iter().copied().chain(input)
    }

    /// Lists the texts, without context and with one blank for white space, of which one contains each text that
    /// [`AskedTexts::fits`].
    pub(super) fn list_searched(&self) -> Vec<String> {
        let mut searched = Vec::new();
        for text in self.list_compared(InputMatch::Any) {
            searched.push(normalize(text).into_owned());
            let own = remove_context(text);
            if let Cow::Owned(own) = &own {
                searched.push(normalize(own).into_owned());
            }
            // A text in JSON may be written with escapes.
            if own.trim().starts_with(['{', '['])
                && let Ok(value) = json::parse_lenient(own.trim())
            {
                collect_texts(&value, &mut searched);
            }
        }
        searched
    }

    /// Whether `wanted` is what the user asked.
    pub(super) fn fits(&self, wanted: &str, input_match: InputMatch) -> bool {
        self.list_compared(input_match).any(|text| fits_text(text, wanted, input_match))
    }

    /// Returns the first turn whose text is not in the run, after the texts of the turns before it, and the text of the run in
    /// its place. If the turns are anchored, the first one must be the first text.
    fn find_missing_turn<'c>(
        &self,
        turns: &'c [TurnQuery],
        input_match: InputMatch,
        is_anchored: bool,
    ) -> Option<(&'c TurnQuery, Option<&'t str>)> {
        // Each turn takes the earliest message that is left, which leaves the most messages to the turns after it.
        let mut rest = self.said.iter().copied();
        for turn in turns {
            let next = rest.clone().next();
            let is_found = if is_anchored && turn.turn == 1 {
                rest.next().is_some_and(|text| fits_text(text, &turn.text, input_match))
            } else {
                // `any` consumes up to the match, so that the next turn is looked for behind it.
                rest.any(|text| fits_text(text, &turn.text, input_match))
            };
            if !is_found {
                return Some((turn, next));
            }
        }
        None
    }
}

/// Whether a text of the user is `wanted`, or holds it as `input_match` asks.
fn fits_text(text: &str, wanted: &str, input_match: InputMatch) -> bool {
    if input_match == InputMatch::Contains {
        return LinedText::new(text).contains(wanted);
    }
    // Most texts are the wanted one as it is.
    if text.trim() == wanted.trim() {
        return true;
    }
    let own = remove_context(text);
    LinedText::new(&own).holds(wanted) || holds_in_json(&own, wanted)
}

/// Adds the texts in a JSON value.
fn collect_texts(value: &Json, texts: &mut Vec<String>) {
    match value {
        Json::String(text) => texts.push(normalize(text).into_owned()),
        Json::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Json::Object(entries) => entries.values().for_each(|value| collect_texts(value, texts)),
        _ => {}
    }
}

/// Whether a text is a JSON value in which some text is `wanted`: the input as a program gets it.
fn holds_in_json(text: &str, wanted: &str) -> bool {
    fn has_text(value: &Json, wanted: &str) -> bool {
        match value {
            Json::String(text) => normalize(text) == wanted,
            Json::Array(items) => items.iter().any(|item| has_text(item, wanted)),
            Json::Object(entries) => entries.values().any(|value| has_text(value, wanted)),
            _ => false,
        }
    }
    let text = text.trim();
    let wanted = normalize(wanted);
    !wanted.is_empty()
        && text.starts_with(['{', '['])
        && json::parse_lenient(text).is_ok_and(|value| has_text(&value, &wanted))
}

/// The tags in which hosts add context to the words of the user.
const CONTEXT_TAGS: [&str; 9] = [
    "environment_context",
    "session_context",
    "system-reminder",
    "user_instructions",
    // Codex puts the text of a skill before the question.
    "skill",
    // Commands of Claude Code, such as `/clear`, and what they print.
    "command-name",
    "command-message",
    "local-command-stdout",
    "local-command-caveat",
];

/// How the messages begin with which hosts set up a conversation. Nothing in them is of the user.
const CONTEXT_STARTS: [&str; 1] = ["This is the Gemini CLI. We are setting up the context for our chat."];

/// Whether a text is nothing but context that a host has added.
fn is_context(text: &str) -> bool {
    if CONTEXT_STARTS.iter().any(|start| text.trim_start().starts_with(start)) {
        return true;
    }
    match remove_context(text) {
        Cow::Borrowed(_) => false,
        Cow::Owned(own) => own.trim().is_empty(),
    }
}

/// Returns the text without the context that a host has added to it. Each part ends a line.
fn remove_context(text: &str) -> Cow<'_, str> {
    // Most texts have no tag at all.
    if !text.contains("</") {
        return Cow::Borrowed(text);
    }
    let mut own = Cow::Borrowed(text);
    for tag in CONTEXT_TAGS {
        let open = format!("<{tag}>");
        let close = format!("</{tag}>");
        while let Some(start) = own.find(&open)
            && let Some(length) = own[start..].find(&close)
        {
            let end = start + length + close.len();
            own = Cow::Owned([&own[..start], "\n", &own[end..]].concat());
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(texts: &[&str], wanted: &str, input_match: InputMatch) -> bool {
        let mut trace = Trace::default();
        for text in texts {
            trace.push_message(Role::User, *text);
        }
        AskedTexts::find_texts(&trace).fits(wanted, input_match)
    }

    #[test]
    fn context_of_the_host_is_not_asked() {
        let reminder = "<system-reminder>\nToday is Friday.\n</system-reminder>";
        assert!(asks(&[reminder, "order 7"], "order 7", InputMatch::First));
        assert!(asks(&[&format!("{reminder} order 7{reminder}")], "order 7", InputMatch::First));
        assert!(!asks(
            &["<system-reminder>order 7</system-reminder>", "order 8"],
            "order 7",
            InputMatch::Any
        ));
        assert!(asks(&["<system-reminder>open"], "<system-reminder>open", InputMatch::First));
    }

    #[test]
    fn a_setting_says_which_texts_are_compared() {
        let texts = ["hello", "order 7", "about order 8, please"];
        for (wanted, expected) in [
            ("hello", [true, false, true, true]),
            ("order 7", [false, false, true, true]),
            ("about order 8, please", [false, true, true, true]),
            ("order 8", [false, false, false, true]),
            ("order 9", [false, false, false, false]),
            ("", [false, false, false, false]),
        ] {
            let settings = [InputMatch::First, InputMatch::Last, InputMatch::Any, InputMatch::Contains];
            assert_eq!(settings.map(|setting| asks(&texts, wanted, setting)), expected, "{wanted}");
        }
    }

    #[test]
    fn an_input_in_json_is_a_piece() {
        let text = r#"{"input": {"query": "Where is \"order 7\"?"}}"#;
        assert!(asks(&[text], "Where is \"order 7\"?", InputMatch::First));
        assert!(!asks(&[text], "order 7", InputMatch::First));
    }
}
