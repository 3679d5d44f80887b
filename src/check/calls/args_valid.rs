//! `args_valid`: the arguments of each call are valid for its tool.
//!
//! A model can invent arguments: a discount of 50 % if 30 % is the limit, an id in the wrong form, a field that no
//! tool has. This check compares every call with a policy and reports every violated constraint, with its line in
//! the policy.
//!
//! <!-- settings -->
//!
//! A policy file is what an MCP server answers to `tools/list`, whose `inputSchema`s count, or has one of three shapes:
//! 1. `tools: {NAME: {arguments: {ARG: {type, required, min, max, min_length, max_length, pattern, enum, items,
//!    properties, ...}}, additional_arguments: false}}`;
//! 2. `tools: {allow: [..], deny: [..]}` (globs; `deny` wins), `schemas: {NAME: <JSON Schema>}`,
//!    `enforcement: {unconstrained_tools: warn | deny | allow}` for a tool without a schema (`strict: true` means
//!    `deny`). What only a proxy can enforce there (`limits`, `signatures`) is left to it;
//! 3. a plain map `NAME: <JSON Schema>`.
//!
//! In all three shapes, a name is [the name of a tool](../traces.md#names-of-tools), or a glob. A call of
//! [nearly such a name](../traces.md#near-names) whose arguments the policy would refuse leaves the check undecided. All schemas can refer to
//! `$defs` at the root of a policy or in its `schemas`. Patterns are unanchored. A word that looks like a misspelt keyword of JSON Schema is a mistake;
//! `x-...` and other words are annotations. Arguments that are not a JSON object are a violation.
//!
//! These plain words are checked in every build of the crate, in the spelling of JSON Schema or of the first shape: `type`,
//! `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `minLength`, `maxLength`, `pattern`, `required`,
//! `properties`, `additionalProperties`, `items`, `minItems`, `maxItems`, `uniqueItems`, `minProperties` and `maxProperties`. A
//! schema with another keyword, such as `$ref`, `anyOf`, `not` or a checked `format`, needs the feature `json-schema` of the
//! crate. So does a pattern with a look-around, a back-reference or a named group. `cargo arraign` includes the feature.
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/args_valid/fail-max.yaml")]
//! ```

mod gate;
mod lower;
mod policy;
mod source;
mod unparsed;
mod violation;

use std::sync::Arc;

use serde::Deserialize;

use self::gate::Refusal;
use self::policy::{Policy, Unconstrained};
use self::source::Source;
use crate::JsonSchema;
use crate::check::json_schema::FoundSchema;
use crate::check::support::forms::{PolicyOrFile, SchemasByName};
use crate::check::support::messages::run_of;
use crate::check::{About, Check, CheckKind, Clause, Scope};
use crate::evidence::Evidence;
use crate::json::JsonMap;
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call, ToolServer};
use crate::yaml::{Node, Placed, Unparsed, did_you_mean, even_null};

pub(crate) const KIND: CheckKind = CheckKind::with::<ArgsValidSettings>(
    "args_valid",
    "the arguments of each call are valid for its tool",
    ArgsValid::read,
)
.shorthand("policy")
.case_keys(&["require_exercised"]);

/// Settings of `args_valid`.
#[derive(Deserialize, JsonSchema)]
struct ArgsValidSettings {
    /// A policy file in one of the shapes below, or such a policy itself.
    #[serde(default, deserialize_with = "even_null")]
    policy: Option<Unparsed<PolicyOrFile>>,
    /// Tools and their JSON Schemas. `$defs` beside them is shared.
    #[serde(default, deserialize_with = "even_null")]
    schema: Option<Unparsed<JsonMap>>,
    /// One tool, whose arguments `constraints` describes.
    #[serde(default, deserialize_with = "even_null")]
    tool: Option<Unparsed<String>>,
    /// The arguments of `tool`, in the words of the first shape below.
    #[serde(default, deserialize_with = "even_null")]
    constraints: Option<Unparsed<SchemasByName>>,
    /// The tools (names or globs) whose calls are checked. Default: all.
    tools: Option<Placed<Vec<Placed<ToolPattern>>>>,
    /// `true`: a call of a tool that the policy does not define is a violation. Default: such a call is ignored.
    strict: Option<bool>,
    /// `true`: `format` is checked. Default: `format` is only an annotation.
    formats: Option<bool>,
    /// `true`: a run in which no call is checked is a violation. Default: such a run passes.
    require_exercised: Option<bool>,
}

struct ArgsValid {
    policy: Arc<Policy>,
    /// The calls to look at; empty: all.
    tools: Vec<ToolPattern>,
    strict: bool,
    require_exercised: bool,
}

const NOT_SELECTED: &str = "not among `tools`";
const NO_SERVER: &str = "the server of the tool is not recorded";
const NO_SCHEMA: &str = "warning: no schema constrains its arguments";
const NOT_IN_POLICY: &str = "not in the policy";
const WARN_NOT_IN_POLICY: &str = "warning: not in the policy";

/// The notes of calls, which quote nothing of a run.
pub(crate) const PLAIN_NOTES: [&str; 5] =
    [NOT_SELECTED, NO_SERVER, NO_SCHEMA, NOT_IN_POLICY, WARN_NOT_IN_POLICY];

/// The result of one call.
struct Finding {
    state: State,
    note: Option<&'static str>,
    violations: Vec<Violation>,
}

impl Finding {
    fn untested(note: &'static str) -> Self {
        Self { state: State::NotExercised, note: Some(note), violations: Vec::new() }
    }

    fn tested(violations: Vec<Violation>) -> Self {
        let state = if violations.is_empty() { State::Held } else { State::Violated };
        Self { state, note: None, violations }
    }
}

impl Check for ArgsValid {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let calls = &evidence.trace.calls;
        let mut items = Vec::with_capacity(calls.len());
        let mut violations = Vec::new();
        for call in calls {
            let finding = match self.judge(call) {
                Ok(finding) => finding,
                // A violation that was found before evidence is missing still fails the case.
                Err(unfit) => return Err(CannotDecide { violations, ..unfit }),
            };
            violations.extend(finding.violations);
            let note = finding.note.map(str::to_owned);
            items.push(Item { note, ..Item::new(call.label(), finding.state) });
        }
        let checked = items.iter().filter(|item| item.state != State::NotExercised).count();
        if checked == 0 && self.require_exercised {
            items.push(Item::new("a call that the policy is about", State::Violated));
            violations.push(violation::not_exercised(&self.policy));
        }
        Ok(Outcome::of_items(items, violations).stat("calls_checked", checked))
    }

    // A further call mends no violation, unless no call was checked so far.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        outcome.violations.iter().any(|violation| violation.tool.is_some())
    }

    /// Broken arguments for a tool with a schema, a denied tool, a tool that nobody knows: whichever is refused.
    fn counterexample(&self) -> Option<Evidence<'static>> {
        let named = self.policy.patterns().chain(&self.tools).filter_map(|tool| tool.example(1));
        let unknown = Call::new("undefined_tool", Arguments::none(), 1);
        let unknown = Call { server: ToolServer::BuiltIn, ..unknown };
        named.chain(std::iter::once(unknown)).find(|call| self.refuses_broken(call)).map(break_call)
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.policy.patterns().chain(self.policy.gate.allowed()).chain(&self.tools).collect()
    }

    fn refuses(&self, evidence: &Evidence<'_>) -> bool {
        let mut findings = evidence.trace.calls.iter().filter_map(|call| self.judge(call).ok());
        findings.any(|finding| !finding.violations.is_empty())
    }

    /// The tools that have a schema; of a narrowed check only those that it looks at.
    fn clauses(&self) -> Vec<Clause> {
        let mut clauses = self.policy.schemas.clauses();
        clauses.retain(|clause| match &clause.about {
            About::Calls { tool, .. } => {
                // A pattern may mean tools that the check looks at, so only an exact name can be left out.
                tool.exact().and_then(|_| tool.example(1)).is_none_or(|call| self.looks_at(&call))
            }
            About::Rule(_) => true,
        });
        clauses
    }
}

fn break_call(call: Call) -> Evidence<'static> {
    let arguments = Arguments::Broken { raw: "{".to_owned(), error: "it ends too soon".to_owned() };
    run_of(vec![Call { arguments, ..call }]).into()
}

impl ArgsValid {
    fn looks_at(&self, call: &Call) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|tool| tool.matches(call))
    }

    /// Whether `call` is refused when its arguments are no JSON.
    fn refuses_broken(&self, call: &Call) -> bool {
        let policy = &self.policy;
        // In these modes a tool without a schema is refused, whatever its arguments are.
        let unknown = self.strict || matches!(policy.unconstrained, Unconstrained::Deny(_));
        let has_schema = matches!(policy.schemas.find(call), FoundSchema::Found(_));
        (unknown || policy.gate.refusal(call).is_some() || has_schema) && self.looks_at(call)
    }

    fn judge(&self, call: &Call) -> Result<Finding, CannotDecide> {
        if !self.looks_at(call) {
            return Ok(Finding::untested(NOT_SELECTED));
        }
        // A tool that may not be called is refused whatever its arguments are.
        if let Some(refusal) = self.policy.gate.refusal(call) {
            return Ok(Finding::tested(vec![self.refused(call, refusal)]));
        }
        match self.policy.schemas.find(call) {
            FoundSchema::Found(schema) => violation::of_arguments(call, schema).map(Finding::tested),
            FoundSchema::Unknown => Ok(self.unconstrained(call)),
            FoundSchema::Undecided => Ok(Finding::untested(NO_SERVER)),
        }
    }

    fn refused(&self, call: &Call, refusal: Refusal<'_>) -> Violation {
        let (violation, pointer) = violation::refused(call, refusal);
        self.policy.origin.cite(violation, &pointer)
    }

    fn unconstrained(&self, call: &Call) -> Finding {
        // The gate has tested the call, also if no schema does.
        let tested = !self.policy.gate.is_empty();
        match (&self.policy.unconstrained, self.strict) {
            (_, true) => Finding::tested(vec![violation::undefined(call, &self.policy).at("/strict")]),
            (Unconstrained::Deny(pointer), _) => {
                let violation = violation::unconstrained(call, &self.policy);
                Finding::tested(vec![self.policy.origin.cite(violation, pointer)])
            }
            (Unconstrained::Allow, _) if tested => Finding::tested(Vec::new()),
            (Unconstrained::Warn, _) if tested => {
                Finding { note: Some(NO_SCHEMA), ..Finding::tested(Vec::new()) }
            }
            (Unconstrained::Warn, _) => Finding::untested(WARN_NOT_IN_POLICY),
            _ => Finding::untested(NOT_IN_POLICY),
        }
    }

    fn read(node: Node<'_>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let mut errors = LoadErrors::new();
        let Some(settings) = node.decode_rest::<ArgsValidSettings>(&mut errors) else { return Err(errors) };
        let are_tools_read = errors.is_empty();
        let formats = settings.formats.unwrap_or_default();
        let source = errors.take(Source::find(&settings, node));
        let policy = source.and_then(|source| errors.take(source.read_policy(node, scope, formats)));
        let tools = settings.tools.as_deref().into_iter().flatten().map(|tool| (**tool).clone()).collect();
        let check = policy.map(|policy| Self {
            policy,
            tools,
            strict: settings.strict.unwrap_or_default(),
            require_exercised: settings.require_exercised.unwrap_or_default(),
        });
        // The tools are compared with the policy only if both were read.
        if let (Some(check), Some(tools), true) = (&check, &settings.tools, are_tools_read) {
            errors.take(check.check_tools(tools));
        }
        errors.or_some(check).map(|check| Box::new(check) as Box<dyn Check>)
    }

    /// A name that selects no call that could fail is a slip.
    fn check_tools(&self, tools: &Placed<Vec<Placed<ToolPattern>>>) -> Result<(), LoadErrors> {
        if tools.is_empty() {
            return Err(tools.error("`tools: []` checks nothing").help("leave it out to check all").into());
        }
        // Where unknown tools are refused, a call of a tool that the policy does not define fails, so the name is no
        // slip.
        let lenient = self.strict || self.policy.refuses_unknown();
        let mut errors = LoadErrors::new();
        for tool in tools.iter().filter(|_| !lenient) {
            let name = tool.as_str();
            if !crate::pattern::is_glob(name) && !self.policy.schemas.defines(name) {
                let error = tool.error(format!("the policy does not define `{name}`"));
                errors.push(error.help_if(did_you_mean(name, &self.policy.names())));
            }
        }
        errors.or(())
    }
}
