//! Changes of a run: the calls in it, its end, and its answer. Messages keep their places among the calls.

use crate::json::json;
use crate::trace::{Call, CallStatus, CallsUnrecorded, Role, StatusMark, Trace};

/// The name of a tool that no agent has.
pub(crate) const UNKNOWN_TOOL: &str = "a_tool_that_nobody_has";

/// The text of the errors of calls that fail.
pub(crate) const ERROR_TEXT: &str = "boom";

/// Removes the calls for which `is_omitted` returns `true`; it gets the number of the call from 0.
pub(crate) fn omit_calls(run: &mut Trace, is_omitted: impl Fn(usize, &Call) -> bool) {
    let calls = std::mem::take(&mut run.calls);
    // `kept[n]` is the number of calls that remain of the first n: the new `after_calls` of each message.
    let mut kept = vec![0];
    for (number, call) in calls.into_iter().enumerate() {
        if !is_omitted(number, &call) {
            run.push_call(call);
        }
        kept.push(run.calls.len());
    }
    for message in &mut run.messages {
        message.after_calls = kept.get(message.after_calls).copied().unwrap_or(run.calls.len());
    }
}

/// Inserts `call` before the call of this number, from 0. At the end, it comes before the words of the model that end the
/// run.
pub(crate) fn insert_call(run: &mut Trace, at: usize, call: Call) {
    let count = run.calls.len();
    run.calls.insert(at.min(count), call);
    // A message says how many calls precede it. Messages behind the new call count one more; at the end of the run, the last
    // words of the model come after the new call as well.
    let last_words = run.messages.iter().rev().take_while(|message| message.role == Role::Assistant).count();
    let spoken = run.messages.len() - last_words;
    for (number, message) in run.messages.iter_mut().enumerate() {
        let ends_run = number >= spoken && message.after_calls == count && at == count;
        if message.after_calls > at || ends_run {
            message.after_calls += 1;
        }
    }
    number_calls(run);
}

/// Inserts a call in a turn of its own: the calls behind it are made a turn later.
pub(crate) fn insert_turn(run: &mut Trace, at: usize, mut call: Call) {
    call.turn =
        at.checked_sub(1).and_then(|before| run.calls.get(before)).map_or(1, |before| before.turn + 1);
    // The new call has a turn alone, so all later ones move by one.
    for later in run.calls.iter_mut().skip(at) {
        later.turn += 1;
    }
    insert_call(run, at, call);
}

/// Swaps the call of this number with the next one. The turns and times stay.
pub(crate) fn swap_calls(run: &mut Trace, at: usize) {
    run.calls.swap(at, at + 1);
    let [first, second] = &mut run.calls[at..at + 2] else { return };
    std::mem::swap(&mut first.turn, &mut second.turn);
    std::mem::swap(&mut first.served, &mut second.served);
    std::mem::swap(&mut first.started_ms, &mut second.started_ms);
    number_calls(run);
}

/// Removes everything after the first `count` calls and the words behind them.
pub(crate) fn cut_run(run: &mut Trace, count: usize) {
    run.calls.truncate(count);
    run.messages.retain(|message| message.after_calls <= count);
    // An answer that was recorded becomes an empty one: a missing answer leaves the checks of it undecided.
    let had_answer = run.answer.take().is_some();
    run.settle_answer();
    if had_answer && run.answer.is_none() {
        run.answer = Some(String::new());
    }
}

/// Replaces the answer, also in the messages that contain it.
pub(crate) fn set_answer(run: &mut Trace, answer: String) {
    let before = run.answer.replace(answer.clone());
    let Some(before) = before else { return };
    let messages = run
        .messages
        .iter()
        .enumerate()
        // Only what the agent said after its last call is its answer. The same words before a call are a part of its
        // work.
        .filter(|(_, message)| message.role == Role::Assistant && message.after_calls == run.calls.len());
    let last: Vec<usize> = messages.map(|(at, _)| at).collect();
    // The answer may be one message, or all messages after the last call.
    let one = last.iter().rev().find(|at| run.messages[**at].text == before);
    if let Some(at) = one {
        run.messages[*at].text = answer;
        return;
    }
    let texts: Vec<&str> = last.iter().map(|at| run.messages[*at].text.as_str()).collect();
    if let Some((first, others)) = last.split_first().filter(|_| texts.join("\n") == before) {
        run.messages[*first].text = answer;
        for at in others {
            run.messages[*at].text.clear();
        }
    }
}

/// Makes the call one of a tool that no agent has.
pub(crate) fn rename_call(call: &mut Call) {
    UNKNOWN_TOOL.clone_into(&mut call.name);
    call.written = None;
}

/// Makes the call fail.
pub(crate) fn fail_call(call: &mut Call) {
    call.status = CallStatus::Error;
    call.status_mark = StatusMark::Recorded;
    call.result = None;
    call.error = Some(ERROR_TEXT.to_owned());
    call.exit_code = call.exit_code.map(|_| 1);
}

/// Makes a failed call succeed.
pub(crate) fn mend_call(call: &mut Call) {
    call.status = CallStatus::Ok;
    call.status_mark = StatusMark::Recorded;
    call.error = None;
    call.exit_code = call.exit_code.map(|_| 0);
    call.result.get_or_insert_with(|| json!("ok"));
}

/// Whether the run records how its calls ended: some call has a result or an error.
pub(crate) fn records_results(run: &Trace) -> bool {
    run.calls.is_empty() || run.calls.iter().any(|call| call.status != CallStatus::Unanswered)
}

/// Makes a call that is added succeed, if the run records results.
pub(crate) fn answer_added_call(run: &Trace, call: Call) -> Call {
    if !records_results(run) {
        return Call { status: CallStatus::Unanswered, result: None, error: None, ..call };
    }
    let status_mark = StatusMark::Recorded;
    Call { status: CallStatus::Ok, status_mark, result: Some(json!("ok")), error: None, ..call }
}

/// Removes what makes a run undecided: the parts of its file that were not read.
pub fn remove_guards(run: &mut Trace) {
    run.unread.clear();
    run.calls_unrecorded = None::<CallsUnrecorded>;
}

fn number_calls(run: &mut Trace) {
    for (number, call) in run.calls.iter_mut().enumerate() {
        call.index = number + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Arguments;

    fn build_run() -> Trace {
        let mut run = Trace::default();
        run.push_message(Role::User, "refund order 7");
        for (name, turn) in [("get_order", 1), ("refund", 2)] {
            run.push_message(Role::Assistant, format!("now {name}"));
            run.push_call(Call::new(name, Arguments::none(), turn));
        }
        run.push_message(Role::Assistant, "done");
        run.settle_answer();
        run
    }

    fn list_calls(run: &Trace) -> Vec<(usize, usize, &str)> {
        run.calls.iter().map(|call| (call.index, call.turn, call.name.as_str())).collect()
    }

    #[test]
    fn an_added_call_comes_before_the_last_words_and_after_the_user() {
        for (at, after) in [(0, [0, 0, 2, 3]), (1, [0, 0, 1, 3]), (2, [0, 0, 1, 3])] {
            let mut run = build_run();
            insert_turn(&mut run, at, Call::new("x", Arguments::none(), 9));
            let places: Vec<usize> = run.messages.iter().map(|message| message.after_calls).collect();
            assert_eq!(places, after, "{at}");
            assert_eq!(run.calls.iter().map(|call| call.turn).collect::<Vec<_>>(), [1, 2, 3]);
        }
    }

    #[test]
    fn swapped_calls_keep_the_order_of_turns() {
        let mut run = build_run();
        swap_calls(&mut run, 0);
        assert_eq!(list_calls(&run), [(1, 1, "refund"), (2, 2, "get_order")]);
    }

    #[test]
    fn a_run_that_is_cut_ends_with_the_words_before_the_next_call() {
        let mut run = build_run();
        cut_run(&mut run, 1);
        assert_eq!((list_calls(&run).len(), run.answer.as_deref()), (1, Some("now refund")));
    }

    #[test]
    fn the_answer_changes_in_its_message_as_well() {
        let mut run = build_run();
        set_answer(&mut run, "no".to_owned());
        assert_eq!(run.everything_said().as_deref(), Some("now get_order\nnow refund\nno"));
    }

    #[test]
    fn messages_stay_between_the_calls_that_remain() {
        let mut run = build_run();
        omit_calls(&mut run, |number, _| number == 0);
        assert_eq!(list_calls(&run), [(1, 2, "refund")]);
        assert_eq!(run.messages.iter().map(|message| message.after_calls).collect::<Vec<_>>(), [0, 0, 0, 1]);
    }
}
