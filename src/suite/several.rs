//! `repeat:`, `thresholds.variance:` and `baseline:` the requirements on several runs, or on a run and an earlier one.
//!
//! ```yaml
//! repeat: 5
//! thresholds: {min_score: 80, variance: {runs: 10, pass_rate: 0.8}}
//! baseline: {file: traces/golden/refund.json, max_drop: 5, similarity: 0.9, fail_on: [REGRESSION, TOOLS_CHANGED]}
//! ```

use std::num::NonZeroU32;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::case::Context;
use crate::case::{Baseline, CheckSettings, VarianceBlock};
use crate::place::{LoadError, LoadErrors, Place};
use crate::score::compare::{ComparisonStatus, Limits};
use crate::yaml::{Document, Fields, Node, Tree, Value};

/// Parses the number of runs.
pub(super) fn parse_repeat(node: Node<'_>) -> Result<(u32, Place), LoadError> {
    let runs =
        node.decode::<NonZeroU32>().map_err(|_| node.error("`repeat` is a number of runs, 1 or more"))?;
    Ok((runs.get(), node.place()))
}

/// Parses the requirements on several runs.
pub(super) fn parse_variance(
    case: Node<'_>,
    context: &Context<'_>,
) -> Result<Option<VarianceBlock>, LoadErrors> {
    let Some(node) = case.get("thresholds").and_then(|thresholds| thresholds.get("variance")) else {
        return Ok(None);
    };
    let settings = CheckSettings::new(context.document, format!("{}/thresholds/variance", context.path));
    Ok(Some(VarianceBlock { place: node.place(), variance: decode_each_setting(node)?, settings }))
}

/// Decodes optional settings. Unlike [`Node::decode`], which stops at the first mistake, this reports all of them.
fn decode_each_setting<T: DeserializeOwned>(node: Node<'_>) -> Result<T, LoadErrors> {
    let mut errors = LoadErrors::new();
    for (key, value) in node.entries().into_iter().flatten() {
        let only = Value::Map(vec![(key.clone(), value.tree().clone())]);
        let root = Tree { span: node.tree().span, value: only };
        errors.take(Document { source: Arc::clone(node.source()), root }.root().decode::<T>());
    }
    errors.or(())?;
    Ok(node.decode()?)
}

/// The case's baseline: a path, or `{file, max_drop, similarity, fail_on}`. `fail_on` is what `baseline_fail_on`
/// says beside it.
pub(super) fn parse_baseline(
    node: Node<'_>,
    fail_on: Option<Node<'_>>,
    context: &Context<'_>,
) -> Result<Baseline, LoadErrors> {
    let Value::Map(_) = node.value() else {
        let mut errors = LoadErrors::new();
        let changes = errors.take(fail_on.map(parse_changes).transpose()).flatten();
        let limits = Limits { fail_on: changes.unwrap_or(Limits::default().fail_on), ..Limits::default() };
        let file = errors.take(parse_file(node, context)).unwrap_or_default();
        return errors.or(Baseline { place: node.place(), file, limits });
    };
    let mut fields = Fields::of(node, "`baseline`")?;
    let path = fields.node("file");
    if path.is_none() {
        fields.missing(&["file"], node.error("`baseline` needs its `file`: a recorded trace"));
    }
    let inner = fields.node("fail_on");
    // Two names of one setting could say two things.
    if let (Some(_), Some(beside)) = (inner, fail_on) {
        let problem = "`baseline_fail_on` is another name of `baseline.fail_on`: give one";
        fields.errors.push(beside.error(problem));
    }
    let usual = Limits::default();
    let max_drop = fields.node("max_drop");
    let limits = Limits {
        max_drop: fields
            .parse("max_drop", |node| parse_within(node, 100.0, "points from 0 to 100"))
            .unwrap_or(usual.max_drop),
        similarity: fields.parse("similarity", parse_least_similarity),
        fail_on: inner.or(fail_on).and_then(|node| fields.take(parse_changes(node))).unwrap_or(usual.fail_on),
    };
    // Points are all of the score, so that no drop is larger.
    if let Some(node) = max_drop
        && limits.max_drop >= 100.0
        && limits.fail_on.contains(&ComparisonStatus::Regression)
    {
        let error =
            node.error("`max_drop: 100` allows every drop of the score, so that no `REGRESSION` is found");
        fields.errors.push(error.help("lower it, or leave `REGRESSION` out of `fail_on`"));
    }
    let file = path.and_then(|path| fields.take(parse_file(path, context)));
    fields.finish_some(file.map(|file| Baseline { place: node.place(), file, limits }))
}

/// A similarity of 0 requires nothing.
fn parse_least_similarity(node: Node<'_>) -> Result<f64, LoadError> {
    match parse_within(node, 1.0, "a share from 0 to 1, such as 0.95")? {
        share if share > 0.0 => Ok(share),
        _ => Err(node
            .error("`similarity: 0` accepts every answer")
            .help("raise it, or leave `OUTPUT_CHANGED` out of `fail_on`")),
    }
}

/// Parses a number from 0 to `most`, which `wanted` describes.
fn parse_within(node: Node<'_>, most: f64, wanted: &str) -> Result<f64, LoadError> {
    let value: f64 = node.decode()?;
    if (0.0..=most).contains(&value) {
        Ok(value)
    } else {
        Err(node.error(format!("expected {wanted}, found `{value}`")))
    }
}

/// Parses the path of a file inside the allowed folders.
fn parse_file(node: Node<'_>, context: &Context<'_>) -> Result<String, LoadError> {
    let path: String = node.decode()?;
    if path.trim().is_empty() {
        return Err(node.error("the path is empty: name a recorded trace"));
    }
    context.scope.path(node)?;
    Ok(path)
}

/// Parses one difference or several.
fn parse_changes(node: Node<'_>) -> Result<Vec<ComparisonStatus>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut found = Vec::new();
    if node.list().is_some_and(|list| list.len() == 0) {
        let error =
            node.error("an empty list lets the case pass whatever changes: the baseline can never fail");
        errors.push(error.help("name a difference, `[REGRESSION]`, or take the baseline out"));
    }
    for node in node.one_or_many() {
        match errors.take(node.decode::<ComparisonStatus>()) {
            // Every comparison without a difference would fail.
            Some(ComparisonStatus::Passed) => {
                errors.push(node.error("a comparison that `PASSED` shows no difference to fail on"));
            }
            change => found.extend(change),
        }
    }
    errors.or(found)
}
