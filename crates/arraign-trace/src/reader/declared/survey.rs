//! Tries out a declaration: reads a file and counts the values that each path selects.

use super::declaration::{CallRule, DeclarationFields, ResultRule};
use super::document::DeclaredDocument;
use super::read::read_document;
use super::selections::Selections;
use super::selector::PathSelector;
use crate::reader::error::DecodeError;
use crate::trace::Trace;

/// The values that the paths of a declaration select in a file.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DeclarationSurvey {
    /// The paths, in the order of the declaration's keys.
    pub paths: Vec<SurveyedPath>,
}

/// The values that one path of a declaration selects in a file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SurveyedPath {
    /// The keys that lead to the path, such as `call.args`.
    pub key: String,
    /// The path as it is written; alternatives are separated by `|`.
    pub path: String,
    /// The number of values that the path selects.
    pub values: usize,
    /// The first of them, as JSON.
    pub example: Option<String>,
}

/// Reads the runs of a document, and counts what each path selects.
pub(super) fn survey_document(
    fields: &DeclarationFields,
    document: DeclaredDocument<'_>,
) -> (Result<Vec<Trace>, DecodeError>, DeclarationSurvey) {
    let mut selections = Selections::counting();
    let read = read_document(fields, document, &mut selections);
    let surveyed = list_selectors(fields).into_iter().map(|(key, selector)| {
        let count = selections.count_of(selector).unwrap_or_default();
        let path = selector.texts().collect::<Vec<_>>().join(" | ");
        SurveyedPath { key, path, values: count.values, example: count.example }
    });
    (read, DeclarationSurvey { paths: surveyed.collect() })
}

/// The selectors of a declaration, each with the keys that lead to it.
fn list_selectors(fields: &DeclarationFields) -> Vec<(String, &PathSelector)> {
    let inside = fields.inside.as_ref().map(|inside| &inside.path);
    let mut listed = Vec::new();
    add_selectors(
        &mut listed,
        "",
        &[
            ("runs", fields.runs.as_ref()),
            ("steps", fields.steps.as_ref()),
            ("order", fields.order.as_ref()),
            ("step_id", fields.step_id.as_ref()),
            ("inside.path", inside),
            ("system", fields.system.as_ref()),
            ("user", fields.user.as_ref()),
            ("say", fields.say.as_ref()),
        ],
    );
    fields.call.iter().for_each(|rule| add_call_selectors(&mut listed, rule));
    if let Some(asked) = &fields.asked {
        let paths = [("each", Some(&asked.each)), ("name", Some(&asked.name)), ("args", asked.args.as_ref())];
        add_selectors(&mut listed, "asked.", &paths);
    }
    fields.result.iter().for_each(|rule| add_result_selectors(&mut listed, "result", rule));
    let tokens = fields.tokens.as_ref();
    let duration = fields.duration.as_ref();
    add_selectors(
        &mut listed,
        "",
        &[
            ("turn", fields.turn.as_ref()),
            ("new_turn", fields.new_turn.as_ref()),
            ("skip", fields.skip.as_ref()),
            ("stop", fields.stop.as_ref()),
            ("answer", fields.answer.as_ref()),
            ("id", fields.id.as_ref()),
            ("agent", fields.agent.as_ref()),
            ("model", fields.model.as_ref()),
            ("tokens.input", tokens.and_then(|tokens| tokens.input.as_ref())),
            ("tokens.output", tokens.and_then(|tokens| tokens.output.as_ref())),
            ("tokens.cached", tokens.and_then(|tokens| tokens.cached.as_ref())),
            ("tokens.reasoning", tokens.and_then(|tokens| tokens.reasoning.as_ref())),
            ("cost", fields.cost.as_ref()),
            ("duration.milliseconds", duration.and_then(|duration| duration.milliseconds.as_ref())),
            ("duration.seconds", duration.and_then(|duration| duration.seconds.as_ref())),
        ],
    );
    listed
}

fn add_call_selectors<'d>(listed: &mut Vec<(String, &'d PathSelector)>, rule: &'d CallRule) {
    add_selectors(
        listed,
        "call.",
        &[
            ("each", rule.each.as_ref()),
            ("name", rule.name.as_ref()),
            ("args", rule.args.as_ref()),
            ("id", rule.id.as_ref()),
        ],
    );
    if let Some(result) = &rule.result {
        add_result_selectors(listed, "call.result", result);
    }
}

fn add_result_selectors<'d>(listed: &mut Vec<(String, &'d PathSelector)>, key: &str, rule: &'d ResultRule) {
    let prefix = format!("{key}.");
    add_selectors(
        listed,
        &prefix,
        &[
            ("each", rule.each.as_ref()),
            ("of", rule.of.as_ref()),
            ("value", rule.value.as_ref()),
            ("error", rule.error.as_ref()),
            ("exit_code", rule.exit_code.as_ref()),
        ],
    );
    for condition in rule.failed.iter() {
        add_selectors(listed, &prefix, &[("failed", Some(&condition.path))]);
    }
}

fn add_selectors<'d>(
    listed: &mut Vec<(String, &'d PathSelector)>,
    prefix: &str,
    selectors: &[(&str, Option<&'d PathSelector>)],
) {
    let present = selectors.iter().filter_map(|(key, selector)| Some((*key, (*selector)?)));
    listed.extend(present.map(|(key, selector)| (format!("{prefix}{key}"), selector)));
}
