//! The violations of `args_valid`.

use super::gate::Refusal;
use super::policy::Policy;
use crate::json::Json;

use super::unparsed;
use crate::check::json_schema::{Fault, Schema, Subject, shown};
use crate::evidence::require_arguments;
use crate::outcome::{CannotDecide, Violation};
use crate::trace::{Arguments, Call};
use crate::yaml::nearest;

/// Lists the violations in the arguments of `call`.
pub(super) fn of_arguments(call: &Call, schema: &Schema) -> Result<Vec<Violation>, CannotDecide> {
    require_arguments(call)?;
    let arguments = match require_object(&call.arguments) {
        Ok(arguments) => arguments,
        Err(reason) => return Ok(vec![schema.cite_type(describe_unreadable(call, &reason))]),
    };
    let faults = schema.faults(arguments, "argument")?;
    Ok(faults.describe_each(|fault| schema.cite(describe_fault(call, fault), fault)))
}

fn describe_unreadable(call: &Call, reason: &str) -> Violation {
    let message = format!("the arguments of `{}` are {reason}", call.name);
    let value = match &call.arguments {
        Arguments::Json(value) => value.clone(),
        Arguments::Broken { raw, .. } => raw.as_str().into(),
        Arguments::Unrecorded => Json::Null,
    };
    let violation = Violation::of_call(call, message).value(value).constraint("type: object");
    violation.help("pass the arguments as one JSON object")
}

fn describe_fault(call: &Call, fault: &Fault) -> Violation {
    let tool = &call.name;
    let problem = &fault.problem;
    let message = match (fault.subject, fault.part()) {
        (Subject::Missing, Some(part)) => format!("`{tool}` was called without `{part}`: {problem}"),
        (Subject::Unexpected, Some(part)) => format!("`{tool}` was called with `{part}`: {problem}"),
        (_, Some(part)) => format!("`{part}` of `{tool}` is {}: {problem}", fault.shown()),
        (_, None) => format!("the arguments of `{tool}` are {}: {problem}", fault.shown()),
    };
    Violation {
        argument: fault.part(),
        value: fault.value.clone(),
        constraint: Some(fault.constraint.clone()),
        ..Violation::of_call(call, message)
    }
    .help(fault.advice.clone())
}

/// A tool that may not be called, and the pointer of what forbids it.
pub(super) fn refused(call: &Call, refusal: Refusal<'_>) -> (Violation, String) {
    match refusal {
        Refusal::Denied(entry, pointer) => {
            // A glob does not show which name it denied.
            let by = if entry.exact().is_some() { String::new() } else { format!(" by `{entry}`") };
            let message = format!("the policy denies `{}`{by}, but it was called", call.name);
            let violation = Violation::of_call(call, message).constraint(format!("deny: {entry}"));
            (violation.help("keep the agent from calling it, or take the entry off the list"), pointer)
        }
        Refusal::NotAllowed(allowed, pointer) => {
            let message = format!("`{}` is not among the tools that the policy allows", call.name);
            let names: Vec<&str> = allowed.iter().map(crate::pattern::ToolPattern::as_str).collect();
            let violation =
                Violation::of_call(call, message).constraint(format!("allow: {}", names.join(", ")));
            (with_help(violation, &names), pointer)
        }
    }
}

/// A tool that `strict` does not know.
pub(super) fn undefined(call: &Call, policy: &Policy) -> Violation {
    let message = format!("the policy does not define `{}`, but it was called", call.name);
    let violation = Violation::of_call(call, message).constraint("strict: true");
    let violation = match policy.origin.in_policy(&policy.tools_at) {
        Some(tools) => violation.cite_policy(&tools),
        None => violation,
    };
    with_help(violation, &policy.names())
}

/// A tool without a schema, where the policy wants one for each.
pub(super) fn unconstrained(call: &Call, policy: &Policy) -> Violation {
    let message = format!("the policy has no schema for `{}`, but it was called", call.name);
    with_help(Violation::of_call(call, message).constraint("unconstrained_tools: deny"), &policy.names())
}

/// A run in which no call was checked.
pub(super) fn not_exercised(policy: &Policy) -> Violation {
    let known = policy.names().join("`, `");
    let wanted = if known.is_empty() { "a call to check".to_owned() } else { format!("a call of `{known}`") };
    Violation::new("no call of the run was checked")
        .expected(wanted, "none")
        .help("use a trace that calls what the policy is about, or drop `require_exercised`")
        .at("/require_exercised")
}

fn with_help(violation: Violation, known: &[&str]) -> Violation {
    let called = violation.tool.as_deref().unwrap_or_default();
    let help = match nearest(called, known.iter().copied()) {
        Some(near) => format!("did the agent mean `{near}`? else add the tool to the policy"),
        None => "add the tool to the policy, or keep the agent from calling it".to_owned(),
    };
    violation.help(help)
}

/// Returns the arguments as an object, or describes what they are instead.
fn require_object(arguments: &Arguments) -> Result<&Json, String> {
    match arguments {
        Arguments::Json(object @ Json::Object(_)) => Ok(object),
        Arguments::Json(other) => Err(format!("not a JSON object: they are {}", shown(other))),
        Arguments::Broken { error, .. } => Err(format!("not JSON: {}", unparsed::said(error))),
        Arguments::Unrecorded => Err("not recorded".to_owned()),
    }
}
