//! Evaluates one run of a case: runs every check, and turns each result into a finding.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Instant;

use super::aggregate::{has_statistics, run_figures};
use super::run_result::RunResult;
use super::scoring::score_run;
use crate::case::{Case, Expectation, TraceFrom, WEIGHTLESS};
use crate::check::{EvidenceNeeds, advise_on_calls, is_in_reverse, require_settled};
use crate::evidence::{
    Absent, Evidence, Opinions, ProgramAnswer, ProgramReplies, ProgramReport, ProgramReports, ProgramRequest,
    WorldEvidence,
};
use crate::judge::{JudgeSession, opinions_without_judge};
use crate::outcome::{
    CannotDecide, Item, LocatedViolation, Loss, Outcome, State, Status, UndecidedCause, UndecidedReason,
    Violation,
};
use crate::pattern::ToolPattern;
use crate::score::Effect;
use crate::source::lock;
use crate::suite::RecordedRun;
use crate::trace::{CallsUnrecorded, Ended, Trace};
use crate::verdict::Finding;
use crate::workspace::RunWorkspace;

/// Runs the programs of checks.
pub trait StartPrograms {
    /// Runs a program on a run of the agent.
    fn check_run(
        &self,
        request: &ProgramRequest,
        trace: &Trace,
        workspace: Option<&RunWorkspace>,
    ) -> Result<ProgramReport, Absent>;

    /// Runs a program behind a mock tool. `input` is the line that it reads.
    fn answer_call(&self, request: &ProgramRequest, input: String) -> Result<ProgramAnswer, Absent>;

    /// The answers to calls so far. The mutants of a run share most of its calls.
    fn known_replies(&self) -> &Mutex<ProgramReplies>;
}

/// Runs the programs of checks.
pub type ProgramStarter<'s> = &'s dyn StartPrograms;

/// The source of a judge's opinions on a run.
#[derive(Clone, Copy)]
pub(super) enum OpinionSource<'s> {
    /// The judge of this session, or of none, and what starts the programs of checks.
    Session(Option<&'s JudgeSession<'s>>, Option<ProgramStarter<'s>>),
    /// These opinions, whatever the run is, and what starts the programs of checks. Without it, checks that run a program are
    /// left out.
    Fixed(Option<&'s Opinions>, Option<ProgramStarter<'s>>),
}

impl OpinionSource<'_> {
    pub(super) fn collect_opinions(self, case: &Case, evidence: &Evidence<'_>) -> Option<Opinions> {
        match self {
            Self::Session(Some(session), _) => session.collect_opinions(case, evidence),
            Self::Session(None, _) => opinions_without_judge(case),
            Self::Fixed(opinions, _) => opinions.cloned(),
        }
    }

    /// Whether a check is left out, because nothing starts its programs.
    fn leaves_out(self, expectation: &Expectation) -> bool {
        matches!(self, Self::Fixed(_, None)) && !expectation.check().programs().is_empty()
    }

    /// Runs the programs of all checks, each once for the run and once for each turn that a check is about.
    fn run_programs(self, case: &Case, trace: &Trace, workspace: Option<&RunWorkspace>) -> ProgramReports {
        let mut reports = ProgramReports::default();
        let (Self::Session(_, Some(start)) | Self::Fixed(_, Some(start))) = self else { return reports };
        for expectation in &case.expectations {
            let turn = expectation.turn;
            let requests = expectation.check().programs().into_iter();
            for request in requests.filter(|request| !request.answers_calls) {
                let part = match turn {
                    None => Some(Cow::Borrowed(trace)),
                    Some(turn) => trace.turn_of_user(turn).map(Cow::Owned),
                };
                // Several checks may ask the same program about the same part. It runs once.
                if let Some(part) = part.filter(|_| !reports.contains(turn, &request)) {
                    let report = start.check_run(&request, &part, workspace);
                    reports.insert(turn, request, report);
                }
            }
        }
        reports
    }

    /// Asks the programs behind mock tools for their answers to the calls of the run. Returns the time that they took for each
    /// check as well, in milliseconds.
    fn ask_programs(self, case: &Case, evidence: &Evidence<'_>) -> (ProgramReplies, Vec<f64>) {
        let mut times = vec![0.0; case.expectations.len()];
        let (Self::Session(_, Some(start)) | Self::Fixed(_, Some(start))) = self else {
            return (ProgramReplies::default(), times);
        };
        if case.mocks.as_ref().is_none_or(|mocks| !mocks.script.has_programs) {
            return (ProgramReplies::default(), times);
        }
        let mut replies = lock(start.known_replies()).clone();
        let ask = |request: &ProgramRequest, input: String| start.answer_call(request, input);
        for (expectation, time) in case.expectations.iter().zip(&mut times) {
            let part = expectation.turn.map(|turn| narrow_to_turn(evidence, turn));
            // A turn that the run does not have is the matter of the check.
            let part = part.map_or(Some(Cow::Borrowed(evidence)), |part| part.map(Cow::Owned));
            let Some(part) = part else { continue };
            // A check that panics does so again where it is evaluated, and is reported there.
            let started = Instant::now();
            let asked = AssertUnwindSafe(|| expectation.check().ask_programs(&part, &ask, &mut replies));
            let _ = catch_unwind(asked);
            *time = millis_since(started);
        }
        lock(start.known_replies()).clone_from(&replies);
        (replies, times)
    }
}

/// Evaluates one run.
pub(super) fn evaluate_run(
    case: &Case,
    recorded: &RecordedRun,
    run: usize,
    opinions: OpinionSource<'_>,
) -> RunResult {
    let trace = &*note_named_calls(case, &recorded.trace);
    let workspace = recorded.workspace.as_ref();
    let mut evidence = Evidence::of(trace).asked(case.prompt()).judged(&case.opinions);
    evidence.judges_end = case.judges_end();
    evidence.named_tools = Cow::Owned(case.list_named_tools());
    evidence.workspace = workspace.map(|workspace| Cow::Borrowed(&*workspace.facts));
    evidence.injection = case.mocks.as_ref().and_then(|mocks| mocks.injection.as_deref());
    // Fixed opinions are those on a mutant.
    if matches!(opinions, OpinionSource::Fixed(..)) {
        evidence.world = WorldEvidence::Changed;
    }
    let mut answers = ask_all(case, evidence, run, opinions, workspace);
    note_weightless(case, &mut answers);
    let scored = score_run(case, run, &answers);
    let mut findings: Vec<Finding> = answers.into_iter().flatten().collect();
    findings.extend(scored.findings);
    findings.extend(missing_calls(case, trace, run));
    note_unread_reward(case, trace, &mut findings);
    let ended_in_error = matches!(trace.ended, Ended::Failed(_));
    let mut held = RunResult { findings, cards: scored.cards, figures: None, ended_in_error, is_lost: false };
    held.figures = has_statistics(case).then(|| run_figures(trace, &held)).flatten();
    held
}

/// Notes the texts of a run that are JSON and call a tool that the case names. A glob for every tool names none.
fn note_named_calls<'t>(case: &Case, trace: &'t Trace) -> Cow<'t, Trace> {
    if !trace.may_hold_json_call() {
        return Cow::Borrowed(trace);
    }
    let tools = case.expectations.iter().flat_map(|expectation| expectation.check().tools());
    let tools: Vec<&ToolPattern> = tools.filter(|tool| tool.as_str() != "*").collect();
    let mut run = trace.clone();
    run.note_text_calls(&|name| tools.iter().any(|tool| tool.matches_name(name)));
    if let TraceFrom::File(file) = &case.trace {
        run.accept_harmless(&file.reading.harmless);
    }
    Cow::Owned(run)
}

/// Says that a verifier gave the run something that no check looks at.
fn note_unread_reward(case: &Case, trace: &Trace, findings: &mut [Finding]) {
    let values = trace.rewards.iter().flat_map(|rewards| &rewards.values);
    let given: Vec<String> = values.map(|(name, value)| format!("`{name}` is {value}")).collect();
    if let (Some(first), false, false) = (findings.first_mut(), given.is_empty(), case.reads_reward()) {
        let note = format!("no check reads the reward of the run: {}", given.join(", "));
        first.items.push(Item::new("note", State::NotExercised).note(note));
    }
}

/// Says with each check that has no weight in the score that it decides nothing.
fn note_weightless(case: &Case, answers: &mut [Option<Finding>]) {
    for (at, answer) in answers.iter_mut().enumerate() {
        if let Some(finding) = answer.as_mut().filter(|_| case.is_weightless(at)) {
            finding.items.push(Item::new("note", State::NotExercised).note(WEIGHTLESS));
        }
    }
}

/// Asks every check, in two rounds: first the hard gates that need no judge, then the others. A violated gate ends the case
/// after its round, so that the judge is not paid for a case that has failed already.
fn ask_all(
    case: &Case,
    mut evidence: Evidence<'_>,
    run: usize,
    source: OpinionSource<'_>,
    workspace: Option<&RunWorkspace>,
) -> Vec<Option<Finding>> {
    let mut answers = vec![None; case.expectations.len()];
    let mut times = vec![0.0; case.expectations.len()];
    // The judge is asked between both rounds, and only if no hard gate of the first round is violated.
    for first in [true, false] {
        if !first {
            evidence.programs = Cow::Owned(source.run_programs(case, &evidence.trace, workspace));
            let (replies, asked_ms) = source.ask_programs(case, &evidence);
            evidence.replies = Cow::Owned(replies);
            times = asked_ms;
            if let Some(opinions) = source.collect_opinions(case, &evidence) {
                // The evidence is shared by all checks, and changes only here, before the second round.
                evidence.opinions = Cow::Owned(opinions);
            }
        }
        for ((expectation, answer), asked_ms) in case.expectations.iter().zip(&mut answers).zip(&times) {
            if comes_first(expectation) == first && !source.leaves_out(expectation) {
                let mut finding = evaluate_expectation(expectation, &evidence, run);
                // What programs behind mock tools take is a part of the time of their check.
                finding.duration_ms += asked_ms;
                *answer = Some(finding);
            }
        }
        if answers.iter().flatten().any(Finding::is_broken_gate) {
            break;
        }
    }
    answers
}

fn comes_first(expectation: &Expectation) -> bool {
    let check = expectation.check();
    expectation.effect == Effect::Gate && check.questions().is_empty() && check.programs().is_empty()
}

fn evaluate_expectation(expectation: &Expectation, evidence: &Evidence<'_>, run: usize) -> Finding {
    let started = Instant::now();
    // A panic in a check is that trial's error, never the end of the run.
    let answer = catch_unwind(AssertUnwindSafe(|| run_check(expectation, evidence)));
    let mut finding = match answer {
        Ok(Ok(outcome)) => of_outcome(expectation, outcome),
        Ok(Err(unfit)) => of_unfit(expectation, unfit),
        Err(payload) => of_panic(expectation, payload.as_ref()),
    };
    // The number of the run and the time are known here only, whichever way the check ended.
    finding.run = run;
    finding.duration_ms = millis_since(started);
    finding
}

/// Runs a check on the run, or on the turn that the expectation names. The result counts only if nothing that the trace does
/// not record could change it.
fn run_check(expectation: &Expectation, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
    let Some(turn) = expectation.turn else { return ask_check(expectation, evidence) };
    let Some(of_turn) = narrow_to_turn(evidence, turn) else {
        return Err(CannotDecide::missing(format!(
            "the run has no turn {turn}: the user did not speak that often"
        )));
    };
    // The turns of a file in reverse order are not those of the run.
    if let Some(reason) = of_turn.trace.calls_unrecorded.as_ref().filter(|_| is_in_reverse(&evidence.trace)) {
        let unfit = CannotDecide::missing(reason.to_string()).cause(UndecidedCause::NotReadWhole);
        return Err(unfit.help(advise_on_calls(reason, &evidence.trace)));
    }
    ask_check(expectation, &of_turn)
}

/// Returns the evidence on one turn of the conversation. `None` for a turn that the run does not have.
fn narrow_to_turn<'e>(evidence: &'e Evidence<'_>, turn: usize) -> Option<Evidence<'e>> {
    let trace = evidence.trace.turn_of_user(turn)?;
    // Opinions and programs of another turn must not decide this one.
    let opinions = Cow::Owned(evidence.opinions.of_turn(turn));
    let programs = Cow::Owned(evidence.programs.of_turn(turn));
    Some(Evidence {
        trace: Cow::Owned(trace),
        opinions,
        programs,
        replies: Cow::Borrowed(&*evidence.replies),
        input: evidence.input.clone(),
        named_tools: evidence.named_tools.clone(),
        workspace: evidence.workspace.clone(),
        ..*evidence
    })
}

fn ask_check(expectation: &Expectation, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
    let check = expectation.check();
    let needs = EvidenceNeeds {
        scope: expectation.scope,
        servers: expectation.needs_servers,
        names_both_ways: false,
    };
    require_settled(check, needs, evidence, check.check(evidence))
}

fn of_outcome(expectation: &Expectation, outcome: Outcome) -> Finding {
    let violated = !outcome.violations.is_empty();
    let mut items = keep_some_items(outcome.items);
    items.extend(list_note_items(expectation));
    Finding {
        status: if violated { Status::Fail } else { Status::Pass },
        score: outcome.score,
        violations: locate_all(expectation, outcome.violations),
        items,
        losses: keep_some_losses(outcome.losses),
        stats: outcome.stats,
        values: outcome.values,
        ..unanswered_finding(expectation)
    }
}

/// The largest number of calls that a verdict contains of a run, and of items and of losses that it contains of a check. A run
/// can have 250,000 calls, and a check an item for each of them.
pub(super) const MAX_KEPT: usize = 10_000;

/// Keeps the first items, and one for the rest.
fn keep_some_items(mut items: Vec<Item>) -> Vec<Item> {
    if items.len() > MAX_KEPT {
        let rest = items.split_off(MAX_KEPT);
        // The item for the rest has the state that matters most.
        let states = [State::Violated, State::Open, State::Held, State::NotExercised];
        let worst = states.into_iter().find(|state| rest.iter().any(|item| item.state == *state));
        items.extend(worst.map(|state| Item::new(format!("{} more", rest.len()), state)));
    }
    items
}

/// Keeps the first losses, and the sum of the rest.
fn keep_some_losses(mut losses: Vec<Loss>) -> Vec<Loss> {
    if losses.len() > MAX_KEPT {
        let rest = losses.split_off(MAX_KEPT);
        let points = rest.iter().map(|loss| loss.points).sum();
        losses.push(Loss::new(points, format!("{} more", rest.len())));
    }
    losses
}

/// Returns an item for each remark about the settings, and for a check that is proven to accept every run.
fn list_note_items(expectation: &Expectation) -> Vec<Item> {
    let notes = expectation.check().notes().into_iter().map(|note| note.text);
    let idle = expectation.is_idle().then(|| "cannot fail: it accepts every run".to_owned());
    notes.chain(idle).map(|note| Item::new("note", State::NotExercised).note(note)).collect()
}

fn of_unfit(expectation: &Expectation, unfit: CannotDecide) -> Finding {
    let (status, reason) = match unfit.reason {
        UndecidedReason::MissingEvidence(what) => (Status::Undecided, what),
        UndecidedReason::InvalidEvidence(what) | UndecidedReason::BudgetExceeded(what) => {
            (Status::Error, what)
        }
    };
    let cause = unfit.cause.unwrap_or(UndecidedCause::MissingEvidence);
    Finding {
        status,
        unfit: Some(reason),
        undecided: (status == Status::Undecided).then_some(cause),
        help: unfit.help,
        violations: locate_all(expectation, unfit.violations),
        ..unanswered_finding(expectation)
    }
}

fn of_panic(expectation: &Expectation, payload: &(dyn std::any::Any + Send)) -> Finding {
    let unfit = Some(format!("the check panicked: {}", read_panic(payload)));
    Finding { unfit, ..unanswered_finding(expectation) }
}

/// Returns the text of a panic.
pub(crate) fn read_panic(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn unanswered_finding(expectation: &Expectation) -> Finding {
    let effect = expectation.effect;
    let turn = expectation.turn;
    Finding { effect, turn, ..Finding::empty(expectation.check, &expectation.place) }
}

/// The largest number of violations of one finding that a verdict contains.
const MAX_VIOLATIONS: usize = 1000;

/// Resolves the pointer of each violation to the setting's place in the case's file. Of very many violations, the rest is
/// counted.
fn locate_all(expectation: &Expectation, mut violations: Vec<Violation>) -> Vec<LocatedViolation> {
    let more = violations.len().saturating_sub(MAX_VIOLATIONS);
    // A check of a long run may report each call, and reports must stay readable.
    if more > 0 {
        violations.truncate(MAX_VIOLATIONS);
        violations.push(Violation::new(format!("there are {more} more violations")));
    }
    let located = violations.into_iter().map(|violation| {
        let at = expectation.locate(&violation.at);
        violation.resolve(at)
    });
    located.collect()
}

/// `require_calls: true`: a trace in which nothing was called proves nothing.
fn missing_calls(case: &Case, trace: &Trace, run: usize) -> Option<Finding> {
    let place = case.require_calls.as_ref()?;
    // Calls that are not recorded, or that a run which broke off did not make any more, say nothing about the agent.
    let unrecorded = trace.calls_unrecorded.as_ref().map(|reason| match reason {
        CallsUnrecorded::Unread { .. } => (reason.to_string(), UndecidedCause::NotReadWhole),
        _ => (reason.to_string(), UndecidedCause::MissingEvidence),
    });
    let broke_off = matches!(trace.ended, Ended::Failed(_) | Ended::Cut(_));
    let doubt = unrecorded.or_else(|| {
        broke_off.then(|| (format!("the run did not end well: {}", trace.ended), UndecidedCause::BadEnd))
    });
    if let Some((reason, cause)) = doubt.filter(|_| trace.calls.is_empty()) {
        return Some(Finding {
            status: Status::Undecided,
            run,
            unfit: Some(reason),
            undecided: Some(cause),
            ..Finding::empty("require_calls", place)
        });
    }
    let violation = trace.calls.is_empty().then(|| {
        Violation::new("the agent called no tool at all")
            .help("record a run that calls tools, or drop `require_calls`")
            .resolve(place.locate())
    });
    let (status, state) =
        if violation.is_some() { (Status::Fail, State::Violated) } else { (Status::Pass, State::Held) };
    let outcome = Outcome::of_items(vec![Item::new("some tool is called", state)], Vec::new());
    Some(Finding {
        status,
        run,
        score: outcome.score,
        items: outcome.items,
        losses: outcome.losses,
        violations: violation.into_iter().collect(),
        ..Finding::empty("require_calls", place)
    })
}

pub(super) fn millis_since(started: Instant) -> f64 {
    // Whole microseconds: more digits than that are noise, and they cost time to print.
    let micros = u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX);
    f64::from(micros) / 1000.0
}
