//! `gemini`: contents, requests and responses of the Gemini API.
//!
//! The reader accepts a list of contents, a request, responses, one per line (the pieces of a stream have one id), a log of
//! requests and responses, and the results of a batch, with one run for each `key`. The API has no ids for calls: a result
//! belongs to the first call of its name without a result.

pub(crate) mod content;
mod detect;

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::Reader;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::exchange::find_refusal;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::stream_end;
use crate::reader::build::tool_result::error_of;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::json::sse;
use crate::reader::large::follow::parse_record;
use crate::reader::large::pieces::{Follow, Pieces, RunKey, SplitError, Splitting};
use crate::trace::{Ended, Results, Role, Trace, Usage};
pub(crate) use content::ContentWalk;
use detect::detect_format;

pub(crate) const READER: Reader = Reader {
    name: "gemini",
    summary: "Gemini API: contents, requests, responses, logs of both",
    marks: &hash_marks([
        "candidates/",
        "promptFeedback/",
        "prompt_feedback/",
        "request/",
        "response/",
        "key",
        "contents/",
        "parts/",
    ]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// The keys with the reason why a prompt was not answered.
const FEEDBACK: [&str; 2] = ["promptFeedback", "prompt_feedback"];

/// The conversation that the client library led by itself, as it calls tools that are functions.
const HISTORY: [&str; 2] = ["automaticFunctionCallingHistory", "automatic_function_calling_history"];

/// The keys of records, requests and responses that are read.
const READ: [&str; 7] = ["request", "response", "contents", "candidates", "content", HISTORY[0], HISTORY[1]];

/// Splits the records of a log. A list of contents is one run.
fn split_file(input: &Input) -> Option<Pieces> {
    let is_log = input.first().ok()?.get("parts").is_none();
    is_log.then(|| Pieces::in_order(follow, usize::MAX))
}

/// Reads a log, and forgets each run that has ended.
fn follow() -> Follow {
    let mut log = GeminiLog::default();
    let mut ended = 0;
    Box::new(move |text| {
        let record = parse_record(text)?;
        // The results of a batch are read whole.
        if record.get("key").is_some() {
            return Err(SplitError::Unsuited);
        }
        let added = JsonObject::of(record, "a record").and_then(|record| log.add(record));
        added.map_err(|_| SplitError::Unsuited)?;
        // A record of which nothing is known yet may turn out to be no run, so it must not be counted as one.
        if log.run.is_empty() {
            return Err(SplitError::Unsuited);
        }
        ended += log.runs.drain(..).count();
        Ok(RunKey::Numbered(ended, None).into())
    })
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut log = GeminiLog { is_streamed: sse::is_stream(input.text), ..GeminiLog::default() };
    for Record { at, value } in input.records {
        log.at = Some(at);
        let added = JsonObject::of(value, "a record").and_then(|record| log.add(record));
        added.map_err(|error| at.in_record(error))?;
    }
    log.end_run();
    Ok(log.runs)
}

/// The keys from a record to the parts of a response.
struct ResponsePlaces {
    history: &'static str,
    content: &'static str,
}

/// A record that is a response.
const BARE: ResponsePlaces = ResponsePlaces { history: HISTORY[0], content: "candidates/0/content" };

/// A record of a log that has a response.
const LOGGED: ResponsePlaces = ResponsePlaces {
    history: "response/automaticFunctionCallingHistory",
    content: "response/candidates/0/content",
};

#[derive(Debug, Default)]
struct GeminiLog<'t> {
    runs: Vec<Trace>,
    run: GeminiRun<'t>,
    /// The place of the record that is being read.
    at: Option<At>,
    /// Whether the file is a stream as it came over the wire.
    is_streamed: bool,
}

/// A conversation: how much of it is known, and what it began with.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the log on its own")]
struct GeminiRun<'t> {
    walk: ContentWalk,
    known: usize,
    /// Whether what the model was sent is in the log. The results of functions are sent to it and are nowhere else.
    has_request: bool,
    first: Option<JsonNode<'t>>,
    /// The id of the response that is coming in, its tokens so far, and whether more of it is to come.
    response: Option<String>,
    usage: Option<Usage>,
    unfinished: bool,
    /// Whether the response came in several pieces.
    is_in_pieces: bool,
    /// Whether the provider refused the last request.
    is_refused: bool,
    /// The evidence of calls beside the contents in the records of the run.
    beside: Vec<CallEvidence<'t>>,
}

impl GeminiRun<'_> {
    /// Whether there is nothing in it. A refused prompt says nothing, and its refusal is the run.
    fn is_empty(&self) -> bool {
        self.known == 0 && self.walk.builder.trace.stop_reason.is_none()
    }

    /// The pieces of a stream each repeat the tokens of those before.
    fn end_response(&mut self) {
        if self.response.take().is_some() {
            self.walk.builder.tally.add(self.usage.take());
        }
    }
}

impl<'t> GeminiLog<'t> {
    fn end_run(&mut self) {
        let mut run = std::mem::take(&mut self.run);
        run.end_response();
        let is_empty = run.is_empty();
        if !run.has_request {
            run.walk.builder.trace.results = Results::NotRecorded;
        }
        run.walk.builder.close_records(run.beside);
        // A whole response without a reason may have been written by hand, but each stream ends with one.
        let is_cut = run.unfinished && (self.is_streamed || run.is_in_pieces);
        if is_cut && run.walk.builder.trace.stop_reason.is_none() {
            run.walk.builder.trace.ended = Ended::Cut(stream_end::GEMINI.describe_lack());
        }
        if !is_empty {
            self.runs.push(run.walk.builder.finish());
        }
    }

    fn add(&mut self, record: JsonObject<'t>) -> Result<(), DecodeError> {
        if record.get("parts").is_some() {
            self.run.has_request = true;
            return self.content(self.locate().into(), JsonNode::Object(record));
        }
        let beside = self.gather_beside(&record);
        self.add_call(record)?;
        self.run.beside.extend(beside);
        Ok(())
    }

    /// Gathers the evidence of calls in a record of a log, beside the contents that are read.
    fn gather_beside(&self, record: &JsonObject<'t>) -> Vec<CallEvidence<'t>> {
        let gather = |path, part: &JsonObject<'t>| {
            CallEvidence::gather_beside(RecordSpot::under(self.locate(), path), part, &READ)
        };
        let part = |path| record.get(path).and_then(JsonNode::as_object);
        let (response, place) = match part("response") {
            Some(response) => (response, "response/candidates/0"),
            None => (record, "candidates/0"),
        };
        let candidate = response.get("candidates").and_then(|all| all.first()?.as_object());
        let beside = [
            gather("", record),
            part("request").and_then(|request| gather("request", request)),
            part("response").and_then(|response| gather("response", response)),
            candidate.and_then(|candidate| gather(place, candidate)),
        ];
        beside.into_iter().flatten().collect()
    }

    /// A record of a log: a request, a response, or both.
    fn add_call(&mut self, mut record: JsonObject<'t>) -> Result<(), DecodeError> {
        if record.get("candidates").is_some() || FEEDBACK.iter().any(|name| record.get(name).is_some()) {
            return self.response(record, &BARE);
        }
        let is_answered = record.get("response").is_some_and(|response| response.has_key("candidates"));
        let refusal = find_refusal(&record).filter(|_| !is_answered);
        // A batch names its cases by `key`.
        if record.get("key").is_some() {
            self.case(&mut record)?;
        }
        if let Some(request) = record.object(&["request"])? {
            self.request(request, "request/contents").map_err(|error| error.at_key("request"))?;
        } else if record.get("contents").is_some() {
            return self.request(record, "contents");
        }
        // A record of a stream may be an error alone.
        let error = refusal.or_else(|| error_of(&mut record));
        if let Some(error) = error.filter(|_| !is_answered) {
            self.refuse(&error);
            return Ok(());
        }
        match record.object(&["response"])? {
            Some(response) => self.response(response, &LOGGED).map_err(|error| error.at_key("response")),
            None => Ok(()),
        }
    }

    /// A line of a batch's results begins a run of its own.
    fn case(&mut self, line: &mut JsonObject<'t>) -> Result<(), DecodeError> {
        self.end_run();
        let trace = &mut self.run.walk.builder.trace;
        trace.id = line.string(&["key"])?;
        trace.stop_reason = error_of(line).map(|error| format!("error: {error}"));
        Ok(())
    }

    fn content(&mut self, spot: RecordSpot, content: JsonNode<'t>) -> Result<(), DecodeError> {
        self.run.first.get_or_insert_with(|| content.clone());
        self.run.known += 1;
        self.run.walk.content(spot, content, &[])
    }

    fn locate(&self) -> At {
        self.at.unwrap_or(At::Whole)
    }

    /// A request replays what was said before it; one that does not begins a run.
    fn request(&mut self, mut request: JsonObject<'t>, list: &'static str) -> Result<(), DecodeError> {
        let system = request.take(&["systemInstruction", "system_instruction"]);
        let contents = request.list(&["contents"])?;
        // It is enough to compare the first content: a history that grew and begins alike is the same conversation.
        let has_grown = contents.len() > self.run.known;
        // A client sends a refused request again.
        let is_repeated = self.run.is_refused && contents.len() == self.run.known;
        let continues = (has_grown || is_repeated) && contents.first() == self.run.first.as_ref();
        if self.run.known > 0 && !continues {
            self.end_run();
        }
        self.run.end_response();
        if self.run.known == 0 {
            self.run.walk.system(system);
        }
        let known = self.run.known;
        self.run.has_request |= !contents.is_empty();
        for (index, content) in contents.into_iter().enumerate().skip(known) {
            let spot = RecordSpot::item(self.locate(), list, index);
            self.content(spot, content).map_err(|error| error.at_key(index).at_key("contents"))?;
        }
        Ok(())
    }

    /// What the client library said and did by itself before a response, which tells it; whether it did.
    fn replay(&mut self, history: Vec<JsonNode<'t>>, list: &'static str) -> Result<bool, DecodeError> {
        let replayed = !history.is_empty();
        // A history that begins otherwise is of another conversation.
        if self.run.known > 0 && replayed && history.first() != self.run.first.as_ref() {
            self.end_run();
        }
        let known = self.run.known;
        self.run.has_request |= replayed;
        // What was known is skipped, so only the client's own calls are added.
        for (index, content) in history.into_iter().enumerate().skip(known) {
            let spot = RecordSpot::item(self.locate(), list, index);
            self.content(spot, content).map_err(|error| error.at_key(index).at_key(HISTORY[0]))?;
        }
        Ok(replayed)
    }

    fn note_refusal(&mut self, feedback: Option<JsonObject>) -> Result<(), DecodeError> {
        let reason = feedback.unwrap_or_default().string(&["blockReason", "block_reason"])?;
        if let Some(reason) = reason {
            let trace = &mut self.run.walk.builder.trace;
            trace.ended = Ended::Failed(reason.clone());
            trace.stop_reason = Some(reason);
        }
        Ok(())
    }

    /// Notes that the provider refused a request or broke off.
    fn refuse(&mut self, error: &str) {
        self.run.end_response();
        self.run.is_refused = true;
        self.run.walk.builder.trace.stop_reason = Some(format!("error: {error}"));
    }

    fn response(&mut self, mut response: JsonObject<'t>, places: &ResponsePlaces) -> Result<(), DecodeError> {
        self.run.is_refused = false;
        let replayed = self.replay(response.list(&HISTORY)?, places.history)?;
        let id = response.take_text(&["responseId", "response_id"]).map(Cow::into_owned);
        let model = response.take_text(&["modelVersion", "model_version"]).map(Cow::into_owned);
        let told = id.is_some();
        let id = id.unwrap_or_default();
        // Early responses have no id; a piece that is not the last has no reason for its end.
        let goes_on = self.run.response.as_ref() == Some(&id) && (told || self.run.unfinished);
        if !goes_on {
            self.run.end_response();
            self.run.walk.builder.trace.reopen();
        }
        self.run.is_in_pieces = goes_on;
        self.run.response = Some(id);
        let usage = TOKENS.read_from(&mut response, &["usageMetadata", "usage_metadata"])?;
        // Where the client library called the tools itself, these are the tokens of the last call.
        let usage = usage.map(|usage| Usage { partial: usage.partial || replayed, ..usage });
        self.run.usage = usage.or(self.run.usage);
        self.run.walk.builder.trace.model = model.or(self.run.walk.builder.trace.model.take());
        self.note_refusal(response.object(&FEEDBACK)?)?;
        let mut candidates = response.list(&["candidates"])?.into_iter();
        let Some(candidate) = candidates.next() else { return Ok(()) };
        self.candidate(JsonObject::of(candidate, "a candidate")?, goes_on, places.content)?;
        // The pieces of a stream repeat the other candidates.
        self.run.walk.builder.note_alternatives(if goes_on { 0 } else { candidates.len() });
        Ok(())
    }

    /// Adds the candidate of a response, or of a piece that goes on with one.
    fn candidate(
        &mut self,
        mut candidate: JsonObject<'t>,
        goes_on: bool,
        place: &'static str,
    ) -> Result<(), DecodeError> {
        let reason = candidate.take(&["finishReason", "finish_reason"]).and_then(JsonNode::into_text);
        self.run.unfinished = reason.is_none();
        let reason = reason.map(Cow::into_owned);
        let content = candidate.take(&["content"]);
        // A response without a content is a turn nevertheless.
        if content.is_none() && !goes_on {
            self.run.walk.builder.enter_record(self.locate());
            self.run.walk.builder.begin(Some(Role::Assistant));
        }
        match content {
            Some(content) if goes_on => self.run.walk.more(RecordSpot::under(self.locate(), place), content),
            Some(content) => self.content(RecordSpot::under(self.locate(), place), content),
            None => Ok(()),
        }
        .map_err(|error| error.at("/candidates/0/content"))?;
        if let Some(reason) = reason {
            self.run.walk.builder.end_turn(Some(&reason), self.run.usage);
            self.run.walk.builder.trace.stop_reason = Some(reason);
        }
        Ok(())
    }
}

/// The tokens of a response. What was thought is not among the candidates' tokens; it is among our output.
/// The format counts thoughts beside the output and the results of tools beside the prompt; it leaves out zeros.
pub(crate) const TOKENS: TokenKeys = TokenKeys {
    input: &["promptTokenCount", "prompt_token_count"],
    more_input: &[&["toolUsePromptTokenCount", "tool_use_prompt_token_count"]],
    output: &["candidatesTokenCount", "candidates_token_count"],
    more_output: &[&["thoughtsTokenCount", "thoughts_token_count"]],
    cached: &["cachedContentTokenCount", "cached_content_token_count"],
    reasoning: &["thoughtsTokenCount", "thoughts_token_count"],
    omits_zero: true,
    // Other providers behind the same form include the reasoning in the output.
    may_include_more: true,
};
