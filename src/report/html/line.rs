//! What the page holds of a verdict: a line of JSON, without what it does not show, and with the command that runs the
//! trial again and, in a word each, how its attempts ended.

use serde_json::{Map, Value};

use crate::report::flaky::render_attempts;
use crate::report::plain::render_safe_json;
use crate::verdict::Verdict;

/// The keys of a verdict that the page does not show: its row has them, or nobody asks.
const HIDDEN_VERDICT_KEYS: &[&str] =
    &["schema_version", "suite", "case", "passed", "tags", "earlier_attempts"];
/// Those of a finding. Its losses are told by its scorecard.
const HIDDEN_FINDING_KEYS: &[&str] = &["losses", "duration_ms"];
/// A call is a list of these: most of a page are calls. Its number is its place.
const CALL_COLUMNS: &[&str] = &["name", "arguments", "status", "turn"];

/// The line.
pub(super) fn render_verdict_line(verdict: &Verdict) -> String {
    render_safe_json(&build_page_verdict(verdict))
}

/// The line without what the runs did in detail.
pub(super) fn render_short_verdict_line(verdict: &Verdict) -> String {
    let mut value = build_page_verdict(verdict);
    let runs = value.as_object_mut().map(|fields| list_members(fields, "runs"));
    for run in runs.into_iter().flatten().filter_map(Value::as_object_mut) {
        run.shift_remove("details");
    }
    render_safe_json(&value)
}

fn build_page_verdict(verdict: &Verdict) -> Value {
    let mut value = serde_json::to_value(verdict).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        drop_keys(fields, HIDDEN_VERDICT_KEYS);
        fields.insert("rerun".to_owned(), verdict.rerun_command().into());
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

/// A place is shown of a finding that has no answer; a violation has its own.
fn drop_hidden_keys(finding: &mut Value) {
    let Some(fields) = finding.as_object_mut() else { return };
    drop_keys(fields, HIDDEN_FINDING_KEYS);
    if !fields.contains_key("unfit") {
        fields.shift_remove("at");
    }
}

fn compact_call(call: &mut Value) {
    let values = CALL_COLUMNS.iter().map(|key| call.get_mut(key).map(Value::take).unwrap_or_default());
    *call = values.collect::<Vec<Value>>().into();
}

fn drop_keys(fields: &mut Map<String, Value>, keys: &[&str]) {
    for key in keys {
        fields.shift_remove(*key);
    }
}
