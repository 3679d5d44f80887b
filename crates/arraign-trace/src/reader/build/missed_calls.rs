//! The last look for calls: at the whole file of runs without any.
//!
//! A reader gathers evidence of calls in the records that it takes apart. A later version of a writer may put its calls
//! where the reader takes nothing apart. So before the runs of a file count as runs without calls, the file is searched once
//! more. A file with any call that was read is not searched: the search takes as long as the first reading.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::json::JsonNode;
use crate::reader::build::evidence::{CallClue, CallEvidence};
use crate::reader::is_blank;
use crate::reader::json::input::{InputSource, Record};
use crate::trace::{RecordPlace, Trace, UnreadContent, UnreadPart};

/// Reports the calls in the file of runs that look as if they made no calls. A run of which nothing was read at all is
/// reported, too.
pub(crate) fn note_missed_calls(runs: &mut [Trace], source: InputSource) {
    // The search parses the file once more. It runs only where a run would look as if the agent did nothing.
    if runs.iter().all(|run| run.calls.is_empty())
        && runs.iter().any(seems_without_calls)
        && source.has_text(mentions_arguments)
    {
        let missed = search_again(runs, source);
        for run in runs.iter_mut().filter(|run| seems_without_calls(run)) {
            run.push_unread(missed.iter().cloned());
        }
    }
    // A log of JSON-RPC may contain nothing but the set-up of a connection. Of a batch, some cases may have failed.
    if runs.iter().any(seems_unread)
        && source.has_text(mentions_texts)
        && !source.has_text(|text| text.contains("\"jsonrpc\""))
    {
        for run in runs.iter_mut().filter(|run| seems_unread(run)) {
            run.push_unread([UnreadPart::new(RecordPlace::default(), UnreadContent::EmptyRun)]);
        }
    }
}

/// Whether a run looks as if the agent called nothing.
fn seems_without_calls(run: &Trace) -> bool {
    run.calls.is_empty() && run.calls_unrecorded.is_none()
}

/// Whether nothing of a run was read, not even why it ended.
fn seems_unread(run: &Trace) -> bool {
    seems_without_calls(run) && is_blank(run) && run.stop_reason.is_none()
}

fn search_again(runs: &[Trace], source: InputSource) -> Vec<UnreadPart> {
    let mut missed = Vec::new();
    for Record { at, value } in source.parse_again() {
        let CallEvidence { spot, clues, .. } = CallEvidence::gather(at, &value);
        // A clue without a name may be anything, and would blame files that have no calls.
        let calls = clues.iter().filter(|clue| clue.mention.is_call && clue.mention.name.is_some());
        let unread = calls.filter(|clue| !gave_answer(&value, clue, runs));
        missed.extend(
            unread.map(|clue| UnreadPart::new(spot.locate(&clue.pointer()), clue.mention.describe())),
        );
    }
    missed
}

/// Whether the arguments of a call are the answer of a run. Some agents give a structured answer in this way.
fn gave_answer(record: &JsonNode, clue: &CallClue, runs: &[Trace]) -> bool {
    let Some(JsonNode::Object(call)) = record.pointer(&clue.pointer()) else { return false };
    let Some(key) = ["args", "arguments", "input"].into_iter().find(|key| call.has_key(key)) else {
        return false;
    };
    let arguments = call.clone().arguments(key).to_text();
    runs.iter().any(|run| run.answer.as_ref() == Some(&arguments))
}

/// Whether a record that belongs to no run may still say something of a call or a message.
pub(crate) fn may_tell(text: &str) -> bool {
    mentions_arguments(text) || mentions_texts(text)
}

/// Whether a text may have a key of arguments. Without one, it need not be parsed again.
fn mentions_arguments(text: &str) -> bool {
    static KEYS: LazyLock<[Finder; 2]> = LazyLock::new(|| ["\"arg", "\"input\""].map(Finder::new));
    contains_one(text, KEYS.as_slice())
}

/// Whether a text has a key of something that is said.
fn mentions_texts(text: &str) -> bool {
    static KEYS: LazyLock<[Finder; 4]> =
        LazyLock::new(|| ["\"role\"", "\"content\"", "\"text\"", "\"message\""].map(Finder::new));
    contains_one(text, KEYS.as_slice())
}

/// Whether a text, which may be many megabytes, contains one of the keys.
fn contains_one(text: &str, keys: &[Finder]) -> bool {
    keys.iter().any(|key| key.find(text.as_bytes()).is_some())
}
