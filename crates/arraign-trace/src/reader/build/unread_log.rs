//! Decides, for all formats, which parts of a run its reader did not understand.
//!
//! A reader calls [`TraceBuilder::open_record`] before it takes a record apart, and [`TraceBuilder::close_record`]
//! afterwards. It reports each part that it skips ([`TraceBuilder::pass_over`]), and how each turn of the model ended
//! ([`TraceBuilder::end_turn`]). This module does the rest. Unread parts are: evidence of a call that is not in the
//! trace at the end, an unknown kind, and a turn or a message of which nothing was read.

use std::collections::HashSet;

use crate::json::{JsonNode, JsonObject};
use crate::json_text::escape_token;
use crate::reader::build::evidence::{CallClue, CallEvidence, CallMention, may_hold_parts};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::json::input::At;
use crate::trace::{Call, Trace, UnreadContent, UnreadPart, Usage, says_tool_use};

/// The unread parts of a run while it is read.
#[derive(Debug, Default)]
pub(crate) struct UnreadLog {
    spot: RecordSpot,
    /// The part of the record that is being read: the key of its list, and its index there.
    part: Option<(&'static str, usize)>,
    /// The key of the content of the last record, if nothing of it was read.
    content: Option<String>,
    parts: Vec<UnreadPart>,
    /// The number of parts when the record began.
    before_record: usize,
    /// Clues of calls that may still follow in the file.
    pending: Vec<PendingClue>,
    /// The number of texts, calls, results and known parts that were read.
    progress: usize,
    /// The same number when the record began, and when the turn began.
    progress_before_record: usize,
    progress_before_turn: usize,
    /// Ids in the file of calls that are in the run under another id.
    aliases: HashSet<String>,
    /// The number of parts when the message began that is being read.
    before_message: usize,
}

/// A clue of a record that was read, without its call so far. Most of them get their call later, so the place is not yet
/// rendered.
#[derive(Debug)]
struct PendingClue {
    mention: CallMention<'static>,
    spot: RecordSpot,
    pointer: String,
    /// The number of messages that begin before the clue.
    after_messages: usize,
}

impl UnreadLog {
    /// Notes that something was read.
    pub(crate) fn note_progress(&mut self) {
        self.progress += 1;
    }

    /// Notes that a turn of the model begins.
    pub(crate) fn begin_turn(&mut self) {
        self.progress_before_turn = self.progress;
        self.before_message = self.parts.len();
    }

    /// Notes that a text of the current message becomes the message of this number, from 1. Parts that were skipped in front of
    /// the text are parts of the same message.
    pub(crate) fn note_message(&mut self, number: usize) {
        for part in self.parts.iter_mut().skip(self.before_message) {
            part.after_messages = part.after_messages.map(|messages| messages.max(number));
        }
    }

    /// Counts a message that was put before all others.
    pub(crate) fn shift_messages(&mut self) {
        for part in &mut self.parts {
            part.after_messages = part.after_messages.map(|messages| messages + 1);
        }
        self.pending.iter_mut().for_each(|clue| clue.after_messages += 1);
    }

    /// The JSON pointer from the record to the part that is being read.
    fn point_to_part(&self) -> String {
        self.part.map(|(list, index)| format!("/{list}/{index}")).unwrap_or_default()
    }

    /// The JSON pointer from the message to its content, of which nothing was read.
    fn point_to_content(&self) -> String {
        self.content.as_deref().map(|key| format!("/{}", escape_token(key))).unwrap_or_default()
    }

    /// Finds the part of the current record that was skipped with the unknown kind `kind`.
    fn find_unknown(&mut self, kind: &str) -> Option<&mut UnreadPart> {
        let of_record = self.parts.get_mut(self.before_record..)?;
        of_record
            .iter_mut()
            .find(|part| matches!(&part.what, UnreadContent::UnknownKind(known) if known == kind))
    }
}

impl TraceBuilder {
    /// Begins the record at `spot`, and gathers its evidence of calls.
    pub(crate) fn open_record<'t>(
        &mut self,
        spot: impl Into<RecordSpot>,
        value: &JsonNode<'t>,
    ) -> CallEvidence<'t> {
        let evidence = CallEvidence::gather(spot, value);
        self.enter_record(evidence.spot);
        evidence
    }

    /// Begins the record at `spot`, which is an object.
    pub(crate) fn open_object<'t>(
        &mut self,
        spot: impl Into<RecordSpot>,
        object: &JsonObject<'t>,
    ) -> CallEvidence<'t> {
        let evidence = CallEvidence::gather_object(spot, object);
        self.enter_record(evidence.spot);
        evidence
    }

    /// Begins the record at `spot` without gathering evidence from it.
    pub(crate) fn enter_record(&mut self, spot: impl Into<RecordSpot>) {
        self.log.spot = spot.into();
        self.log.part = None;
        self.log.content = None;
        self.log.before_record = self.log.parts.len();
        self.log.progress_before_record = self.log.progress;
    }

    /// Begins the part at `index` of the record's list under the key `list`.
    pub(crate) fn enter_part(&mut self, list: &'static str, index: usize) {
        self.log.part = Some((list, index));
    }

    /// Ends a record that was read, and compares its evidence with the run.
    pub(crate) fn close_record(&mut self, evidence: CallEvidence) {
        let CallEvidence { spot, clues, speaker } = evidence;
        // A message of which nothing was read, and in which nothing was reported, is reported as a whole. It would
        // otherwise leave no trace at all.
        let is_silent = self.log.progress == self.log.progress_before_record
            && self.log.parts.len() == self.log.before_record;
        self.log.spot = spot;
        for clue in &clues {
            if !self.accounts_for(&clue.mention) {
                self.add_clue(clue);
            }
        }
        if let Some(speaker) = speaker.filter(|_| is_silent) {
            self.log.content = speaker.content.map(ToOwned::to_owned);
            if speaker.has_parts && clues.is_empty() {
                let pointer = self.log.point_to_content();
                self.note_part(&pointer, UnreadContent::EmptyMessage(speaker.role.to_owned()));
            }
        }
    }

    /// Compares the evidence next to the records of a run with the run.
    pub(crate) fn close_records(&mut self, evidence: Vec<CallEvidence>) {
        for evidence in evidence {
            self.enter_record(evidence.spot);
            self.close_record(evidence);
        }
    }

    /// Notes an unread part at `inner` of the current record.
    fn note_part(&mut self, inner: &str, what: UnreadContent) {
        let part = UnreadPart::new(self.log.spot.locate(inner), what);
        self.log.parts.push(part.after_messages(self.count_messages()));
    }

    /// Keeps a clue of a call that is not in the run so far. A skipped part of the same kind is that call.
    fn add_clue(&mut self, clue: &CallClue) {
        let spot = self.log.spot;
        let pointer = clue.pointer();
        let kind = clue.mention.kind.as_deref();
        if let Some(part) = kind.and_then(|kind| self.log.find_unknown(kind)) {
            part.place = spot.locate(&pointer);
            return;
        }
        let after_messages = self.count_messages();
        let mention = clue.mention.to_static();
        self.log.pending.push(PendingClue { mention, spot, pointer, after_messages });
    }

    /// Whether a mention is a call of the run. Where both have ids, the ids decide; of a call, the name must agree as well.
    fn accounts_for(&mut self, mention: &CallMention) -> bool {
        let name = mention.name.as_deref();
        if let Some(id) = mention.id.as_deref() {
            // Nearly all clues are of a call that was just read: the table of all calls is not needed for them.
            if has_call(latest_of(&self.trace.calls), id, mention) {
                return true;
            }
            // A known id decides.
            let mut calls = self.find_calls(id).peekable();
            if calls.peek().is_some() {
                return calls.any(|call| is_named_by(mention, call));
            }
            drop(calls);
            if self.log.aliases.contains(id) {
                return true;
            }
        }
        // Without an id on one of the two sides, the name is all there is to compare.
        self.trace.calls.iter().any(|call| {
            (mention.id.is_none() || call.id.is_none()) && name.is_some_and(|name| is_same_tool(name, call))
        })
    }

    /// Notes that `id` names a call that is in the run under another id.
    pub(crate) fn add_alias(&mut self, id: &str) {
        self.log.aliases.insert(id.to_owned());
    }

    /// Notes that something was read that is neither a text nor a call.
    pub(crate) fn note_progress(&mut self) {
        self.log.note_progress();
    }

    /// Skips a part of this kind. Kinds that are not in `harmless` may contain a call.
    pub(crate) fn pass_over(&mut self, kind: &str, harmless: &[&str]) {
        if harmless.contains(&kind) {
            self.log.note_progress();
        } else {
            let pointer = self.log.point_to_part();
            self.note_part(&pointer, UnreadContent::UnknownKind(kind.to_owned()));
        }
    }

    /// Skips `part`, which is of this kind, like [`Self::pass_over`]. A part without a text, a role and a call does not touch the
    /// answer beside it.
    pub(crate) fn pass_over_part(&mut self, kind: &str, part: &JsonObject, harmless: &[&str]) {
        let before = self.log.parts.len();
        self.pass_over(kind, harmless);
        if let Some(unread) = self.log.parts.get_mut(before) {
            unread.is_silent = !part.iter().any(|(key, value)| may_say(key, value));
        }
    }

    /// Skips a line or an event of this kind. Without an object or a list in it, not even as JSON text, and without a word
    /// for calls in its kind, it cannot contain a call, and is not reported as unread. Programs often add such lines:
    /// titles, modes, links.
    pub(crate) fn pass_over_record(&mut self, kind: &str, record: &JsonObject, harmless: &[&str]) {
        if harmless.contains(&kind) || !record.values().any(may_hold_parts) && !names_calls(kind) {
            self.log.note_progress();
        } else {
            self.pass_over_part(kind, record, &[]);
        }
    }

    /// Notes a call at `pointer` of the record that is missing in the list `list` of the same record.
    pub(crate) fn note_omission(&mut self, pointer: &str, name: &str, list: &str) {
        let name = name.to_owned();
        let list = list.to_owned();
        self.note_part(pointer, UnreadContent::OmittedCall { name, list });
    }

    /// Notes that the call of this number, which begins at `spot`, has no name in the file.
    pub(crate) fn note_nameless_call(&mut self, spot: impl Into<RecordSpot>, call: usize) {
        let messages = self.trace.messages.iter().filter(|message| message.after_calls < call).count();
        let place = spot.into().locate("");
        self.log
            .parts
            .push(UnreadPart::new(place, UnreadContent::NamelessCall(call)).after_messages(messages));
    }

    /// Notes that the current record sums up turns that are not in the file.
    pub(crate) fn note_summary(&mut self) {
        self.note_part("", UnreadContent::Summary);
    }

    /// Notes a result without an id whose call is not in the run; `name` is that of its tool, if it is known.
    pub(crate) fn note_stray_result(&mut self, name: &str) {
        self.note_part("", UnreadContent::ResultWithoutCall(name.to_owned()));
    }

    /// Notes the turns without calls that stopped because the model called a tool, for formats that stream turns in pieces.
    pub(crate) fn note_stops(&mut self, stops: impl IntoIterator<Item = (usize, (At, String))>) {
        for (turn, (at, reason)) in stops {
            let has_called = self.trace.calls.iter().any(|call| call.turn == turn);
            if !has_called && says_tool_use(&reason) {
                self.note_stop(at, reason);
            }
        }
    }

    /// Notes a turn without calls that stopped for this reason.
    pub(crate) fn note_stop(&mut self, spot: impl Into<RecordSpot>, reason: String) {
        self.enter_record(spot);
        self.note_part("", UnreadContent::StoppedForCalls(reason));
    }

    /// Notes that a call is missing between the message that is being read and the one before it.
    pub(crate) fn note_gap(&mut self) {
        self.note_part("", UnreadContent::MessageGap);
    }

    /// Notes a record with the id of another record, which differs from it. What it says may stand anywhere in the run.
    pub(crate) fn note_repeated_id(&mut self, spot: impl Into<RecordSpot>, id: &str) {
        let what = UnreadContent::RepeatedId(id.to_owned());
        self.log.parts.push(UnreadPart::new(spot.into().locate(""), what));
    }

    /// Notes the other messages that the model gave in place of the last one: only that one is read.
    pub(crate) fn note_alternatives(&mut self, count: usize) {
        for _ in 0..count {
            self.note_part("", UnreadContent::OtherChoice);
        }
    }

    /// Ends a turn of the model: it stopped for this reason, and used these tokens.
    pub(crate) fn end_turn(&mut self, stop: Option<&str>, usage: Option<Usage>) {
        // What the turn was for has been read.
        if self.has_called() {
            return;
        }
        if let Some(reason) = stop.filter(|reason| says_tool_use(reason)) {
            self.note_part("", UnreadContent::StoppedForCalls(reason.to_owned()));
            return;
        }
        if self.is_empty_turn(usage) {
            let pointer = self.log.point_to_content();
            self.note_part(&pointer, UnreadContent::EmptyTurn);
        }
    }

    /// Whether nothing was read of a turn of the model that used these tokens. Tokens beyond the reasoning were written for
    /// something, and an empty text is not it.
    pub(crate) fn is_empty_turn(&self, usage: Option<Usage>) -> bool {
        let is_empty = self.log.progress == self.log.progress_before_turn;
        is_empty && usage.is_some_and(|usage| usage.output_tokens > usage.reasoning_tokens.unwrap_or(0))
    }

    /// Notes a turn of which nothing was read, behind so many messages: it stopped for a call, or used tokens.
    pub(crate) fn note_silent_turn(&mut self, at: At, stop: Option<String>, messages: usize) {
        self.enter_record(at);
        let what = stop.map_or(UnreadContent::EmptyTurn, UnreadContent::StoppedForCalls);
        self.log.parts.push(UnreadPart::new(self.log.spot.locate(""), what).after_messages(messages));
    }

    /// Returns the unread parts of the whole run. Calls may come after their results, so clues are decided here, at the end.
    pub(crate) fn take_unread(&mut self) -> Vec<UnreadPart> {
        let mut parts = std::mem::take(&mut self.log.parts);
        for PendingClue { mention, spot, pointer, after_messages } in std::mem::take(&mut self.log.pending) {
            if !self.accounts_for(&mention) {
                let part = UnreadPart::new(spot.locate(&pointer), mention.describe());
                parts.push(part.after_messages(after_messages));
            }
        }
        // The sort is stable: parts of one line stay in the order in which they were found.
        parts.sort_by_key(|part| part.place.line);
        parts
    }
}

/// Returns the calls that a clue is compared with before all others.
fn latest_of(calls: &[Call]) -> &[Call] {
    const LATEST: usize = 4;
    &calls[calls.len().saturating_sub(LATEST)..]
}

/// Whether one of `calls` has the id of a mention, and its name.
fn has_call(calls: &[Call], id: &str, mention: &CallMention) -> bool {
    calls.iter().rev().any(|call| call.id.as_deref() == Some(id) && is_named_by(mention, call))
}

/// Whether a mention does not contradict the name of a call. The name is compared only for a call, since a result may carry
/// another name, such as its own.
fn is_named_by(mention: &CallMention, call: &Call) -> bool {
    !mention.is_call || mention.name.as_deref().is_none_or(|name| is_same_tool(name, call))
}

/// Whether a mention is one of `calls`, whatever the other calls of the run are.
fn is_plainly_among(mention: &CallMention, calls: &[Call]) -> bool {
    match (mention.id.as_deref(), mention.name.as_deref()) {
        (Some(id), _) => has_call(calls, id, mention),
        (None, Some(name)) => calls.iter().any(|call| is_same_tool(name, call)),
        (None, None) => false,
    }
}

/// Whether `name` is the tool of `call`. A host may put the server before the name of the tool.
fn is_same_tool(name: &str, call: &Call) -> bool {
    let written = call.written_name();
    name.ends_with(written) || written.ends_with(name) || name.ends_with(&call.name)
}

/// Whether an entry is or holds a text, a role or a call.
fn may_say(key: &str, value: &JsonNode) -> bool {
    match value {
        JsonNode::Null | JsonNode::Number(_) | JsonNode::Bool(_) => false,
        JsonNode::Array(items) => says(key) || items.iter().any(|item| may_say("", item)),
        JsonNode::Object(object) => says(key) || object.iter().any(|(key, value)| may_say(key, value)),
        JsonNode::String(_) => says(key) || may_hold_parts(value),
    }
}

/// Whether a key means a text, a role or a call in some format.
fn says(key: &str) -> bool {
    const WORDS: [&str; 12] = [
        "answer", "call", "content", "delta", "function", "message", "output", "parts", "response", "role",
        "text", "tool",
    ];
    let key = key.to_ascii_lowercase();
    WORDS.iter().any(|word| key.contains(word))
}

/// Whether the kind of a line has a word for calls.
fn names_calls(kind: &str) -> bool {
    ["tool", "call", "function", "command", "exec"].iter().any(|word| kind.contains(word))
}

/// Compares the evidence of a record that is one run with that run.
pub(crate) fn note_unread(trace: Trace, evidence: CallEvidence) -> Trace {
    // Nearly always each clue is a call of the run, and the tables of a builder are not needed.
    if evidence.clues.iter().all(|clue| is_plainly_among(&clue.mention, latest_of(&trace.calls))) {
        return trace;
    }
    let mut builder = TraceBuilder::of(trace, 0);
    builder.enter_record(evidence.spot);
    builder.note_progress();
    builder.close_record(evidence);
    let unread = builder.take_unread();
    builder.trace.push_unread(unread);
    builder.trace
}
