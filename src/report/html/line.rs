//! A verdict as one line of JSON in the page: without the keys that the page does not show, with the command that
//! reruns the trial and, after retries, the result of each attempt.

use serde_json::{Map, Value};

use crate::report::flaky::render_attempts;
use crate::report::pinned::render_pinned;
use crate::report::plain::render_safe_json;
use crate::verdict::Verdict;

/// The keys of a verdict that the page does not show; some are in the row of the list.
const HIDDEN_VERDICT_KEYS: &[&str] =
    &["schema_version", "suite", "case", "passed", "tags", "earlier_attempts", "mutation"];
/// The keys of a finding that the page does not show; its scorecard lists the losses.
const HIDDEN_FINDING_KEYS: &[&str] = &["losses", "duration_ms"];
/// The columns of a call: calls are most of a page, so each is an array. The index of a call is its position. The last one
/// is only there if the host wrote another name.
const CALL_COLUMNS: &[&str] = &["name", "arguments", "status", "turn", "written"];

/// Renders the verdict as one line without the details of its runs.
pub(super) fn render_short_verdict_line(verdict: &Verdict) -> String {
    let mut value = build_page_verdict(verdict);
    let runs = value.as_object_mut().map(|fields| list_members(fields, "runs"));
    for run in runs.into_iter().flatten().filter_map(Value::as_object_mut) {
        run.shift_remove("details");
    }
    render_safe_json(&value)
}

pub(super) fn build_page_verdict(verdict: &Verdict) -> Value {
    let mut value = serde_json::to_value(verdict).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        drop_keys(fields, HIDDEN_VERDICT_KEYS);
        fields.insert("rerun".to_owned(), verdict.rerun_command().into());
        fields.extend(render_pinned(verdict).map(|pinned| ("pinned".to_owned(), pinned.into())));
        fields.extend(render_attempts(verdict).map(|attempts| ("attempts".to_owned(), attempts.into())));
        list_members(fields, "findings").for_each(drop_hidden_keys);
        let runs = list_members(fields, "runs").filter_map(Value::as_object_mut);
        runs.flat_map(|run| list_members(run, "calls")).for_each(compact_call);
    }
    value
}

fn list_members<'v>(
    fields: &'v mut Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'v mut Value> + use<'v> {
    fields.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Removes the keys that the page does not show. The place of a finding is shown only if the check was not decided;
/// violations have their own places.
fn drop_hidden_keys(finding: &mut Value) {
    let Some(fields) = finding.as_object_mut() else { return };
    drop_keys(fields, HIDDEN_FINDING_KEYS);
    // Without `unfit`, the violations have the places that matter.
    if !fields.contains_key("unfit") {
        fields.shift_remove("at");
    }
}

/// Turns a call into an array of its columns.
pub(super) fn compact_call(call: &mut Value) {
    let values = CALL_COLUMNS.iter().filter_map(|key| call.get_mut(key).map(Value::take));
    *call = values.collect::<Vec<Value>>().into();
}

fn drop_keys(fields: &mut Map<String, Value>, keys: &[&str]) {
    for key in keys {
        fields.shift_remove(*key);
    }
}
