//! One case: its common keys, then the blocks of the vocabularies.

use std::path::PathBuf;
use std::sync::Arc;

use super::agent;
use super::combine::ReplacedGate;
use super::gate::GateRows;
use super::input::{check_turns, parse_turn_queries};
use super::join::JoinGroups;
use super::keys::{self, CaseKeys, WrittenIgnore, WrittenSnapshot};
use super::mocks::parse_mocks;
use super::mutation::WrittenMutate;
use super::opinions::{collect_opinions, match_questions};
use super::run_workspace::WrittenWorkspace;
use super::several;
use super::several::{Changes, WrittenBaseline};
use super::trace::parse_trace_from;
use crate::case::{
    Baseline, Case, CaseRow, CaseSnapshot, Expectation, Ignore, LoweredBlock, TraceFile, TraceFrom,
    refuse_decided_case,
};
use crate::check::{Registry, Scope, ScriptInScope, find_reader};
use crate::place::{LoadError, LoadErrors, Place};
use crate::vocabulary::{CaseNode, VOCABULARIES};
use crate::yaml::{Checked, Document, Node, Placed, did_you_mean};

/// The surroundings of a case that is read: its file, its suite and their settings.
pub(super) struct Context<'c> {
    pub(super) scope: &'c Scope<'c>,
    pub(super) document: &'c Arc<Document>,
    pub(super) path: &'c str,
    /// The suite's name, or the file's stem.
    pub(super) suite: &'c str,
    /// The file is this case.
    pub(super) alone: bool,
    /// The cases that share a trace file.
    pub(super) joins: &'c JoinGroups,
    /// The file of rows that contains the case, if a suite names it.
    pub(super) dataset: Option<&'c Arc<PathBuf>>,
    /// The effect of a row of a golden dataset that misses its threshold.
    pub(super) rows: GateRows,
    /// The gates of the suite's defaults that the case replaces.
    pub(super) replaced: &'c [ReplacedGate],
    /// The row that fills the placeholders of the case.
    pub(super) row: Option<&'c Arc<CaseRow>>,
}

/// Reads the case at the context's path.
pub(super) fn read(context: &Context<'_>) -> Result<Case, LoadErrors> {
    let root = context.document.root();
    let node = root.pointer(context.path).ok_or_else(|| root.error("no case stands here"))?;
    if node.entries().is_none() {
        return Err(node
            .error(format!("a case is a mapping of keys to values, not {}", node.describe()))
            .into());
    }
    let mut errors = LoadErrors::new();
    // An unknown key comes first: it may be the reason for what the case seems to lack.
    refuse_unknown_keys(node, &mut errors);
    let case = read_case(context, node, &mut errors);
    errors.or_some(case)
}

fn read_case(context: &Context<'_>, node: Node<'_>, errors: &mut LoadErrors) -> Option<Case> {
    let keys = errors.take(node.decode_own::<CaseKeys>(keys::common()));
    // What cannot be read may be the word that allows it.
    let allow_vacuous = keys.as_ref().is_none_or(|keys| keys.allow_vacuous == Some(true));
    // Checks of the state behind mock tools are built with the tools, so these come first.
    let has_agent = keys.as_ref().is_some_and(|keys| keys.agent.is_some());
    let mocks = node.get("mocks").map(|node| errors.take(parse_mocks(node, context.scope, has_agent)));
    let script = match &mocks {
        None => ScriptInScope::Absent,
        Some(None) => ScriptInScope::Broken,
        Some(Some(mocks)) => ScriptInScope::Known(&mocks.script),
    };
    let lowered = lower_blocks(context, &Scope { script, ..*context.scope }, node, allow_vacuous, errors);
    let id = keys.as_ref().and_then(|keys| keys.id.as_ref()).map(|id| id.0.as_str());
    let trace = errors.take(read_trace(context, node, id));
    let variance = errors.take(several::parse_variance(node, context)).flatten();
    let (keys, trace) = keys.zip(trace)?;
    if let Some(id) = &keys.id
        && let Some(problem) = find_problem_with_id(&id.0)
    {
        errors.push(id.error(problem));
    }
    if keys.id.is_none() && !context.alone {
        let error = node.error("`id` is missing");
        errors.push(error.help("every case of a file with several needs one"));
    }
    read_defaults(&keys, node, &lowered.expectations, context.scope.kinds, errors);
    if errors.is_empty() {
        errors.take(match_questions(node, &keys.opinions, &lowered.expectations));
    }
    let tables = &context.scope.tables;
    let format =
        keys.format.as_ref().and_then(|name| errors.take(find_reader(name, &tables.readers.names())));
    // The case decides before its trace, and that before its suite and arraign.yaml.
    let failed_when = keys
        .failed_when
        .map(|rules| rules.0)
        .or_else(|| trace.failed_when().cloned())
        .or_else(|| tables.failed_when.clone());
    let workspace =
        keys.workspace.and_then(|written| errors.take(WrittenWorkspace::build(written, context.scope)));
    let agent = keys.agent;
    let mut case = Case {
        row: context.row.cloned(),
        place: keys.id.as_ref().map_or_else(|| node.place(), |id| id.place().clone()),
        id: keys.id.map(|id| id.into_value().0),
        description: keys.description,
        metadata: keys.metadata,
        input_place: keys.input.as_ref().map(|input| input.place().clone()),
        input: keys.input.map(|input| input.into_value().0),
        turns: parse_turn_queries(node),
        stop_when: keys.stop_when.map(|stop| stop.0),
        input_match: keys.input_match.or(tables.input_match),
        shared_input_match: tables.shared_input_match,
        dataset: context.dataset.cloned(),
        failed_when,
        format: format.or_else(|| tables.format.clone()),
        trace,
        agent: None,
        variant: None,
        mocks: mocks.flatten().map(Arc::new),
        workspace: workspace.map(Arc::new),
        tier: keys.tier,
        tags: keys.tags.0,
        ignore: keys.ignore.and_then(|ignore| match ignore {
            WrittenIgnore::Flag(is_ignored) => is_ignored.then_some(Ignore { reason: None }),
            WrittenIgnore::Reason(reason) => Some(Ignore { reason: Some(reason) }),
        }),
        repeat: keys.repeat.map(|runs| (runs.get(), runs.place().clone())),
        variance: variance.map(Box::new),
        baseline: read_baseline(keys.baseline, keys.baseline_fail_on, context, errors).map(Box::new),
        timeout: keys.timeout.map(|time| time.0),
        expect_verdict: keys.expect_verdict,
        inherits: keys.inherit.unwrap_or(true),
        replaced_gates: list_replaced_gates(context),
        snapshot: keys.snapshot.and_then(find_snapshot),
        require_calls: find_flag(keys.require_calls),
        ignored_mutations: keys.mutate.map(WrittenMutate::into_ignored).unwrap_or_default(),
        opinions: collect_opinions(keys.opinions),
        judge: tables.judge.clone(),
        reader_failures: tables.reader_failures.clone(),
        prices: tables.prices.clone(),
        readers: tables.readers.clone(),
        expectations: lowered.expectations,
        scorecards: lowered.scorecards,
        extent: node.place(),
    };
    case.agent = agent.and_then(|agent| agent::build_agent_use(agent, node, &case, errors)).map(Box::new);
    check_case(&case, node, allow_vacuous, errors);
    Some(case)
}

/// Reports the keys that no case has. Beside a metric they are its settings, which it checks itself, and some vocabularies
/// read all keys of the case.
fn refuse_unknown_keys(node: Node<'_>, errors: &mut LoadErrors) {
    let mut vocabularies = VOCABULARIES.iter().filter(|vocabulary| vocabulary.settings_beside);
    if vocabularies.any(|vocabulary| node.get(vocabulary.key).is_some()) {
        return;
    }
    let keys = node.entries().into_iter().flatten().map(|(key, _)| &key.name);
    for name in keys.filter(|name| !keys::common().contains(&name.as_str())) {
        let error = LoadError::new(node.key_place(name), format!("unknown key `{name}`"));
        errors.push(error.help_if(did_you_mean(name, keys::common())));
    }
}

/// Returns the place of a flag that is true.
fn find_flag(flag: Option<Placed<bool>>) -> Option<Place> {
    flag.filter(|flag| **flag).map(|flag| flag.place().clone())
}

fn find_snapshot(written: Placed<WrittenSnapshot>) -> Option<CaseSnapshot> {
    let place = written.place().clone();
    let per_variant = match written.into_value() {
        WrittenSnapshot::Flag(false) => return None,
        WrittenSnapshot::Flag(true) => false,
        WrittenSnapshot::Word(_) => true,
    };
    Some(CaseSnapshot { place, per_variant })
}

fn list_replaced_gates(context: &Context<'_>) -> Vec<(Place, String)> {
    let source = context.document.root().source();
    let replaced = context.replaced.iter();
    replaced.map(|gate| (Place::new(source, gate.span), gate.key.clone())).collect()
}

/// Checks the keys that the checks of the case take as defaults of their own: one of them must take each key.
fn read_defaults(
    keys: &CaseKeys,
    case: Node<'_>,
    checks: &[Expectation],
    kinds: &Registry,
    errors: &mut LoadErrors,
) {
    let exercised = keys.require_exercised.as_ref().map(Placed::place);
    let same_turn = keys.same_turn.as_ref().map(Placed::place);
    for (key, place) in [("require_exercised", exercised), ("same_turn", same_turn)] {
        // Those of a suite's defaults may be about other cases.
        let Some(own) = place.filter(|place| case.tree().span.contains(place.span())) else { continue };
        let mut read_by = checks.iter().filter_map(|one| kinds.find(one.check));
        if errors.is_empty() && !read_by.any(|kind| kind.holds_checks || kind.case_keys.contains(&key)) {
            let problem = format!("`{key}` has no effect here: no check of the case reads it");
            errors.push(LoadError::new(own.clone(), problem));
        }
    }
}

/// Builds the baseline of `baseline` and `baseline_fail_on`.
fn read_baseline(
    written: Option<Placed<WrittenBaseline>>,
    fail_on: Option<Placed<Checked<Changes>>>,
    context: &Context<'_>,
    errors: &mut LoadErrors,
) -> Option<Baseline> {
    match (written, fail_on) {
        (None, Some(fail_on)) => {
            let problem = "`baseline_fail_on` has no effect here: the case names no `baseline`";
            errors.push(fail_on.error(problem));
            None
        }
        (written, fail_on) => errors.take(several::build_baseline(written?, fail_on, context)),
    }
}

/// Checks what only the whole case shows.
fn check_case(case: &Case, node: Node<'_>, allow_vacuous: bool, errors: &mut LoadErrors) {
    errors.take(check_turns(node, &case.turns, case.agent.is_some()));
    // A baseline that fails nothing is no check.
    let held_to_baseline = case.baseline.as_ref().is_some_and(|baseline| !baseline.limits.fail_on.is_empty());
    let compared = held_to_baseline || case.variance.is_some();
    if case.expectations.is_empty() && case.require_calls.is_none() && !compared && errors.is_empty() {
        let error = LoadError::new(case.place.clone(), "this case checks nothing");
        errors.push(error.help(
            "say what it expects: `metric`, `eval`, `expected`, `expected_tools`, or an `expect` list",
        ));
    }
    if let Some(error) = find_own_baseline(case) {
        errors.push(error);
    }
    if case.workspace.is_none() && errors.is_empty() {
        for expectation in &case.expectations {
            let needs = expectation.check().workspace_needs();
            // A transcript has edits. An agent that is asked is to be recorded with its files.
            if needs.is_needed || needs.looks_at_files && case.agent.is_some() {
                let problem =
                    format!("`{}` looks at files, and the case has no `workspace`", expectation.check);
                let error = LoadError::new(expectation.place.clone(), problem);
                errors
                    .push(error.help(
                        "`workspace: {from: FOLDER}` gives each run of the agent a copy of the folder",
                    ));
            }
        }
    }
    // A check that could not be read may be the one that fails, so nothing is proven beside other mistakes.
    if errors.is_empty() {
        errors.take(refuse_decided_case(case, allow_vacuous));
    }
}

/// Returns the mistake of a baseline that is the trace of the case itself: a run never differs from itself.
fn find_own_baseline(case: &Case) -> Option<LoadError> {
    let (baseline, TraceFrom::File(file)) = (case.baseline.as_ref()?, &case.trace) else { return None };
    let is_same = split_path(&baseline.file) == split_path(&file.path);
    is_same.then(|| {
        let problem =
            format!("the baseline is the case's own trace, `{}`: nothing can ever differ", file.path);
        let help = "name another recorded run: the one that was accepted";
        LoadError::new(baseline.place.clone(), problem).help(help)
    })
}

/// The parts of a path below the folder of its case, without detours.
fn split_path(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}

/// The largest length of an id, in characters. Runners pad the names of trials to the longest one.
const MAX_ID_CHARS: usize = 1000;

/// Returns why a case cannot have this id.
fn find_problem_with_id(id: &str) -> Option<String> {
    let run =
        // These names are appended to a case for its single runs and for its threshold.
        id.strip_prefix("run_").is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()));
    if id.trim().is_empty() {
        Some("an id cannot be empty".to_owned())
    } else if id.chars().count() > MAX_ID_CHARS {
        Some(format!("an id has at most {MAX_ID_CHARS} characters, and this one has {}", id.chars().count()))
    } else if run || id == "pass_threshold" {
        Some(format!("the id `{id}` is reserved: trials that arraign adds are called so"))
    } else {
        None
    }
}

/// Reads `trace`.
fn read_trace(context: &Context<'_>, case: Node<'_>, id: Option<&str>) -> Result<TraceFrom, LoadErrors> {
    let Some(node) = case.get("trace") else { return Ok(TraceFrom::Lookup) };
    let by_default = !is_own_value(case, node);
    // A trace that a row names is found beside the rows, and one of the suite beside the suite.
    let rows = context.dataset.filter(|_| !by_default).and_then(|rows| rows.parent());
    let scope = Scope { folder: rows.unwrap_or(context.scope.folder), ..*context.scope };
    let id = id.unwrap_or(context.suite);
    Ok(match parse_trace_from(node, &scope, context.suite, id)? {
        TraceFrom::File(file) => {
            let joined = context.joins.find_group(case);
            TraceFrom::File(TraceFile { by_default, joined, ..file })
        }
        parsed => parsed,
    })
}

/// Whether `value` is written in the case itself, and not in the defaults of its suite. Defaults from another file have
/// the place of the whole row.
pub(super) fn is_own_value(case: Node<'_>, value: Node<'_>) -> bool {
    let own = case.tree().span;
    let span = value.tree().span;
    span != own && own.contains(span)
}

/// Lowers the keys of all vocabularies to checks.
fn lower_blocks(
    context: &Context<'_>,
    scope: &Scope<'_>,
    node: Node<'_>,
    allow_vacuous: bool,
    errors: &mut LoadErrors,
) -> LoweredBlock {
    let case = CaseNode {
        document: context.document,
        path: context.path,
        node,
        scope,
        common: keys::common(),
        allow_vacuous,
        rows_only_report: context.rows == GateRows::Report,
    };
    let mut found = LoweredBlock::default();
    for vocabulary in VOCABULARIES {
        found.extend(errors.take((vocabulary.lower)(&case)).unwrap_or_default());
    }
    errors.take(found.resolve(|check| weight_of(node, check)));
    found
}

/// Returns the place of the weight of `check`.
fn weight_of(case: Node<'_>, check: &str) -> Option<Place> {
    let mut said = ["/thresholds/weights", "/weights"].into_iter().filter_map(|path| case.pointer(path));
    said.find(|weights| weights.get(check).is_some()).map(|weights| weights.key_place(check))
}
