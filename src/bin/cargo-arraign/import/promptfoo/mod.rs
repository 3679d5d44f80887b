//! promptfoo: `promptfooconfig.yaml` with prompts, tests and assertions, or a list of tests alone.
//!
//! Each prompt with each test is a case. Assertions on the answer and on the trajectory are checks here; those that
//! run code, or measure likeness, are not carried.

mod assertion;
mod template;
mod test;
mod trajectory;

use arraign::place::LoadErrors;
use arraign::yaml::{Node, Value};

use self::test::{Defaults, Test};
use super::draft::{Draft, Given, Imported};
use super::lost::{Keys, Lost, list, text};

const RUNNING: &str = "how a model is asked is no part of a case: its run is in the trace";

const OF_A_CONFIG: &[(&[&str], &str)] = &[
    (
        &["providers", "targets", "env", "evaluateOptions", "commandLineOptions", "extensions", "tracing"],
        RUNNING,
    ),
    (&["outputPath", "sharing", "writeLatestResults"], "reports are asked for with `ARRAIGN_REPORT`"),
    (&["derivedMetrics", "nunjucksFilters"], "nothing is computed from the results of checks"),
    (&["redteam"], "attacks are not made up here: write them as cases"),
    (&["tags", "metadata"], "they are about the whole file: a case has `tags`"),
];

pub(super) fn import(given: &Given) -> Result<Imported, LoadErrors> {
    let mut draft = Draft::new(given, "promptfoo");
    for document in given.documents()? {
        let root = document.root();
        if root.list().is_some() {
            tests(root, &Defaults::none(), &[None], &mut draft);
            continue;
        }
        let Some(config) = Keys::of(root).filter(|_| is_config(root)) else {
            return Err(root.error("a promptfoo file has `tests`, or `prompts`").into());
        };
        config_file(config, &mut draft);
    }
    Ok(draft.finish())
}

fn is_config(root: Node<'_>) -> bool {
    ["tests", "prompts", "scenarios"].iter().any(|key| root.get(key).is_some())
}

fn config_file(mut config: Keys<'_>, draft: &mut Draft) {
    config.skip(&["$schema"]);
    if let Some(description) = config.text(&["description"]) {
        draft.head("description", description);
    }
    let prompts = prompts(config.take(&["prompts"]), &mut draft.lost);
    let defaults = Defaults::read(config.take(&["defaultTest"]), &mut draft.lost);
    if let Some(node) = config.take(&["tests"]) {
        tests(node, &defaults, &prompts, draft);
    }
    for node in list(config.take(&["scenarios"])) {
        scenario(node, &defaults, &prompts, draft);
    }
    config.lose_rest(OF_A_CONFIG, &mut draft.lost);
}

/// The texts of the prompts; `None` where a text stands in another file.
fn prompts(node: Option<Node<'_>>, lost: &mut Lost) -> Vec<Option<String>> {
    let known: Vec<String> = list(node).into_iter().filter_map(|node| prompt(node, lost)).collect();
    if known.is_empty() { vec![None] } else { known.into_iter().map(Some).collect() }
}

fn prompt(node: Node<'_>, lost: &mut Lost) -> Option<String> {
    let raw = if node.entries().is_some() { node.get("raw").and_then(text) } else { text(node) };
    let is_file = |text: &String| text.starts_with("file://") || looks_like_a_file(text);
    if raw.as_ref().is_none_or(is_file) {
        lost.key(node, "prompts", "its text stands in another file: give the cases their `input` by hand");
        return None;
    }
    raw
}

fn looks_like_a_file(text: &str) -> bool {
    let endings = [".txt", ".json", ".yaml", ".yml", ".md", ".j2", ".js", ".mjs", ".ts", ".py", ".csv"];
    let is_word = !text.contains([' ', '\n', '{']);
    is_word && endings.iter().any(|ending| text.ends_with(ending))
}

/// A list of tests, each with each prompt.
fn tests(node: Node<'_>, defaults: &Defaults<'_>, prompts: &[Option<String>], draft: &mut Draft) {
    for node in list(Some(node)) {
        if matches!(node.value(), Value::String(_)) || node.get("path").is_some() {
            draft.lost.key(node, "tests", "these tests stand in another file: import that one as well");
            continue;
        }
        if let Some(test) = Test::read(node, defaults, &mut draft.lost) {
            test.write(prompts, draft);
        }
    }
}

/// Each `config` of a scenario is filled into each of its tests.
fn scenario(node: Node<'_>, defaults: &Defaults<'_>, prompts: &[Option<String>], draft: &mut Draft) {
    let (Some(configs), Some(all)) = (node.get("config"), node.get("tests")) else {
        return draft.lost.key(
            node,
            "scenarios",
            "a scenario has `config` and `tests`: import other files as well",
        );
    };
    for config in list(Some(configs)) {
        let defaults = defaults.and(config, &mut draft.lost);
        tests(all, &defaults, prompts, draft);
    }
}
