//! `state`: the calls of the run leave this state behind.
//!
//! <!-- settings -->
//!
//! The state is the one behind the [mock tools](../worlds.md) of the case. It is made anew from the calls of the trace, so that
//! the check holds for a live run, for its recording, and for traces that other tools recorded of the same calls. Objects
//! have no order, lists have one unless `unordered` names them, and 1 equals 1.0.
//!
//! The check is undecided if the trace does not say what the state is:
//!
//! - The outcome of a call is not known, and the state as expected depends on it.
//! - Calls of one turn overlap, and their order decides whether the state is as expected. All orders are tried.
//! - A call succeeded in the trace and fails in this state, or the other way around, or it read another value than the one in
//!   this state: the calls were made in another world.
//!
//! A call in `after` that fails is a mistake of the case. So is an `after` that changes nothing: every run that does nothing
//! would pass. If the state is to stay as it is, say `unchanged: [""]`. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/state/fail-refunded-twice.yaml")]
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;

use super::difference::{Comparison, StateDifference};
use super::oracle::ProgramSource;
use super::replay::{Replay, Step};
use super::script::{InitialState, ScriptRun, ScriptedAnswer, ServedAnswer, ToolScript};
use super::template::parse_pointer;
use super::tree::{StatePath, WorldTree, overlap, render_pointer};
use crate::JsonSchema;
use crate::check::arguments::{ArgumentMatcher, CallContext, Presence, WrittenArgument, refuse_relations};
use crate::check::support::answer_json::shown;
use crate::check::{Check, CheckKind, Scope, ScriptInScope};
use crate::evidence::{AskProgram, Evidence, ProgramReplies, ProgramRequest, WorldEvidence};
use crate::json::{Json, JsonMap, JsonText};
use crate::outcome::{CannotDecide, Item, Outcome, Violation, count_noun};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors, Place};
use crate::trace::{Arguments, Trace};
use crate::yaml::{Node, OneOrMany, OrderedMap, Placed, Unparsed, did_you_mean, escape_token, render_plain};

pub(crate) const KIND: CheckKind = CheckKind::with::<StateSettings>(
    "state",
    "the calls of the run leave this state behind",
    StateSettings::build,
);

/// Calls after which the state is the one of the beginning.
const VACUOUS_CALLS: &str = "these calls change nothing that counts: a run that does nothing passes";

/// The number of differences that are shown one by one.
const SHOWN: usize = 20;

/// Settings of `state`.
#[derive(Deserialize, JsonSchema)]
struct StateSettings {
    /// JSON Pointers into the state, each with its value or a [matcher](../calls.md#matchers): `{/orders/7/status: refunded}`.
    /// `{absent: true}` means that there is nothing.
    #[serde(default)]
    has: OrderedMap<Placed<String>, Unparsed<WrittenArgument>>,
    /// JSON Pointers to parts of the state that are as they were in the beginning. `""` is the whole state.
    #[serde(default)]
    unchanged: OneOrMany<Placed<String>>,
    /// JSON Pointers to parts that do not count, for `unchanged` and `after`.
    #[serde(default)]
    ignore: OneOrMany<Placed<String>>,
    /// Calls of the mock tools, each as `{TOOL: {ARGUMENT: VALUE}}`. They are made in a state of their own, and the state of
    /// the run equals it.
    after: Option<Placed<Vec<Unparsed<GoldCallForm>>>>,
    /// JSON Pointers to lists whose order does not count, for `unchanged` and `after`.
    #[serde(default)]
    unordered: OneOrMany<Placed<String>>,
}

/// A call: the name of the tool and its arguments, or the name alone.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct GoldCallForm(
    #[expect(dead_code, reason = "describes the form alone")]
    crate::yaml::MappingOr<std::collections::BTreeMap<String, JsonMap>, String>,
);

/// The check.
struct State {
    script: Arc<ToolScript>,
    has: Vec<(StatePath, ArgumentMatcher)>,
    unchanged: Vec<StatePath>,
    after: Option<Vec<GoldCall>>,
    comparison: Comparison,
    /// The tools that may change the state.
    tools: Vec<ToolPattern>,
}

/// A call that should have been made.
struct GoldCall {
    /// The place of the call in the file.
    place: Place,
    tool: String,
    arguments: Arguments,
}

impl StateSettings {
    fn build(node: Node<'_>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let mut errors = LoadErrors::new();
        let settings: Option<Self> = errors.take(node.decode_all());
        let script = match scope.script {
            ScriptInScope::Known(script) if script.state.is_some() => script,
            // The mistake in `mocks` is reported where it is.
            ScriptInScope::Broken => return Err(errors),
            ScriptInScope::Known(_) | ScriptInScope::Absent => {
                let error = node.error("`state` looks at the state behind mock tools, and the case has none");
                errors.push(error.help("give the case `mocks: {state: {...}, tools: {...}}`"));
                return Err(errors);
            }
        };
        let Some(settings) = settings else { return Err(errors) };
        let mut has = Vec::with_capacity(settings.has.0.len());
        for (pointer, value) in &settings.has.0 {
            let path = errors.take(read_pointer(pointer, script));
            refuse_relations(value.node(), "values of the state", &mut errors);
            let matcher = errors.take(ArgumentMatcher::read(value.node()));
            has.extend(path.zip(matcher));
        }
        let mut read_all = |written: &OneOrMany<Placed<String>>| -> Vec<StatePath> {
            written.0.iter().filter_map(|pointer| errors.take(read_pointer(pointer, script))).collect()
        };
        let unchanged = read_all(&settings.unchanged);
        let comparison =
            Comparison { ignored: read_all(&settings.ignore), unordered: read_all(&settings.unordered) };
        if settings.has.0.is_empty() && settings.unchanged.0.is_empty() && settings.after.is_none() {
            let error = node.error("`state` says nothing about the state");
            errors.push(error.help("give it `has`, `unchanged` or `after`"));
        }
        let keeps_all = unchanged.iter().any(Vec::is_empty);
        let after = settings
            .after
            .as_ref()
            .and_then(|written| errors.take(read_gold_calls(written, script, &comparison, keeps_all)));
        let tools =
            script.list_writing_tools().filter_map(|tool| ToolPattern::of_name(&tool.name).ok()).collect();
        let script = Arc::clone(script);
        errors.or(Box::new(State { script, has, unchanged, after, comparison, tools }) as Box<dyn Check>)
    }
}

/// Reads a pointer. Its first token is in the state, or a tool may put it there.
fn read_pointer(written: &Placed<String>, script: &ToolScript) -> Result<StatePath, LoadError> {
    let path = written.try_map(|pointer| parse_pointer(pointer))?;
    if written.contains("{{") {
        let error = written.error(format!("no call fills the placeholders of `{}`", **written));
        return Err(error.help("a pointer of the check has none, but those of rows"));
    }
    let Some(first) = path.first() else { return Ok(path) };
    refuse_unknown_member(first, script)
        .map(|()| path)
        .map_err(|(problem, help)| written.error(problem).help_if(help))
}

/// Refuses the first token of a pointer if nothing of the state can have it. The error is a sentence, and advice.
pub(crate) fn refuse_unknown_member(
    first: &str,
    script: &ToolScript,
) -> Result<(), (String, Option<String>)> {
    let Some(Json::Object(fields)) = script.state.as_ref().map(InitialState::value) else { return Ok(()) };
    let answers = script.tools.iter().flat_map(|tool| &tool.answers);
    let mut changed = answers.flat_map(|answer| &answer.operations).map(super::StateOperation::pointer);
    let may_be_set = changed.any(|pointer| {
        pointer.is_member_of_root() && pointer.first_literal().is_none_or(|known| known == first)
    });
    // A program may make anything of the state.
    if fields.contains_key(first) || may_be_set || script.has_programs {
        return Ok(());
    }
    let known: Vec<&str> = fields.keys().map(JsonText::as_str).collect();
    let help = did_you_mean(first, &known).or_else(|| {
        let shown: Vec<String> =
            known.iter().take(SHOWN).map(|key| format!("`/{}`", escape_token(key))).collect();
        (!shown.is_empty()).then(|| format!("the state has {}", shown.join(", ")))
    });
    Err((format!("the state has no `/{}`", escape_token(first)), help))
}

/// Reads the calls of `after`, and makes them: none may fail, and together they change something.
fn read_gold_calls(
    written: &Placed<Vec<Unparsed<GoldCallForm>>>,
    script: &Arc<ToolScript>,
    comparison: &Comparison,
    keeps_all: bool,
) -> Result<Vec<GoldCall>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut run = ScriptRun::new(Arc::clone(script), None);
    let mut calls = Vec::with_capacity(written.len());
    let mut asks_program = false;
    for entry in written.iter() {
        let node = entry.node();
        let Some(call) = errors.take(read_gold_call(node, script)) else { continue };
        let made = if asks_program { Ok(true) } else { make_known_call(&mut run, &call) };
        match made {
            Ok(is_made) => asks_program = !is_made || asks_program,
            // What follows may fail only because this call did.
            Err(problem) if errors.is_empty() => errors.push(node.error(describe_failed_call(&problem))),
            Err(_) => {}
        }
        calls.push(call);
    }
    // No program starts while files are read: what the calls do shows when the check is made.
    if asks_program || !errors.is_empty() {
        return errors.or(calls);
    }
    let changes = script
        .state
        .as_ref()
        .zip(run.tree())
        .is_some_and(|(state, tree)| !comparison.compare_part(state.value(), tree, &[]).is_empty());
    if !changes && !keeps_all {
        let problem = if calls.is_empty() {
            "no call changes nothing: a run that does nothing passes"
        } else {
            VACUOUS_CALLS
        };
        errors.push(written.error(problem).help("if the state is to stay as it is, say `unchanged: [\"\"]`"));
    }
    errors.or(calls)
}

fn read_gold_call(node: Node<'_>, script: &ToolScript) -> Result<GoldCall, LoadErrors> {
    let (name, place, arguments) = match (node.as_str(), node.entries().map(Iterator::collect::<Vec<_>>)) {
        (Some(name), _) => (name, node.place(), Json::Object(JsonMap::new())),
        (None, Some(entries)) if entries.len() == 1 => {
            let (key, value) = &entries[0];
            let arguments = match value.to_json() {
                Json::Null => Json::Object(JsonMap::new()),
                arguments => arguments,
            };
            if !arguments.is_object() {
                let problem =
                    format!("the arguments of `{}` are a mapping, not {}", key.name, value.describe());
                return Err(value.error(problem).into());
            }
            (key.name.as_str(), node.key_place(&key.name), arguments)
        }
        _ => {
            let error = node.error("a call is `{TOOL: {ARGUMENT: VALUE}}`, or the name of a tool");
            return Err(error.into());
        }
    };
    if script.tools.iter().all(|tool| tool.name != name) {
        let known: Vec<&str> = script.tools.iter().map(|tool| tool.name.as_str()).collect();
        let help = did_you_mean(name, &known)
            .or_else(|| Some(format!("the tools under `mocks` are `{}`", known.join("`, `"))));
        return Err(LoadError::new(place, format!("`{name}` is not one of the mock tools"))
            .help_if(help)
            .into());
    }
    Ok(GoldCall { place: node.place(), tool: name.to_owned(), arguments: Arguments::Json(arguments) })
}

/// Makes a call in the state of `run`. `false` if a program answers it: then nothing is known of the state. The error says why
/// the call fails.
fn make_known_call(run: &mut ScriptRun, call: &GoldCall) -> Result<bool, String> {
    match run.take_answer(&call.tool, &call.arguments) {
        ScriptedAnswer::Given(answer) => require_success(&answer).map(|()| true),
        ScriptedAnswer::Asks(_) => Ok(false),
        ScriptedAnswer::Refused(problem) => Err(problem),
        ScriptedAnswer::UnknownTool => Err(format!("`{}` is not one of the mock tools", call.tool)),
    }
}

fn require_success(answer: &ServedAnswer) -> Result<(), String> {
    if answer.failed { Err(render_plain(&answer.content.to_result())) } else { Ok(()) }
}

fn describe_failed_call(problem: &str) -> String {
    format!("this call fails in the state of the case: {problem}")
}

impl Check for State {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        self.decide(evidence, &mut ProgramSource::Known(&evidence.replies))
    }

    fn programs(&self) -> Vec<ProgramRequest> {
        self.script.list_programs().into_iter().cloned().collect()
    }

    fn ask_programs(&self, evidence: &Evidence<'_>, ask: AskProgram<'_>, replies: &mut ProgramReplies) {
        if self.script.has_programs {
            // Only the answers count here. The check decides with them, and says what is missing.
            drop(self.decide(evidence, &mut ProgramSource::Asked(ask, replies, 0)));
        }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let mut emptied = Evidence::from(Trace::default());
        emptied.world = WorldEvidence::Emptied;
        Some(emptied)
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.tools.iter().collect()
    }

    fn watched_state(&self) -> Vec<StatePath> {
        let has = self.has.iter().map(|(path, _)| path.clone());
        // The state after other calls is compared as a whole.
        let whole = self.after.iter().map(|_| StatePath::new());
        has.chain(self.unchanged.iter().cloned()).chain(whole).collect()
    }
}

impl State {
    fn decide(
        &self,
        evidence: &Evidence<'_>,
        programs: &mut ProgramSource<'_>,
    ) -> Result<Outcome, CannotDecide> {
        if evidence.world == WorldEvidence::Emptied {
            let mut nothing = ScriptRun::new(Arc::clone(&self.script), None);
            nothing.empty_state();
            let tree = nothing.tree().ok_or_else(|| CannotDecide::missing("there is no state"))?;
            if self.script.has_programs && self.after.is_some() {
                // No program is asked for this. A world of which nothing is left is that of no calls.
                return Ok(Some(Violation::new("nothing is left of the state").at("/after")).into());
            }
            return self.judge(tree, &[], programs);
        }
        let replay = Replay::new(&self.script, evidence)?;
        let is_violated = |outcome: &Outcome| !outcome.violations.is_empty();
        replay.judge(
            programs,
            |tree, steps, programs| self.judge(tree, steps, programs),
            |one, other| is_violated(one) == is_violated(other),
        )
    }

    /// Compares the state after the calls of one reading with the settings.
    fn judge(
        &self,
        tree: &WorldTree,
        steps: &[Step],
        programs: &mut ProgramSource<'_>,
    ) -> Result<Outcome, CannotDecide> {
        let mut items = Vec::new();
        let mut violations = Vec::new();
        for (path, matcher) in &self.has {
            let found = tree.find(path);
            let is_held = matcher.accepts(found, CallContext::none())?;
            let pointer = render_pointer(path);
            items.push(Item::tested(format!("`{pointer}` is as expected"), is_held));
            if !is_held {
                violations.push(describe_other_value(path, &describe_matcher(matcher), found, steps));
            }
        }
        for (index, path) in self.unchanged.iter().enumerate() {
            let Some(state) = &self.script.state else { continue };
            let differences = self.comparison.compare_part(state.value(), tree, path);
            let label = match path.as_slice() {
                [] => "the state is unchanged".to_owned(),
                path => format!("`{}` is unchanged", render_pointer(path)),
            };
            items.push(Item::tested(label, differences.is_empty()));
            violations.extend(list_differences(&differences, |difference| {
                describe_change(difference, steps).at(format!("/unchanged/{index}"))
            }));
        }
        if let Some(calls) = &self.after {
            let mut run = ScriptRun::new(Arc::clone(&self.script), None);
            let mut expected = Vec::with_capacity(calls.len());
            for (index, call) in calls.iter().enumerate() {
                let mark = run.mark();
                let made = programs.make_call(&mut run, &call.tool, &call.arguments)?;
                made.and_then(|answer| require_success(&answer)).map_err(|problem| {
                    let at = call.place.locate();
                    CannotDecide::invalid(format!("{at}: {}", describe_failed_call(&problem)))
                })?;
                let written = run.list_written(&mark);
                expected.push(Step { index: index + 1, tool: call.tool.clone(), written });
            }
            let gold = run.tree().ok_or_else(|| CannotDecide::missing("there is no state"))?;
            let keeps_all = self.unchanged.iter().any(Vec::is_empty);
            if self.script.has_programs && !keeps_all {
                // The loader says this of calls that no program answers.
                let initial = self.script.state.as_ref().map(InitialState::value);
                let changes = initial.map(|state| self.comparison.compare_part(state, gold, &[]));
                if changes.is_some_and(|changes| changes.is_empty()) {
                    return Err(CannotDecide::invalid(VACUOUS_CALLS)
                        .help("if the state is to stay as it is, say `unchanged: [\"\"]`"));
                }
            }
            let differences = self.comparison.compare_trees(gold, tree);
            let label = format!("the state is that after {}", count_noun(calls.len(), "expected call"));
            items.push(Item::tested(label, differences.is_empty()));
            let parting = describe_parting(&differences, steps, &expected);
            let found = list_differences(&differences, |difference| {
                describe_gold_difference(difference, steps, &expected).at("/after")
            });
            violations.extend(found.into_iter().enumerate().map(|(at, violation)| match at {
                0 => violation.help(parting.clone()),
                _ => violation,
            }));
        }
        Ok(Outcome::of_items(items, violations))
    }
}

/// Describes the first differences, and counts the others.
fn list_differences(
    differences: &[StateDifference],
    describe: impl Fn(&StateDifference) -> Violation,
) -> Vec<Violation> {
    let mut violations: Vec<Violation> = differences.iter().take(SHOWN).map(&describe).collect();
    if let Some(next) = differences.get(SHOWN) {
        let more = count_noun(differences.len() - SHOWN, "more difference");
        let at = describe(next).at;
        violations.push(Violation::new(format!("the state has {more}")).at(at));
    }
    violations
}

fn describe_matcher(matcher: &ArgumentMatcher) -> String {
    match matcher.presence {
        Presence::Absent => "absent".to_owned(),
        _ => matcher.to_string(),
    }
}

fn describe_other_value(path: &[SmolStr], expected: &str, found: Option<&Json>, steps: &[Step]) -> Violation {
    let pointer = render_pointer(path);
    let actual = show_value(found);
    let writers = find_writers(path, steps);
    let message = format!("`{pointer}` is {actual}, not {expected}");
    let at = format!("/has/{}", escape_token(&pointer));
    name_calls(Violation::new(message).at(at).expected(expected, actual), &writers)
        .help(describe_writers(&writers))
}

fn describe_change(difference: &StateDifference, steps: &[Step]) -> Violation {
    let StateDifference { path, expected, actual } = difference;
    let [before, now] = [expected, actual].map(|value| show_value(value.as_ref()));
    let writers = find_writers(path, steps);
    let message = format!("{} was {before}, and is {now}", name_path(path));
    let violation = Violation::new(message).expected(before, now);
    name_calls(violation, &writers).help(describe_writers(&writers))
}

fn describe_gold_difference(
    difference: &StateDifference,
    steps: &[Step],
    expected_steps: &[Step],
) -> Violation {
    let StateDifference { path, expected, actual } = difference;
    let [expected, actual] = [expected, actual].map(|value| show_value(value.as_ref()));
    let writers = find_writers(path, steps);
    let gold = find_writers(path, expected_steps);
    let message = format!(
        "{} is {actual}{}, and {expected} after the expected calls{}",
        name_path(path),
        mention_writers(&writers, "call"),
        mention_writers(&gold, "expected call")
    );
    name_calls(Violation::new(message).expected(expected, actual), &writers)
}

/// Says which call of the run is the first that left a difference.
fn describe_parting(differences: &[StateDifference], steps: &[Step], expected: &[Step]) -> String {
    let first = |steps: &[Step]| {
        let writers = differences.iter().flat_map(|difference| find_writers(&difference.path, steps));
        writers.map(|step| (step.index, step.tool.clone())).min()
    };
    match (first(steps), first(expected)) {
        (Some((index, tool)), _) => {
            format!("the first call of the run that left a difference is call {index}, `{tool}`")
        }
        (None, Some((index, tool))) => {
            format!(
                "no call of the run wrote any of this; the first expected call that did is call {index} of `after`, `{tool}`"
            )
        }
        (None, None) => "no call wrote any of this".to_owned(),
    }
}

/// Finds the calls that wrote a path, a part of it, or something that it is in.
fn find_writers<'s>(path: &[SmolStr], steps: &'s [Step]) -> Vec<&'s Step> {
    steps.iter().filter(|step| step.written.iter().any(|written| overlap(written, path))).collect()
}

fn describe_writers(writers: &[&Step]) -> String {
    match writers {
        [] => "no call of the run wrote it".to_owned(),
        writers => format!("written by {}", list_steps(writers, "call")),
    }
}

/// Names the calls that wrote a value, in brackets.
fn mention_writers(writers: &[&Step], noun: &str) -> String {
    match writers {
        [] => String::new(),
        writers => format!(" (written by {})", list_steps(writers, noun)),
    }
}

/// Lists calls: ``call 2 of `refund`, call 3 of `cancel` ``.
fn list_steps(steps: &[&Step], noun: &str) -> String {
    let shown: Vec<String> =
        steps.iter().take(SHOWN).map(|step| format!("{noun} {} of `{}`", step.index, step.tool)).collect();
    let more = steps.len() - shown.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}

/// Names the calls that a violation is about.
fn name_calls(mut violation: Violation, writers: &[&Step]) -> Violation {
    let calls: BTreeSet<usize> = writers.iter().map(|step| step.index).collect();
    match writers {
        [] => {}
        [only] => {
            violation.call = Some(only.index);
            violation.tool = Some(only.tool.clone());
        }
        _ => violation.calls = calls.into_iter().take(SHOWN).collect(),
    }
    violation
}

fn name_path(path: &[SmolStr]) -> Cow<'static, str> {
    match path {
        [] => Cow::Borrowed("the state"),
        path => Cow::Owned(format!("`{}`", render_pointer(path))),
    }
}

fn show_value(value: Option<&Json>) -> String {
    value.map_or_else(|| "absent".to_owned(), shown)
}
