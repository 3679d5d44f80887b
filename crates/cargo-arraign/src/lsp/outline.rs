//! The cases of a file with their places, also while the text has mistakes.

use arraign::__internals::place::Source;
use arraign::__internals::suite::build_case_name;
use arraign::__internals::yaml::{Document, Node};

use super::document::OpenDocument;

/// The keys that make a mapping without an id a case.
const CASE_KEYS: [&str; 5] = ["metric", "expect", "eval", "expected", "verification"];

/// A case in the text of an open file.
#[derive(Debug, Clone)]
pub(super) struct OutlinedCase {
    /// The id; `None` for a file that is one case.
    pub(super) id: Option<String>,
    /// The name of the case's trial.
    pub(super) name: String,
    /// The bytes of the id, or of the case's first key.
    pub(super) head: (usize, usize),
    /// The bytes of the case.
    pub(super) extent: (usize, usize),
    /// Whether the case names an agent.
    pub(super) has_agent: bool,
    /// Whether the case is pinned by a snapshot.
    pub(super) has_snapshot: bool,
}

/// Lists the cases of the text. Without mistakes in its YAML, cases with other mistakes are listed too.
pub(super) fn outline_cases(document: &OpenDocument) -> Vec<OutlinedCase> {
    let source = Source::new("", document.text.as_str());
    let Ok(documents) = Document::parse(&source) else { return Vec::new() };
    let file = document.project.trial_prefix(&document.path);
    documents.iter().flat_map(|one| list_cases(one.root(), &file)).collect()
}

fn list_cases(root: Node<'_>, file: &str) -> Vec<OutlinedCase> {
    if let Some(cases) = root.list() {
        return cases.filter_map(|case| outline_case(case, file, false)).collect();
    }
    match root.get("tests").or_else(|| root.get("test_cases")) {
        Some(tests) => {
            // The agent of a suite is the agent of its cases.
            let has_agent = [root.get("defaults"), Some(root)].into_iter().flatten().any(names_agent);
            tests
                .list()
                .into_iter()
                .flatten()
                .filter_map(|case| outline_case(case, file, has_agent))
                .collect()
        }
        None => outline_case(root, file, false).into_iter().collect(),
    }
}

fn names_agent(node: Node<'_>) -> bool {
    node.get("agent").is_some()
}

fn outline_case(case: Node<'_>, file: &str, has_agent: bool) -> Option<OutlinedCase> {
    let id = case.get("id");
    let text = id.and_then(|id| id.as_str().map(str::to_owned).or_else(|| id.decode().ok()));
    // A mapping without an id is a case only if it has a key that only cases have.
    let is_case = text.is_some() || CASE_KEYS.iter().any(|key| case.get(key).is_some());
    let first = case.entries()?.next()?.0.span;
    let head = id.map_or(first, |id| id.tree().span);
    let extent = case.tree().span;
    is_case.then(|| OutlinedCase {
        name: build_case_name(file, text.as_deref()),
        id: text,
        head: (head.start as usize, head.end as usize),
        extent: (extent.start as usize, extent.end as usize),
        has_agent: has_agent || names_agent(case),
        has_snapshot: case.get("snapshot").is_some(),
    })
}
