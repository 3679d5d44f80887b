//! Conversations out of a log of model calls.
//!
//! Each request replays what was said before it. A log is therefore read as: which conversation does this request
//! continue, and which of its messages are new there? One that continues none begins a run of its own.

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::batch;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::exchange::{Exchange, LocatedMessage, Reply, TurnEnding};
use crate::reader::build::message_identity::{
    identity, is_assistant, is_final, is_of_model, is_replay, is_shortened, makes_call,
};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::key_bits::hash_key;
use crate::reader::json::record_marks::{Mark, hash_marks};
use crate::trace::{Results, Trace};

/// The most conversations that a log may interleave. The run of a request is searched among this many last runs.
pub(crate) const INTERLEAVED: usize = u64::BITS as usize;

/// One conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversation<'t> {
    pub(crate) messages: Vec<LocatedMessage<'t>>,
    /// The id of the last reply, of the record that is the conversation, or of the case in a batch.
    id: Option<String>,
    /// The id of the last record that is the conversation as far as it went.
    row: Option<String>,
    model: Option<String>,
    /// Why the last reply stopped.
    stop_reason: Option<Cow<'t, str>>,
    tally: UsageTotal,
    /// The time of the model for the replies that have one.
    model_ms: Option<f64>,
    /// Whether what the model was sent is in the log. The results of tools are sent to it and are nowhere else.
    has_request: bool,
    /// Whether a reply has no time.
    is_untimed: bool,
    /// The keys by which replayed messages are recognized. They are computed when a request is compared with the run, so a
    /// log of one call needs none.
    keys: Vec<String>,
    /// The number of messages in the last request.
    asked: usize,
    /// Whether the provider refused the last request.
    is_refused: bool,
    /// The evidence of calls next to requests and responses in their records.
    pub(crate) beside: Vec<CallEvidence<'t>>,
}

/// The keys of a log's records that hold requests and responses, or what those are about.
const RECORD_KEYS: [&str; 15] = [
    "request",
    "response",
    "result",
    "body",
    "messages",
    "input",
    "output",
    "choices",
    "content",
    "system",
    "instructions",
    "tools",
    "usage",
    "reasoning",
    "text",
];

/// The parts of a log's records that have such keys, each with the mark of a record that has it.
const RECORD_PARTS: [(Mark, &str); 4] = {
    let [request, response, input, output] = hash_marks(["request/", "response/", "input/", "output/"]);
    [
        (request, "/request"),
        (response, "/response"),
        (input, "/input/inputBodyJson"),
        (output, "/output/outputBodyJson"),
    ]
};

impl<'t> Conversation<'t> {
    /// Returns the messages, the trace so far, and the evidence next to the messages. The duration is the time of the model
    /// alone, if each reply records it.
    pub(crate) fn finish(self) -> (Vec<LocatedMessage<'t>>, Trace, Vec<CallEvidence<'t>>) {
        let usage = self.tally.total();
        let duration_ms = self.model_ms.filter(|_| !self.is_untimed);
        let stop_reason = self.stop_reason.map(Cow::into_owned);
        let results = if self.has_request { Results::Optional } else { Results::NotRecorded };
        let Self { messages, id, model, beside, .. } = self;
        (messages, Trace { id, model, usage, duration_ms, stop_reason, results, ..Trace::default() }, beside)
    }
}

impl Conversation<'_> {
    /// Reads the conversation message by message: `read` adds one to the trace.
    pub(crate) fn read(
        self,
        read: fn(&mut TraceBuilder, JsonObject) -> Result<(), DecodeError>,
    ) -> Result<Trace, DecodeError> {
        let (messages, trace, beside) = self.finish();
        let mut builder = TraceBuilder::of(trace, messages.len());
        for LocatedMessage { spot, ending, alternatives, value, .. } in messages {
            let evidence = builder.open_record(spot, &value);
            let message = JsonObject::of(value, "a message").map_err(|error| spot.blame(error))?;
            read(&mut builder, message).map_err(|error| spot.blame(error))?;
            builder.close_record(evidence);
            builder.note_alternatives(alternatives);
            if let Some(TurnEnding { stop_reason, usage }) = ending {
                builder.end_turn(stop_reason.as_deref(), usage);
            }
        }
        builder.close_records(beside);
        // The time of the model alone is shorter than a run in which tools worked as well.
        let has_calls = !builder.trace.calls.is_empty();
        builder.trace.duration_ms.take_if(|_| has_calls);
        Ok(builder.finish())
    }
}

/// What runs are recognized by without a look at their messages. Each reply is compared with many runs, and a run is large.
#[derive(Debug, Default)]
struct RunMarks {
    /// The hashes of their ids.
    ids: Vec<u64>,
    /// The last runs that are not ended, a bit for each, the lowest for the latest. A reply ends a run: one without a
    /// request that comes behind it answers another question, which the log does not record.
    open: u64,
}

impl RunMarks {
    fn push_default(&mut self) {
        self.ids.push(0);
        self.open = self.open << 1 | 1;
    }

    fn update(&mut self, at: usize, run: &Conversation) {
        let bit = 1 << (self.ids.len() - 1 - at);
        self.ids[at] = hash_id(run.id.as_deref());
        self.open = if run.ends_with_reply() { self.open & !bit } else { self.open | bit };
    }

    /// Returns the place of the last run that is not ended.
    fn find_open(&self) -> Option<usize> {
        self.ids.len().checked_sub(1 + self.open.trailing_zeros() as usize).filter(|_| self.open != 0)
    }

    fn drain(&mut self, old: usize) {
        self.ids.drain(..old);
    }
}

fn hash_id(id: Option<&str>) -> u64 {
    id.map_or(0, |id| hash_key(id.as_bytes()))
}

/// The conversations of a log.
#[derive(Debug, Default)]
pub(crate) struct Conversations<'t> {
    runs: Vec<Conversation<'t>>,
    marks: RunMarks,
    replies: usize,
}

impl<'t> Conversations<'t> {
    /// Returns one list of messages as the only conversation.
    pub(crate) fn of_messages(messages: Vec<LocatedMessage<'t>>) -> Vec<Conversation<'t>> {
        vec![Conversation { messages, has_request: true, ..Conversation::default() }]
    }

    /// Reads the conversations of a file: a list of messages, or a log of model calls that `exchange` reads. `read` reads a
    /// conversation that is complete.
    pub(crate) fn read_input(
        input: Input<'t>,
        is_message: fn(&JsonNode<'t>) -> bool,
        exchange: fn(At, JsonNode<'t>) -> Result<Exchange<'t>, DecodeError>,
        read: fn(Conversation<'t>) -> Result<Trace, DecodeError>,
    ) -> Result<Vec<Trace>, DecodeError> {
        if input.records.first().is_some_and(|record| is_message(&record.value)) {
            let messages =
                input.records.into_iter().map(|Record { at, value }| LocatedMessage::record(at, value));
            return Self::of_messages(messages.collect()).into_iter().map(read).collect();
        }
        let mut log = Self::default();
        let mut traces = Vec::new();
        let parts = RECORD_PARTS.into_iter().filter(|(mark, _)| input.may_have_any(&[*mark]));
        let parts: Vec<&str> = std::iter::once("").chain(parts.map(|(_, part)| part)).collect();
        let is_batch = batch::may_be_batch(&input);
        for Record { at, value } in input.records {
            let (case, failure) = if is_batch {
                (batch::case(&value).map(ToOwned::to_owned), batch::failure(&value))
            } else {
                (None, None)
            };
            let beside = parts.iter().filter_map(|part| {
                let record = value.pointer(part)?.as_object()?;
                CallEvidence::gather_beside(RecordSpot::under(at, part), record, &RECORD_KEYS)
            });
            let beside: Vec<CallEvidence> = beside.collect();
            // A failed call has no reply that a reader could take apart.
            let exchange = match failure {
                Some(reason) => Exchange::failed(reason),
                None => Exchange::read(at, value, exchange).map_err(|error| at.in_record(error))?,
            };
            let run = log.add_to(Exchange { case, ..exchange });
            let run = run.and_then(|run| log.runs.get_mut(run));
            if let Some(run) = run {
                run.beside.extend(beside);
            }
            // A run that cannot continue is read while it is in the cache of the processor.
            for run in log.take_old() {
                traces.push(read(run)?);
            }
        }
        for run in log.runs {
            traces.push(read(run)?);
        }
        Ok(traces)
    }

    /// Adds the next model call of the log, and returns the index of its run; `None` for a call that was logged twice.
    pub(crate) fn add_to(&mut self, mut exchange: Exchange<'t>) -> Option<usize> {
        if self.is_repeated(&exchange) {
            return None;
        }
        self.replies += 1;
        let request = std::mem::take(&mut exchange.request);
        let has_request = !request.is_empty();
        // The results of a batch do not follow each other: each is a run of its own.
        let at = match exchange.case {
            Some(_) => self.own_run(request),
            None => self.run_for(request, exchange.previous.as_deref(), exchange.row.as_deref()),
        };
        let run = &mut self.runs[at];
        if let Some(row) = exchange.row.take() {
            run.id = Some(row.clone());
            run.row = Some(row);
        }
        run.has_request |= has_request;
        run.add(exchange, self.replies);
        self.marks.update(at, run);
        Some(at)
    }

    /// Returns the id of a run so far.
    pub(crate) fn id_of(&self, at: usize) -> Option<String> {
        self.runs.get(at)?.id.clone()
    }

    /// Takes the first runs, which are too old to be continued.
    pub(crate) fn take_old(&mut self) -> std::vec::Drain<'_, Conversation<'t>> {
        // Twice as many runs are kept as are searched, so that taking the first ones moves the others only now and
        // then.
        let old = if self.runs.len() < 2 * INTERLEAVED { 0 } else { self.runs.len() - INTERLEAVED };
        self.marks.drain(old);
        self.runs.drain(..old)
    }

    /// Whether an earlier run ends with the same reply under the same id, because the line was logged twice.
    fn is_repeated(&self, exchange: &Exchange) -> bool {
        if exchange.case.is_some() {
            return false;
        }
        let Some(Reply { id: id @ Some(_), messages, .. }) = &exchange.reply else { return false };
        let Some(message) = messages.last() else { return false };
        let is_same = |run: &Conversation| {
            run.id == *id && run.messages.last().is_some_and(|last| last.value == message.value)
        };
        // Only recent runs are searched: a log of many thousands would take quadratic time.
        let hash = hash_id(id.as_deref());
        let old = self.runs.len().saturating_sub(INTERLEAVED);
        // Most replies have an id of their own, and many numbers are compared at once.
        let ids = &self.marks.ids[old..];
        ids.contains(&hash)
            && ids.iter().zip(&self.runs[old..]).any(|(known, run)| *known == hash && is_same(run))
    }

    /// Adds a run of `request` alone, and returns its index.
    fn own_run(&mut self, request: Vec<LocatedMessage<'t>>) -> usize {
        self.runs.push(Conversation { messages: request, ..Conversation::default() });
        self.marks.push_default();
        self.runs.len() - 1
    }

    /// Adds the new messages of `request` to the run that it belongs to, and returns the index of that run.
    fn run_for(
        &mut self,
        request: Vec<LocatedMessage<'t>>,
        previous: Option<&str>,
        row: Option<&str>,
    ) -> usize {
        // A log has no ids of conversations. A request that names an earlier reply is certain; any other is compared
        // with the recent runs, the latest first. If none of them fits, the request begins a run.
        let found = previous.and_then(|id| self.find_reply(id)).or_else(|| self.find(&request, row));
        let Some((at, fresh)) = found else {
            let asked = request.len();
            let at = self.own_run(request);
            self.runs[at].asked = asked;
            return at;
        };
        let run = &mut self.runs[at];
        run.asked = request.len();
        run.messages.extend(request.into_iter().skip(fresh));
        at
    }

    /// Finds the run with this id in its last reply. All messages of a request that names the reply are new.
    fn find_reply(&self, id: &str) -> Option<(usize, usize)> {
        let old = self.runs.len().saturating_sub(INTERLEAVED);
        let found = self.runs[old..].iter().rposition(|run| run.id.as_deref() == Some(id))?;
        Some((old + found, 0))
    }

    /// Finds the run that `request` continues, and the index of its first new message.
    fn find(&mut self, request: &[LocatedMessage], row: Option<&str>) -> Option<(usize, usize)> {
        // An empty request continues a run that is not finished.
        if request.is_empty() {
            return self.marks.find_open().map(|at| (at, 0));
        }
        let old = self.runs.len().saturating_sub(INTERLEAVED);
        let keys: Vec<String> = match &self.runs[old..] {
            [] => return None,
            _ => request.iter().map(|said| identity(&said.value)).collect(),
        };
        if let Some(row) = row {
            let found = self.find_row(old, row, &keys);
            if found.is_some() || !self.runs[old..].iter().any(|run| run.row.as_deref() == Some(row)) {
                return found;
            }
        }
        // A record of another id that is a conversation itself was compared as a whole: the ids of its calls may be those of
        // any run.
        let is_candidate = |run: &Conversation| row.is_none_or(|row| run.row.as_deref() == Some(row));
        let runs = || old..self.runs.len();
        let runs: Vec<usize> = runs().filter(|at| is_candidate(&self.runs[*at])).collect();
        for at in &runs {
            self.runs[*at].complete_keys();
        }
        // The longest history that the request replays comes first, and of equal ones the latest.
        let replayed =
            runs.iter().filter_map(|at| Some((*at, self.runs[*at].fresh_after_all(&keys, request)?)));
        if let Some(found) = replayed.max_by_key(|(_, fresh)| *fresh) {
            return Some(found);
        }
        let asked =
            runs.iter().filter_map(|at| Some((*at, self.runs[*at].fresh_after_request(&keys, request)?)));
        if let Some(found) = asked.max_by_key(|(at, _)| (self.runs[*at].asked, *at)) {
            return Some(found);
        }
        // A history that was cut may be that of several runs: then it is nobody's.
        let mut cut =
            runs.iter().filter_map(|at| Some((*at, self.runs[*at].fresh_after_cut(&keys, request)?)));
        cut.next().filter(|_| cut.next().is_none())
    }

    /// Finds the run that a record, which is a conversation itself, continues or begins as a whole.
    fn find_row(&mut self, old: usize, row: &str, keys: &[String]) -> Option<(usize, usize)> {
        let runs = self.runs.iter_mut().enumerate().skip(old).rev();
        let mut others = runs.filter(|(_, run)| run.row.as_deref() != Some(row));
        others.find_map(|(at, run)| Some((at, run.fresh_from_row(keys)?)))
    }
}

impl Conversation<'_> {
    /// Makes the keys of the messages that have none.
    fn complete_keys(&mut self) {
        // Keys are made only when a request is compared with the run.
        let unknown = &self.messages[self.keys.len()..];
        self.keys.extend(unknown.iter().map(|said| identity(&said.value)));
    }

    /// Returns the index of the first new message of a record that is a conversation itself; `None` if the record is
    /// another run. Two equal ones are two runs.
    fn fresh_from_row(&mut self, keys: &[String]) -> Option<usize> {
        self.complete_keys();
        let common = keys.len().min(self.keys.len());
        let is_part = keys.len() != self.keys.len() && keys[..common] == self.keys[..common];
        is_part.then_some(common)
    }

    /// Returns the index of the first new message of a request that replays all that is known of the run.
    fn fresh_after_all(&self, keys: &[String], request: &[LocatedMessage]) -> Option<usize> {
        let known = self.keys.len();
        // Runs often share their beginning, and seldom their end.
        if known == 0
            || known > keys.len()
            || self.keys.last() != keys.get(known - 1)
            || self.keys != keys[..known]
        {
            return None;
        }
        // The same once more is another run, but a client sends a refused request again.
        let Some(next) = request.get(known) else { return self.is_refused.then_some(known) };
        (is_assistant(&next.value) || self.has_model_message()).then_some(known)
    }

    /// Whether the model said something in the run.
    fn has_model_message(&self) -> bool {
        self.messages.iter().any(|said| is_assistant(&said.value))
    }

    /// Returns the index of the first new message of a request that replays the last request of the run, and then the reply
    /// in other words or not at all.
    fn fresh_after_request(&self, keys: &[String], request: &[LocatedMessage]) -> Option<usize> {
        let asked = self.asked;
        let known = self.keys.len();
        if asked == 0 || asked >= known || asked > keys.len() || self.keys[..asked] != keys[..asked] {
            return None;
        }
        let more = &request[asked..];
        let of_model = more.iter().take_while(|said| is_of_model(&said.value)).count().min(known - asked);
        if of_model > 0 {
            let reply = &self.messages[asked..];
            let repeated = &more[..of_model];
            let is_same =
                is_replay(reply.iter().map(|said| &said.value), repeated.iter().map(|said| &said.value));
            return is_same.then_some(asked + of_model);
        }
        // A reply that the client dropped, and asked again. One question alone may be that of any run.
        let has_reply = request[..asked].iter().any(|said| is_assistant(&said.value));
        has_reply.then_some(asked)
    }

    /// Returns the index of the first new message of a request whose history was cut or summarised: it still ends as the run
    /// does, and what comes before is known, or says that it is a summary.
    fn fresh_after_cut(&self, keys: &[String], request: &[LocatedMessage]) -> Option<usize> {
        let end = keys.iter().rposition(|key| Some(key) == self.keys.last())? + 1;
        let same =
            keys[..end].iter().rev().zip(self.keys.iter().rev()).take_while(|(one, other)| one == other);
        let start = end - same.count();
        let says_something = request[start..end].iter().any(|said| is_assistant(&said.value));
        // A request has something new, or else it is the record of another run.
        if end == keys.len() || !says_something {
            return None;
        }
        let is_known = |at: usize| {
            let message = &request[at].value;
            self.keys.contains(&keys[at])
                || is_shortened(message, self.messages.iter().map(|said| &said.value))
        };
        (0..start).all(is_known).then_some(end)
    }
}

impl<'t> Conversation<'t> {
    /// Adds a model call whose request was added, and which is the one with this number.
    fn add(&mut self, exchange: Exchange<'t>, number: usize) {
        let Exchange { reply, model, case, model_ms, .. } = exchange;
        self.model = model.or(self.model.take());
        self.id = case.clone().or(self.id.take());
        let Some(mut reply) = reply else { return };
        // The id of a run is that of its last reply, because the next request may name it. In a batch, the case is the
        // id.
        self.id = case.or(reply.id).or(self.id.take());
        if let Some(last) = reply.messages.last_mut() {
            last.ending = Some(TurnEnding { stop_reason: reply.stop_reason.clone(), usage: reply.usage });
        }
        let is_error = reply.stop_reason.as_ref().is_some_and(|reason| reason.starts_with("error:"));
        self.is_refused = is_error && reply.messages.is_empty() && reply.usage.is_none();
        self.stop_reason = reply.stop_reason;
        // A refused request used no tokens, and its time is not the time of the model.
        if self.is_refused {
            return;
        }
        self.tally.add(reply.usage);
        // The sum of the times counts only if each reply has one.
        match model_ms {
            Some(ms) => *self.model_ms.get_or_insert_default() += ms,
            None => self.is_untimed = true,
        }
        reply.messages.iter_mut().for_each(|said| said.reply = Some(number));
        // A log may have many runs of one reply.
        if self.messages.is_empty() {
            self.messages = reply.messages;
        } else {
            self.messages.extend(reply.messages);
        }
    }

    /// Whether the last reply ended the run: it stopped by itself, without a call.
    fn ends_with_reply(&self) -> bool {
        let Some(last) = self.messages.last() else { return false };
        let stopped = last.ending.as_ref().and_then(|ending| ending.stop_reason.as_deref());
        if !stopped.is_some_and(is_final) {
            return false;
        }
        // A model that made a call has not replied yet, whatever its reason says.
        let of_reply = self.messages.iter().rev().take_while(|said| said.reply == last.reply);
        !of_reply.into_iter().any(|said| makes_call(&said.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<'t>(role: &'t str, text: &'t str) -> JsonNode<'t> {
        JsonNode::object([
            ("role", JsonNode::String(role.into())),
            ("content", JsonNode::String(text.into())),
        ])
    }

    fn user(text: &str) -> JsonNode<'_> {
        message("user", text)
    }

    fn said(text: &str) -> JsonNode<'_> {
        message("assistant", text)
    }

    /// The texts of each run of a log of requests and replies.
    fn runs(log: Vec<(Vec<JsonNode>, JsonNode)>) -> Vec<Vec<String>> {
        let mut conversations = Conversations::default();
        for (request, reply) in log {
            let messages = vec![LocatedMessage::record(At::Whole, reply)];
            let reply = Reply { id: None, messages, usage: None, stop_reason: None };
            let request = LocatedMessage::list(At::Whole, "", request);
            conversations.add_to(Exchange { request, reply: Some(reply), ..Exchange::default() });
        }
        let text = |said: &LocatedMessage| {
            said.value.get("content").and_then(JsonNode::as_str).unwrap_or_default().to_owned()
        };
        conversations.runs.iter().map(|run| run.messages.iter().map(text).collect()).collect()
    }

    #[test]
    fn a_replayed_history_is_read_once() {
        let log = vec![
            (vec![user("a")], said("b")),
            (vec![user("a"), said("b"), user("c")], said("d")),
            (vec![user("a"), said("b"), user("c"), said("d"), user("c")], said("e")),
        ];
        assert_eq!(runs(log), [["a", "b", "c", "d", "c", "e"]]);
    }

    #[test]
    fn a_history_that_was_rewritten_or_cut_still_belongs_to_its_run() {
        let rewritten =
            vec![(vec![user("a")], said("b ")), (vec![user("a"), said("b"), user("c")], said("d"))];
        assert_eq!(runs(rewritten), [["a", "b ", "c", "d"]]);
        let cut = vec![
            (vec![user("a")], said("b")),
            (vec![user("a"), said("b"), user("c")], said("d")),
            (vec![user("Summary of the conversation: b"), said("d"), user("e")], said("f")),
        ];
        assert_eq!(runs(cut), [["a", "b", "c", "d", "e", "f"]]);
    }

    #[test]
    fn a_text_of_the_model_that_runs_share_does_not_join_them() {
        let shared = vec![
            (vec![user("a"), said("done"), user("no")], said("bye")),
            (vec![user("b"), said("done"), user("no")], said("bye")),
            (vec![user("c"), said("bye"), user("x")], said("y")),
        ];
        assert_eq!(
            runs(shared),
            [["a", "done", "no", "bye"], ["b", "done", "no", "bye"], ["c", "bye", "x", "y"]]
        );
        let greeted = vec![
            (vec![said("hi"), user("a")], said("b")),
            (vec![said("hi"), user("c")], said("d")),
            (vec![said("hi"), user("a"), said("b"), user("e")], said("f")),
        ];
        assert_eq!(runs(greeted), [vec!["hi", "a", "b", "e", "f"], vec!["hi", "c", "d"]]);
    }

    #[test]
    fn the_same_question_with_another_reply_is_another_run() {
        let log = vec![
            (vec![user("a")], said("b")),
            (vec![user("a")], said("c")),
            (vec![user("a"), said("b"), user("d")], said("e")),
            (vec![user("a"), said("x"), user("y")], said("z")),
        ];
        assert_eq!(runs(log), [vec!["a", "b", "d", "e"], vec!["a", "c"], vec!["a", "x", "y", "z"]]);
    }

    #[test]
    fn a_dropped_or_changing_instruction_does_not_split_a_run() {
        let log = vec![
            (vec![user("a"), user("step 1")], said("b")),
            (vec![user("a"), said("b"), user("step 2")], said("c")),
        ];
        assert_eq!(runs(log), [["a", "step 1", "b", "step 2", "c"]]);
    }

    #[test]
    fn the_same_question_again_is_another_run() {
        let log =
            vec![(vec![user("a")], said("b")), (vec![user("a")], said("c")), (vec![user("x")], said("y"))];
        assert_eq!(runs(log), [["a", "b"], ["a", "c"], ["x", "y"]]);
    }

    #[test]
    fn replies_alone_are_one_run() {
        assert_eq!(runs(vec![(vec![], said("a")), (vec![], said("b"))]), [["a", "b"]]);
    }

    #[test]
    fn the_many_runs_of_a_log_are_read_in_order() {
        let lines = (0..5 * INTERLEAVED).map(|number| format!("{{\"content\": \"{number}\"}}\n"));
        let text: String = lines.collect();
        let exchange: for<'t> fn(At, JsonNode<'t>) -> Result<Exchange<'t>, DecodeError> = |at, value| {
            let request = vec![LocatedMessage::record(at, value)];
            Ok(Exchange { request, ..Exchange::default() })
        };
        let read = |run: Conversation| {
            let content = run.messages.first().and_then(|said| said.value.get("content")?.as_str());
            Ok(Trace { id: content.map(ToOwned::to_owned), ..Trace::default() })
        };
        let traces = Conversations::read_input(Input::parse(&text).expect("JSON"), |_| false, exchange, read);
        let ids: Vec<String> = traces.expect("a log").into_iter().filter_map(|trace| trace.id).collect();
        assert_eq!(ids, (0..5 * INTERLEAVED).map(|number| number.to_string()).collect::<Vec<_>>());
    }
}
