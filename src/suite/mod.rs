//! Files of the user's, read into cases.
//!
//! A file is a suite (`tests:` with suite-wide defaults), one case, a list of cases, or a stream of these. Every
//! mistake of a file is reported, not only the first.

mod case;
mod discover;
mod keys;
mod name;
mod opinions;
mod trace;
mod workspace;

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

pub use discover::{CASE_EXTENSIONS, case_files, files_for_name};
pub use name::{escape_component, trial_name};
pub use trace::{Run, load_runs};
pub use workspace::workspace;

use crate::case::Case;
use crate::check::{Registry, Scope, Tables};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::source::Files;
use crate::vocabulary::VOCABULARIES;
use crate::yaml::{Document, Fields, Key, Node, Tree, Value};

/// The cases of one file, in its order.
pub struct Suite {
    /// The cases.
    pub cases: Vec<Arc<Case>>,
    /// Reports that the file asks for (`output.format`).
    pub reports: Vec<ReportFormat>,
}

/// The formats of reports that a suite may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportFormat {
    /// One JSON document.
    Json,
    /// One JSON document a line.
    Jsonl,
    /// Static analysis results.
    Sarif,
    /// `JUnit` XML.
    Junit,
    /// For a pull request.
    Markdown,
    /// For a browser.
    Html,
}

/// What the suites of one harness share.
#[derive(Debug, Clone, Copy)]
pub struct Library<'l> {
    /// The kinds of checks.
    pub kinds: &'l Registry,
    /// The files.
    pub files: &'l Files,
}

impl Suite {
    /// Reads the file at `path`.
    pub fn load(path: &Path, library: Library<'_>) -> Result<Self, LoadErrors> {
        Self::load_some(path, library, &|_| true)
    }

    /// Reads of the file at `path` only the cases whose id is `wanted`: what one trial costs does not grow with
    /// the checks of its neighbours.
    pub fn load_some(
        path: &Path,
        library: Library<'_>,
        wanted: &dyn Fn(Option<&str>) -> bool,
    ) -> Result<Self, LoadErrors> {
        let source = library.files.source(path)?;
        let lines = path.extension().is_some_and(|extension| extension == "jsonl");
        let documents = if lines { json_lines(&source)? } else { Document::parse(&source)? };
        Self::of_documents(documents, &source, path, library, wanted)
    }

    /// Reads `text` as if it were the file at `path`.
    pub fn parse(path: &Path, text: &str, library: Library<'_>) -> Result<Self, LoadErrors> {
        let source = Source::new(library.files.name(path), text);
        Self::of_documents(Document::parse(&source)?, &source, path, library, &|_| true)
    }

    /// The case called `id`; without one, the only case of the file.
    pub fn case(&self, id: Option<&str>) -> Option<&Arc<Case>> {
        match id {
            Some(id) => self.cases.iter().find(|case| case.id.as_deref() == Some(id)),
            None => self.cases.first().filter(|_| self.cases.len() == 1),
        }
    }

    fn of_documents(
        documents: Vec<Document>,
        source: &Arc<Source>,
        path: &Path,
        library: Library<'_>,
        wanted: &dyn Fn(Option<&str>) -> bool,
    ) -> Result<Self, LoadErrors> {
        if documents.is_empty() {
            let place = Place::new(source, Span::default());
            return Err(LoadError::new(place, "the file holds no case").help(WHAT_A_FILE_IS).into());
        }
        let folder = path.parent().unwrap_or(path);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let tables = Tables::default();
        let scope = Scope { kinds: library.kinds, files: library.files, folder, tables: &tables };
        let alone = documents.len() == 1;
        let mut reader = FileReader {
            scope,
            stem: &stem,
            alone,
            suite: Self { cases: vec![], reports: vec![] },
            ids: vec![],
            wanted,
        };
        let mut errors = LoadErrors::new();
        for document in documents {
            errors.take(reader.document(document));
        }
        errors.take(keys::refuse_duplicate_ids(reader.ids));
        errors.sort_by_place();
        errors.or(reader.suite)
    }
}

const WHAT_A_FILE_IS: &str = "write a suite (`tests: [...]`), one case, or a list of cases";

/// The documents of JSON Lines: one case a line.
fn json_lines(source: &Arc<Source>) -> Result<Vec<Document>, LoadErrors> {
    let (mut documents, mut errors, mut start) = (Vec::new(), LoadErrors::new(), 0);
    for line in source.text().split_inclusive('\n') {
        documents.extend(
            errors.take(Document::parse_range(source, start..start + line.len())).into_iter().flatten(),
        );
        start += line.len();
    }
    errors.or(documents)
}

struct FileReader<'r> {
    scope: Scope<'r>,
    stem: &'r str,
    alone: bool,
    suite: Suite,
    ids: Vec<(String, Place)>,
    wanted: &'r dyn Fn(Option<&str>) -> bool,
}

impl FileReader<'_> {
    fn document(&mut self, mut document: Document) -> Result<(), LoadErrors> {
        let root = document.root();
        if let Some(tests) = keys::TESTS.iter().copied().find(|key| root.get(key).is_some()) {
            return self.suite(document, tests);
        }
        if let Some(error) = keys::slip_in_tests(root) {
            return Err(error.into());
        }
        let kinds = self.scope.kinds;
        match &mut document.root.value {
            Value::Map(_) => {
                unfold(&mut document.root, kinds);
                self.cases(&Arc::new(document), &[String::new()], None)
            }
            Value::List(trees) => {
                for tree in trees.iter_mut() {
                    unfold(tree, kinds);
                }
                let paths: Vec<String> = (0..trees.len()).map(|index| format!("/{index}")).collect();
                self.alone = false;
                self.cases(&Arc::new(document), &paths, None)
            }
            _ => {
                let problem =
                    format!("a file of cases is a mapping or a list, not {}", document.root().describe());
                Err(document.root().error(problem).help(WHAT_A_FILE_IS).into())
            }
        }
    }

    fn suite(&mut self, mut document: Document, tests: &str) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        let header = errors.take(Self::header(document.root())).unwrap_or_default();
        let count = share_defaults(&mut document.root, tests, self.scope.kinds)
            .map_err(|problem| document.root().get(tests).unwrap_or(document.root()).error(problem));
        self.suite.reports.extend(header.reports);
        self.alone = false;
        let count = errors.take(count).unwrap_or_default();
        let paths: Vec<String> = (0..count).map(|index| format!("/{tests}/{index}")).collect();
        errors.take(self.cases(&Arc::new(document), &paths, header.name.as_deref()));
        errors.or(())
    }

    fn header(root: Node<'_>) -> Result<Header, LoadErrors> {
        let mut fields = Fields::of(root, "a suite")?;
        fields.aliased(keys::TESTS);
        for key in keys::SUITE_TEXTS {
            let node = fields.node(key);
            let compound = node.filter(|node| matches!(node.value(), Value::List(_) | Value::Map(_)));
            if let Some(node) = compound {
                fields.errors.push(node.error(format!("`{key}` is a text, not {}", node.describe())));
            }
        }
        for key in keys::SHARED_BY_CASES {
            fields.node(key);
        }
        keys::refuse_unsupported(&mut fields, keys::SUITE_UNSUPPORTED);
        if let Some(node) = fields.node("defaults") {
            fields.take(keys::check_defaults(node));
        }
        let name = fields.optional::<String>("suite");
        let output = fields.node("output").and_then(|node| fields.take(reports(node)));
        fields.finish(Header { name, reports: output.unwrap_or_default() })
    }

    fn cases(
        &mut self,
        document: &Arc<Document>,
        paths: &[String],
        suite: Option<&str>,
    ) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for path in paths {
            let id = document.root().pointer(path).and_then(keys::id_of);
            let wanted = (self.wanted)(id.as_ref().map(|(id, _)| id.as_str()));
            self.ids.extend(id);
            if !wanted {
                continue;
            }
            let suite = suite.unwrap_or(self.stem);
            let context = case::Context { scope: &self.scope, document, path, suite, alone: self.alone };
            self.suite.cases.extend(errors.take(case::read(&context)).map(Arc::new));
        }
        errors.or(())
    }
}

#[derive(Default)]
struct Header {
    name: Option<String>,
    reports: Vec<ReportFormat>,
}

fn reports(node: Node<'_>) -> Result<Vec<ReportFormat>, LoadErrors> {
    let mut fields = Fields::of(node, "`output`")?;
    let formats = fields.node("format").map(Node::one_or_many).unwrap_or_default();
    // Where its users' own program wrote; ours says it once for all suites (ARRAIGN_OUT).
    fields.optional::<String>("directory");
    let reports = formats.iter().filter_map(|format| fields.take(format.decode())).collect();
    fields.finish(reports)
}

/// Copies the suite's defaults into each case that does not say otherwise; gives the number of cases.
fn share_defaults(root: &mut Tree, tests: &str, kinds: &Registry) -> Result<usize, String> {
    let Value::Map(entries) = &mut root.value else { return Err("a suite is a mapping".to_owned()) };
    let mut defaults: Vec<(Key, Tree)> = Vec::new();
    for (key, tree) in entries.iter() {
        match &tree.value {
            Value::Map(shared) if key.name == "defaults" => defaults.extend(shared.iter().cloned()),
            _ if keys::SHARED_BY_CASES.contains(&key.name.as_str()) => {
                defaults.push((key.clone(), tree.clone()));
            }
            _ => {}
        }
    }
    let cases = entries.iter_mut().find(|(key, _)| key.name == tests).map(|(_, tree)| &mut tree.value);
    let Some(Value::List(cases)) = cases else { return Err(format!("`{tests}` is a list of cases")) };
    if cases.is_empty() {
        return Err(format!("`{tests}` is empty: the suite checks nothing"));
    }
    for case in cases.iter_mut() {
        fill_in(case, &defaults);
        unfold(case, kinds);
    }
    Ok(cases.len())
}

fn fill_in(case: &mut Tree, defaults: &[(Key, Tree)]) {
    let Value::Map(entries) = &mut case.value else { return };
    for (key, tree) in defaults {
        if !entries.iter().any(|(known, _)| keys::same(&known.name, &key.name)) {
            entries.push((key.clone(), tree.clone()));
        }
    }
}

fn unfold(case: &mut Tree, kinds: &Registry) {
    let Value::Map(entries) = &mut case.value else { return };
    for vocabulary in VOCABULARIES {
        (vocabulary.unfold)(entries, kinds);
    }
}
