//! The declaration of a reader as a user writes it: the paths by which the parts of a run are found.

use serde::Deserialize;

use super::condition::PathCondition;
use super::rules::Rules;
use super::selector::{NodePath, PathSelector};
use crate::JsonSchema;
use crate::json::Json;
use crate::reader::READERS;
use crate::suggest::did_you_mean;

/// The declaration of a reader: where the files of a format keep the parts of a run.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(try_from = "DeclarationFields")]
pub struct ReaderDeclaration(pub(super) DeclarationFields);

/// The keys of a declaration.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "declared_reader")]
#[serde(deny_unknown_fields)]
pub(super) struct DeclarationFields {
    /// The conditions by which files of the format are recognized. All must hold. Without them, the reader reads only
    /// the files that name it as their `format`.
    #[serde(default)]
    pub(super) when: Rules<PathCondition>,
    /// A glob of the files below a folder that are one run together, in the order of their names.
    pub(super) folder: Option<String>,
    /// The runs of a file. Default: the file is one run.
    pub(super) runs: Option<PathSelector>,
    /// The steps of a run, in their order. A step that is a list is its elements.
    pub(super) steps: Option<PathSelector>,
    /// The time of a step: a number, or a time such as `2026-12-20T10:00:00Z`. The steps are read in the order of their
    /// times. Default: the order of the file.
    pub(super) order: Option<PathSelector>,
    /// The id of a step. A step that repeats an earlier one is left out.
    pub(super) step_id: Option<PathSelector>,
    /// Texts that are JSON, such as figures that a format keeps in a text. The paths begin at a run or at a step, and the
    /// texts are read as JSON before the other paths select.
    #[serde(default)]
    pub(super) json: Rules<PathSelector>,
    /// The runs, in a format that has a reader.
    pub(super) inside: Option<InsideRule>,
    /// The system prompt of a step.
    pub(super) system: Option<PathSelector>,
    /// What the user says in a step.
    pub(super) user: Option<PathSelector>,
    /// What the model says in a step.
    pub(super) say: Option<PathSelector>,
    /// The calls of a step.
    #[serde(default)]
    pub(super) call: Rules<CallRule>,
    /// The calls that the model asks for in a step, where the calls themselves are steps of their own, such as the spans of
    /// tools. They tell the order of parallel calls, and one that is no call of the run is not read.
    pub(super) asked: Option<AskedRule>,
    /// The results of a step.
    #[serde(default)]
    pub(super) result: Rules<ResultRule>,
    /// A value that the steps of one turn of the model share. Calls of one turn are parallel. Default: each step is a
    /// turn.
    pub(super) turn: Option<PathSelector>,
    /// A step in which this selects something begins a turn of the model, and the others go on with it. Default: each
    /// step is a turn.
    pub(super) new_turn: Option<PathSelector>,
    /// Values that are no part of the run, such as the history of earlier runs.
    pub(super) skip: Option<PathSelector>,
    /// Why the model stopped, in each step or in the run. A step without calls that stopped to call a tool is unread.
    pub(super) stop: Option<PathSelector>,
    /// The final answer; a run where this selects nothing has none. Default: what the model says after the last call.
    pub(super) answer: Option<PathSelector>,
    /// The id of the run.
    pub(super) id: Option<PathSelector>,
    /// The name of the agent.
    pub(super) agent: Option<PathSelector>,
    /// The name of the model.
    pub(super) model: Option<PathSelector>,
    /// The tokens: of the run, or else of each step.
    pub(super) tokens: Option<TokenPaths>,
    /// The cost in US dollars: of the run, or else of each step.
    pub(super) cost: Option<PathSelector>,
    /// The duration: of the run, or else of each step.
    pub(super) duration: Option<DurationPath>,
    /// The kinds of records and parts that contain no call.
    #[serde(default)]
    pub(super) harmless: Vec<String>,
    /// Which results are failures, as the key `failed_when` of a case says it. The crate `arraign` reads it.
    #[expect(dead_code, reason = "the matchers of results are in `arraign`, which reads the key itself")]
    failed_when: Option<Json>,
}

/// Runs in a format that has a reader, somewhere in the file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct InsideRule {
    /// What the reader reads. Several values are one run.
    pub(super) path: PathSelector,
    /// The name of the reader.
    pub(super) r#as: BuiltInFormat,
}

/// The name of a reader that is built in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(try_from = "String")]
pub(super) struct BuiltInFormat(pub(super) String);

impl TryFrom<String> for BuiltInFormat {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let known: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
        if known.contains(&name.as_str()) {
            return Ok(Self(name));
        }
        let help = did_you_mean(&name, &known).unwrap_or_else(|| format!("one of `{}`", known.join("`, `")));
        Err(format!("no built-in reader is called `{name}`: {help}"))
    }
}

/// Where the calls of a step are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct CallRule {
    /// The calls. Default: the step itself, if it has the name. The other paths begin at a call.
    pub(super) each: Option<PathSelector>,
    /// The name of the tool.
    pub(super) name: Option<PathSelector>,
    /// The tool, if the format has only one.
    pub(super) tool: Option<String>,
    /// The arguments: an object, or a text that is JSON.
    pub(super) args: Option<PathSelector>,
    /// The argument that the value of `args` is, if the format does not name it.
    pub(super) argument: Option<String>,
    /// The id of the call.
    pub(super) id: Option<PathSelector>,
    /// The result, if it is inside the call.
    pub(super) result: Option<ResultRule>,
    /// `true`: a call, or a list of calls, that is a text is read as JSON.
    #[serde(default)]
    pub(super) json: bool,
}

/// Where the calls are that the model asks for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedRule {
    /// The calls. The other paths begin at a call.
    pub(super) each: PathSelector,
    /// The name of the tool.
    pub(super) name: PathSelector,
    /// The arguments: an object, or a text that is JSON.
    pub(super) args: Option<PathSelector>,
}

/// Where the results of a step are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultRule {
    /// The results. Default: the step itself, or the call. The other paths begin at a result.
    pub(super) each: Option<PathSelector>,
    /// The id of the call. Without it, results answer calls in their order.
    pub(super) of: Option<PathSelector>,
    /// What the tool returned.
    pub(super) value: Option<PathSelector>,
    /// The message of the error. A result that has one is a failure.
    pub(super) error: Option<PathSelector>,
    /// Whether the tool failed.
    #[serde(default)]
    pub(super) failed: Rules<PathCondition>,
    /// The exit code of a command.
    pub(super) exit_code: Option<PathSelector>,
    /// `true`: a value that is a text is read as JSON.
    #[serde(default)]
    pub(super) json: bool,
}

/// Where the tokens of a model call, or of the run, are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenPaths {
    /// Input tokens, those from a cache included.
    pub(super) input: Option<PathSelector>,
    /// Output tokens, reasoning included.
    pub(super) output: Option<PathSelector>,
    /// Input tokens that were read from a cache.
    pub(super) cached: Option<PathSelector>,
    /// Output tokens that are reasoning.
    pub(super) reasoning: Option<PathSelector>,
}

/// Where a duration is, by its unit.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct DurationPath {
    /// The duration in milliseconds.
    pub(super) milliseconds: Option<PathSelector>,
    /// The duration in seconds.
    pub(super) seconds: Option<PathSelector>,
}

impl TryFrom<DeclarationFields> for ReaderDeclaration {
    type Error = String;

    /// Checks what the keys must fulfil together.
    fn try_from(mut fields: DeclarationFields) -> Result<Self, String> {
        match (&fields.steps, &fields.inside) {
            (None, None) => return Err("`steps` or `inside` is missing".to_owned()),
            (Some(_), Some(_)) => return Err("give one of `steps` and `inside`".to_owned()),
            _ => {}
        }
        if fields.inside.is_some() && fields.has_parts_of_steps() {
            return Err("`inside` reads texts, calls and results: they have no paths beside it".to_owned());
        }
        fields.json.iter_mut().for_each(|text| text.json = true);
        // A tool is named by the file or by the declaration.
        for call in fields.call.iter_mut() {
            if call.name.is_some() == call.tool.is_some() {
                return Err("`call` needs one of `name` and `tool`".to_owned());
            }
            if let (true, Some(each)) = (call.json, &mut call.each) {
                each.json = true;
            }
        }
        Ok(Self(fields))
    }
}

impl DeclarationFields {
    /// The paths that begin at a run, without the one that selects its steps.
    pub(super) fn selectors_of_runs(&self) -> impl Iterator<Item = &PathSelector> {
        let inside = self.inside.as_ref().map(|inside| &inside.path);
        self.json.iter().chain([self.steps.as_ref(), inside, self.answer.as_ref()].into_iter().flatten())
    }

    /// The paths that begin at a step and select texts, calls and results.
    pub(super) fn selectors_of_steps(&self) -> impl Iterator<Item = &PathSelector> {
        let texts = [&self.system, &self.user, &self.say].into_iter().flatten();
        let calls = self.call.iter().filter_map(|rule| rule.each.as_ref());
        let calls = calls.chain(self.asked.iter().map(|rule| &rule.each));
        self.json
            .iter()
            .chain(texts)
            .chain(calls)
            .chain(self.result.iter().filter_map(|rule| rule.each.as_ref()))
    }

    /// The lists out of which the paths of a step select.
    pub(super) fn lists_of_steps(&self) -> Vec<&NodePath> {
        self.selectors_of_steps().flat_map(PathSelector::lists).collect()
    }

    fn has_parts_of_steps(&self) -> bool {
        let texts = [&self.system, &self.user, &self.say];
        texts.iter().any(|text| text.is_some())
            || !self.call.is_empty()
            || self.asked.is_some()
            || !self.result.is_empty()
    }
}
