//! The parts of a trace file that its reader did not understand.
//!
//! Such a part may hold a tool call. A run with unread parts therefore does not prove that a tool was not called:
//! see [`CallsUnrecorded`].

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A part of a trace file that its reader did not understand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnreadPart {
    /// Where the part is in its file.
    pub place: RecordPlace,
    /// What is known of the part.
    pub what: UnreadContent,
    /// The number of messages that begin before the part: the part is in the last of them, or comes after it. `None` if
    /// the part may be anywhere in the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_messages: Option<usize>,
    /// Whether the part is a record without a text, a role or a call.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_silent: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl UnreadPart {
    /// A part at `place`, which may be anywhere in the run.
    pub fn new(place: RecordPlace, what: UnreadContent) -> Self {
        Self { place, what, after_messages: None, is_silent: false }
    }

    /// Sets the number of messages that begin before the part.
    #[must_use]
    pub fn after_messages(mut self, messages: usize) -> Self {
        self.after_messages = Some(messages);
        self
    }

    /// Returns the part as one of a turn of the user, which has these messages of the run; `None` if the part is behind the
    /// turn.
    pub(super) fn in_turn(&self, messages: Range<usize>) -> Option<Self> {
        let Some(after) = self.after_messages else { return Some(self.clone()) };
        (after <= messages.end).then(|| self.clone().after_messages(after.saturating_sub(messages.start)))
    }
}

/// The place and the content, such as `line 3: a turn that used output tokens, without a text or a call`.
impl fmt::Display for UnreadPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// A place in a trace file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordPlace {
    /// The line of the record in JSON Lines, from 1. `None` in a file that is one document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The JSON pointer in the record, or in the document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The number of the message in the run, from 1, of a part that was found in its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
}

impl RecordPlace {
    /// The place at `pointer` of the record on `line`, or of the document.
    pub fn new(line: Option<usize>, pointer: impl Into<String>) -> Self {
        Self { line, pointer: pointer.into(), message: None }
    }

    /// The place in the message of this number, from 1.
    pub fn in_message(number: usize) -> Self {
        Self { message: Some(number), ..Self::default() }
    }
}

/// `line 3: /message/content/0`, `line 3`, `/messages/2`, or `message 2`.
impl fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.message {
            return write!(f, "message {number}");
        }
        match (self.line, self.pointer.as_str()) {
            (Some(line), "") => write!(f, "line {line}"),
            (Some(line), pointer) => write!(f, "line {line}: {pointer}"),
            (None, "") => f.write_str("the document"),
            (None, pointer) => f.write_str(pointer),
        }
    }
}

/// What is known of an unread part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnreadContent {
    /// A part, an item or an event of this kind, which the reader does not know.
    UnknownKind(String),
    /// A value that looks like a call, and is no call of the run.
    UnreadCall {
        /// The name of the tool.
        name: String,
        /// The kind of the value, or the key that holds it.
        kind: String,
    },
    /// A call that one list of a record contains and another list of the same record omits. The call is in the run.
    OmittedCall {
        /// The name of the tool.
        name: String,
        /// The key of the list that omits the call.
        list: String,
    },
    /// A result of the call with this id or name, which is no call of the run.
    ResultWithoutCall(String),
    /// A turn without calls that ended for this reason, which says that the model called a tool.
    StoppedForCalls(String),
    /// A turn of the model for which tokens were counted, and of which nothing was read.
    EmptyTurn,
    /// A message of this role that has content, and of which nothing was read.
    EmptyMessage(String),
    /// A run of which nothing was read, although its file has content.
    EmptyRun,
    /// The whole file, whose records are in reverse order.
    Reversed,
    /// A summary of turns that are not in the file, and whose calls are therefore not known.
    Summary,
    /// A message that the model gave as an alternative to one of the run.
    OtherChoice,
    /// A text of the model that holds a call, in the form of this protocol.
    TextCall {
        /// The name of the protocol.
        protocol: String,
    },
    /// The call of this number has no name: any tool may have been called.
    NamelessCall(usize),
    /// A message of the model that follows another one, with nothing between them. A model goes on because it called a tool.
    MessageGap,
    /// A record with the id of another record, which says something else.
    RepeatedId(String),
    /// A further file of the run, which is not there.
    MissingFile(String),
}

impl UnreadContent {
    /// The name by which a user declares such parts harmless: the kind, or the key of the list that omits a call.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::UnknownKind(kind) | Self::UnreadCall { kind, .. } => Some(kind),
            Self::OmittedCall { list, .. } => Some(list),
            Self::TextCall { protocol } => Some(protocol),
            Self::OtherChoice => Some("choices"),
            Self::MessageGap => Some("agent_message"),
            Self::Summary => Some("summary"),
            _ => None,
        }
    }

    /// Renders `count` parts of this content as the subject and the verb of a sentence.
    pub fn describe_group(&self, count: usize) -> String {
        let (s, were) = if count == 1 { ("", "was") } else { ("s", "were") };
        match self {
            Self::UnknownKind(kind) => format!("{count} part{s} of the kind `{kind}` {were} not understood"),
            Self::UnreadCall { name, kind } => {
                let look = if count == 1 { "looks" } else { "look" };
                format!(
                    "{count} part{s} of the kind `{kind}` that {look} like a call of `{name}` {were} not read"
                )
            }
            Self::OmittedCall { name, list } => {
                format!("{count} call{s} of `{name}` {were} read that `{list}` of the same record omits")
            }
            Self::ResultWithoutCall(_) => {
                format!("{count} result{s} of a call that is not in the run {were} not read")
            }
            Self::StoppedForCalls(reason) => {
                format!("{count} turn{s} stopped for `{reason}`, and no call was read")
            }
            Self::EmptyTurn => format!("{count} turn{s} used output tokens, and nothing was read"),
            Self::EmptyMessage(role) => {
                format!("{count} message{s} of the role `{role}` {were} read as empty")
            }
            Self::EmptyRun => format!("{count} run{s} {were} read as empty"),
            Self::Reversed => "the file is in reverse order: read it with `order: reversed`".to_owned(),
            Self::Summary => {
                let summary = if count == 1 { "summary" } else { "summaries" };
                format!("{count} {summary} of turns that are not in the file {were} read (`summary`)")
            }
            Self::OtherChoice => {
                format!("{count} other choice{s} of the model {were} not read (`choices`)")
            }
            Self::TextCall { protocol } => {
                let hold = if count == 1 { "holds" } else { "hold" };
                format!("{count} text{s} {hold} a call in the form of `{protocol}`")
            }
            Self::NamelessCall(call) => format!("call {call} has no name"),
            Self::MessageGap => {
                format!("{count} message{s} {were} read behind another one, without a call between")
            }
            Self::RepeatedId(_) => {
                format!("{count} record{s} with the id of another one, which differs, {were} not read")
            }
            Self::MissingFile(name) => format!("`{name}` of the run is not there"),
        }
    }

    /// Whether parts of these two contents belong to one group of a listing.
    pub fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::ResultWithoutCall(_), Self::ResultWithoutCall(_))
            | (Self::RepeatedId(_), Self::RepeatedId(_)) => true,
            (one, other) => one == other,
        }
    }
}

/// A noun phrase, such as `a turn that used output tokens, without a text or a call`.
impl fmt::Display for UnreadContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKind(kind) => write!(f, "a part of the unknown kind `{kind}`"),
            Self::UnreadCall { name, .. } => write!(f, "a value that looks like a call of `{name}`"),
            Self::OmittedCall { name, list } => {
                write!(f, "a call of `{name}` that `{list}` of the same record omits")
            }
            Self::ResultWithoutCall(id) if id.is_empty() => {
                f.write_str("a result of a call that is not in the run")
            }
            Self::ResultWithoutCall(id) => write!(f, "a result of the call `{id}`, which is not in the run"),
            Self::StoppedForCalls(reason) => {
                write!(f, "a turn that stopped for `{reason}`, without a call")
            }
            Self::EmptyTurn => f.write_str("a turn that used output tokens, without a text or a call"),
            Self::EmptyMessage(role) => write!(f, "a message of the role `{role}` without a text or a call"),
            Self::EmptyRun => f.write_str("a run without a text or a call"),
            Self::Reversed => {
                f.write_str("in reverse order: its times fall, and a result stands before its call")
            }
            Self::Summary => f.write_str("a summary of turns that are not in the file (`summary`)"),
            Self::OtherChoice => f.write_str("a message of which the model gave another choice (`choices`)"),
            Self::TextCall { protocol } => write!(f, "a text with a call in the form of `{protocol}`"),
            Self::NamelessCall(call) => write!(f, "a call without a name (call {call})"),
            Self::MessageGap => {
                f.write_str("a message behind another one of the same turn, without a call between them")
            }
            Self::RepeatedId(id) => write!(f, "a record with the id `{id}` of another record, which differs"),
            Self::MissingFile(name) => write!(f, "a reference to `{name}`, which is not there"),
        }
    }
}

/// Why the calls of a run may not be all in its trace. A check that needs all of them is undecided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallsUnrecorded {
    /// The format does not record calls.
    ByFormat,
    /// A part of the file was not understood.
    Unread {
        /// Where the first such part is.
        place: String,
        /// What the first such part is.
        reason: String,
    },
    /// Nothing shows that the file would have calls: it is a list of roles and texts.
    NotShown {
        /// The formats that read the file alike.
        formats: Vec<String>,
    },
}

impl CallsUnrecorded {
    /// The reason that the first of `parts` is, if there is one.
    pub(crate) fn find_in(parts: &[UnreadPart]) -> Option<Self> {
        let first = parts.first()?;
        Some(Self::Unread { place: first.place.to_string(), reason: first.what.to_string() })
    }
}

/// A sentence without a full stop, for a message about a check.
impl fmt::Display for CallsUnrecorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByFormat => f.write_str("the trace does not record the tool calls"),
            Self::Unread { place, reason } => {
                write!(f, "the trace was not read completely: {place} is {reason}")
            }
            Self::NotShown { formats } => {
                let formats = formats.join("` or `");
                write!(
                    f,
                    "nothing in the trace shows that its writer records tool calls: it is a list of roles and texts, \
                     read as `{formats}`"
                )
            }
        }
    }
}

/// The places that are listed of parts that are alike.
const LISTED: usize = 20;

/// Describes parts, one sentence for all that are alike, such as `2 parts of the kind "x" were not understood: lines 3, 5`.
pub(super) fn describe_parts(parts: &[UnreadPart]) -> Vec<String> {
    let mut groups: Vec<Vec<&UnreadPart>> = Vec::new();
    for part in parts {
        // The kinds are few, so a list keeps them in the order of the file.
        match groups.iter_mut().find(|group| group.iter().any(|known| known.what.is_alike(&part.what))) {
            Some(group) => group.push(part),
            None => groups.push(vec![part]),
        }
    }
    groups.iter().filter_map(|group| describe_group(group)).collect()
}

fn describe_group(group: &[&UnreadPart]) -> Option<String> {
    let what = &group.first()?.what;
    let lines: Option<Vec<usize>> = group.iter().map(|part| part.place.line).collect();
    // Lines are shorter than pointers, and are used only if each part has one.
    let (word, mut places) = match lines {
        Some(lines) if lines.len() == 1 => ("line ", vec![lines[0].to_string()]),
        Some(lines) => ("lines ", lines.iter().map(ToString::to_string).collect()),
        None => ("", group.iter().map(|part| part.place.to_string()).collect()),
    };
    places.dedup();
    let more = places.len().saturating_sub(LISTED);
    places.truncate(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{}: {word}{}{more}", what.describe_group(group.len()), places.join(", ")))
}
