//! A verdict as one line of JSON in the page: without the keys that the page does not show, with the command that
//! reruns the trial and, after retries, the result of each attempt.

use crate::json::{self, Json, JsonMap};
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
    for run in runs.into_iter().flatten().filter_map(Json::as_object_mut) {
        run.remove("details");
    }
    render_safe_json(&value)
}

pub(super) fn build_page_verdict(verdict: &Verdict) -> Json {
    let mut value = json::to_json(verdict).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        drop_keys(fields, HIDDEN_VERDICT_KEYS);
        fields.insert("rerun".to_owned(), verdict.rerun_command().into());
        fields.extend(render_pinned(verdict).map(|pinned| ("pinned".to_owned(), pinned.into())));
        fields.extend(render_attempts(verdict).map(|attempts| ("attempts".to_owned(), attempts.into())));
        list_members(fields, "findings").for_each(drop_hidden_keys);
        let runs = list_members(fields, "runs").filter_map(Json::as_object_mut);
        runs.flat_map(|run| list_members(run, "calls")).for_each(compact_call);
    }
    value
}

fn list_members<'v>(fields: &'v mut JsonMap, key: &str) -> impl Iterator<Item = &'v mut Json> + use<'v> {
    fields.get_mut(key).and_then(Json::as_array_mut).into_iter().flatten()
}

/// Removes the keys that the page does not show. The place of a finding is shown only if the check was not decided;
/// violations have their own places.
fn drop_hidden_keys(finding: &mut Json) {
    let Some(fields) = finding.as_object_mut() else { return };
    drop_keys(fields, HIDDEN_FINDING_KEYS);
    // Without `unfit`, the violations have the places that matter.
    if !fields.contains_key("unfit") {
        fields.remove("at");
    }
}

/// Turns a call into an array of its columns.
pub(super) fn compact_call(call: &mut Json) {
    let values = CALL_COLUMNS.iter().filter_map(|key| call.get_mut(key).map(Json::take));
    *call = values.collect::<Vec<Json>>().into();
}

fn drop_keys(fields: &mut JsonMap, keys: &[&str]) {
    for key in keys {
        fields.remove(key);
    }
}
