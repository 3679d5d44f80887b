//! The words by which writers say how a call ended: the names of keys, and the words under a key such as `status`.
//!
//! Each list is the union over all formats: a word that one writer uses means the same in the files of the others.

/// What the key of a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkKey {
    /// True if the call failed: `is_error`.
    Failure,
    /// True if the call worked: `success`.
    Success,
    /// Set if the call failed: `error`.
    Error,
    /// A word for how the call ended: `status`.
    Status,
    /// Not 0 if the program failed: `exit_code`.
    ExitCode,
    /// An unknown key with a word for success in its name.
    LikeSuccess,
    /// An unknown key with a word for a state in its name.
    LikeStatus,
    /// An unknown key with a word for failure in its name.
    LikeError,
    /// An unknown key with a word for the exit of a program in its name.
    LikeExitCode,
}

/// What a word says about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatusWord {
    Worked,
    /// The call has ended, and mostly well.
    Complete,
    Failed,
    /// The call has not ended.
    Pending,
    Unknown,
}

/// Words for a call that worked, as [`fold`] returns them.
const WORKED: &[&str] = &["ok", "outcomeok", "passed", "statuscodeok", "succeeded", "success", "successful"];

/// Words for a call that has ended.
const COMPLETE: &[&str] = &["complete", "completed", "done", "executed", "finished"];

/// Words for a call that failed, was refused or was stopped.
const FAILED: &[&str] = &[
    "aborted",
    "blocked",
    "canceled",
    "cancelled",
    "declined",
    "denied",
    "error",
    "errored",
    "executiondenied",
    "fail",
    "failed",
    "failure",
    "interrupted",
    "killed",
    "outcomedeadlineexceeded",
    "outcomefailed",
    "rejected",
    "retried",
    "statuscodeerror",
    "timedout",
    "timeout",
];

/// Words for a call that has not ended.
const PENDING: &[&str] = &[
    "awaitingapproval",
    "calling",
    "executing",
    "generating",
    "incomplete",
    "inprogress",
    "interpreting",
    "pending",
    "queued",
    "running",
    "scheduled",
    "searching",
    "started",
    "validating",
    "waiting",
];

/// Parts of the names of keys that may hold a mark. Most keys of a record have none of them.
const HINTS: &[&str] = &[
    "err", "fail", "succ", "status", "outcome", "exit", "except", "den", "decl", "code", "ok", "rej", "timed",
];

/// Parts of the names of keys that are about errors and statuses, and mark none.
const HARMLESS: &[&str] =
    &["budget", "errorrate", "failurerate", "handle", "ignore", "onerror", "onfail", "policy", "retry"];

/// The ends of the names of keys that describe a status which has a key of its own.
const DESCRIPTIONS: &[&str] = &["at", "description", "details", "message", "reason", "text", "time"];

/// The letters and digits of a name in lower case: writers have `is_error`, `isError` and `Is-Error`.
fn fold(name: &str) -> String {
    let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
    letters.map(|letter| char::from(letter.to_ascii_lowercase())).collect()
}

fn has_hint(key: &str) -> bool {
    let key = key.as_bytes();
    HINTS.iter().any(|hint| key.windows(hint.len()).any(|part| part.eq_ignore_ascii_case(hint.as_bytes())))
}

/// Classifies the key of a record; `None` if it is about something else.
pub(super) fn classify_key(key: &str) -> Option<MarkKey> {
    // Nearly every record has some of these, and a comparison of whole keys is cheaper than the search for a hint.
    let is_usual = matches!(
        key,
        "type"
            | "id"
            | "name"
            | "role"
            | "content"
            | "tool_use_id"
            | "tool_call_id"
            | "call_id"
            | "output"
            | "result"
    );
    if is_usual || !has_hint(key) {
        return None;
    }
    let name = fold(key);
    Some(match name.as_str() {
        "iserror" | "toolcallerror" | "toolresultiserror" | "haserror" | "iserrored" | "failed"
        | "isfailed" | "isfailure" | "denied" | "isdenied" | "declined" | "rejected" | "timedout" => {
            MarkKey::Failure
        }
        "success" | "issuccess" | "succeeded" | "successful" | "ok" | "isok" => MarkKey::Success,
        "error" | "errors" | "exception" | "failure" | "errortext" | "errormessage" | "errorcode" => {
            MarkKey::Error
        }
        "status" | "outcome" | "executionstatus" | "toolstatus" | "resultstatus" => MarkKey::Status,
        "exit" | "exitcode" | "exitstatus" | "returncode" => MarkKey::ExitCode,
        _ => return classify_unknown_key(&name),
    })
}

/// Classifies a key that no writer is known to use, by the words in its folded name.
fn classify_unknown_key(name: &str) -> Option<MarkKey> {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let is_exit = || name.starts_with("exit") || name.ends_with("exit");
    if has(HARMLESS) {
        return None;
    }
    // A success may be named by its opposite: `unsuccessful`.
    if has(&["unsucc", "error", "fail", "exception", "denied", "declined", "rejected", "timedout"]) {
        return Some(MarkKey::LikeError);
    }
    if has(&["success", "succeeded"]) {
        return Some(MarkKey::LikeSuccess);
    }
    if has(&["exitcode", "exitstatus", "returncode"]) || is_exit() {
        return Some(MarkKey::LikeExitCode);
    }
    let is_status = has(&["status", "outcome"]) && !DESCRIPTIONS.iter().any(|end| name.ends_with(end));
    is_status.then_some(MarkKey::LikeStatus)
}

/// Classifies the word for how a call ended, in the spelling of any writer.
pub(super) fn classify_word(word: &str) -> StatusWord {
    let word = fold(word);
    let is_in = |words: &[&str]| words.contains(&word.as_str());
    match () {
        () if is_in(WORKED) => StatusWord::Worked,
        () if is_in(COMPLETE) => StatusWord::Complete,
        () if is_in(FAILED) => StatusWord::Failed,
        () if is_in(PENDING) => StatusWord::Pending,
        () => StatusWord::Unknown,
    }
}

/// Whether the name of a kind has a word for a failure, such as `error-text`.
pub(crate) fn names_failure(kind: &str) -> bool {
    matches!(classify_key(kind), Some(MarkKey::Failure | MarkKey::Error | MarkKey::LikeError))
}
