//! Whether an outcome is certain, although the trace may lack calls or the servers of tools.

use std::borrow::Cow;

use crate::check::Check;
use crate::check::support::near_names::require_exact_names;
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, UndecidedCause};
use crate::pattern::{ToolMatch, ToolPattern};
use crate::secrets::QuotedText;
use crate::trace::{Call, CallsUnrecorded, Ended, Trace, UnreadContent};

/// The evidence that a check needs in full.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvidenceNeeds {
    /// The part of the run that the check looks at.
    pub(crate) scope: CheckScope,
    /// The servers of the called tools.
    pub(crate) servers: bool,
    /// Whether an answer that a near name of a tool could turn into a pass is undecided, too: a combination may turn it
    /// around.
    pub(crate) names_both_ways: bool,
}

/// The part of a run that a check looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckScope {
    /// The tool calls, and maybe more.
    Calls,
    /// The answer, itself or by a judge.
    Answer,
    /// Tokens, cost or duration.
    Figures,
    /// Nothing itself: further checks, each with a scope of its own, or the end of the run.
    Nothing,
}

/// Returns the answer of `check`, if nothing that the trace lacks could change it. Other answers are undecided.
pub(crate) fn require_settled(
    check: &dyn Check,
    needs: EvidenceNeeds,
    evidence: &Evidence<'_>,
    answer: Result<Outcome, CannotDecide>,
) -> Result<Outcome, CannotDecide> {
    let trace = &evidence.trace;
    if let Some(doubt) = find_reversed_order(check, needs.scope, evidence, &answer) {
        return Err(doubt);
    }
    let bad_end = find_bad_end(needs.scope, evidence, &answer);
    let outcome = match (bad_end.or_else(|| find_doubt(check, needs, trace)), answer) {
        (None, answer) => answer?,
        // Some answers cannot change any more, such as a call that is forbidden and was made.
        (Some(_), Ok(outcome)) if check.is_settled(&outcome) => outcome,
        (Some(doubt), _) => return Err(doubt),
    };
    // A combination names no tools: its checks do, and each of them is asked.
    if needs.scope == CheckScope::Nothing {
        return Ok(outcome);
    }
    require_exact_names(check, evidence, outcome, needs.names_both_ways)
}

/// Whether the file of the run is in reverse order: then nobody knows the order of its parts, and results are lost.
pub(crate) fn is_in_reverse(trace: &Trace) -> bool {
    trace.unread.iter().any(|part| part.what == UnreadContent::Reversed)
}

/// Explains that the order of a run is not known, if the check depends on it.
fn find_reversed_order(
    check: &dyn Check,
    scope: CheckScope,
    evidence: &Evidence<'_>,
    answer: &Result<Outcome, CannotDecide>,
) -> Option<CannotDecide> {
    if !is_in_reverse(&evidence.trace) {
        return None;
    }
    let depends = match scope {
        CheckScope::Figures => false,
        // The last words in the file are the first ones of the run.
        CheckScope::Answer => true,
        // A combination asks its checks. The end of the run is not one of them.
        CheckScope::Nothing => check.judges_end() && check.tools().is_empty(),
        CheckScope::Calls => answer.as_ref().is_ok_and(|outcome| {
            let is_violated = |outcome: &Outcome| !outcome.violations.is_empty();
            let trace = Cow::Owned(turn_around(&evidence.trace));
            let other = check.check(&Evidence { trace, ..evidence.clone() });
            !other.is_ok_and(|other| is_violated(&other) == is_violated(outcome))
        }),
    };
    depends.then(|| {
        CannotDecide::missing(format!(
            "the order of the run is not known: its file is {}",
            UnreadContent::Reversed
        ))
        .cause(UndecidedCause::NotReadWhole)
        .help(READ_IN_ORDER)
    })
}

const READ_IN_ORDER: &str = "read the file from its end: `trace: {file: ..., order: reversed}`";

/// Returns the run with its calls and messages in the opposite order.
fn turn_around(trace: &Trace) -> Trace {
    let mut trace = trace.clone();
    let last_turn = trace.calls.iter().map(|call| call.turn).max().unwrap_or_default();
    let calls = trace.calls.len();
    trace.calls.reverse();
    for (at, call) in trace.calls.iter_mut().enumerate() {
        call.index = at + 1;
        call.turn = last_turn + 1 - call.turn;
    }
    trace.messages.reverse();
    for message in &mut trace.messages {
        message.after_calls = calls.saturating_sub(message.after_calls);
    }
    trace
}

/// Explains a bad end of the run, if the check would need what the run did not do any more.
fn find_bad_end(
    scope: CheckScope,
    evidence: &Evidence<'_>,
    answer: &Result<Outcome, CannotDecide>,
) -> Option<CannotDecide> {
    let violates = answer.as_ref().is_ok_and(|outcome| !outcome.violations.is_empty());
    // A limit ends a run in order: what it did counts, and what it left undone is the agent's fault. But nobody knows what
    // it would still have done or said.
    let is_limit = matches!(evidence.trace.ended, Ended::Limit(_));
    if is_limit && (scope == CheckScope::Figures || scope == CheckScope::Calls && violates)
        || evidence.judges_end
        || scope == CheckScope::Nothing
    {
        return None;
    }
    explain_bad_end(&evidence.trace)
}

/// Explains how a run ended, if it did not end well.
pub(crate) fn explain_bad_end(trace: &Trace) -> Option<CannotDecide> {
    let said = match &trace.ended {
        Ended::Well | Ended::Unknown => return None,
        Ended::Failed(_) => "the run ended in an error",
        Ended::Cut(_) => "the run broke off",
        Ended::Limit(_) => "the run reached a limit",
    };
    let reason =
        trace.ended.reason().map_or_else(String::new, |reason| format!(": {}", quote_reason(reason)));
    let unfit = CannotDecide::missing(format!("{said}{reason}")).cause(UndecidedCause::BadEnd);
    Some(unfit.help(format!(
        "record the run again; if the case is about such a run, say `ended: {}`",
        trace.ended.word()
    )))
}

/// Quotes the beginning of a reason, in one line.
fn quote_reason(reason: &str) -> String {
    const SHOWN: usize = 200;
    QuotedText::near(reason, &(0..0)).cut_after(0, SHOWN).to_string().replace(['\n', '\r'], " ")
}

fn find_doubt(check: &dyn Check, needs: EvidenceNeeds, trace: &Trace) -> Option<CannotDecide> {
    let unrecorded = trace.calls_unrecorded.as_ref().filter(|_| needs.scope == CheckScope::Calls);
    let doubt = unrecorded.map(|reason| {
        let unfit = CannotDecide::missing(reason.to_string()).help(advise_on_calls(reason, trace));
        match reason {
            CallsUnrecorded::Unread { .. } => unfit.cause(UndecidedCause::NotReadWhole),
            _ => unfit,
        }
    });
    let doubt = doubt.or_else(|| find_lost_figures(needs.scope, trace));
    doubt.or_else(|| if needs.servers { find_unrecorded_server(check, trace) } else { None })
}

/// Explains that the figures of a run are those of its end alone, because the file does not have its beginning.
fn find_lost_figures(scope: CheckScope, trace: &Trace) -> Option<CannotDecide> {
    let part = trace.find_lost_beginning().filter(|_| scope == CheckScope::Figures)?;
    let reason = format!("the trace does not have the beginning of the run: {} is {}", part.place, part.what);
    let unfit = CannotDecide::missing(reason).cause(UndecidedCause::NotReadWhole);
    Some(unfit.help("record the run from its beginning, or drop the limit"))
}

/// Finds a call that one of the check's tools may or may not mean.
fn find_unrecorded_server(check: &dyn Check, trace: &Trace) -> Option<CannotDecide> {
    let tools = check.tools();
    let (tool, call) = trace.calls.iter().find_map(|call| {
        let tool = tools.iter().find(|tool| tool.match_call(call) == ToolMatch::Undecided)?;
        Some((tool, call))
    })?;
    let reason = format!(
        "the trace does not record the server of `{}` (call {}), and `{tool}` depends on it",
        call.name, call.index
    );
    let help = format!("name the tools of the server, such as `{}`", qualify_name(tool, call));
    Some(CannotDecide::missing(reason).help(help))
}

/// The called tool on the server that `tool` names: a name that a call without a recorded server has.
fn qualify_name(tool: &ToolPattern, call: &Call) -> String {
    tool.as_str()
        .split_once(':')
        .map_or_else(|| call.name.clone(), |(server, _)| format!("{server}:{}", call.name))
}

/// Returns the help about calls that are not in the trace.
pub(crate) fn advise_on_calls(reason: &CallsUnrecorded, trace: &Trace) -> Cow<'static, str> {
    match reason {
        CallsUnrecorded::NotShown { formats } => {
            let format = formats.first().map_or("openai-chat", String::as_str);
            return format!(
                "if its writer would record calls, say so in the case, its suite, arraign.yaml or the agent: \
                 `format: {format}`"
            )
            .into();
        }
        CallsUnrecorded::Unread { .. } => {
            return advise_on_unread(trace.unread.first().map(|part| &part.what));
        }
        _ => "record the run in a format that has them; the final answer can be checked as it is",
    }
    .into()
}

/// Returns the help about the first part that was not read. What has no kind cannot be declared harmless.
fn advise_on_unread(first: Option<&UnreadContent>) -> Cow<'static, str> {
    match first {
        Some(UnreadContent::Reversed) => READ_IN_ORDER.into(),
        Some(UnreadContent::TextCall { protocol }) => {
            let read = match protocol.as_str() {
                "hermes" | "react" => {
                    format!("read such calls: `trace: {{file: ..., calls_in_text: {protocol}}}`; ")
                }
                _ => String::new(),
            };
            format!("{read}if they are examples that call nothing, say `trace: {{file: ..., harmless: [{protocol}]}}`")
                .into()
        }
        Some(what) if what.kind().is_none() => {
            "record the run again, whole: no setting brings back what is not in the file; if the case is about such a \
             run, say `expect_verdict: undecided`"
                .into()
        }
        _ => "`cargo arraign explain --unread TRACE` lists all such parts; declare a kind that holds no call: \
              `trace: {file: ..., harmless: [KIND]}`"
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckScope, find_lost_figures};
    use crate::outcome::UndecidedReason;
    use crate::trace::{RecordPlace, Role, Trace, UnreadContent, UnreadPart};

    /// A run with a question, a reply, and a result without its call behind so many messages.
    fn run_with_result(after_messages: usize) -> Trace {
        let mut trace = Trace::default();
        trace.push_message(Role::User, "Where is it?");
        trace.push_message(Role::Assistant, "It ships today.");
        let result = UnreadContent::ResultWithoutCall("call_1".to_owned());
        let part = UnreadPart::new(RecordPlace::new(Some(1), ""), result);
        trace.push_unread([part.after_messages(after_messages)]);
        trace
    }

    #[test]
    fn figures_of_a_run_without_its_beginning_are_undecided() {
        let doubt =
            |scope, after| find_lost_figures(scope, &run_with_result(after)).map(|unfit| unfit.reason);
        let Some(UndecidedReason::MissingEvidence(said)) = doubt(CheckScope::Figures, 0) else {
            panic!("no doubt")
        };
        assert!(said.contains("does not have the beginning of the run: line 1"), "{said}");
        assert_eq!(doubt(CheckScope::Calls, 0), None);
        assert_eq!(doubt(CheckScope::Figures, 2), None);
    }
}
