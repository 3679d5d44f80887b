//! One file of the user's: its documents, and the cases in each.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::combine::{ReplacedGate, combine_with_defaults};
use super::defaults::{find_at, find_defaults, share_defaults, unfold};
use super::gate::GateRows;
use super::header::SuiteHeader;
use super::join::JoinGroups;
use super::{Library, Suite, WHAT_A_FILE_IS, case, keys, row_id};
use crate::check::{Scope, Tables};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::yaml::{Document, Key, Node, Tree, Value};

/// The documents of a file: a stream, or one list of all its lines.
pub(super) fn read_documents(source: &Arc<Source>, path: &Path) -> Result<Vec<Document>, LoadErrors> {
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

/// A file that is being read.
pub(super) struct FileReader<'r> {
    library: Library<'r>,
    folder: &'r Path,
    stem: String,
    /// The file is one document.
    alone: bool,
    suite: Suite,
    ids: Vec<(String, Place)>,
    wanted: &'r dyn Fn(Option<&str>) -> bool,
}

/// The cases of one document, with the settings for all of them.
struct CaseCollector<'c> {
    document: Arc<Document>,
    paths: Vec<String>,
    /// The gates of the defaults that each case replaces.
    replaced: Vec<Vec<ReplacedGate>>,
    header: &'c SuiteHeader,
    /// The file of rows, if it is not the suite's own.
    dataset: Option<Arc<PathBuf>>,
}

impl<'r> FileReader<'r> {
    /// Nothing read yet of the file at `path`.
    pub(super) fn new(
        path: &'r Path,
        library: Library<'r>,
        alone: bool,
        wanted: &'r dyn Fn(Option<&str>) -> bool,
    ) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = path.parent().unwrap_or(path);
        Self { library, folder, stem, alone, suite: Suite::default(), ids: Vec::new(), wanted }
    }

    /// The cases of all documents, or everything that is wrong with them.
    pub(super) fn read(mut self, documents: Vec<Document>) -> Result<Suite, LoadErrors> {
        let mut errors = LoadErrors::new();
        for document in documents {
            errors.take(self.document(document));
        }
        errors.take(keys::refuse_duplicate_ids(self.ids));
        errors.sort_by_place();
        errors.or(self.suite)
    }

    fn scope<'s>(&'s self, tables: &'s Tables) -> Scope<'s> {
        Scope { kinds: self.library.kinds, files: self.library.files, folder: self.folder, tables }
    }

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
        let header = SuiteHeader::empty(self.library.tables);
        match &mut document.root.value {
            Value::Map(_) => {
                unfold(&mut document.root, self.library.kinds);
                let document = Arc::new(document);
                self.cases(&CaseCollector {
                    document,
                    paths: vec![String::new()],
                    replaced: Vec::new(),
                    header: &header,
                    dataset: None,
                })
            }
            Value::List(_) => self.rows(document, &[], &header, None),
            _ => {
                let problem =
                    format!("a file of cases is a mapping or a list, not {}", document.root().describe());
                Err(document.root().error(problem).help(WHAT_A_FILE_IS).into())
            }
        }
    }

    /// A list of cases. A case without an id is named after its input.
    fn rows(
        &mut self,
        mut document: Document,
        defaults: &[(Key, Tree)],
        header: &SuiteHeader,
        dataset: Option<PathBuf>,
    ) -> Result<(), LoadErrors> {
        let source = Arc::clone(&document.source);
        let Value::List(trees) = &mut document.root.value else {
            return Err(document.root().error("a golden dataset is a list of rows").into());
        };
        let mut rows: Vec<&mut Tree> = trees.iter_mut().collect();
        let mut errors = LoadErrors::new();
        errors.take(row_id::name_rows(&mut rows, &source));
        let mut replaced = Vec::with_capacity(rows.len());
        for row in rows {
            // The defaults stand in another file, and a place has one: a mistake in them is shown at the row.
            replaced.push(combine_with_defaults(row, &find_at(row.span, defaults)));
            unfold(row, self.library.kinds);
        }
        let paths: Vec<String> = (0..trees.len()).map(|index| format!("/{index}")).collect();
        self.alone &= paths.len() == 1;
        errors.take(self.cases(&CaseCollector {
            document: Arc::new(document),
            paths,
            replaced,
            header,
            dataset: dataset.map(Arc::new),
        }));
        errors.or(())
    }

    /// A suite with the rows of another file as its cases.
    fn suite_of_rows(&mut self, document: &Document) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        let root = document.root();
        let header = self.header(root, &mut errors);
        let Some(node) = root.get("dataset") else { return errors.or(()) };
        if let Some((path, rows)) = errors.take(self.dataset(node)) {
            let defaults = find_defaults(&document.root);
            errors.take(self.rows(rows, &defaults, &header, Some(path.clone())));
            self.suite.datasets.push(path);
        }
        errors.or(())
    }

    /// The rows that `node` names by their file.
    fn dataset(&self, node: Node<'_>) -> Result<(PathBuf, Document), LoadErrors> {
        let scope = self.scope(self.library.tables);
        let path = scope.path(node)?;
        let source = scope.files.source(&path).map_err(|error| scope.blame(node, &path, error.into()))?;
        let mut documents = read_documents(&source, &path)?;
        match (documents.pop(), documents.is_empty()) {
            (Some(document), true) => Ok((path, document)),
            _ => Err(node.error("a golden dataset is one list of rows, or a row a line").into()),
        }
    }

    fn suite(&mut self, mut document: Document, tests: &str) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        let header = self.header(document.root(), &mut errors);
        let replaced = share_defaults(&mut document.root, tests, self.library.kinds)
            .map_err(|problem| document.root().get(tests).unwrap_or(document.root()).error(problem));
        self.alone = false;
        let replaced = errors.take(replaced).unwrap_or_default();
        let paths: Vec<String> = (0..replaced.len()).map(|index| format!("/{tests}/{index}")).collect();
        errors.take(self.cases(&CaseCollector {
            document: Arc::new(document),
            paths,
            replaced,
            header: &header,
            dataset: None,
        }));
        errors.or(())
    }

    /// Reads the settings of a suite. A file has at most one gate, because its trial is named after the file.
    fn header(&mut self, root: Node<'_>, errors: &mut LoadErrors) -> SuiteHeader {
        let read = SuiteHeader::parse_header(root, &self.scope(self.library.tables));
        let mut header = errors.take(read).unwrap_or_else(|| SuiteHeader::empty(self.library.tables));
        self.suite.reports.append(&mut header.reports);
        if let Some(gate) = header.gate.clone()
            && let Some(first) = self.suite.gate.replace(gate)
        {
            errors
                .push(LoadError::new(first.place, "a second suite of this file has a gate: a file has one"));
        }
        header
    }

    fn cases(&mut self, cases: &CaseCollector<'_>) -> Result<(), LoadErrors> {
        let CaseCollector { document, paths, replaced, header, dataset } = cases;
        let joins = &JoinGroups::find_groups(document, paths);
        let mut errors = LoadErrors::new();
        for (number, path) in paths.iter().enumerate() {
            let id = document.root().pointer(path).and_then(keys::id_of);
            let wanted = (self.wanted)(id.as_ref().map(|(id, _)| id.as_str()));
            self.ids.extend(id);
            if !wanted {
                continue;
            }
            let suite = header.name.as_deref().unwrap_or(&self.stem);
            let scope = &self.scope(&header.tables);
            let rows = header.gate.as_ref().map_or(GateRows::Must, |gate| gate.rows);
            let context = case::Context {
                scope,
                document,
                path,
                suite,
                alone: self.alone,
                joins,
                dataset: dataset.as_ref(),
                rows,
                replaced: replaced.get(number).map_or(&[], Vec::as_slice),
            };
            let case = errors.take(case::read(&context)).map(Arc::new);
            self.suite.cases.extend(case);
        }
        errors.or(())
    }
}
