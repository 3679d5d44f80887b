//! One file of the user's: its documents, and the cases in each.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::combine::{ReplacedGate, combine_with_defaults};
use super::copies::CopyBudget;
use super::defaults::{find_at, find_cases, find_defaults, take_cases, unfold};
use super::discover::IGNORE_FILE;
use super::gate::GateRows;
use super::header::SuiteHeader;
use super::include::IncludedFiles;
use super::join::JoinGroups;
use super::rows::{RowExpander, note_row};
use super::trace::find_job;
use super::{Library, Suite, WHAT_A_FILE_IS, case, keys, row_id};
use crate::case::CaseRow;
use crate::check::{Scope, ScriptInScope, Tables};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::yaml::{Document, Key, Node, Tree, Value};

/// The documents of a file: a stream, or one list of all its lines.
pub(super) fn read_documents(source: &Arc<Source>, path: &Path) -> Result<Vec<Document>, LoadErrors> {
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        return Document::parse(source);
    }
    let mut rows = Vec::new();
    let mut errors = LoadErrors::new();
    let mut start = 0;
    // Each line is parsed on its own, so that a mistake in one leaves the others readable. The places are those of
    // the whole file.
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
    /// The number of cases that were seen, also of those that nobody wants.
    seen: usize,
    /// What defaults, included files and rows may still add to the cases of all documents.
    copies: CopyBudget,
    wanted: &'r dyn Fn(Option<&str>) -> bool,
}

/// The cases of one document, with the settings for all of them.
struct CaseCollector<'c> {
    document: Arc<Document>,
    paths: Vec<String>,
    origins: Vec<CaseOrigin>,
    header: &'c SuiteHeader,
    /// The file of rows, if it is not the suite's own.
    dataset: Option<Arc<PathBuf>>,
}

/// The origin of the parts of a case that the case does not contain itself.
#[derive(Default)]
struct CaseOrigin {
    /// The gates of the defaults that the case replaces.
    replaced: Vec<ReplacedGate>,
    /// The row that fills its placeholders.
    row: Option<Arc<CaseRow>>,
}

/// The cases of one document, complete: with the defaults of their suite, with the files that they include, and one for each
/// of their rows.
struct CompleteCases {
    trees: Vec<Tree>,
    origins: Vec<CaseOrigin>,
    /// The file of the cases, with the included files.
    source: Arc<Source>,
}

impl<'r> FileReader<'r> {
    /// Creates a reader of the file at `path`, which has read nothing yet.
    pub(super) fn new(
        path: &'r Path,
        library: Library<'r>,
        alone: bool,
        wanted: &'r dyn Fn(Option<&str>) -> bool,
    ) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = path.parent().unwrap_or(path);
        let copies = CopyBudget::new();
        Self {
            library,
            folder,
            stem,
            alone,
            suite: Suite::default(),
            ids: Vec::new(),
            seen: 0,
            copies,
            wanted,
        }
    }

    /// The cases of all documents, or everything that is wrong with them.
    pub(super) fn read(mut self, documents: Vec<Document>) -> Result<Suite, LoadErrors> {
        let mut errors = LoadErrors::new();
        for document in documents {
            // Errors are collected over all documents, so that an author sees all of them at once.
            errors.take(self.document(document));
            // One error says that the file is too large.
            if self.copies.is_used_up() {
                break;
            }
        }
        errors.take(keys::refuse_duplicate_ids(self.ids));
        // A gate over no case has no trial, and the file would pass without a word.
        if let Some(gate) = &self.suite.gate
            && self.seen > 0
            && self.seen == self.suite.cases.len()
            && self.suite.cases.iter().all(|case| case.ignore.is_some())
        {
            let error = LoadError::new(
                gate.place.clone(),
                "this gate has no case to measure: all of them are ignored",
            );
            errors.push(error.help("let one of them run, or take the gate out"));
        }
        errors.sort_by_place();
        errors.or(self.suite)
    }

    fn scope<'s>(&'s self, tables: &'s Tables) -> Scope<'s> {
        Scope {
            kinds: self.library.kinds,
            files: self.library.files,
            folder: self.folder,
            tables,
            script: ScriptInScope::Absent,
        }
    }

    fn document(&mut self, document: Document) -> Result<(), LoadErrors> {
        let root = document.root();
        if let Some(tests) = keys::find_tests(root) {
            return self.suite(document, tests);
        }
        if root.get("dataset").is_some() {
            return self.suite_of_rows(&document);
        }
        // A misspelt `tests` would otherwise make the suite a case with unknown keys.
        if let Some(error) = keys::slip_in_tests(root) {
            return Err(error.into());
        }
        if keys::is_stray(root) {
            let error = root.error("this is no file of cases: none of its keys is one of a case");
            let help = format!(
                "{WHAT_A_FILE_IS}; a file of your own is listed in `{IGNORE_FILE}`, or lies elsewhere"
            );
            return Err(error.help(help).into());
        }
        let header = SuiteHeader::empty(self.library.tables);
        match root.value() {
            Value::Map(_) => self.one_case(document, &header),
            Value::List(_) => self.rows(document, &[], &header, None),
            _ => {
                let problem =
                    format!("a file of cases is a mapping or a list, not {}", document.root().describe());
                Err(document.root().error(problem).help(WHAT_A_FILE_IS).into())
            }
        }
    }

    /// A file that is one case, or the cases of its rows.
    fn one_case(&mut self, document: Document, header: &SuiteHeader) -> Result<(), LoadErrors> {
        let Document { source, root } = document;
        let span = root.span;
        let CompleteCases { mut trees, origins, source } =
            self.complete(vec![root], &source, |_| Cow::default())?;
        let has_rows = origins.iter().any(|origin| origin.row.is_some());
        let paths = if has_rows { number_paths("", trees.len()) } else { vec![String::new()] };
        let root = match trees.pop() {
            Some(case) if !has_rows => case,
            // The rows of a single case make it a list, as if they had been written one by one.
            last => {
                trees.extend(last);
                Tree { span, value: Value::List(trees) }
            }
        };
        let document = Arc::new(Document { source, root });
        self.cases(&CaseCollector { document, paths, origins, header, dataset: None })
    }

    /// Completes the cases. `find_defaults` returns what their suite says for each.
    fn complete<'d>(
        &mut self,
        cases: Vec<Tree>,
        source: &Arc<Source>,
        find_defaults: impl Fn(&Tree) -> Cow<'d, [(Key, Tree)]>,
    ) -> Result<CompleteCases, LoadErrors> {
        let mut included = IncludedFiles::new(source);
        let mut copies = self.copies;
        let scope = self.scope(self.library.tables);
        let mut trees = Vec::new();
        let mut origins = Vec::new();
        let mut row_files = BTreeSet::new();
        let mut errors = LoadErrors::new();
        for mut case in cases {
            // The defaults may name files to include, so they come first. An included file replaces nothing that the case
            // or the defaults say.
            let defaults = find_defaults(&case);
            let mut replaced = combine_with_defaults(&mut case, &defaults, &mut copies);
            let replaced_here = included.include_into(&mut case, &scope, &mut copies, &mut Vec::new());
            replaced.extend(errors.take(replaced_here).unwrap_or_default());
            // A file of rows is no file of cases, although JSON Lines may be both.
            let file = case.node(&included.source).get("cases").and_then(|file| scope.path(file).ok());
            row_files.extend(file);
            let mut expander = RowExpander { wanted: self.wanted, copies: &mut copies };
            let rows = errors.take(expander.expand_case(&case, &included.source, &scope));
            // The cases that follow are left out, so that the file needs no more memory than the limit.
            if copies.is_used_up() {
                errors.push(CopyBudget::refuse_file(Place::new(&included.source, case.span)));
                break;
            }
            let Some(rows) = rows else { continue };
            let Some(rows) = rows else {
                trees.push(case);
                origins.push(CaseOrigin { replaced, row: None });
                continue;
            };
            for (case, row) in rows {
                trees.push(case);
                origins.push(CaseOrigin { replaced: replaced.clone(), row: Some(row) });
            }
        }
        // Short forms are written out last, because defaults and included files may have them, too.
        for case in &mut trees {
            unfold(case, self.library.kinds);
        }
        self.copies = copies;
        let source = Arc::clone(&included.source);
        // An included file is no suite of its own.
        self.suite.datasets.extend(included.into_paths());
        self.suite.datasets.extend(row_files);
        errors.or(CompleteCases { trees, origins, source })
    }

    /// A list of cases. A case without an id is named after its input.
    fn rows(
        &mut self,
        document: Document,
        defaults: &[(Key, Tree)],
        header: &SuiteHeader,
        dataset: Option<PathBuf>,
    ) -> Result<(), LoadErrors> {
        let Document { source, mut root } = document;
        let Value::List(cases) = &mut root.value else {
            return Err(root.node(&source).error("a golden dataset is a list of rows").into());
        };
        let mut cases = std::mem::take(cases);
        let mut errors = LoadErrors::new();
        let mut rows: Vec<&mut Tree> = cases.iter_mut().collect();
        errors.take(row_id::name_rows(&mut rows, &source));
        // The defaults stand in another file, and a place has one: a mistake in them is shown at the row.
        let complete = self.complete(cases, &source, |row| find_at(row.span, defaults).into());
        let Some(CompleteCases { trees, origins, source }) = errors.take(complete) else {
            return errors.or(());
        };
        let paths = number_paths("", trees.len());
        // A list of one case is like a file of one case: its trial is named after the file.
        self.alone &= paths.len() == 1;
        root.value = Value::List(trees);
        let document = Arc::new(Document { source, root });
        let dataset = dataset.map(Arc::new);
        errors.take(self.cases(&CaseCollector { document, paths, origins, header, dataset }));
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
        self.alone = false;
        let defaults = find_defaults(&document.root);
        let taken = take_cases(&mut document.root, tests)
            .map_err(|problem| document.root().get(tests).unwrap_or(document.root()).error(problem));
        let cases = errors.take(taken).unwrap_or_default();
        let complete = self.complete(cases, &document.source, |_| Cow::from(&defaults));
        let Some(CompleteCases { trees, origins, source }) = errors.take(complete) else {
            return errors.or(());
        };
        let paths = number_paths(&format!("/{tests}"), trees.len());
        if let Some(cases) = find_cases(&mut document.root, tests) {
            // The cases go back into the document, in which pointers and places lead to them.
            *cases = Value::List(trees);
        }
        let document = Arc::new(Document { source, ..document });
        errors.take(self.cases(&CaseCollector { document, paths, origins, header: &header, dataset: None }));
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
        let CaseCollector { document, paths, origins, header, dataset } = cases;
        let tables = &header.tables;
        let input_match = tables.input_match.or(tables.shared_input_match).unwrap_or_default();
        let joins = &JoinGroups::find_groups(document, paths, input_match);
        let mut errors = LoadErrors::new();
        for (path, origin) in paths.iter().zip(origins) {
            let id = document.root().pointer(path).and_then(keys::id_of);
            let wanted = (self.wanted)(id.as_ref().map(|(id, _)| id.as_str()));
            // Every id counts for the search of duplicates, also of cases that nobody wants.
            self.ids.extend(id);
            self.seen += 1;
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
                replaced: &origin.replaced,
                row: origin.row.as_ref(),
            };
            let read = case::read(&context);
            let read = read.map_err(|errors| match &origin.row {
                Some(row) => note_row(errors, row),
                None => errors,
            });
            let Some(case) = errors.take(read).map(Arc::new) else { continue };
            self.suite.datasets.extend(case.mocks.iter().flat_map(|mocks| mocks.files.clone()));
            self.suite.datasets.extend(case.workspace.iter().flat_map(|workspace| workspace.list_folders()));
            let file = self.folder.join(&self.stem);
            self.suite.datasets.extend(find_job(&case, &file, self.library.files));
            self.suite.cases.push(case);
        }
        errors.or(())
    }
}

/// The JSON pointers of the entries of a list.
fn number_paths(list: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{list}/{index}")).collect()
}
