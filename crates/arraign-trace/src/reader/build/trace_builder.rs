//! A trace while it is read message by message: its turns, and the calls that wait for a result.
//!
//! Each message of the model is a turn. Neighbouring texts of a message are one text; a call between them makes them
//! two. A result finds its call by id, or by name where the format has no ids; each look-up is constant.

use std::collections::{HashMap, VecDeque};

use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::unread_log::UnreadLog;
use crate::reader::build::usage::UsageTotal;
use crate::trace::{Call, CallStatus, Message, Role, StatusMark, Trace};

/// The most calls that are searched one by one. Most runs have so few, and tables of them would cost more.
const FEW: usize = 16;

/// An index of the calls by id or by name. It is filled at the first look-up, because most formats never look up names.
#[derive(Debug, Default)]
struct CallTable {
    places: HashMap<String, CallPlaces>,
    /// The number of indexed calls.
    filled: usize,
}

/// The calls by id and by name.
#[derive(Debug, Default)]
struct CallTables {
    by_id: CallTable,
    by_name: CallTable,
}

/// The places of the calls with one id or name. There is nearly always one, so the list stays empty and unallocated.
#[derive(Debug)]
struct CallPlaces {
    first: usize,
    others: VecDeque<usize>,
}

impl CallTable {
    fn find(
        &mut self,
        wanted: &str,
        calls: &[Call],
        key: fn(&Call) -> Option<&str>,
    ) -> Option<&mut CallPlaces> {
        // Calls are only appended, so each look-up indexes the calls since the last one. All look-ups together index
        // each call once.
        for (place, call) in calls.iter().enumerate().skip(self.filled) {
            if let Some(key) = key(call) {
                self.add(key, place);
            }
        }
        self.filled = calls.len();
        self.places.get_mut(wanted)
    }

    fn add(&mut self, key: &str, place: usize) {
        if let Some(known) = self.places.get_mut(key) {
            known.others.push_back(place);
        } else {
            let places = CallPlaces { first: place, others: VecDeque::new() };
            self.places.insert(key.to_owned(), places);
        }
    }
}

/// The most calls and messages for which room is reserved in advance.
const USUAL_LENGTH: usize = 64;

/// A trace that is being read.
#[derive(Debug, Default)]
pub(crate) struct TraceBuilder {
    pub(crate) trace: Trace,
    pub(crate) tally: UsageTotal,
    /// The parts that were not understood.
    pub(super) log: UnreadLog,
    speaker: Option<Role>,
    text: Option<String>,
    turn: usize,
    /// Whether the message that is being read has made a call.
    called: bool,
    /// The number of calls before the message that is being read.
    calls_before: usize,
    /// Whether the last text comes behind all calls of the message so far, and before their results.
    is_last_text: bool,
    /// `None` while there are few calls.
    tables: Option<Box<CallTables>>,
    /// Every call before this place is answered.
    answered: usize,
}

impl TraceBuilder {
    /// Begins with the facts known before the first message. A call and its result are two messages, so room is reserved
    /// for half as many calls.
    pub(crate) fn of(mut trace: Trace, messages: usize) -> Self {
        trace.messages.reserve_exact(messages.min(USUAL_LENGTH));
        trace.calls.reserve_exact((messages / 2).min(USUAL_LENGTH));
        Self { trace, ..Self::default() }
    }

    /// Begins a message of `role`; `None` for the message of a tool, which is not part of the conversation.
    pub(crate) fn begin(&mut self, role: Option<Role>) {
        self.end();
        self.speaker = role;
        self.called = false;
        self.is_last_text = false;
        self.calls_before = self.trace.calls.len();
        self.log.begin_turn();
        self.turn += usize::from(role == Some(Role::Assistant));
    }

    /// Whether the message that is being read has made a call.
    pub(crate) fn has_called(&self) -> bool {
        self.called
    }

    /// Begins a turn of another model, such as a subagent: its messages are not part of the conversation.
    pub(crate) fn begin_nested(&mut self) {
        self.begin(None);
        self.turn += 1;
    }

    /// Adds text to the message.
    pub(crate) fn text(&mut self, more: &str) {
        // An empty text does not show that the record was understood.
        if !more.is_empty() {
            self.log.note_progress();
        }
        if self.speaker.is_some() {
            self.text.get_or_insert_default().push_str(more);
        }
    }

    /// Adds a whole message.
    pub(crate) fn say(&mut self, role: Role, text: &str) {
        self.begin(Some(role));
        self.text(text);
        self.end();
    }

    /// Adds a call that the message makes.
    pub(crate) fn call(&mut self, call: Call) {
        self.called = true;
        self.log.note_progress();
        self.end();
        // A text between two calls stays there.
        if std::mem::take(&mut self.is_last_text) {
            self.place_last_text(self.trace.calls.len());
        }
        let turn = self.turn.max(1);
        self.trace.push_call(Call { turn, ..call });
    }

    /// Begins a new turn, for calls of formats that do not record turns.
    pub(crate) fn next_turn(&mut self) {
        self.turn += 1;
    }

    /// Ends the message. Next to calls, an empty text means nothing. Without calls, it is an empty answer.
    pub(crate) fn end(&mut self) {
        let (Some(role), Some(text)) = (self.speaker, self.text.take()) else { return };
        if self.called && text.is_empty() {
            return;
        }
        self.log.note_message(self.trace.messages.len() + 1);
        self.trace.push_message(role, text);
        // A message is said before the results of its calls, also where its text comes last. Calls that the provider ran
        // itself are answered in the message.
        let of_message = self.trace.calls.get(self.calls_before..).unwrap_or_default();
        self.is_last_text =
            self.called && of_message.iter().any(|call| call.status == CallStatus::Unanswered);
        if self.is_last_text {
            self.place_last_text(self.calls_before);
        }
    }

    /// Sets the number of calls before the last text.
    fn place_last_text(&mut self, calls: usize) {
        if let Some(message) = self.trace.messages.last_mut() {
            message.after_calls = calls;
        }
    }

    /// Puts the user's question before everything that was read.
    pub(crate) fn insert_question(&mut self, text: String) {
        self.trace.input = Some(text.clone());
        self.trace.messages.insert(0, Message::new(Role::User, text, 0));
        self.log.shift_messages();
    }

    /// The number of messages that have begun.
    pub(crate) fn count_messages(&self) -> usize {
        self.trace.messages.len() + usize::from(self.text.is_some())
    }

    /// Whether a call has this id, answered or not.
    pub(crate) fn knows(&mut self, id: &str) -> bool {
        self.find_calls(id).next().is_some()
    }

    /// Returns the calls with this id. In a run with many calls, earlier ones that were answered may be missing.
    pub(super) fn find_calls(&mut self, id: &str) -> impl Iterator<Item = &Call> {
        let calls = &self.trace.calls;
        // A few calls are searched faster than a table of their ids is made.
        let (few, places) = if calls.len() > FEW {
            let tables = self.tables.get_or_insert_default();
            (&calls[..0], tables.by_id.find(id, calls, |call| call.id.as_deref()))
        } else {
            (&calls[..], None)
        };
        let listed = places.map(|places| std::iter::once(places.first).chain(places.others.iter().copied()));
        let listed = listed.into_iter().flatten().filter_map(|place| calls.get(place));
        few.iter().filter(move |call| call.id.as_deref() == Some(id)).chain(listed)
    }

    /// Returns the first call with this id that has no result yet; without an id, the first with this name.
    pub(crate) fn waiting(&mut self, id: Option<&str>, name: Option<&str>) -> Option<&mut Call> {
        self.log.note_progress();
        let calls = &mut self.trace.calls;
        // Most runs have few calls, and a search through them costs less than the tables.
        if calls.len() <= FEW {
            let mut waiting = calls.iter_mut().filter(|call| call.status == CallStatus::Unanswered);
            return waiting.find(|call| match id {
                Some(id) => call.id.as_deref() == Some(id),
                None => name.is_some_and(|name| call.written_name() == name),
            });
        }
        let tables = self.tables.get_or_insert_default();
        let places = match (id, name) {
            (Some(id), _) => tables.by_id.find(id, calls, |call| call.id.as_deref()),
            (None, Some(name)) => tables.by_name.find(name, calls, |call| Some(call.written_name())),
            (None, None) => None,
        }?;
        // Ids may be used again. Answered calls never wait again, so they are dropped from the front and each is
        // looked at once.
        while calls.get(places.first).is_some_and(|call| call.status != CallStatus::Unanswered) {
            places.first = places.others.pop_front()?;
        }
        calls.get_mut(places.first)
    }

    /// Notes a further result of a call that was answered. If one of the two is an error and the other is not, nobody
    /// knows which of them counts.
    pub(crate) fn compare_result(&mut self, id: Option<&str>, marks: &OutcomeMarks, unmarked: Unmarked) {
        let Some(index) = id.and_then(|id| self.find_calls(id).last()).map(|call| call.index) else { return };
        let Some(call) = self.call_mut(index) else { return };
        let (status, mark) = marks.judge(unmarked);
        if call.status == CallStatus::Unanswered || status == call.status {
            return;
        }
        if [status, call.status].contains(&CallStatus::Error) {
            call.status = CallStatus::Unknown;
            call.status_mark = StatusMark::Unclear("two results differ in whether it failed".to_owned());
        } else if let StatusMark::Unclear(_) = mark {
            call.status = CallStatus::Unknown;
            call.status_mark = mark;
        }
    }

    /// Returns the call with this index, from 1.
    pub(crate) fn call_mut(&mut self, index: usize) -> Option<&mut Call> {
        self.trace.calls.get_mut(index.checked_sub(1)?)
    }

    /// Sets the id of the call at `place`, if it has none.
    pub(crate) fn tell_id(&mut self, place: usize, id: String) {
        let Some(call @ Call { id: None, .. }) = self.trace.calls.get_mut(place) else { return };
        // The table has passed this call already and would not see its id.
        if let Some(tables) = self.tables.as_mut().filter(|tables| place < tables.by_id.filled) {
            tables.by_id.add(&id, place);
        }
        call.id = Some(id);
    }

    /// Returns the first call without a result, for results that do not name their call.
    pub(crate) fn first_waiting(&mut self) -> Option<&mut Call> {
        self.log.note_progress();
        let calls = &mut self.trace.calls;
        // `answered` only grows: all look-ups together pass each call once.
        while calls.get(self.answered).is_some_and(|call| call.status != CallStatus::Unanswered) {
            self.answered += 1;
        }
        calls.get_mut(self.answered)
    }

    /// Returns the trace with its answer and its tokens.
    pub(crate) fn finish(mut self) -> Trace {
        self.end();
        // Where the format records no calls, a mention of one says nothing new.
        if self.trace.calls_unrecorded.is_none() {
            let unread = self.take_unread();
            self.trace.push_unread(unread);
        }
        let usage = self.tally.total();
        self.trace.usage = usage.or(self.trace.usage);
        self.trace.settle_answer();
        self.trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Arguments;

    fn call(id: Option<&str>, name: &str) -> Call {
        Call { id: id.map(ToOwned::to_owned), ..Call::new(name, Arguments::none(), 0) }
    }

    #[test]
    fn a_result_finds_the_first_waiting_call() {
        let mut builder = TraceBuilder::default();
        builder.begin(Some(Role::Assistant));
        builder.call(call(Some("a"), "f"));
        builder.call(call(Some("a"), "f"));
        builder.call(call(None, "g"));
        for expected in [Some(1), Some(2), None] {
            let mut found = builder.waiting(Some("a"), Some("g"));
            assert_eq!(found.as_ref().map(|call| call.index), expected);
            if let Some(call) = &mut found {
                call.status = CallStatus::Ok;
            }
        }
        assert_eq!(builder.waiting(None, Some("g")).map(|call| call.index), Some(3));
        assert!(builder.waiting(None, Some("f")).is_none());
    }

    #[test]
    fn a_call_is_found_whether_there_are_few_or_many() {
        for calls in [1, FEW, FEW + 1, 3 * FEW] {
            let mut builder = TraceBuilder::default();
            builder.begin(Some(Role::Assistant));
            (0..calls).for_each(|number| builder.call(call(Some(&number.to_string()), "f")));
            let last = (calls - 1).to_string();
            assert!(builder.knows(&last) && !builder.knows("none"));
            assert_eq!(builder.waiting(Some(&last), None).map(|call| call.index), Some(calls));
            assert_eq!(builder.waiting(None, Some("f")).map(|call| call.index), Some(1));
            assert!(builder.waiting(Some("none"), Some("f")).is_none());
        }
    }

    #[test]
    fn texts_around_a_call_are_two_before_its_result_and_an_empty_one_beside_it_is_none() {
        let mut builder = TraceBuilder::default();
        builder.begin(Some(Role::Assistant));
        builder.text("a");
        builder.text("b");
        builder.call(call(None, "f"));
        builder.text("c");
        builder.begin(Some(Role::Assistant));
        builder.text("");
        builder.call(call(None, "f"));
        builder.say(Role::Assistant, "");
        let trace = builder.finish();
        let texts: Vec<(&str, usize)> =
            trace.messages.iter().map(|message| (message.text.as_str(), message.after_calls)).collect();
        assert_eq!(texts, [("ab", 0), ("c", 0), ("", 2)]);
        assert_eq!(trace.answer.as_deref(), Some(""));
        assert_eq!(trace.calls.iter().map(|call| call.turn).collect::<Vec<_>>(), [1, 2]);
    }
}
