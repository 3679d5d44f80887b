//! Entries of `expect` that may kill a mutant, the smallest first. Whether one does is found out by trying.

use super::answer_proposal::propose_for_answer;
use super::mutant::Mutant;
use crate::case::MutationSort;
use crate::evidence::{CallSuccess, Known};
use crate::json::{Json, JsonMap, json};
use crate::pattern::is_glob;
use crate::trace::{Call, CallStatus, Trace};

/// The mask of a secret: a value with it holds for no other run.
const MASK: &str = "***";

/// Proposes entries of `expect` that may notice the mutant of `run`.
pub(super) fn propose_checks(run: &Trace, mutant: &Mutant) -> Vec<Json> {
    let calls: Vec<&Call> = mutant.calls.iter().filter_map(|at| run.calls.get(*at)).collect();
    // A mutant without a call of the run is about a call that was added, or about the answer.
    let Some(first) = calls.first().map(|call| ProposedCall::new(run, call)) else {
        return match mutant.sort {
            MutationSort::UnknownCall => propose_against_calls(run),
            MutationSort::ForbiddenCall => {
                mutant.subjects.iter().map(|tool| json!({"not_called": tool})).collect()
            }
            sort => propose_for_answer(run, sort),
        };
    };
    let key = mutant.argument.as_deref();
    match mutant.sort {
        MutationSort::Omit | MutationSort::Rename => first.propose_call(None),
        MutationSort::Duplicate => {
            // A repeated call is noticed by a check of repeats, or by the number of its calls.
            [vec![json!({"no_repeated_calls": true})], first.propose_count(None)].concat()
        }
        MutationSort::Fail => [vec![json!({"no_failed_calls": true})], first.propose_call(None)].concat(),
        MutationSort::Swap | MutationSort::CutRun => propose_order(run, &calls, mutant.sort),
        MutationSort::MoveServer => vec![json!({"tool_called": first.qualified_tool()})],
        MutationSort::Succeed => vec![first.build_call(None, None, None)],
        MutationSort::ExchangeArguments => {
            let each = calls.iter().flat_map(|call| ProposedCall::new(run, call).propose_arguments(None));
            each.chain(propose_order(run, &calls, mutant.sort)).collect()
        }
        MutationSort::AddArgument => first.propose_exact(),
        MutationSort::BlankResult | MutationSort::ChangeResult => first.propose_result(),
        _ => first.propose_arguments(key),
    }
}

/// Limits the number of calls, or allows no others.
fn propose_against_calls(run: &Trace) -> Vec<Json> {
    let names = list_names(&run.calls.iter().collect::<Vec<_>>());
    vec![
        json!({"tool_calls_at_most": run.calls.len()}),
        json!({"calls": {"mode": "subset", "args": "ignore", "list": names}}),
    ]
}

/// Requires the order of two calls, or all calls of the run in their order.
fn propose_order(run: &Trace, calls: &[&Call], sort: MutationSort) -> Vec<Json> {
    let all: Vec<&Call> = run.calls.iter().collect();
    let mut proposed = match all.last().filter(|_| sort == MutationSort::CutRun) {
        Some(last) => ProposedCall::new(run, last).propose_call(None),
        None => vec![json!({"calls": list_names(calls)}), json!({"calls": list_with_arguments(calls)})],
    };
    let succeeded: Vec<&Call> = all.iter().copied().filter(|call| call.status != CallStatus::Error).collect();
    proposed.extend([
        json!({"calls": list_names(&succeeded)}),
        json!({"calls": list_with_arguments(&succeeded)}),
        // Where a call failed, it is expected as an attempt.
        json!({"calls": {"status": "any", "list": list_names(calls)}}),
        json!({"calls": {"status": "any", "list": list_with_arguments(calls)}}),
        json!({"calls": {"status": "any", "list": list_with_arguments(&all)}}),
    ]);
    proposed
}

/// Lists calls by their names.
pub fn list_names(calls: &[&Call]) -> Vec<Json> {
    calls.iter().map(|call| json!(call.name)).collect()
}

/// Lists calls by their names and arguments.
pub fn list_with_arguments(calls: &[&Call]) -> Vec<Json> {
    calls.iter().map(|call| write_entry(call)).collect()
}

/// Writes a call as an entry of a list: its name, with the arguments that contain no secret.
fn write_entry(call: &Call) -> Json {
    let passed = call.arguments.json().and_then(Json::as_object).into_iter().flatten();
    let passed = passed.filter(|(_, value)| !value.to_string().contains(MASK));
    let passed: JsonMap = passed.map(|(key, value)| (key.clone(), write_literal(value))).collect();
    if passed.is_empty() { json!(call.name) } else { json!({&call.name: passed}) }
}

/// A call that an entry is about.
struct ProposedCall<'r> {
    run: &'r Trace,
    call: &'r Call,
    success: CallSuccess,
}

impl<'r> ProposedCall<'r> {
    fn new(run: &'r Trace, call: &'r Call) -> Self {
        Self { run, call, success: CallSuccess::of(run) }
    }

    fn has_happened(&self, call: &Call) -> bool {
        self.success.happened(call) == Known::Yes
    }

    /// The arguments, if they are an object.
    fn arguments(&self) -> Option<&'r JsonMap> {
        self.call.arguments.json().and_then(Json::as_object)
    }

    fn qualified_tool(&self) -> String {
        let server = self.call.server.name().unwrap_or_default();
        format!("{server}:{}", self.call.name)
    }

    /// Requires the call: its tool, how often it is called, its arguments.
    fn propose_call(&self, key: Option<&str>) -> Vec<Json> {
        let mut proposed = Vec::new();
        // `tool_called` asks for a call that succeeded, and reads its name as a pattern.
        if self.has_happened(self.call) && !is_glob(&self.call.name) {
            proposed.push(json!({"tool_called": self.call.name}));
        } else {
            proposed.push(self.build_call(None, None, None));
        }
        proposed.extend(self.propose_count(key));
        proposed
    }

    /// Requires the number of the calls: of the tool, or with these arguments.
    fn propose_count(&self, key: Option<&str>) -> Vec<Json> {
        let mut proposed = vec![self.build_call(None, None, Some(self.count_alike(None)))];
        if let Some(picked) = self.pick_arguments(key) {
            let count = self.count_alike(Some(&picked));
            proposed.push(self.build_call(Some(&picked), None, Some(count)));
        }
        proposed
    }

    /// Requires the argument `key`, or all arguments, of this call among those of its tool.
    fn propose_arguments(&self, key: Option<&str>) -> Vec<Json> {
        let mut proposed = Vec::new();
        // One argument is proposed first: a check of all of them breaks with any change.
        for picked in [key.and_then(|key| self.pick_arguments(Some(key))), self.pick_arguments(None)] {
            let Some(picked) = picked else { continue };
            let count = self.count_alike(Some(&picked));
            proposed.push(self.build_call(Some(&picked), None, None));
            proposed.push(self.build_call(Some(&picked), None, Some(count)));
        }
        proposed
    }

    /// Allows no other arguments than those of the call.
    fn propose_exact(&self) -> Vec<Json> {
        let Some(all) = self.pick_arguments(None).or_else(|| self.arguments().cloned()) else {
            return Vec::new();
        };
        let alike =
            self.list_alike(Some(&all)).filter(|call| call.arguments.json() == self.call.arguments.json());
        let count = alike.count();
        vec![
            self.build_call(Some(&all), Some("exact"), None),
            self.build_call(Some(&all), Some("exact"), Some(count)),
        ]
    }

    /// Describes the result by a schema: its type and its first values.
    fn propose_result(&self) -> Vec<Json> {
        let Some(result) = &self.call.result else { return Vec::new() };
        let schemas = match result {
            Json::Object(entries) => {
                let plain = entries.iter().filter(|(_, value)| !value.is_object() && !value.is_array());
                plain
                    // A few keys are enough to notice a changed result.
                    .take(4)
                    .flat_map(|(key, value)| {
                        let required = json!({"type": "object", "required": [key]});
                        let exact = json!({"required": [key], "properties": {key: {"const": value}}});
                        [required, exact]
                    })
                    .collect()
            }
            Json::Array(_) => vec![json!({"minItems": 1}), json!({"const": result})],
            Json::String(_) => vec![json!({"minLength": 1}), json!({"const": result})],
            other => vec![json!({"const": other})],
        };
        let checks = schemas.into_iter();
        checks.map(|schema| json!({"tool_output_valid": {"schemas": {&self.call.name: schema}}})).collect()
    }

    /// Returns all arguments, or `key` alone. `None` without arguments.
    fn pick_arguments(&self, key: Option<&str>) -> Option<JsonMap> {
        let passed = self.arguments()?;
        let picked = passed.iter().filter(|(known, _)| key.is_none_or(|key| key == known.as_str()));
        let picked: JsonMap = picked.map(|(key, value)| (key.clone(), write_literal(value))).collect();
        (!picked.is_empty()).then_some(picked)
    }

    /// The calls of the tool that ended like this one, with these values of arguments.
    fn list_alike(&self, picked: Option<&JsonMap>) -> impl Iterator<Item = &'r Call> {
        let keys: Vec<String> = picked.into_iter().flat_map(JsonMap::keys).map(ToString::to_string).collect();
        let own = self.call;
        let success = self.success;
        self.run.calls.iter().filter(move |call| {
            call.name == own.name
                && success.happened(call) == success.happened(own)
                && keys.iter().all(|key| call.arguments.get(key) == own.arguments.get(key))
        })
    }

    fn count_alike(&self, picked: Option<&JsonMap>) -> usize {
        self.list_alike(picked).count()
    }

    fn build_call(&self, arguments: Option<&JsonMap>, mode: Option<&str>, times: Option<usize>) -> Json {
        let mut settings = JsonMap::new();
        settings.insert("tool".to_owned(), json!(self.call.name));
        settings.extend(arguments.map(|arguments| ("args".to_owned(), json!(arguments))));
        settings.extend(mode.map(|mode| ("args_mode".to_owned(), json!(mode))));
        if !self.has_happened(self.call) {
            // Calls without an outcome have neither status.
            let status = if self.call.status == CallStatus::Error { "error" } else { "any" };
            settings.insert("status".to_owned(), json!(status));
        }
        settings.extend(times.map(|times| ("times".to_owned(), json!(times))));
        json!({"call": settings})
    }
}

/// A mapping could be read as a matcher.
fn write_literal(value: &Json) -> Json {
    if value.is_object() { json!({"equals": value}) } else { value.clone() }
}
