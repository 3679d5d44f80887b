//! The state that the calls of a trace leave behind.
//!
//! The calls are made once more in a fresh state. Three things may be open, and then each possibility is a *reading* of the
//! trace, which is judged by itself:
//!
//! - the order of overlapping calls of one turn, if one of them looks at or changes what another changes;
//! - whether a call of unknown outcome changed the state.
//!
//! A reading that contradicts the trace is dropped: a call succeeded there and fails here, or a value that was read is another
//! one. If all readings contradict it, the calls were made in another world, and nothing is known of it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::oracle::ProgramSource;
use super::script::{MockAnswer, ScriptRun, ServedAnswer, ToolScript, is_named};
use super::tree::{StatePath, WorldTree, overlap};
use crate::evidence::{CallSuccess, Evidence, Injection, Known, WorldEvidence, require_arguments};
use crate::json::{self, Json};
use crate::outcome::{CannotDecide, UndecidedCause};
use crate::trace::{Arguments, Call, CallStatus, StatusMark};
use crate::yaml::render_plain;

/// The most readings of one trace. With more of them, the state is undecided.
const MAX_READINGS: usize = 256;

/// The most calls of one turn that are compared with each other.
const MAX_TURN: usize = 200;

/// The most calls of one turn whose orders are tried: 5 calls have 120.
const MAX_REORDERED: usize = 5;

/// A call that changed the state.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The number of the call in the trace.
    pub(crate) index: usize,
    /// The name of the tool.
    pub(crate) tool: String,
    /// The changed paths.
    pub(crate) written: Vec<StatePath>,
}

/// The calls of a trace that are calls of mock tools, in the order in which they count.
pub(crate) struct Replay<'r> {
    script: &'r Arc<ToolScript>,
    /// What the tools added to their results.
    injection: Option<&'r Injection>,
    calls: Vec<ReplayedCall<'r>>,
    /// Ranges of `calls` of which each is one turn, with the order of its calls as far as it is known.
    turns: Vec<Turn>,
    success: CallSuccess,
    /// Whether the answers in the trace are compared with those of the script.
    is_compared: bool,
}

#[derive(Clone, Copy)]
struct ReplayedCall<'r> {
    call: &'r Call,
    /// The name of the tool in the script.
    name: &'r str,
    /// Whether the tool has answers that are given a number of times.
    is_counted: bool,
}

/// The calls of one turn.
struct Turn {
    range: Range<usize>,
    /// The calls in the order of the trace, but none before a call that had ended when it began.
    order: Vec<usize>,
    /// Whether it is not known of some calls which one came first.
    is_open: bool,
}

/// What is open in a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// The order of these calls, by their numbers in the trace.
    Order(usize, usize),
    /// The outcome of a call, by its place among the calls of mock tools.
    Outcome(usize),
}

/// Why a reading ends before its last call.
enum Stop {
    /// The trace says something else. The text is a sentence.
    Contradiction(String),
    /// The reading cannot be made.
    Undecided(CannotDecide),
}

/// The choices of a reading, each one of several possibilities. The next reading takes the next possibility of the last
/// choice that has one left, as an odometer does.
#[derive(Default)]
struct Choices {
    made: Vec<(usize, usize)>,
    next: usize,
}

impl Choices {
    fn choose(&mut self, possibilities: usize) -> usize {
        if self.next == self.made.len() {
            self.made.push((0, possibilities));
        }
        self.next += 1;
        self.made[self.next - 1].0
    }

    /// Goes on to the next reading. `false` after the last.
    fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((taken, possibilities)) = self.made.pop() {
            if taken + 1 < possibilities {
                self.made.push((taken + 1, possibilities));
                return true;
            }
        }
        false
    }
}

impl<'r> Replay<'r> {
    /// Finds the calls of mock tools. The arguments of each must be in the trace.
    pub(crate) fn new(script: &'r Arc<ToolScript>, evidence: &'r Evidence<'_>) -> Result<Self, CannotDecide> {
        let trace = &*evidence.trace;
        let mut calls = Vec::new();
        for call in &trace.calls {
            let tool = script.find_called(call);
            let is_decoy = script.decoys.iter().any(|decoy| is_named(call, &decoy.name));
            if tool.is_none() && (is_decoy || !script.changes_otherwise()) {
                continue;
            }
            if call.arguments == Arguments::Unrecorded {
                // A tool that only reads changes nothing, whatever it is asked.
                let is_reader = tool.is_some_and(|tool| !tool.answers.iter().any(MockAnswer::may_write));
                if is_reader {
                    continue;
                }
                require_arguments(call)?;
            }
            let name = tool.map_or(call.name.as_str(), |tool| tool.name.as_str());
            let is_counted =
                tool.is_some_and(|tool| tool.answers.iter().any(|answer| answer.times.is_some()));
            calls.push(ReplayedCall { call, name, is_counted });
        }
        sort_by_number(&mut calls);
        let turns = split_turns(&calls).into_iter().map(|range| order_calls(&calls, range));
        let turns = turns.collect::<Result<_, _>>()?;
        let success = CallSuccess::of(trace);
        let is_compared = evidence.world == WorldEvidence::Recorded;
        Ok(Self { script, injection: evidence.injection, calls, turns, success, is_compared })
    }

    /// Judges the state at the end of each reading. If the readings agree in `is_same`, the first judgement is returned.
    pub(crate) fn judge<T>(
        &self,
        programs: &mut ProgramSource<'_>,
        mut judge: impl FnMut(&WorldTree, &[Step], &mut ProgramSource<'_>) -> Result<T, CannotDecide>,
        is_same: impl Fn(&T, &T) -> bool,
    ) -> Result<T, CannotDecide> {
        let mut run = ScriptRun::new(Arc::clone(self.script), self.injection);
        let start = run.mark();
        let mut choices = Choices::default();
        let mut first: Option<T> = None;
        let mut contradiction = None;
        let mut doubts = Vec::new();
        for reading in 0.. {
            if reading == MAX_READINGS {
                let what = format!("the calls can be read in more than {MAX_READINGS} ways");
                return Err(self.explain_doubt(&doubts, &what));
            }
            let read = self.read_once(&mut run, programs, &mut choices, &mut doubts);
            match (read, run.tree()) {
                (Ok(steps), Some(tree)) => {
                    let judged = judge(tree, &steps, programs)?;
                    match &first {
                        Some(first) if !is_same(first, &judged) => {
                            return Err(
                                self.explain_doubt(&doubts, "the check holds in one case and not in another")
                            );
                        }
                        Some(_) => {}
                        None => first = Some(judged),
                    }
                }
                (Ok(_), None) => return Err(CannotDecide::missing("the mock tools have no state")),
                (Err(Stop::Contradiction(what)), _) => contradiction = contradiction.or(Some(what)),
                (Err(Stop::Undecided(unfit)), _) => return Err(unfit),
            }
            run.return_to(&start);
            if !choices.advance() {
                break;
            }
        }
        first.ok_or_else(|| {
            let what = contradiction.unwrap_or_else(|| "the calls cannot be read".to_owned());
            CannotDecide::missing(what).help(
                "the calls were made in another world: compare `mocks.state` and `mocks.tools` with it, or record the run anew",
            )
        })
    }

    /// Makes all calls once.
    fn read_once(
        &self,
        run: &mut ScriptRun,
        programs: &mut ProgramSource<'_>,
        choices: &mut Choices,
        doubts: &mut Vec<Doubt>,
    ) -> Result<Vec<Step>, Stop> {
        let mut steps = Vec::new();
        for turn in &self.turns {
            for at in self.order_turn(turn, run, programs, choices, doubts)? {
                self.make_call(at, run, programs, choices, doubts, &mut steps)?;
            }
        }
        Ok(steps)
    }

    /// Returns the calls of a turn in one of their possible orders.
    fn order_turn(
        &self,
        turn: &Turn,
        run: &mut ScriptRun,
        programs: &mut ProgramSource<'_>,
        choices: &mut Choices,
        doubts: &mut Vec<Doubt>,
    ) -> Result<Vec<usize>, Stop> {
        let mut order = turn.order.clone();
        if !turn.is_open {
            return Ok(order);
        }
        let moved: Vec<usize> = self.find_conflicts(turn, run, programs)?.into_iter().collect();
        let [one, .., last] = moved.as_slice() else { return Ok(order) };
        let [one, last] = [one, last].map(|at| self.calls[*at].call.index);
        note(doubts, Doubt::Order(one, last));
        if moved.len() > MAX_REORDERED {
            let what = format!(
                "{} calls of one turn depend on each other, too many to try their orders",
                moved.len()
            );
            return Err(Stop::Undecided(self.explain_doubt(doubts, &what)));
        }
        let orders: Vec<Vec<usize>> =
            permute(&moved).into_iter().filter(|order| self.is_possible(order)).collect();
        // The order of the trace agrees with what is known, so there is one.
        let Some(chosen) = orders.get(choices.choose(orders.len())) else { return Ok(order) };
        // The other calls of the turn depend on none of these, so they keep their places.
        let places: Vec<usize> = (0..order.len()).filter(|place| moved.contains(&order[*place])).collect();
        for (place, at) in places.into_iter().zip(chosen) {
            order[place] = *at;
        }
        Ok(order)
    }

    /// Returns the calls of a turn of which another one changes what they look at or change, while their order is open. Each is
    /// made once, and the state is as before then: calls that do not touch what others change do the same
    /// in every order.
    fn find_conflicts(
        &self,
        turn: &Turn,
        run: &mut ScriptRun,
        programs: &mut ProgramSource<'_>,
    ) -> Result<BTreeSet<usize>, Stop> {
        let Turn { range: turn, order, .. } = turn;
        let start = run.mark();
        let mut touched: Vec<(Vec<StatePath>, Vec<StatePath>)> = vec![(Vec::new(), Vec::new()); turn.len()];
        for at in order.iter().copied() {
            let mark = run.mark();
            let ReplayedCall { call, name, is_counted } = self.calls[at];
            if call.arguments.json().is_some() {
                // What the script refuses touches nothing.
                drop(programs.make_call(run, name, &call.arguments).map_err(Stop::Undecided)?);
            }
            let mut written = run.list_written(&mark);
            let mut read = run.list_looked_at().to_vec();
            if is_counted {
                // Which answer is given depends on how often it was given before. No path of a state begins like this.
                let counter = vec!["\0".into(), name.into()];
                written.push(counter.clone());
                read.push(counter);
            }
            touched[at - turn.start] = (read, written);
        }
        run.return_to(&start);
        let depends = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|at| &touched[at - turn.start]);
            meet(&one.1, &other.0) || meet(&one.1, &other.1) || meet(&one.0, &other.1)
        };
        let mut found = BTreeSet::new();
        for one in turn.clone() {
            for other in one + 1..turn.end {
                if depends(one, other) && !is_ordered(&self.calls, one, other) {
                    found.extend([one, other]);
                }
            }
        }
        // A call between two of these that depends on them must keep its place among them.
        for at in turn.clone() {
            if found.iter().any(|other| *other != at && depends(at, *other)) {
                found.insert(at);
            }
        }
        Ok(found)
    }

    /// Whether an order of calls agrees with what is known of it.
    fn is_possible(&self, order: &[usize]) -> bool {
        order
            .iter()
            .enumerate()
            .all(|(at, one)| order[at + 1..].iter().all(|other| !is_known_before(&self.calls, *other, *one)))
    }

    /// Makes one call, and compares what the trace says of it.
    fn make_call(
        &self,
        at: usize,
        run: &mut ScriptRun,
        programs: &mut ProgramSource<'_>,
        choices: &mut Choices,
        doubts: &mut Vec<Doubt>,
        steps: &mut Vec<Step>,
    ) -> Result<(), Stop> {
        let ReplayedCall { call, name, .. } = self.calls[at];
        let mark = run.mark();
        // No tool takes arguments that are no object.
        let answer = match &call.arguments {
            Arguments::Json(Json::Object(_)) => {
                programs.make_call(run, name, &call.arguments).map_err(Stop::Undecided)?
            }
            _ => Err("its arguments are no object".to_owned()),
        };
        let happened = match self.compare_answer(call, &answer)? {
            // Whether an unknown outcome was a change matters only if there is something to change.
            Known::Unknown if !run.list_written(&mark).is_empty() => {
                note(doubts, Doubt::Outcome(at));
                choices.choose(2) == 0
            }
            Known::Yes | Known::Unknown => true,
            Known::No => false,
        };
        if !happened {
            run.return_to(&mark);
            return Ok(());
        }
        let written = run.list_written(&mark);
        if !written.is_empty() {
            steps.push(Step { index: call.index, tool: name.to_owned(), written });
        }
        Ok(())
    }

    /// Compares the script's answer with the one in the trace. Returns whether the call did what the script says.
    fn compare_answer(&self, call: &Call, answer: &Result<ServedAnswer, String>) -> Result<Known, Stop> {
        let recorded = self.success.happened(call);
        let failed_here = answer.as_ref().map_or(true, |answer| answer.failed);
        if !self.is_compared {
            // In a changed run, each answer is that of the script, but a call that failed has changed nothing.
            let has_failed = call.status == CallStatus::Error && !failed_here;
            return Ok(if has_failed { Known::No } else { recorded_or_yes(recorded, call) });
        }
        if call.status == CallStatus::Unanswered {
            // Where results were left out, there is nothing to compare.
            return Ok(if recorded == Known::Yes { Known::Yes } else { Known::Unknown });
        }
        let is_same = answer.as_ref().is_ok_and(|answer| {
            let result = answer.content.to_result();
            call.result.as_ref().is_some_and(|recorded| is_same_result(recorded, &result))
        });
        let is_explicit = call.status != CallStatus::Unknown && call.status_mark != StatusMark::Inferred;
        // The same words mean the same outcome, where the format does not say it.
        if is_same && !is_explicit {
            return Ok(Known::Yes);
        }
        let Call { index, name, .. } = call;
        let contradiction = match (recorded, failed_here) {
            (Known::Yes, true) => {
                let why = describe_failure(answer);
                format!("call {index} of `{name}` succeeded in the trace, and fails in this world: {why}")
            }
            (Known::No, false) => {
                format!("call {index} of `{name}` failed in the trace, and succeeds in this world")
            }
            (Known::Yes, false) if !is_same && answer.as_ref().is_ok_and(|answer| answer.is_read) => {
                format!("call {index} of `{name}` read another value than the one in this world")
            }
            // The program gave the recorded answer, too: another one now means another world.
            (Known::Yes, false)
                if !is_same
                    && call.served.is_some()
                    && answer.as_ref().is_ok_and(|answer| answer.by_program) =>
            {
                format!("the program answers call {index} of `{name}` otherwise than in the run")
            }
            (Known::Yes | Known::No, _) => return Ok(Known::Yes),
            (Known::Unknown, _) => return Ok(Known::Unknown),
        };
        Err(Stop::Contradiction(contradiction))
    }

    fn explain_doubt(&self, doubts: &[Doubt], what: &str) -> CannotDecide {
        let outcome = doubts.iter().find_map(|doubt| match doubt {
            Doubt::Outcome(at) => Some(self.calls[*at].call),
            Doubt::Order(..) => None,
        });
        if let Some(call) = outcome.filter(|call| call.status == CallStatus::Unanswered) {
            let Call { index, name, .. } = call;
            let what = format!(
                "it is not known whether call {index} of `{name}` changed the state: its result is not in the trace"
            );
            return CannotDecide::missing(what)
                .cause(UndecidedCause::StatusUnknown)
                .help("record the results of the calls, or run the agent with `mocks`");
        }
        if let Some(call) = outcome {
            return self.success.explain_doubt(call).cause(UndecidedCause::StatusUnknown);
        }
        let order = doubts.iter().find_map(|doubt| match doubt {
            Doubt::Order(one, other) => Some((one, other)),
            Doubt::Outcome(_) => None,
        });
        let Some((one, other)) = order else { return CannotDecide::missing(what) };
        CannotDecide::missing(format!(
            "the order of calls {one} and {other}, which overlap in one turn, is not in the trace, and the state depends on it: \
             {what}"
        ))
        .help("the mock tools of arraign number the calls: run the agent with `mocks`, or record it anew")
    }
}

/// Describes why the script's answer is a failure.
fn describe_failure(answer: &Result<ServedAnswer, String>) -> String {
    match answer {
        Ok(answer) => render_plain(&answer.content.to_result()),
        Err(problem) => problem.clone(),
    }
}

fn recorded_or_yes(recorded: Known, call: &Call) -> Known {
    match recorded {
        Known::Unknown if call.status == CallStatus::Unanswered => Known::Unknown,
        _ => Known::Yes,
    }
}

fn note(doubts: &mut Vec<Doubt>, doubt: Doubt) {
    if !doubts.contains(&doubt) {
        doubts.push(doubt);
    }
}

/// Sorts the calls that a server has numbered among their places. The others keep theirs.
fn sort_by_number(calls: &mut [ReplayedCall<'_>]) {
    let places: Vec<usize> = (0..calls.len()).filter(|at| calls[*at].call.served.is_some()).collect();
    let mut numbered: Vec<ReplayedCall<'_>> = places.iter().map(|at| calls[*at]).collect();
    // Stable: a call that a mutant doubles stays behind its original.
    numbered.sort_by_key(|one| one.call.served);
    for (place, one) in places.into_iter().zip(numbered) {
        calls[place] = one;
    }
}

/// Splits calls into runs of one turn.
fn split_turns(calls: &[ReplayedCall<'_>]) -> Vec<Range<usize>> {
    let mut turns: Vec<Range<usize>> = Vec::new();
    for (at, one) in calls.iter().enumerate() {
        let is_same = at > 0
            && calls[at - 1].call.turn == one.call.turn
            && calls[at - 1].call.agent_path == one.call.agent_path;
        match turns.last_mut() {
            Some(turn) if is_same => turn.end = at + 1,
            _ => turns.push(at..at + 1),
        }
    }
    turns
}

/// Orders the calls of a turn as far as their order is known.
fn order_calls(calls: &[ReplayedCall<'_>], range: Range<usize>) -> Result<Turn, CannotDecide> {
    let mut left: Vec<usize> = range.clone().collect();
    let is_numbered = left.iter().all(|at| calls[*at].call.served.is_some());
    if is_numbered || left.len() == 1 {
        return Ok(Turn { range, order: left, is_open: false });
    }
    if left.len() > MAX_TURN {
        let what = format!("one turn has {} calls, too many to find out which of them overlap", left.len());
        return Err(CannotDecide::missing(what));
    }
    let pairs = left.iter().flat_map(|one| left.iter().map(move |other| (*one, *other)));
    let is_open = pairs.into_iter().any(|(one, other)| one < other && !is_ordered(calls, one, other));
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_first = |at: usize| left.iter().all(|other| !is_known_before(calls, *other, at));
        let next = left.iter().position(|at| is_first(*at)).unwrap_or_default();
        order.push(left.remove(next));
    }
    Ok(Turn { range, order, is_open })
}

/// Whether it is known which of two calls of a turn came first.
fn is_ordered(calls: &[ReplayedCall<'_>], one: usize, other: usize) -> bool {
    is_known_before(calls, one, other) || is_known_before(calls, other, one)
}

/// Whether a call is known to have come before another one of its turn: the server has numbered both, or it had ended when the
/// other began.
fn is_known_before(calls: &[ReplayedCall<'_>], one: usize, other: usize) -> bool {
    let [first, then] = [one, other].map(|at| calls[at].call);
    if first.served.is_some() && then.served.is_some() {
        return one < other;
    }
    // Two calls that took no time may have ended before each other.
    has_ended_before(first, then) && !has_ended_before(then, first)
}

fn has_ended_before(one: &Call, other: &Call) -> bool {
    let ended = one.started_ms.zip(one.duration_ms).map(|(started, duration)| started + duration);
    ended.zip(other.started_ms).is_some_and(|(ended, started)| ended <= started)
}

/// Whether a path of one list leads to one of the other.
fn meet(one: &[StatePath], other: &[StatePath]) -> bool {
    one.iter().any(|one| other.iter().any(|other| overlap(one, other)))
}

/// Returns all orders of some calls, beginning with the given one.
fn permute(calls: &[usize]) -> Vec<Vec<usize>> {
    let [only] = calls else {
        let orders = calls.iter().enumerate().flat_map(|(at, first)| {
            let rest: Vec<usize> = calls[..at].iter().chain(&calls[at + 1..]).copied().collect();
            permute(&rest).into_iter().map(move |rest| [vec![*first], rest].concat())
        });
        return orders.collect();
    };
    vec![vec![*only]]
}

/// Whether two results are one: a value, the same value as text, or either in the form of MCP. Texts that are JSON are one if
/// their values are: the order of keys and the spaces are the writer's.
fn is_same_result(recorded: &Json, served: &Json) -> bool {
    if recorded == served || unwrap_result(recorded).is_some_and(|inner| is_same_result(&inner, served)) {
        return true;
    }
    let Some(recorded) = parse_text(recorded) else { return false };
    match served {
        Json::String(_) => parse_text(served).is_some_and(|served| recorded == served),
        served => recorded == *served,
    }
}

/// Parses a text that is JSON.
fn parse_text(value: &Json) -> Option<Json> {
    value.as_str().and_then(|text| json::parse(text).ok())
}

/// Takes a result out of the blocks of MCP, or out of a mapping that a framework puts around other values.
fn unwrap_result(recorded: &Json) -> Option<Json> {
    match recorded {
        Json::Array(blocks) if !blocks.is_empty() => {
            let texts: Option<Vec<&str>> = blocks
                .iter()
                .map(|block| block["text"].as_str().filter(|_| block["type"] == "text"))
                .collect();
            texts.map(|texts| texts.join("\n").into())
        }
        Json::Object(fields) => {
            let structured = fields.get("structuredContent").filter(|value| !value.is_null());
            let content = structured.or_else(|| fields.get("content").filter(|content| content.is_array()));
            content.or_else(|| fields.get("result").filter(|_| fields.len() == 1)).cloned()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    #[test]
    fn a_result_is_the_same_in_each_form_that_clients_record() {
        let order = json!({"status": "shipped", "total": 20});
        for recorded in [
            json!({"total": 20.0, "status": "shipped"}),
            json!(r#"{"status": "shipped", "total": 20}"#),
            json!([{"type": "text", "text": r#"{"status":"shipped","total":20}"#}]),
            json!({"content": [{"type": "text", "text": "x"}], "structuredContent": {"status": "shipped", "total": 20}}),
            json!({"result": {"status": "shipped", "total": 20}}),
        ] {
            assert!(is_same_result(&recorded, &order), "{recorded}");
        }
        let as_text = json!(r#"{"total":20.0,"status":"shipped"}"#);
        for recorded in [
            json!(r#"{"status": "shipped", "total": 20}"#),
            json!([{"type": "text", "text": r#"{"status":"shipped","total":20}"#}]),
        ] {
            assert!(is_same_result(&recorded, &as_text), "{recorded}");
        }
        assert!(!is_same_result(&json!(r#"{"status": "lost", "total": 20}"#), &as_text));
        assert!(!is_same_result(&json!("not JSON"), &as_text) && !is_same_result(&order, &as_text));
        assert!(is_same_result(&json!("7"), &json!("7")) && is_same_result(&json!("7"), &json!(7)));
        assert!(
            !is_same_result(&json!(7), &json!("7")) && !is_same_result(&json!({"status": "shipped"}), &order)
        );
    }

    #[test]
    fn an_odometer_reads_each_combination_once() {
        let mut choices = Choices::default();
        let mut seen = Vec::new();
        loop {
            let first = choices.choose(2);
            // The second choice has other possibilities than the first leaves.
            let second = if first == 0 { choices.choose(3) } else { 9 };
            seen.push((first, second));
            if !choices.advance() {
                break;
            }
        }
        assert_eq!(seen, [(0, 0), (0, 1), (0, 2), (1, 9)]);
        assert_eq!(permute(&[1, 2, 3]).len(), 6);
        assert_eq!(permute(&[1, 2, 3])[0], [1, 2, 3]);
    }
}
