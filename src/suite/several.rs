//! `repeat:`, `thresholds.variance:` and `baseline:` what several runs, or a run and an earlier one, must come to.
//!
//! ```yaml
//! repeat: 5
//! thresholds: {min_score: 80, variance: {runs: 10, pass_rate: 0.8}}
//! baseline: {file: traces/golden/refund.json, max_drop: 5, similarity: 0.9, fail_on: [REGRESSION, TOOLS_CHANGED]}
//! ```

use std::num::NonZeroU32;

use super::case::Context;
use crate::case::{Baseline, Settings, VarianceBlock};
use crate::place::{LoadError, LoadErrors, Place};
use crate::score::compare::{Change, Limits};
use crate::yaml::{Fields, Node, Value};

/// How many runs there must be.
pub(super) fn repeat(node: Node<'_>) -> Result<(u32, Place), LoadError> {
    let runs =
        node.decode::<NonZeroU32>().map_err(|_| node.error("`repeat` is a number of runs, 1 or more"))?;
    Ok((runs.get(), node.place()))
}

/// What several runs must come to.
pub(super) fn variance(case: Node<'_>, context: &Context<'_>) -> Result<Option<VarianceBlock>, LoadErrors> {
    let Some(node) = case.get("thresholds").and_then(|thresholds| thresholds.get("variance")) else {
        return Ok(None);
    };
    let settings = Settings::new(context.document, format!("{}/thresholds/variance", context.path));
    Ok(Some(VarianceBlock { place: node.place(), variance: node.decode()?, settings }))
}

/// The case's baseline: a path, or `{file, max_drop, similarity, fail_on}`. `fail_on` is what `baseline_fail_on`
/// says beside it.
pub(super) fn baseline(
    node: Node<'_>,
    fail_on: Option<Node<'_>>,
    context: &Context<'_>,
) -> Result<Baseline, LoadErrors> {
    let Value::Map(_) = node.value() else {
        let mut errors = LoadErrors::new();
        let changes = errors.take(fail_on.map(changes).transpose()).flatten();
        let limits = Limits { fail_on: changes.unwrap_or(Limits::default().fail_on), ..Limits::default() };
        let file = errors.take(file(node, context)).unwrap_or_default();
        return errors.or(Baseline { place: node.place(), file, limits });
    };
    let mut fields = Fields::of(node, "`baseline`")?;
    let path = fields.node("file");
    if path.is_none() {
        fields.missing(&["file"], node.error("`baseline` needs its `file`: a recorded trace"));
    }
    let inner = fields.node("fail_on");
    let usual = Limits::default();
    let limits = Limits {
        max_drop: fields.optional("max_drop").unwrap_or(usual.max_drop),
        similarity: fields.optional("similarity"),
        fail_on: inner.or(fail_on).and_then(|node| fields.take(changes(node))).unwrap_or(usual.fail_on),
    };
    let file = path.and_then(|path| fields.take(file(path, context)));
    fields.finish_some(file.map(|file| Baseline { place: node.place(), file, limits }))
}

/// The path, which must lie inside of what may be read.
fn file(node: Node<'_>, context: &Context<'_>) -> Result<String, LoadError> {
    context.scope.path(node)?;
    node.decode()
}

/// One difference or several.
fn changes(node: Node<'_>) -> Result<Vec<Change>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut found = Vec::new();
    for node in node.one_or_many() {
        match errors.take(node.decode::<Change>()) {
            Some(Change::Passed) => {
                errors.push(node.error("a comparison that `PASSED` shows no difference to fail on"));
            }
            change => found.extend(change),
        }
    }
    errors.or(found)
}
