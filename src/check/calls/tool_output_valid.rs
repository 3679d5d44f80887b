//! `tool_output_valid`: each result is valid for its tool.
//!
//! A schema with more than the [plain words](args_valid.md) needs the feature `json-schema` of the crate. `cargo arraign`
//! includes it.
//!
//! An agent depends on the results of its tools. If a mock differs from the real service, or a service changed its
//! responses, all other checks evaluate a run that could not happen.
//!
//! <!-- settings -->
//!
//! A text result that contains JSON counts as that JSON, unless the schema accepts the text itself. A text in which an
//! object has a key twice is not valid JSON. Calls that failed or were never answered are not checked.
//! If the result of an answered call was not recorded, the check is undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_output_valid/fail-type.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::json_schema::{Fault, FoundSchema, Home, Schema, Table};
use crate::check::support::forms::SchemasByName;
use crate::check::support::messages::run_of;
use crate::check::{About, Check, CheckKind, Clause};
use crate::evidence::Evidence;
use crate::json::{self, Json, JsonError};
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Call, CallStatus, Results, Trace};
use crate::yaml::{Node, Unparsed};

pub(crate) const KIND: CheckKind = CheckKind::with::<ToolOutputSettings>(
    "tool_output_valid",
    "each result is valid for its tool",
    |node, _| node.decode_all::<ToolOutputSettings>()?.build(node),
)
.shorthand("schemas");

/// Settings of `tool_output_valid`.
#[derive(Deserialize, JsonSchema)]
struct ToolOutputSettings {
    /// Tools (names or globs) and the JSON Schemas of their results. `$defs` beside them is shared.
    schemas: Unparsed<SchemasByName>,
    /// `true`: `format` is checked. Default: `format` is only an annotation.
    formats: Option<bool>,
}

const NO_RESULT: &str = "no result in the trace";

/// Whether a call without a result may have had one: it was answered, or its format records no results at all. In a run that
/// was written by hand, results are left out.
fn is_result_lost(trace: &Trace, call: &Call) -> bool {
    match trace.results {
        Results::Optional => false,
        Results::NotRecorded => true,
        Results::Recorded => matches!(call.status, CallStatus::Ok | CallStatus::Unknown),
    }
}

struct ToolOutputValid {
    schemas: Table,
}

impl ToolOutputSettings {
    /// Builds the check of the settings at `node`: references in the schemas are looked up there.
    fn build(self, node: Node<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let home = Home::settings(node, self.formats.unwrap_or_default());
        let written = self.schemas.node();
        let schemas = home.schemas(written, "/schemas", &["/schemas/$defs".to_owned()])?;
        if schemas.is_empty() {
            return Err(written.error("`schemas` names no tool: it checks nothing").into());
        }
        Ok(Box::new(ToolOutputValid { schemas }))
    }
}

impl Check for ToolOutputValid {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let calls = &evidence.trace.calls;
        let mut items = Vec::with_capacity(calls.len());
        let mut violations = Vec::new();
        let mut lost = None;
        for call in calls {
            let item = Item::new(call.label(), State::NotExercised);
            let (schema, result) = match self.tested(call) {
                Ok(tested) => tested,
                Err(NO_RESULT) if is_result_lost(&evidence.trace, call) => {
                    items.push(Item { state: State::Open, ..item.note("its result was not recorded") });
                    lost.get_or_insert(call);
                    continue;
                }
                Err(reason) => {
                    items.push(item.note(reason));
                    continue;
                }
            };
            match of_result(call, schema, result) {
                Ok(found) => {
                    let state = if found.is_empty() { State::Held } else { State::Violated };
                    items.push(Item { state, ..item });
                    violations.extend(found);
                }
                // What was found so far stays in the verdict beside the reason why the rest is open.
                Err(unfit) => return Err(CannotDecide { violations, ..unfit }),
            }
        }
        if let Some(call) = lost.filter(|_| violations.is_empty()) {
            let Call { index, name, .. } = call;
            let reason = format!("the trace does not record the result of call {index}, `{name}`");
            return Err(
                CannotDecide::missing(reason).help("enable the capture of content where the run is recorded")
            );
        }
        let is_checked = |item: &&Item| !matches!(item.state, State::NotExercised | State::Open);
        let checked = items.iter().filter(is_checked).count();
        Ok(Outcome::of_items(items, violations).stat("calls_checked", checked))
    }

    // A further call mends no violation.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.schemas.patterns().collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let pattern = self.schemas.patterns().next()?;
        let mut call = pattern.example(1)?;
        call.status = CallStatus::Ok;
        let FoundSchema::Found(schema) = self.schemas.find(&call) else { return None };
        call.result = schema.refused();
        Some(run_of(vec![call]).into())
    }

    /// The fields of a result are no arguments.
    fn clauses(&self) -> Vec<Clause> {
        let mut clauses = self.schemas.clauses();
        for clause in &mut clauses {
            if let About::Calls { arguments, .. } = &mut clause.about {
                arguments.clear();
            }
        }
        clauses
    }
}

impl ToolOutputValid {
    /// The schema and the result of `call`, or why there is nothing to test.
    fn tested<'c>(&self, call: &'c Call) -> Result<(&Schema, &'c Json), &'static str> {
        let schema = match self.schemas.find(call) {
            FoundSchema::Found(schema) => schema,
            FoundSchema::Unknown => return Err("no schema for this tool"),
            FoundSchema::Undecided => return Err("the server of the tool is not recorded"),
        };
        match (&call.result, call.status) {
            // The result of a failed call is a message, and has another shape.
            (_, CallStatus::Error) => Err("the call failed: there is no result to check"),
            (None, _) => Err(NO_RESULT),
            (Some(result), _) => Ok((schema, result)),
        }
    }
}

fn of_result(call: &Call, schema: &Schema, result: &Json) -> Result<Vec<Violation>, CannotDecide> {
    let mut faults = schema.faults(result, "field")?;
    let text = result.as_str().unwrap_or_default();
    match (json::parse(text), json::parse_lenient(text)) {
        (Ok(parsed), _) if !faults.is_empty() => faults = schema.faults(&parsed, "field")?,
        // Programs differ on which of two equal keys counts. A schema that takes the text and refuses its JSON is meant for
        // the text.
        (Err(error), Ok(parsed)) => {
            let takes_text = faults.is_empty() && !schema.faults(&parsed, "field")?.is_empty();
            if !takes_text {
                return Ok(vec![describe_duplicate(call, &error)]);
            }
        }
        _ => {}
    }
    Ok(faults.describe_each(|fault| schema.cite(describe_fault(call, fault), fault)))
}

fn describe_duplicate(call: &Call, error: &JsonError) -> Violation {
    let message = format!("the result of `{}` is not valid JSON: {error}", call.name);
    Violation::of_call(call, message).help("make the tool return each key once")
}

fn describe_fault(call: &Call, fault: &Fault) -> Violation {
    let message = fault.describe_in(&format!("the result of `{}`", call.name));
    let violation = fault.detail(Violation::of_call(call, message));
    violation.help("make the tool return what its schema says, or change the schema")
}
