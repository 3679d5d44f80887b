//! Files in the folder of cases that contain no cases: traces, policies, lists of tools, and the files of other eval tools. One sentence replaces the
//! many mistakes that such a file has as a file of cases.

use std::sync::Arc;

use super::{Library, keys};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::yaml::{Document, Node};

/// Keys that only the files of one tool have, with the name that `cargo arraign import --from` has for it.
struct ForeignShape {
    tool: &'static str,
    name: &'static str,
    /// Keys of the file; one of them is enough.
    of_file: &'static [&'static str],
    /// Pointers below one case; one of them is enough.
    of_case: &'static [&'static str],
}

impl ForeignShape {
    const fn new(
        tool: &'static str,
        name: &'static str,
        of_file: &'static [&'static str],
        of_case: &'static [&'static str],
    ) -> Self {
        Self { tool, name, of_file, of_case }
    }
}

const SHAPES: &[ForeignShape] = &[
    ForeignShape::new(
        "promptfoo",
        "promptfoo",
        &["prompts", "providers", "defaultTest", "derivedMetrics"],
        &["/assert", "/vars"],
    ),
    ForeignShape::new("assay", "Assay", &["configVersion", "configs"], &["/expected/type", "/assertions"]),
    ForeignShape::new(
        "evalview",
        "EvalView",
        &["adapter", "endpoint", "adapter_configs"],
        &["/adapter", "/endpoint"],
    ),
    ForeignShape::new("mcplab", "MCPLab", &["servers"], &["/servers"]),
    ForeignShape::new("adk", "Google ADK", &["eval_cases", "eval_set_id"], &["/expected_tool_use"]),
    ForeignShape::new(
        "deepeval",
        "DeepEval",
        &["goldens"],
        &["/actual_output", "/tools_called", "/retrieval_context"],
    ),
    ForeignShape::new("openai", "OpenAI Evals", &["testing_criteria"], &["/ideal"]),
    ForeignShape::new("skill", "a skill's evals", &["skill_name"], &[]),
    ForeignShape::new("vally", "Vally", &["stimuli"], &[]),
    ForeignShape::new("plugin", "`claude plugin eval`", &["graders"], &[]),
    ForeignShape::new("coder-eval", "coder_eval", &["task_id", "success_criteria"], &[]),
];

/// Keys of cases that the files of no other tool have on a case.
const OWN_BLOCKS: &[&str] = &["eval", "expect", "metric"];

/// Keys of a policy, which is a file that cases name.
const OF_POLICY: &[&str] = &["tools", "schemas", "enforcement", "signatures", "limits"];

/// Keys of a tool's definition, beside its name.
const TOOL_KEYS: &[&str] = &["inputSchema", "input_schema", "parameters", "outputSchema"];

/// Keys of cases and suites that traces have as well.
const SHARED_WITH_TRACES: &[&str] = &[
    "id",
    "name",
    "description",
    "version",
    "input",
    "prompt",
    "agent",
    "answer",
    "metadata",
    "turns",
    "trace",
];

/// Replaces the mistakes of a file that is no file of cases by one that says what it is. Other mistakes stay, and those about
/// a key of another tool get the command that converts the file.
pub(super) fn explain_foreign(
    mut errors: LoadErrors,
    source: &Arc<Source>,
    library: Library<'_>,
) -> LoadErrors {
    let documents = Document::parse(source).unwrap_or_default();
    let root = documents.first().map(Document::root);
    // A file with a key of cases is meant as one: its own mistakes are what the user must see.
    if !root.is_some_and(has_key_of_cases)
        && let Some(problem) = recognize_file(root, source, library)
    {
        return problem.into();
    }
    for root in documents.iter().map(Document::root) {
        for (place, shape) in find_foreign_keys(root) {
            let about = errors.iter_mut().filter(|error| error.place.span().start == place.span().start);
            about.for_each(|error| error.help = Some(advise_import(source, shape)));
        }
        for case in list_cases(root) {
            advise_keys(case, &mut errors, library);
        }
    }
    errors
}

/// Says of the unknown keys of a case where they belong, if nothing better is known of them.
fn advise_keys(case: Node<'_>, errors: &mut LoadErrors, library: Library<'_>) {
    for (key, _) in case.entries().into_iter().flatten() {
        let about = errors.iter_mut().filter(|error| error.place.span().start == key.span.start);
        let unknown = about.filter(|error| error.help.is_none() && error.problem.starts_with("unknown key"));
        unknown.for_each(|error| error.help = Some(advise_key(&key.name, library)));
    }
}

fn advise_key(name: &str, library: Library<'_>) -> String {
    match library.kinds.find(name) {
        Some(_) => format!("`{name}` is a check: write it in a list, `expect: [{name}: ...]`"),
        None => "data of your own goes below `metadata`".to_owned(),
    }
}

/// Whether the file, or one of its cases, has a key that only cases and suites of arraign have.
fn has_key_of_cases(root: Node<'_>) -> bool {
    let first = root.list().and_then(|mut all| all.next()).unwrap_or(root);
    // The mistake about an unknown key gets the command that converts the file, in place of a near name.
    let mut keys = first.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    keys.any(|key| keys::common().contains(&key) && !SHARED_WITH_TRACES.contains(&key) || key == "dataset")
        || list_cases(root).iter().any(|case| OWN_BLOCKS.iter().any(|key| case.get(key).is_some()))
}

/// Returns what the file is: that of another tool, a trace, a list of tools, or a policy.
fn recognize_file(root: Option<Node<'_>>, source: &Arc<Source>, library: Library<'_>) -> Option<LoadError> {
    let place = Place::new(source, Span::default());
    if let Some(shape) = root.and_then(find_shape) {
        let problem = format!("this is a file of {}, not a file of cases", shape.name);
        return Some(LoadError::new(place, problem).help(advise_import(source, shape)));
    }
    // A suite or a list of cases with mistakes is not a trace, though a reader may find something in it.
    let is_suite = root.is_some_and(|root| keys::TESTS.iter().any(|key| root.get(key).is_some()));
    let claims = library.tables.readers.claims(source.text()).unwrap_or_default();
    if let Some((format, _)) = claims.first().filter(|_| !is_suite) {
        let problem = format!("this is a trace (`{format}`), not a file of cases");
        let help = "move it to a folder `traces`, and name it in a case: `trace: traces/...`";
        return Some(LoadError::new(place, problem).help(help));
    }
    if root.is_some_and(lists_tools) {
        let help = "move it to a folder `schemas`; mock tools name it: `definitions: schemas/tools.json`";
        return Some(LoadError::new(place, "this is a list of tools, not a file of cases").help(help));
    }
    let is_policy = !is_suite && root.is_some_and(|root| OF_POLICY.iter().any(|key| root.get(key).is_some()));
    is_policy.then(|| {
        let help = "move it to a folder `policies`, or list it in `.arraignignore`";
        LoadError::new(place, "this looks like a policy, not like a file of cases").help(help)
    })
}

/// Whether the file is what a server answers to `tools/list`, or the tools in a request to a model.
fn lists_tools(root: Node<'_>) -> bool {
    let places = ["", "/tools", "/result/tools"].into_iter();
    let Some(mut tools) = places.filter_map(|path| root.pointer(path)).find_map(Node::list) else {
        return false;
    };
    tools.next().is_some_and(|tool| {
        let has_name = tool.get("name").is_some() && TOOL_KEYS.iter().any(|key| tool.get(key).is_some());
        has_name || tool.pointer("/function/name").is_some()
    })
}

/// Returns the tool whose file this is.
fn find_shape(root: Node<'_>) -> Option<&'static ForeignShape> {
    let cases = list_cases(root);
    SHAPES.iter().find(|shape| {
        shape.of_file.iter().any(|key| root.get(key).is_some())
            || cases.iter().any(|case| shape.of_case.iter().any(|path| case.pointer(path).is_some()))
    })
}

/// Returns the places of all keys that belong to another tool.
fn find_foreign_keys(root: Node<'_>) -> Vec<(Place, &'static ForeignShape)> {
    let cases = list_cases(root);
    let mut found = Vec::new();
    for shape in SHAPES {
        let of_file = shape.of_file.iter().filter(|key| root.get(key).is_some());
        found.extend(of_file.map(|key| (root.key_place(key), shape)));
        for (case, path) in cases.iter().flat_map(|case| shape.of_case.iter().map(move |path| (case, path))) {
            // The mapping around the key is found first, because a key's place is asked of its mapping.
            let Some((above, key)) = path.rsplit_once('/') else { continue };
            let above = case.pointer(above).filter(|above| above.get(key).is_some());
            found.extend(above.map(|above| (above.key_place(key), shape)));
        }
    }
    found
}

/// Returns the cases of a suite, of a list, or the one of the file.
fn list_cases(root: Node<'_>) -> Vec<Node<'_>> {
    let tests = keys::TESTS.iter().find_map(|key| root.get(key)?.list());
    match tests.or_else(|| root.list()) {
        Some(cases) => cases.collect(),
        None => vec![root],
    }
}

fn advise_import(source: &Source, shape: &ForeignShape) -> String {
    let name = source.name();
    let tool = shape.tool;
    // The command is copied to a shell, where a blank would end the name.
    let name = if name.contains(char::is_whitespace) { format!("'{name}'") } else { name.to_owned() };
    format!(
        "`cargo arraign import {name} --from {tool}` converts a file of {}; then move the file out of this folder",
        shape.name
    )
}
