//! One case: its common keys, then the blocks of the vocabularies.

use std::path::PathBuf;
use std::sync::Arc;

use super::agent;
use super::combine::ReplacedGate;
use super::gate::GateRows;
use super::input::{WrittenStop, check_turns, parse_input, parse_turn_queries};
use super::join::JoinGroups;
use super::keys;
use super::mocks::parse_mocks;
use super::mutation::WrittenMutate;
use super::opinions::{match_questions, parse_opinions};
use super::several;
use super::several::{Changes, WrittenBaseline};
use super::trace::parse_trace_from;
use crate::case::{
    Baseline, Case, CaseRow, Expectation, Ignore, LoweredBlock, TraceFile, TraceFrom, refuse_decided_case,
};
use crate::check::{FailedWhen, InputMatch, Registry, Scope, parse_reader_name};
use crate::evidence::Opinions;
use crate::outcome::Status;
use crate::place::{LoadError, LoadErrors, Place};
use crate::vocabulary::{CaseNode, VOCABULARIES};
use crate::yaml::{Checked, Document, Fields, Node, Placed, Value};
use std::num::NonZeroU32;

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
    let mut fields = Fields::of(node, "a case")?;
    let named = identity(&mut fields, node, context.alone);
    let allow_vacuous = flag(&mut fields, "allow_vacuous").is_some();
    let lowered = lowered(&mut fields, context, node, allow_vacuous);
    let case = read_keys(context, node, &mut fields, named, lowered);
    finish(fields, node, case, allow_vacuous)
}

fn read_keys(
    context: &Context<'_>,
    node: Node<'_>,
    fields: &mut Fields<'_>,
    (id, place): (Option<String>, Place),
    lowered: LoweredBlock,
) -> Case {
    let input = fields.aliased(&["input", "prompt"]);
    let trace = trace(fields, context, node, id.as_deref());
    Case {
        row: context.row.cloned(),
        description: fields.optional("description"),
        metadata: fields.optional("metadata"),
        input: input.and_then(|node| fields.take(parse_input(node))),
        input_place: input.map(Node::place),
        turns: parse_turn_queries(node),
        stop_when: fields.parse("stop_when", Node::decode_all::<Checked<WrittenStop>>).map(|stop| stop.0),
        input_match: fields.parse("input_match", InputMatch::parse).or(context.scope.tables.input_match),
        shared_input_match: context.scope.tables.shared_input_match,
        dataset: context.dataset.cloned(),
        failed_when: read_failed_when(fields, &trace, context),
        format: read_format(fields, context),
        trace,
        agent: None,
        mocks: fields.parse("mocks", |node| parse_mocks(node, context.scope)).map(Arc::new),
        tier: fields.optional("tier").unwrap_or_default(),
        tags: parse_tags(fields),
        ignore: fields.node("ignore").and_then(|node| fields.take(ignore(node)).flatten()),
        repeat: fields
            .parse("repeat", Node::decode_all::<Placed<NonZeroU32>>)
            .map(|runs| (runs.get(), runs.place().clone())),
        variance: fields.take(several::parse_variance(node, context)).flatten().map(Box::new),
        baseline: baseline(fields, context).map(Box::new),
        timeout: fields.parse("timeout", |node| node.parse_time("timeout")),
        expect_verdict: fields.optional::<Status>("expect_verdict"),
        inherits: fields.optional("inherit").unwrap_or(true),
        replaced_gates: list_replaced_gates(context),
        snapshot: flag(fields, "snapshot"),
        require_calls: flag(fields, "require_calls"),
        ignored_mutations: fields
            .parse("mutate", Node::decode_all::<WrittenMutate>)
            .map(WrittenMutate::into_ignored)
            .unwrap_or_default(),
        opinions: judged(fields, node, &lowered),
        judge: context.scope.tables.judge.clone(),
        reader_failures: context.scope.tables.reader_failures.clone(),
        prices: context.scope.tables.prices.clone(),
        readers: context.scope.tables.readers.clone(),
        expectations: lowered.expectations,
        scorecards: lowered.scorecards,
        extent: node.place(),
        id,
        place,
    }
}

/// Reads which results are failures: the case decides before its trace, and that before its suite and arraign.yaml.
fn read_failed_when(
    fields: &mut Fields<'_>,
    trace: &TraceFrom,
    context: &Context<'_>,
) -> Option<Arc<FailedWhen>> {
    let own = fields.parse("failed_when", FailedWhen::read).map(Arc::new);
    let of_trace = match trace {
        TraceFrom::File(file) => file.failed_when.clone(),
        TraceFrom::Inline(_) | TraceFrom::Lookup => None,
    };
    own.or(of_trace).or_else(|| context.scope.tables.failed_when.clone())
}

/// Reads the format of runs that do not show it: the case decides before its suite and arraign.yaml.
fn read_format(fields: &mut Fields<'_>, context: &Context<'_>) -> Option<String> {
    let tables = &context.scope.tables;
    let own = fields.node("format");
    let own = own.and_then(|node| fields.take(parse_reader_name(node, &tables.readers.names())));
    own.or_else(|| tables.format.clone())
}

fn list_replaced_gates(context: &Context<'_>) -> Vec<(Place, String)> {
    let source = context.document.root().source();
    let replaced = context.replaced.iter();
    replaced.map(|gate| (Place::new(source, gate.span), gate.key.clone())).collect()
}

/// Reads the keys that the checks of the case take as defaults of their own. One of them must take each key.
fn read_defaults(fields: &mut Fields<'_>, case: Node<'_>, checks: &[Expectation], kinds: &Registry) {
    let exercised = fields.node("require_exercised");
    exercised.and_then(|node| fields.take(node.decode::<bool>()));
    for (key, node) in [("require_exercised", exercised), ("same_turn", fields.node("same_turn"))] {
        // Those of a suite's defaults may be about other cases.
        let Some(own) = node.filter(|node| case.tree().span.contains(node.tree().span)) else { continue };
        let mut read_by = checks.iter().filter_map(|one| kinds.find(one.check));
        if fields.errors.is_empty() && !read_by.any(|kind| kind.holds_checks || kind.case_keys.contains(&key))
        {
            let error = own.error(format!("`{key}` has no effect here: no check of the case reads it"));
            fields.errors.push(error);
        }
    }
}

/// Reads the opinions in the case. A check must ask for each of them.
fn judged(fields: &mut Fields<'_>, case: Node<'_>, lowered: &LoweredBlock) -> Opinions {
    let node = fields.node("opinions");
    let given = node.and_then(|node| fields.take(parse_opinions(node))).unwrap_or_default();
    if fields.errors.is_empty() {
        // Those of a suite's defaults may be about other cases.
        let own = node.filter(|node| case.tree().span.contains(node.tree().span));
        fields.take(match_questions(own, &given, &lowered.expectations));
    }
    given
}

/// Reads `baseline` and `baseline_fail_on`.
fn baseline(fields: &mut Fields<'_>, context: &Context<'_>) -> Option<Baseline> {
    let written = fields.parse("baseline", Node::decode_all::<Placed<WrittenBaseline>>);
    let fail_on = fields.parse("baseline_fail_on", Node::decode_all::<Placed<Checked<Changes>>>);
    let Some(written) = written else {
        if let Some(fail_on) = fail_on {
            let problem = "`baseline_fail_on` has no effect here: the case names no `baseline`";
            fields.errors.push(fail_on.error(problem));
        }
        return None;
    };
    fields.take(several::build_baseline(written, fail_on, context))
}

fn finish(
    mut fields: Fields<'_>,
    node: Node<'_>,
    mut case: Case,
    allow_vacuous: bool,
) -> Result<Case, LoadErrors> {
    case.agent = agent::build_agent_use(&mut fields, &case).map(Box::new);
    fields.take(check_turns(node, &case.turns, case.agent.is_some()));
    // A baseline that fails nothing is no check.
    let held_to_baseline = case.baseline.as_ref().is_some_and(|baseline| !baseline.limits.fail_on.is_empty());
    let compared = held_to_baseline || case.variance.is_some();
    if case.expectations.is_empty() && case.require_calls.is_none() && !compared && fields.errors.is_empty() {
        let error = LoadError::new(case.place.clone(), "this case checks nothing");
        fields.errors.push(error.help(
            "say what it expects: `metric`, `eval`, `expected`, `expected_tools`, or an `expect` list",
        ));
    }
    if let Some(error) = find_own_baseline(&case) {
        fields.errors.push(error);
    }
    // A check that could not be read may be the one that fails, so nothing is proven beside other mistakes.
    if fields.errors.is_empty() {
        fields.take(refuse_decided_case(&case, allow_vacuous));
    }
    // A vocabulary with its settings beside its key reads all keys of the case.
    let beside = VOCABULARIES
        .iter()
        .any(|vocabulary| vocabulary.settings_beside && node.get(vocabulary.key).is_some());
    // The metric has already reported unknown settings next to it.
    if beside { fields.errors.or(case) } else { fields.finish(case) }
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

fn identity(fields: &mut Fields<'_>, node: Node<'_>, alone: bool) -> (Option<String>, Place) {
    let Some(id) = fields.aliased(&["id", "name"]) else {
        if !alone {
            fields
                .errors
                .push(node.error("`id` is missing").help("every case of a file with several needs one"));
        }
        return (None, node.place());
    };
    let text = match id.value() {
        // YAML reads `id: 1` as a number, and the author means its text.
        Value::Number(number) if number.is_written_as_integer() => Some(number.to_string()),
        _ => fields.take(id.decode::<String>()),
    };
    if let Some(problem) = text.as_deref().and_then(problem_with_id) {
        fields.errors.push(id.error(problem));
    }
    (text, id.place())
}

/// The largest length of an id, in characters. Runners pad the names of trials to the longest one.
const MAX_ID_CHARS: usize = 1000;

fn problem_with_id(id: &str) -> Option<String> {
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

/// Returns the place of `key: true`.
fn flag(fields: &mut Fields<'_>, key: &'static str) -> Option<Place> {
    let node = fields.node(key)?;
    fields.take(node.decode::<bool>())?.then(|| node.place())
}

fn parse_tags(fields: &mut Fields<'_>) -> Vec<String> {
    let nodes = fields.node("tags").map(Node::one_or_many).unwrap_or_default();
    nodes.iter().filter_map(|node| fields.take(node.decode())).collect()
}

fn ignore(node: Node<'_>) -> Result<Option<Ignore>, LoadError> {
    match node.value() {
        Value::Bool(false) => Ok(None),
        Value::Bool(true) => Ok(Some(Ignore { reason: None })),
        Value::String(reason) => Ok(Some(Ignore { reason: Some(reason.to_string()) })),
        _ => Err(node.error("`ignore` is true, false, or the reason")),
    }
}

fn trace(fields: &mut Fields<'_>, context: &Context<'_>, case: Node<'_>, id: Option<&str>) -> TraceFrom {
    let Some(node) = fields.node("trace") else { return TraceFrom::Lookup };
    let by_default = !is_own_value(case, node);
    // A trace that a row names is found beside the rows, and one of the suite beside the suite.
    let rows = context.dataset.filter(|_| !by_default).and_then(|rows| rows.parent());
    let scope = Scope { folder: rows.unwrap_or(context.scope.folder), ..*context.scope };
    let id = id.unwrap_or(context.suite);
    match fields.take(parse_trace_from(node, &scope, context.suite, id)) {
        Some(TraceFrom::File(file)) => {
            let joined = context.joins.find_group(case);
            TraceFrom::File(TraceFile { by_default, joined, ..file })
        }
        parsed => parsed.unwrap_or(TraceFrom::Lookup),
    }
}

/// Whether `value` is written in the case itself, and not in the defaults of its suite. Defaults from another file have
/// the place of the whole row.
pub(super) fn is_own_value(case: Node<'_>, value: Node<'_>) -> bool {
    let (own, span) = (case.tree().span, value.tree().span);
    span != own && own.contains(span)
}

fn lowered(
    fields: &mut Fields<'_>,
    context: &Context<'_>,
    node: Node<'_>,
    allow_vacuous: bool,
) -> LoweredBlock {
    let case = CaseNode {
        document: context.document,
        path: context.path,
        node,
        scope: context.scope,
        common: keys::common(),
        allow_vacuous,
        rows_only_report: context.rows == GateRows::Report,
    };
    let mut found = LoweredBlock::default();
    for vocabulary in VOCABULARIES {
        // Each vocabulary reads its own keys. Here they only count as known.
        fields.node(vocabulary.key);
        for key in vocabulary.also {
            fields.node(key);
        }
        found.extend(fields.take((vocabulary.lower)(&case)).unwrap_or_default());
    }
    fields.take(found.resolve(|check| weight_of(node, check)));
    read_defaults(fields, node, &found.expectations, context.scope.kinds);
    found
}

/// Returns the place of the weight of `check`.
fn weight_of(case: Node<'_>, check: &str) -> Option<Place> {
    let mut said = ["/thresholds/weights", "/weights"].into_iter().filter_map(|path| case.pointer(path));
    said.find(|weights| weights.get(check).is_some()).map(|weights| weights.key_place(check))
}
