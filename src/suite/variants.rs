//! `variants:` and `matrix:` what a run may change about the agents that cases name.
//!
//! ```yaml
//! variants:
//!   baseline: {}
//!   cheaper: {env: {MODEL: gpt-6-mini}}
//!   terse: {env: {PROMPT: prompts/terse.md}, inputs: [prompts/terse.md], repeat: 5}
//!   other: {agent: rust_agent}
//! matrix: {MODEL: [gpt-6, gpt-6-mini], PROMPT: {a: prompts/a.md, b: prompts/b.md}}
//! ```

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::Deserialize;

use super::agent::{WrittenInput, WrittenModel, require_feature};
use super::mocks::{WrittenMocks, parse_mocks};
use crate::JsonSchema;
use crate::case::{NamedAgent, Variant, VariantAgent};
use crate::check::Scope;
use crate::json::json;
use crate::pattern::visit_secret_values;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Checked, Label, MappingOr, Node, OneOrMany, OrderedMap, Placed, Unparsed};

/// Names that mean something else: all variants, and trials that attack an agent.
const RESERVED: [&str; 2] = ["all", "attack"];

/// The most variants of a `matrix`. Each of them multiplies the trials.
const MAX_COMBINATIONS: usize = 1000;

/// What a variant changes about the agents that the cases name.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "variant")]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenVariant {
    /// The name of the agent that replaces that of each case.
    agent: Option<Placed<String>>,
    /// Variables that are set for the agent's process, and their values. They are data of the repository: secrets belong in
    /// the environment, and their names in the `env` of the agent.
    #[serde(default)]
    env: OrderedMap<String, Placed<Label>>,
    /// Globs of further files that the agent depends on, such as the prompt of the variant, relative to the package.
    #[serde(default)]
    inputs: OneOrMany<Checked<WrittenInput>>,
    /// How the requests to the model are recorded, in place of `model` of the agent.
    model: Option<Checked<WrittenModel>>,
    /// The mock tools, in place of `mocks` of the cases.
    mocks: Option<Unparsed<WrittenMocks>>,
    /// The number of runs, in place of `repeat` of the cases.
    repeat: Option<NonZeroU32>,
}

/// The values of a variable: a list, or a mapping of their names in the names of variants.
pub(super) type WrittenValues = MappingOr<OrderedMap<String, Placed<Label>>, Vec<Placed<Label>>>;

/// Values of variables, of which each combination is a variant.
pub(super) type WrittenMatrix = OrderedMap<String, Placed<WrittenValues>>;

/// Reads `variants` in the mapping `root`. The paths of mock tools are relative to the folder of `scope`.
pub(super) fn parse_variants(root: Node<'_>, scope: &Scope<'_>) -> Result<Vec<Variant>, LoadErrors> {
    let Some(node) = root.get("variants") else { return Ok(Vec::new()) };
    require_feature(&node.place(), "variants", "live", cfg!(feature = "live"))?;
    let written: OrderedMap<String, WrittenVariant> = node.decode_all()?;
    let mut errors = LoadErrors::new();
    let mut variants = Vec::new();
    for (name, written) in written.0 {
        let place = node.key_place(&name);
        if let Err(error) = check_name(&name, &place) {
            errors.push(error);
        }
        let mut env = BTreeMap::new();
        for (variable, value) in written.env.0 {
            errors.take(check_variable(&variable, &value).map_err(LoadErrors::from));
            env.insert(variable, value.into_value().0);
        }
        let mocks = written.mocks.as_ref().map(Unparsed::node);
        let mocks = mocks.and_then(|node| errors.take(parse_mocks(node, scope, true)));
        variants.push(Variant {
            place: Some(place),
            mocks: mocks.map(Arc::new),
            agent: written.agent.map(|agent| {
                let place = Some(agent.place().clone());
                VariantAgent { name: agent.into_value(), place }
            }),
            env,
            inputs: written.inputs.0.into_iter().map(|input| input.0).collect(),
            model: written.model.and_then(|model| model.0),
            repeat: written.repeat.map(NonZeroU32::get),
            ..Variant::new(name)
        });
    }
    errors.or(variants)
}

/// One value of a variable of a matrix.
struct MatrixValue {
    /// Its part of the names of variants.
    name: String,
    value: String,
}

/// Reads `matrix` in the mapping `root`: a variant for each combination of values.
pub(super) fn parse_matrix(root: Node<'_>) -> Result<Vec<Variant>, LoadErrors> {
    let Some(node) = root.get("matrix") else { return Ok(Vec::new()) };
    require_feature(&node.place(), "matrix", "live", cfg!(feature = "live"))?;
    let written: WrittenMatrix = node.decode_all()?;
    if written.0.is_empty() {
        return Err(node.error("`matrix` has no variable: each has a list of values").into());
    }
    let place = root.key_place("matrix");
    let mut errors = LoadErrors::new();
    // Begins with the variant that sets nothing, and multiplies by the values of one variable after the other.
    let mut variants = vec![Variant { place: Some(place.clone()), ..Variant::new("") }];
    for (variable, values) in written.0 {
        let values = errors.take(read_values(&variable, values)).unwrap_or_default();
        if variants.len().saturating_mul(values.len()) > MAX_COMBINATIONS {
            let problem = format!("`matrix` has more than {MAX_COMBINATIONS} combinations");
            return Err(LoadError::new(place, problem).into());
        }
        let combined = variants.iter().flat_map(|variant| {
            let variable = &variable;
            values.iter().map(move |MatrixValue { name, value }| {
                let mut variant = variant.clone();
                if !variant.env.is_empty() {
                    variant.name.push('+');
                }
                variant.name.push_str(name);
                variant.env.insert(variable.clone(), value.clone());
                variant
            })
        });
        variants = combined.collect();
    }
    for variant in &variants {
        errors.take(check_name(&variant.name, &place).map_err(LoadErrors::from));
    }
    errors.unite();
    errors.or(variants)
}

fn read_values(variable: &str, values: Placed<WrittenValues>) -> Result<Vec<MatrixValue>, LoadErrors> {
    let at = values.place().clone();
    let mut errors = LoadErrors::new();
    let mut read = Vec::new();
    match values.into_value() {
        MappingOr::Mapping(named) => {
            for (name, value) in named.0 {
                if let Some(problem) = find_problem_with_name(&name) {
                    errors.push(value.error(problem));
                }
                errors.take(check_variable(variable, &value).map_err(LoadErrors::from));
                read.push(MatrixValue { name, value: value.into_value().0 });
            }
        }
        MappingOr::Short(listed) => {
            for value in listed {
                errors.take(check_variable(variable, &value).map_err(LoadErrors::from));
                let name = value.0.replace(|c: char| !is_name_char(c), "_");
                if name.is_empty() {
                    let error = value.error("an empty value names no variant");
                    errors.push(error.help(format!("name the value: `{variable}: {{none: \"\"}}`")));
                }
                read.push(MatrixValue { name, value: value.into_value().0 });
            }
        }
    }
    if read.is_empty() && errors.is_empty() {
        errors.push(LoadError::new(at, format!("`{variable}` has no values")));
    }
    errors.or(read)
}

/// Checks that no two variants, and no variant and no agent, have the same name. Recordings are files, and on macOS and
/// Windows `Foo.json` and `foo.json` are one file.
pub(super) fn refuse_same_names(variants: &[Variant], agents: &[NamedAgent]) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut known: HashMap<String, &Variant> = HashMap::new();
    let agents: HashMap<String, &NamedAgent> =
        agents.iter().map(|agent| (agent.name.to_lowercase(), agent)).collect();
    for variant in variants {
        let Some(place) = &variant.place else { continue };
        let name = &variant.name;
        if let Some(first) = known.insert(name.to_lowercase(), variant) {
            let problem = if first.name == *name {
                format!("two variants are called `{name}`")
            } else {
                format!("the variants `{}` and `{name}` differ in upper and lower case only", first.name)
            };
            let help = "give each its own name; a value of a matrix gets one in a mapping: `{name: value}`";
            errors.push(LoadError::new(place.clone(), problem).help(help));
        }
        if let Some(agent) = agents.get(&name.to_lowercase()) {
            let problem = format!("an agent is called `{}`, too", agent.name);
            let help = "each agent is a variant of its name already: rename one of them";
            errors.push(LoadError::new(place.clone(), problem).help(help));
        }
    }
    errors.unite();
    errors.or(())
}

fn check_name(name: &str, place: &Place) -> Result<(), LoadError> {
    match find_problem_with_name(name) {
        None => Ok(()),
        Some(problem) => Err(LoadError::new(place.clone(), problem)),
    }
}

/// Returns why no variant can have this name.
pub fn find_problem_with_name(name: &str) -> Option<String> {
    if name.is_empty() {
        Some("a variant needs a name".to_owned())
    } else if !name.chars().all(is_name_char) {
        Some(format!("`{name}` cannot name a variant: a name has letters from A to Z, digits and `._+-`"))
    } else if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(name)) {
        Some(format!("`{name}` cannot name a variant: the name is reserved"))
    } else {
        None
    }
}

/// Whether a character is a part of the name of a trial, of a file, and of an entry in a list with commas.
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-')
}

/// Checks a variable that is set for an agent. Its value stays in the repository, so it must be no secret.
fn check_variable(variable: &str, value: &Placed<Label>) -> Result<(), LoadError> {
    if variable.is_empty() || variable.contains(['=', '\0']) {
        return Err(value.error(format!("`{variable}` is no name of a variable")));
    }
    if value.0.contains('\0') {
        return Err(value.error("no variable can hold a null character"));
    }
    let mut is_secret = false;
    visit_secret_values(&json!({variable: value.0.as_str()}), &mut |_| is_secret = true);
    if is_secret {
        let error = value.error(format!("the value of `{variable}` looks like a secret"));
        return Err(error.help(format!(
            "set it in the environment, and list its name in the `env` of the agent: `env: [{variable}]`"
        )));
    }
    Ok(())
}
