//! promptfoo: `promptfooconfig.yaml` with prompts, tests and assertions, or a list of tests alone.
//!
//! Each prompt with each test is a case. Assertions on the answer and on the trajectory are checks here; those that
//! run code, or measure likeness, are not carried.

mod assertion;
mod elsewhere;
mod rows;
mod template;
mod test;
mod trajectory;

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::{Document, Node};

use self::test::{Defaults, Test};
use super::beside::Beside;
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
    let prompts = prompts(config.take(&["prompts"]), &draft.beside, &mut draft.lost);
    let default_test = config.take(&["defaultTest"]);
    let elsewhere = default_test.and_then(|node| {
        let read = elsewhere::document(node, &draft.beside);
        read.unwrap_or_else(|why| {
            draft.lost.key(node, "defaultTest", why);
            None
        })
    });
    let default_test =
        elsewhere.as_ref().map(Document::root).or(default_test.filter(|node| node.as_str().is_none()));
    let defaults = Defaults::read(default_test, &draft.beside, &mut draft.lost);
    if let Some(node) = config.take(&["tests"]) {
        tests(node, &defaults, &prompts, draft);
    }
    for node in list(config.take(&["scenarios"])) {
        scenario(node, &defaults, &prompts, draft);
    }
    config.lose_rest(OF_A_CONFIG, &mut draft.lost);
}

/// The texts of the prompts; `None` where none is known.
fn prompts(node: Option<Node<'_>>, beside: &Beside, lost: &mut Lost) -> Vec<Option<String>> {
    let known: Vec<String> = list(node).into_iter().flat_map(|node| prompt(node, beside, lost)).collect();
    if known.is_empty() { vec![None] } else { known.into_iter().map(Some).collect() }
}

fn prompt(node: Node<'_>, beside: &Beside, lost: &mut Lost) -> Vec<String> {
    let said = ["raw", "id"].iter().find_map(|key| node.get(key).and_then(text)).or_else(|| text(node));
    let read = match said {
        Some(text) if elsewhere::file_name(&text).is_some() || looks_like_a_file(&text) => {
            elsewhere::prompts(&text, beside).map_err(|why| format!("`{text}`: {why}"))
        }
        Some(text) if node.entries().is_none() || node.get("raw").is_some() => Ok(vec![text]),
        _ => Err("it has no text: give the cases their `input` by hand".to_owned()),
    };
    read.unwrap_or_else(|why| {
        lost.key(node, "prompts", why);
        Vec::new()
    })
}

fn looks_like_a_file(text: &str) -> bool {
    let endings = [".txt", ".json", ".yaml", ".yml", ".md", ".j2", ".js", ".mjs", ".ts", ".py", ".csv"];
    let is_word = !text.contains([' ', '\n', '{']);
    is_word && endings.iter().any(|ending| text.ends_with(ending))
}

/// A list of tests, each with each prompt. Those of other files are read, too.
fn tests(node: Node<'_>, defaults: &Defaults<'_>, prompts: &[Option<String>], draft: &mut Draft) {
    for node in list(Some(node)) {
        if let Some(config) = node.get("path").and_then(|_| node.get("config")) {
            draft.lost.key(config, "config", "it is for code that makes tests, which is not run here");
        }
        match file_of(node).map(|name| elsewhere::tests(name, &draft.beside)) {
            None => test(node, defaults, prompts, draft),
            Some(Err(why)) => {
                let name = file_of(node).unwrap_or_default();
                draft.lost.key(node, "tests", format!("`{name}`: {why}"));
            }
            Some(Ok(documents)) => {
                for node in documents.iter().flat_map(|document| list(Some(document.root()))) {
                    test(node, defaults, prompts, draft);
                }
            }
        }
    }
}

/// The name of the file that stands in place of tests.
fn file_of(node: Node<'_>) -> Option<&str> {
    node.as_str().or_else(|| node.get("path").and_then(Node::as_str))
}

fn test(node: Node<'_>, defaults: &Defaults<'_>, prompts: &[Option<String>], draft: &mut Draft) {
    if file_of(node).is_some() {
        let why = "it names a file of tests within a file of tests: name that one beside the others";
        return draft.lost.key(node, "tests", why);
    }
    if let Some(test) = Test::read(node, defaults, &draft.beside, &mut draft.lost) {
        test.write(prompts, draft);
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
        let defaults = defaults.and(config, &draft.beside, &mut draft.lost);
        tests(all, &defaults, prompts, draft);
    }
}
