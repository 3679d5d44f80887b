//! Files of the user's, read into cases.
//!
//! A file is a suite (`tests:` with suite-wide defaults), one case, a list of cases, or a stream of these. Every
//! mistake of a file is reported, not only the first.

mod case;
mod discover;
mod keys;
mod name;
mod opinions;
mod row_id;
mod trace;
mod workspace;

use std::path::{Path, PathBuf};
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
    /// Files whose rows are this suite's cases (`dataset`): they are no suites of their own.
    pub datasets: Vec<PathBuf>,
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
        Self::of_documents(documents(&source, path)?, &source, path, library, wanted)
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
            suite: Self { cases: vec![], reports: vec![], datasets: vec![] },
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

/// The documents of a file: a stream, or one list of all its lines.
fn documents(source: &Arc<Source>, path: &Path) -> Result<Vec<Document>, LoadErrors> {
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        return Document::parse(source);
    }
    let (mut rows, mut errors, mut start) = (Vec::new(), LoadErrors::new(), 0);
    for line in source.text().split_inclusive('\n') {
        let parsed = errors.take(Document::parse_range(source, start..start + line.len()));
        rows.extend(parsed.into_iter().flatten().map(|document| document.root));
        start += line.len();
    }
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return errors.or(Vec::new()) };
    let span = Span { start: first.span.start, end: last.span.end };
    errors.or(vec![Document { source: Arc::clone(source), root: Tree { span, value: Value::List(rows) } }])
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
        if root.get("dataset").is_some() {
            return self.suite_of_rows(&document);
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
            Value::List(_) => self.rows(document, &[], None),
            _ => {
                let problem =
                    format!("a file of cases is a mapping or a list, not {}", document.root().describe());
                Err(document.root().error(problem).help(WHAT_A_FILE_IS).into())
            }
        }
    }

    /// A list of cases; each that has no id is named by what it asks.
    fn rows(
        &mut self,
        mut document: Document,
        defaults: &[(Key, Tree)],
        suite: Option<&str>,
    ) -> Result<(), LoadErrors> {
        let source = Arc::clone(&document.source);
        let Value::List(trees) = &mut document.root.value else {
            return Err(document.root().error("a golden dataset is a list of rows").into());
        };
        let mut rows: Vec<&mut Tree> = trees.iter_mut().collect();
        let mut errors = LoadErrors::new();
        errors.take(row_id::name_rows(&mut rows, &source));
        for row in rows {
            fill_in(row, defaults);
            unfold(row, self.scope.kinds);
        }
        let paths: Vec<String> = (0..trees.len()).map(|index| format!("/{index}")).collect();
        self.alone = false;
        errors.take(self.cases(&Arc::new(document), &paths, suite));
        errors.or(())
    }

    /// A suite whose cases are the rows of another file.
    fn suite_of_rows(&mut self, document: &Document) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        let root = document.root();
        let header = errors.take(Self::header(root)).unwrap_or_default();
        self.suite.reports.extend(header.reports);
        let Some(node) = root.get("dataset") else { return errors.or(()) };
        if let Some((path, rows)) = errors.take(self.dataset(node)) {
            let defaults = defaults_of(&document.root);
            errors.take(self.rows(rows, &defaults, header.name.as_deref()));
            self.suite.datasets.push(path);
        }
        errors.or(())
    }

    /// The rows that `node` names by their file.
    fn dataset(&self, node: Node<'_>) -> Result<(PathBuf, Document), LoadErrors> {
        let path = self.scope.path(node)?;
        let source =
            self.scope.files.source(&path).map_err(|error| self.scope.blame(node, &path, error.into()))?;
        let mut documents = documents(&source, &path)?;
        match (documents.pop(), documents.is_empty()) {
            (Some(document), true) => Ok((path, document)),
            _ => Err(node.error("a golden dataset is one list of rows, or a row a line").into()),
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
        fields.node("dataset");
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
    let defaults = defaults_of(root);
    let Value::Map(entries) = &mut root.value else { return Err("a suite is a mapping".to_owned()) };
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

/// What a suite says for all its cases.
fn defaults_of(suite: &Tree) -> Vec<(Key, Tree)> {
    let Value::Map(entries) = &suite.value else { return Vec::new() };
    let mut defaults: Vec<(Key, Tree)> = Vec::new();
    for (key, tree) in entries {
        match &tree.value {
            Value::Map(shared) if key.name == "defaults" => defaults.extend(shared.iter().cloned()),
            _ if keys::SHARED_BY_CASES.contains(&key.name.as_str()) => {
                defaults.push((key.clone(), tree.clone()));
            }
            _ => {}
        }
    }
    defaults
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
