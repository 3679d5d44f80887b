//! promptfoo: `promptfooconfig.yaml` with prompts, tests and assertions, or a list of tests alone.
//!
//! Each prompt with each test is a case. Assertions on the answer and on the trajectory become checks. Assertions that
//! run code or measure similarity are unsupported.

mod ambiguous;
mod assertion;
mod checks;
mod files;
mod judged;
mod list;
mod literal;
mod output;
mod rows;
mod schema;
mod script;
mod template;
mod test;
mod trajectory;

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::{Document, Node};

use self::test::{PromptTest, TestDefaults};
use super::draft::{ImportInput, ImportedFiles, SuiteDraft};
use super::keys::{Keys, list_entries, read_scalar};
use super::source_dir::SourceDir;
use super::unsupported::UnsupportedList;

const RUNNING: &str = "a case does not say how to ask the model: it uses a recorded trace";

const OF_A_CONFIG: &[(&[&str], &str)] = &[
    (
        &["providers", "targets", "env", "evaluateOptions", "commandLineOptions", "extensions", "tracing"],
        RUNNING,
    ),
    (&["outputPath", "sharing", "writeLatestResults"], "use `ARRAIGN_REPORT` to select reports"),
    (&["derivedMetrics", "nunjucksFilters"], "arraign computes nothing from the results of checks"),
    (&["redteam"], "arraign does not generate attacks: write them as cases"),
    (&["tags", "metadata"], "they apply to the whole file: use `tags` of a case"),
];

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "promptfoo");
    for document in input.parse_documents()? {
        let root = document.root();
        // A list of tests alone has no prompts: its cases have no input.
        if root.list().is_some() {
            import_tests(root, &TestDefaults::empty(), &[None], &mut draft);
            continue;
        }
        let Some(config) = Keys::new(root).filter(|_| is_config(root)) else {
            return Err(root.error("expected a promptfoo file with `tests` or `prompts`").into());
        };
        import_config(config, &mut draft);
    }
    Ok(draft.finish())
}

fn is_config(root: Node<'_>) -> bool {
    ["tests", "prompts", "scenarios"].iter().any(|key| root.get(key).is_some())
}

fn import_config(mut config: Keys<'_>, draft: &mut SuiteDraft) {
    config.skip(&["$schema", "assertionTemplates"]);
    if let Some(description) = config.take_text(&["description"]) {
        draft.set_suite_key("description", description);
    }
    let prompts = collect_prompts(config.take(&["prompts"]), &draft.source_dir, &mut draft.unsupported);
    let default_test = config.take(&["defaultTest"]);
    let elsewhere = default_test.and_then(|node| {
        let read = files::read_document(node, &draft.source_dir);
        read.unwrap_or_else(|why| {
            draft.unsupported.add_key(node, "defaultTest", why);
            None
        })
    });
    // A text is no test: it names a file, which was read above.
    let default_test =
        elsewhere.as_ref().map(Document::root).or(default_test.filter(|node| node.as_str().is_none()));
    let defaults = TestDefaults::read(default_test, config.node(), &draft.source_dir, &mut draft.unsupported);
    if let Some(node) = config.take(&["tests"]) {
        import_tests(node, &defaults, &prompts, draft);
    }
    for node in list_entries(config.take(&["scenarios"])) {
        import_scenario(node, &defaults, &prompts, draft);
    }
    config.reject_rest(OF_A_CONFIG, &mut draft.unsupported);
}

/// Collects the texts of the prompts. `None` means that no prompt is known.
fn collect_prompts(
    node: Option<Node<'_>>,
    source_dir: &SourceDir,
    unsupported: &mut UnsupportedList,
) -> Vec<Option<String>> {
    let known: Vec<String> =
        list_entries(node).into_iter().flat_map(|node| read_prompts(node, source_dir, unsupported)).collect();
    if known.is_empty() { vec![None] } else { known.into_iter().map(Some).collect() }
}

fn read_prompts(node: Node<'_>, source_dir: &SourceDir, unsupported: &mut UnsupportedList) -> Vec<String> {
    // A prompt may be a mapping, whose text is in `raw`; where that is missing, its `id` may be a path.
    let said = ["raw", "id"]
        .iter()
        .find_map(|key| node.get(key).and_then(read_scalar))
        .or_else(|| read_scalar(node));
    let read = match said {
        Some(text) if files::strip_file_scheme(&text).is_some() || looks_like_a_file(&text) => {
            files::read_prompts(&text, source_dir).map_err(|why| format!("`{text}`: {why}"))
        }
        Some(text) if node.entries().is_none() || node.get("raw").is_some() => Ok(vec![text]),
        _ => Err("the prompt has no text: add the `input` of the cases by hand".to_owned()),
    };
    read.unwrap_or_else(|why| {
        unsupported.add_key(node, "prompts", why);
        Vec::new()
    })
}

fn looks_like_a_file(text: &str) -> bool {
    let endings = [".txt", ".json", ".yaml", ".yml", ".md", ".j2", ".js", ".mjs", ".ts", ".py", ".csv"];
    let is_word = !text.contains([' ', '\n', '{']);
    is_word && endings.iter().any(|ending| text.ends_with(ending))
}

/// Imports each test with each prompt, including tests in other files.
fn import_tests(
    node: Node<'_>,
    defaults: &TestDefaults<'_>,
    prompts: &[Option<String>],
    draft: &mut SuiteDraft,
) {
    for node in list_entries(Some(node)) {
        // Beside a `path`, `config` is the input of a generator; elsewhere it is a key of the test.
        if let Some(config) = node.get("path").and_then(|_| node.get("config")) {
            draft.unsupported.add_key(
                config,
                "config",
                "it configures code that generates tests, which arraign does not run",
            );
        }
        match find_tests_file(node).map(|name| files::read_tests(name, &draft.source_dir)) {
            None => import_test(node, defaults, prompts, draft),
            Some(Err(why)) => {
                let name = find_tests_file(node).unwrap_or_default();
                draft.unsupported.add_key(node, "tests", format!("`{name}`: {why}"));
            }
            Some(Ok(documents)) => {
                for node in documents.iter().flat_map(|document| list_entries(Some(document.root()))) {
                    import_test(node, defaults, prompts, draft);
                }
            }
        }
    }
}

/// Returns the name of a file that contains the tests.
fn find_tests_file(node: Node<'_>) -> Option<&str> {
    node.as_str().or_else(|| node.get("path").and_then(Node::as_str))
}

fn import_test(
    node: Node<'_>,
    defaults: &TestDefaults<'_>,
    prompts: &[Option<String>],
    draft: &mut SuiteDraft,
) {
    // Files are followed once, so that two that name each other cannot run in circles.
    if find_tests_file(node).is_some() {
        let why = "a file of tests cannot name another: name both in the configuration";
        return draft.unsupported.add_key(node, "tests", why);
    }
    if let Some(test) = PromptTest::read(node, defaults, &draft.source_dir, &mut draft.unsupported) {
        test.write_cases(prompts, draft);
    }
}

/// Imports each test of a scenario with each `config`.
fn import_scenario(
    node: Node<'_>,
    defaults: &TestDefaults<'_>,
    prompts: &[Option<String>],
    draft: &mut SuiteDraft,
) {
    let (Some(configs), Some(all)) = (node.get("config"), node.get("tests")) else {
        return draft.unsupported.add_key(
            node,
            "scenarios",
            "expected a scenario with `config` and `tests`: import other files as well",
        );
    };
    for config in list_entries(Some(configs)) {
        // A `config` has the keys of a test, and yields to the test like the defaults of the file.
        let defaults = defaults.merge(config, &draft.source_dir, &mut draft.unsupported);
        import_tests(all, &defaults, prompts, draft);
    }
}
