//! The output of an import, while it is being built.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::{LoadErrors, Place, Source};
use arraign::__internals::report::plain::escape_line;
use arraign::__internals::yaml::{Document, Node};
use arraign::Harness;
use arraign::json::{Json, JsonMap, JsonText, json};
use arraign::reader::to_native;
use arraign::trace::Trace;

use super::ids::{CaseIds, sanitize_file_name};
use super::source_dir::{SourceDir, has_extension};
use super::unsupported::{Unsupported, UnsupportedList};
use crate::yaml_writer::render_document;

/// The folder `.evalview` of a project.
#[derive(Default)]
pub(super) struct EvalviewProject {
    /// The golden runs, by the names of their files.
    pub(super) goldens: Vec<(String, String)>,
    /// The differences from a golden run that fail a test: `ci.fail_on` of the configuration.
    pub(super) fail_on: Option<Json>,
}

/// A file to import.
pub(super) struct ImportInput {
    pub(super) source: Arc<Source>,
    /// The file of criteria beside the file, for tools that have one.
    pub(super) criteria: Option<Arc<Source>>,
    /// The folder of the file.
    pub(super) source_dir: Arc<SourceDir>,
    /// `trace` of the suite: the log with the runs of the cases, relative to the folder of cases.
    pub(super) log: Option<Json>,
    /// What `EvalView` keeps beside the project of the file.
    pub(super) project: EvalviewProject,
}

impl ImportInput {
    /// Parses the documents of the file.
    pub(super) fn parse_documents(&self) -> Result<Vec<Document>, LoadErrors> {
        parse_documents(&self.source)
    }

    /// Returns the name of the file without folder and extensions. `arraign` is reserved for `arraign.yaml`.
    fn file_stem(&self) -> String {
        let stem = Path::new(self.source.name()).file_stem().unwrap_or_default().to_string_lossy();
        // A case of a plugin is a folder, whose files have the same names in each folder.
        let folder = Path::new(self.source.name())
            .parent()
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy());
        let stem = if self.source.name().ends_with("prompt.md") || self.source.name().ends_with("case.yaml") {
            folder.unwrap_or(stem)
        } else {
            stem
        };
        let stem = [".evalset", ".test"].iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(&stem);
        let stem = sanitize_file_name(stem);
        if stem == "arraign" { "imported".to_owned() } else { stem }
    }
}

/// Parses the documents of a file. In JSON Lines, each line is one document.
pub(super) fn parse_documents(source: &Arc<Source>) -> Result<Vec<Document>, LoadErrors> {
    if !has_extension(Path::new(source.name()), &["jsonl"]) {
        return Document::parse(source);
    }
    let mut documents = Vec::new();
    let mut errors = LoadErrors::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        // Each line is parsed at its place in the file, so that mistakes have the line of the file.
        let range = start..start + line.len();
        start = range.end;
        documents.extend(errors.take(Document::parse_range(source, range)).into_iter().flatten());
    }
    errors.or(documents)
}

/// The result of importing a file.
pub(super) struct ImportedFiles {
    /// The files to write, with paths relative to the folder of cases: first the cases, then their traces.
    pub(super) files: Vec<(String, String)>,
    /// The parts that could not be imported.
    pub(super) unsupported: Vec<Unsupported>,
    /// The number of cases.
    pub(super) cases: usize,
    /// The number of cases with a recorded run.
    pub(super) recorded: usize,
    /// Files that the cases name.
    pub(super) named: Vec<NamedFile>,
    /// The folders that workspaces are copied from.
    pub(super) fixtures: Vec<FixtureFolder>,
    /// Whether the file has settings and no cases, such as a configuration among the cases.
    pub(super) is_configuration: bool,
    /// The steps that the user must take before the result means anything.
    pub(super) note: Option<&'static str>,
}

impl ImportedFiles {
    /// Whether the file contained nothing to import.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.unsupported.is_empty() && !self.is_configuration
    }
}

/// A file that a case names, and that is copied.
#[derive(Clone)]
pub(super) struct NamedFile {
    pub(super) place: Place,
    /// The path relative to the imported file.
    pub(super) source: String,
    /// The path relative to the folder of cases.
    pub(super) target: String,
}

/// A folder that a workspace is copied from.
#[derive(Clone)]
pub(super) struct FixtureFolder {
    /// The path relative to the folder of cases.
    pub(super) path: String,
    /// The files, by their paths in the folder. The last of one path counts.
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

/// The keys of a case each of which makes it check something. A case without any of them would not load.
const CHECKING: &[&str] = &[
    "baseline",
    "checks",
    "criteria",
    "eval",
    "expect",
    "expected",
    "expected_fields",
    "expected_tools",
    "extract",
    "forbidden_substrings",
    "metric",
    "mocks",
    "refusal_expected",
    "require_calls",
    "thresholds",
    "turns",
    "verification",
];

/// A suite that is being built.
pub(super) struct SuiteDraft {
    stem: String,
    title: String,
    head: JsonMap,
    cases: Vec<Json>,
    traces: Vec<(String, String)>,
    trace_names: HashSet<String>,
    named: Vec<NamedFile>,
    fixtures: Vec<FixtureFolder>,
    pub(super) note: Option<&'static str>,
    pub(super) source_dir: Arc<SourceDir>,
    pub(super) ids: CaseIds,
    pub(super) unsupported: UnsupportedList,
}

impl SuiteDraft {
    /// Creates an empty suite for `input`, a file of the tool `from`.
    pub(super) fn new(input: &ImportInput, from: &str) -> Self {
        let name = escape_line(input.source.name());
        let mut head = JsonMap::new();
        if let Some(log) = &input.log {
            head.insert("defaults".to_owned(), json!({"trace": log}));
        }
        Self {
            stem: input.file_stem(),
            title: format!("# From {name}, by `cargo arraign import --from {from}`.\n"),
            head,
            cases: Vec::new(),
            traces: Vec::new(),
            trace_names: HashSet::new(),
            named: Vec::new(),
            fixtures: Vec::new(),
            note: None,
            source_dir: Arc::clone(&input.source_dir),
            ids: CaseIds::default(),
            unsupported: UnsupportedList::default(),
        }
    }

    /// Sets a key of the suite.
    pub(super) fn set_suite_key(&mut self, key: &str, value: impl Into<Json>) {
        self.head.insert(key.to_owned(), value.into());
    }

    /// Sets a default for all cases of the suite.
    pub(super) fn set_default(&mut self, key: &str, value: Json) {
        let defaults = self.head.get_or_insert_with("defaults", || JsonMap::new().into());
        if let Json::Object(defaults) = defaults {
            defaults.insert(key.to_owned(), value);
        }
    }

    /// Adds a tool category to the suite. Returns false if the category has other tools already.
    pub(super) fn add_category(&mut self, name: &str, tools: &Json) -> bool {
        let all = self.head.get_or_insert_with("tool_categories", || JsonMap::new().into());
        let Json::Object(all) = all else { return false };
        all.get_or_insert_with(name.to_owned(), || tools.clone()) == tools
    }

    /// Adds a recorded run. Returns the path for the case.
    pub(super) fn add_trace(&mut self, id: &str, trace: &Trace) -> Json {
        let plain = sanitize_file_name(id);
        let mut name = plain.clone();
        let mut number = 1;
        // Names are compared in lower case, because some file systems ignore case.
        while !self.trace_names.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        let path = format!("traces/{}/{name}.json", self.stem);
        self.traces.push((path.clone(), to_native(trace)));
        path.into()
    }

    /// Adds the earlier run that the case is compared with, as its tool wrote it. Returns the path for the case.
    pub(super) fn add_baseline(&mut self, name: &str, text: &str) -> Json {
        let path = format!("traces/golden/{name}");
        self.traces.push((path.clone(), text.to_owned()));
        path.into()
    }

    /// Adds a file that a case names by a path relative to the imported file. Returns the path for the case: below `folder`,
    /// because a YAML file elsewhere would be read as a suite.
    pub(super) fn add_named_file(&mut self, node: Node<'_>, folder: &str) -> Json {
        let Some(source) = node.as_str() else { return node.to_json() };
        let plain = source.trim_start_matches("./");
        // A path that begins with the folder keeps it, and does not get it twice.
        let is_inside = plain.split('/').next() == Some(folder);
        let target = if is_inside { plain.to_owned() } else { format!("{folder}/{plain}") };
        let named = NamedFile { place: node.place(), source: source.to_owned(), target: target.clone() };
        self.named.push(named);
        target.into()
    }

    /// Adds the files that the workspace of a case begins with. Returns the folder for its `from`, which cases with the same files
    /// share. The error says which path is a file and a folder.
    pub(super) fn add_fixture(
        &mut self,
        id: &str,
        files: BTreeMap<String, Vec<u8>>,
    ) -> Result<String, String> {
        let folders = files.keys().flat_map(|path| Path::new(path).ancestors().skip(1));
        let mut names = folders.filter_map(Path::to_str);
        if let Some(both) = names.find(|folder| files.contains_key(*folder)) {
            return Err(format!("`{both}` is a file and a folder"));
        }
        if let Some(known) = self.fixtures.iter().find(|known| known.files == files) {
            return Ok(known.path.clone());
        }
        let path = format!("fixtures/{}/{}", self.stem, sanitize_file_name(id));
        self.fixtures.push(FixtureFolder { path: path.clone(), files });
        Ok(path)
    }

    /// Adds a case if it has any check.
    pub(super) fn add_case(&mut self, place: Place, mut case: JsonMap) {
        self.drop_unloadable(&place, &mut case);
        let id = case.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
        // Two checks that contradict each other load alone, and not together.
        let checks = case.get("expect").and_then(Json::as_array).filter(|checks| checks.len() > 1);
        if let Some(problem) =
            checks.filter(|checks| !checks.iter().any(names_file)).and_then(find_load_error)
        {
            let why = format!("left out, because it would not load: {problem}");
            self.unsupported.add(place, format!("the case `{id}`"), why);
            return;
        }
        if CHECKING.iter().any(|key| case.contains_key(key)) {
            self.cases.push(Json::Object(case));
            return;
        }
        let why = "none of its checks could be imported, so the case is not written";
        self.unsupported.add(place, format!("the case `{id}`"), why);
    }

    /// Removes the checks with which the file would not load, because one of them would stop the whole run.
    fn drop_unloadable(&mut self, place: &Place, case: &mut JsonMap) {
        let Some(Json::Array(checks)) = case.get_mut("expect") else { return };
        checks.retain(|check| {
            let problem = if names_file(check) { None } else { find_load_error(std::slice::from_ref(check)) };
            if let Some(problem) = &problem {
                let name =
                    check.as_object().and_then(|check| check.keys().next()).map_or("", JsonText::as_str);
                let why = format!("left out, because a case with it would not load: {problem}");
                self.unsupported.add(place.clone(), format!("`{name}`"), why);
            }
            problem.is_none()
        });
        if checks.is_empty() {
            case.remove("expect");
        }
    }

    /// Builds the files.
    pub(super) fn finish(self) -> ImportedFiles {
        let Self { stem, title, mut head, cases, traces, named, fixtures, note, unsupported, .. } = self;
        let count = cases.len();
        let list_paths = |key: &str| -> HashSet<String> {
            cases.iter().filter_map(|case| Some(case.get(key)?.as_str()?.to_owned())).collect()
        };
        let mut kept = list_paths("trace");
        let recorded = cases.iter().filter(|case| case.get("trace").is_some()).count();
        kept.extend(list_paths("baseline"));
        let mut files = Vec::new();
        if count > 0 {
            head.insert("tests".to_owned(), Json::Array(cases));
            files.push((format!("{stem}.yaml"), format!("{title}{}", render_document(&head))));
            files.extend(traces.into_iter().filter(|(path, _)| kept.contains(path)));
        }
        let unsupported = unsupported.0;
        // A folder of a case that was not written would be without a use.
        let is_used = |folder: &FixtureFolder| {
            head.get("tests").and_then(Json::as_array).is_some_and(|cases| {
                cases.iter().any(|case| {
                    case.pointer("/workspace/from").and_then(Json::as_str) == Some(folder.path.as_str())
                })
            })
        };
        let fixtures = fixtures.into_iter().filter(is_used).collect();
        ImportedFiles {
            files,
            unsupported,
            cases: count,
            recorded,
            named,
            fixtures,
            is_configuration: false,
            note,
        }
    }
}

/// A case that is being built: its keys in order, and its list of checks.
pub(super) struct CaseDraft {
    keys: JsonMap,
    expect: Vec<Json>,
    labels: CaseIds,
}

impl CaseDraft {
    pub(super) fn new(id: &str) -> Self {
        Self {
            keys: JsonMap::from_iter([("id".to_owned(), id.into())]),
            expect: Vec::new(),
            labels: CaseIds::default(),
        }
    }

    /// Sets a key if there is a value.
    pub(super) fn set(&mut self, key: &str, value: Option<impl Into<Json>>) {
        if let Some(value) = value {
            self.keys.insert(key.to_owned(), value.into());
        }
    }

    /// Adds entries of `expect`. Each question to a judge gets a unique label.
    pub(super) fn add_checks(&mut self, checks: Vec<Json>) {
        for mut check in checks {
            if let Some(label) = check.pointer_mut("/agent_check/label")
                && let Json::String(text) = label
            {
                // Two questions of one label would share one opinion.
                *text = self.labels.claim_id(text).into();
            }
            self.expect.push(check);
        }
    }

    /// Whether a check looks at the files that the agent left.
    pub(super) fn looks_at_files(&self) -> bool {
        self.expect.iter().any(looks_at_files)
    }

    pub(super) fn finish(mut self) -> JsonMap {
        if !self.expect.is_empty() {
            self.keys.insert("expect".to_owned(), Json::Array(self.expect));
        }
        self.keys
    }
}

/// Whether a check, or one in its combination, looks at files or runs in the workspace.
fn looks_at_files(check: &Json) -> bool {
    let is_own = ["files", "file", "changes"].iter().any(|name| check.get(name).is_some());
    let runs_there = check.pointer("/exec/in").and_then(Json::as_str) == Some("workspace");
    let combined = ["any_of", "all_of", "none_of"].iter().filter_map(|name| check.get(name)?.as_array());
    is_own || runs_there || combined.flatten().any(looks_at_files)
}

/// Returns the first error of a case with these checks.
pub(super) fn find_load_error(checks: &[Json]) -> Option<String> {
    let case =
        json!({"id": "probe", "workspace": {}, "expect": checks, "trace": {"answer": "x", "calls": []}});
    find_case_error(&case)
}

/// Returns the first error of a case.
pub(super) fn find_case_error(case: &Json) -> Option<String> {
    let errors = Harness::new("evals").parse(&case.to_string()).err()?;
    errors.iter().next().map(|error| error.problem.clone())
}

/// Whether the check names a file, which is copied later, so that it cannot be loaded yet.
fn names_file(check: &Json) -> bool {
    ["schema", "policy"].iter().any(|key| find_setting(check, key).is_some_and(Json::is_string))
}

/// Returns a setting of the check `{name: {key: value}}`.
fn find_setting<'c>(check: &'c Json, key: &str) -> Option<&'c Json> {
    check.as_object()?.values().next()?.get(key)
}

/// Builds `{name: value}`: a check with its settings.
pub(super) fn build_check(name: &str, value: impl Into<Json>) -> Json {
    Json::Object(JsonMap::from_iter([(name.to_owned(), value.into())]))
}

#[cfg(test)]
mod tests {
    use arraign::__internals::vocabulary::VOCABULARIES;

    use super::*;

    /// A case with each key of a vocabulary, or another that may check something, and no other check.
    fn list_cases() -> Vec<(&'static str, Json)> {
        vec![
            ("adapter_config", json!({"sequence_mode": "exact"})),
            ("answer", json!("last")),
            ("attack_type", json!("injection")),
            ("baseline", json!("traces/before.json")),
            ("checks", json!({"pii": true})),
            ("criteria", json!({"grounded": true})),
            ("eval", json!({"tool_constraints": {"required_tools": ["look"]}})),
            ("expect", json!([{"contains": "found"}])),
            ("expected", json!({"forbidden_tools": ["remove"]})),
            ("expected_fields", json!(["price"])),
            ("expected_tools", json!(["look"])),
            ("extract", json!([{"name": "price", "regex": "[0-9]+"}])),
            ("field_aliases", json!({"price": ["cost"]})),
            ("forbidden_substrings", json!(["secret"])),
            ("max_unsupported", json!(0)),
            ("metric", json!("safe")),
            ("mocks", json!({"tools": {"look": {"return": "found"}}, "decoys": ["remove"]})),
            ("output_assertions", json!("gate")),
            ("pass_threshold", json!(0.5)),
            ("refusal_expected", json!(true)),
            ("require_calls", json!(true)),
            ("sequence_required", json!(true)),
            ("tags", json!(["shop"])),
            ("thresholds", json!({"max_cost": 0.5})),
            ("turns", json!([{"query": "Look.", "expected": {"forbidden_tools": ["remove"]}}])),
            ("verification", json!(true)),
            ("weights", json!({"tool_accuracy": 0.3})),
        ]
    }

    #[test]
    fn a_case_is_written_if_one_of_its_keys_checks_something() {
        let cases = list_cases();
        for key in
            VOCABULARIES.iter().flat_map(|vocabulary| vocabulary.other_keys.iter().chain([&vocabulary.key]))
        {
            assert!(cases.iter().any(|(known, _)| known == key), "no case with `{key}`");
        }
        for (key, value) in cases {
            // A program without this feature refuses the key.
            if key == "mocks" && !cfg!(feature = "mocks") {
                continue;
            }
            let case = json!({"id": "a", "trace": {"calls": ["look"], "answer": "found"}, key: value});
            let loaded = Harness::new("evals").parse(&case.to_string());
            let loads = loaded.map_or_else(|errors| Err(errors.to_string()), |_| Ok(()));
            assert_eq!(CHECKING.contains(&key), loads.is_ok(), "{key}: {loads:?}");
        }
        let unlisted = CHECKING.iter().find(|key| !list_cases().iter().any(|(known, _)| known == *key));
        assert_eq!(unlisted, None);
    }
}
