//! `match: bfcl`: the rules of the Berkeley Function-Calling Leaderboard's checker of syntax trees.
//!
//! The verdicts are those of that checker, also where it differs from the other modes: strings are compared without some
//! punctuation and letter case, the declared types decide, and an expected call takes the first call that fits.

mod function;
mod python;

use self::function::{BfclFunction, parse_function};
use super::edits::{CallEdit, EditKind, EditScript, HeldCall};
use super::report::{ScriptFrame, build_outcome};
use super::settings::CallsSettings;
use super::spec::CallDifference;
use crate::check::Check;
use crate::check::support::messages::{run_of, say_calls};
use crate::evidence::{Evidence, require_arguments};
use crate::json::Json;
use crate::outcome::{CannotDecide, Outcome};
use crate::place::{LoadError, LoadErrors};
use crate::trace::{Arguments, Call};
use crate::yaml::{Node, Placed, did_you_mean, read_all};

struct BfclCalls {
    functions: Vec<BfclFunction>,
    expected: Vec<GroundTruth>,
}

/// An expected call with the acceptable values of each argument.
struct GroundTruth {
    /// The index of its function.
    function: usize,
    arguments: Vec<(String, Vec<Json>)>,
}

/// Builds the check from `functions` and `list`.
pub(super) fn build_bfcl(settings: &Placed<CallsSettings>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let others = [
        ("mode", settings.mode.as_ref().map(Placed::place)),
        ("args", settings.args.as_ref().map(Placed::place)),
        ("ignore", settings.ignore.as_ref().map(Placed::place)),
        ("defaults", settings.defaults.as_ref().map(Placed::place)),
        ("status", settings.status.as_ref().map(Placed::place)),
    ];
    for (key, place) in others {
        if let Some(place) = place {
            let problem = format!("`{key}` has no meaning with `match: bfcl`");
            errors.push(LoadError::new(place.clone(), problem));
        }
    }
    let Some(functions) = &settings.functions else {
        errors.push(settings.error("`functions` is missing"));
        return Err(errors);
    };
    let functions = errors.take(read_all(functions.0.iter().map(parse_function)));
    let expected = functions.as_deref().and_then(|functions| {
        errors.take(read_all(settings.list.iter().map(|entry| read_expected(entry.node(), functions))))
    });
    let check = functions.zip(expected).map(|(functions, expected)| BfclCalls { functions, expected });
    Ok(Box::new(errors.or_some(check)?))
}

fn read_expected(entry: Node<'_>, functions: &[BfclFunction]) -> Result<GroundTruth, LoadErrors> {
    let named: Vec<_> = entry.entries().into_iter().flatten().collect();
    let [(name, arguments)] = named.as_slice() else {
        return Err(entry.error("an expected call is `NAME: {ARGUMENT: [acceptable values]}`").into());
    };
    let Some(function) = functions.iter().position(|function| function.name == name.name) else {
        let known: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
        let error = entry.error(format!("`{}` is not among the functions", name.name));
        return Err(error.help_if(did_you_mean(&name.name, &known)).into());
    };
    let mut errors = LoadErrors::new();
    let mut accepted = Vec::new();
    for (argument, values) in arguments.entries().into_iter().flatten() {
        // The type and the values are looked at apart, so that both mistakes are reported.
        errors.take(functions[function].require_known_type(&argument.name, values));
        match values.to_json() {
            Json::Array(values) => accepted.push((argument.name.to_string(), values)),
            _ => errors.push(values.error("the acceptable values of an argument are a list")),
        }
    }
    errors.or(GroundTruth { function, arguments: accepted })
}

impl BfclCalls {
    /// Pairs each expected call with the first call that fits and is free.
    fn compare(&self, calls: &[Call]) -> Result<EditScript, CannotDecide> {
        // The rules judge arguments, so a trace without them is undecided.
        calls.iter().try_for_each(require_arguments)?;
        let mut script = EditScript::default();
        let mut is_free = vec![true; calls.len()];
        // Greedy, as the original: an expected call takes the first call that fits, even if a later one needed it.
        for (index, expected) in self.expected.iter().enumerate() {
            let function = &self.functions[expected.function];
            let mut reasons = Vec::new();
            let found = (0..calls.len()).filter(|call| is_free[*call]).find(|call| {
                let fault = function.find_fault(&calls[*call], &expected.arguments);
                let fits = fault.is_none();
                reasons.extend(fault.map(|fault| (*call, fault)));
                fits
            });
            match found {
                Some(call) => {
                    is_free[call] = false;
                    script.matched += 1;
                    let call = calls[call].index;
                    script.held.push(HeldCall { tool: function.name.clone(), call, basis: None });
                }
                None => self.add_missing(index, &reasons, calls, &mut is_free, &mut script),
            }
        }
        for (call, _) in calls.iter().zip(is_free).filter(|(_, is_free)| *is_free) {
            script.extra += 1;
            script.edits.push(CallEdit::remove(call));
        }
        script.sort();
        Ok(script)
    }

    /// Notes an expected call that no call fits. The first free call of the function is the one that differs.
    fn add_missing(
        &self,
        index: usize,
        reasons: &[(usize, String)],
        calls: &[Call],
        is_free: &mut [bool],
        script: &mut EditScript,
    ) {
        let name = &self.functions[self.expected[index].function].name;
        let entry = index + 1;
        let at = format!("/{index}");
        let tool = name.clone();
        script.missing += 1;
        let near = reasons.iter().find(|(call, _)| calls[*call].name == *name);
        // The call is spent, so that it is not reported once more as an extra one.
        let (call, weight, kind) = if let Some((call, reason)) = near {
            is_free[*call] = false;
            script.extra += 1;
            let difference =
                CallDifference { arguments: Vec::new(), status: Some(format!("does not fit: {reason}")) };
            (Some(calls[*call].index), 2, EditKind::Change { difference, mode: None })
        } else {
            let taken = calls.iter().zip(&*is_free).filter(|(_, is_free)| !**is_free);
            let of_other_entries = taken.filter(|(call, _)| call.name == *name).count();
            (None, 1, EditKind::Add { of_other_entries })
        };
        script.edits.push(CallEdit { tool, call, entry, at, weight, kind });
    }
}

impl Check for BfclCalls {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let calls = &evidence.trace.calls;
        let script = self.compare(calls)?;
        let expectation = format!("{}, by the rules of BFCL", say_calls(self.expected.len()));
        Ok(build_outcome(&ScriptFrame { list_key: "list", expectation }, &script, calls.len()))
    }

    // A call too many stays one.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        outcome.stats.get("calls_not_expected").is_some_and(|extra| *extra > 0)
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let one = Call::new("a_function_that_nobody_declares", Arguments::none(), 1);
        Some(run_of(if self.expected.is_empty() { vec![one] } else { Vec::new() }).into())
    }
}
