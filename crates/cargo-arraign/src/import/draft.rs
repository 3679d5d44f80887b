//! The files that are being written for one file of the other tool.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::{LoadErrors, Place, Source};
use arraign::__internals::report::plain::one_line;
use arraign::__internals::yaml::{Document, Node};
use arraign::reader::to_native;
use arraign::trace::Trace;
use serde_json::{Map, Value};

use super::beside::{Beside, ends_in};
use super::ids::{Ids, file_name};
use super::lost::{Lost, NotCarried};
use super::yaml_text;

/// A file of the other tool.
pub(super) struct Given {
    pub(super) source: Arc<Source>,
    /// The file of criteria beside it, for tools that have one.
    pub(super) criteria: Option<Arc<Source>>,
    /// What lies in its folder.
    pub(super) beside: Arc<Beside>,
}

impl Given {
    /// The documents of the file.
    pub(super) fn documents(&self) -> Result<Vec<Document>, LoadErrors> {
        documents(&self.source)
    }

    /// The file's name without folder and endings; `arraign.yaml` would mean something else.
    fn stem(&self) -> String {
        let stem = Path::new(self.source.name()).file_stem().unwrap_or_default().to_string_lossy();
        let stem = [".evalset", ".test"].iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(&stem);
        let stem = file_name(stem);
        if stem == "arraign" { "imported".to_owned() } else { stem }
    }
}

/// The documents of a file: one a line, where it is JSON Lines.
pub(super) fn documents(source: &Arc<Source>) -> Result<Vec<Document>, LoadErrors> {
    if !ends_in(Path::new(source.name()), &["jsonl"]) {
        return Document::parse(source);
    }
    let (mut documents, mut errors, mut start) = (Vec::new(), LoadErrors::new(), 0);
    for line in source.text().split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        documents.extend(errors.take(Document::parse_range(source, range)).into_iter().flatten());
    }
    errors.or(documents)
}

/// What an import makes of a file.
pub(super) struct Imported {
    /// The files to write, by their paths below the folder of cases: the cases first, then their traces.
    pub(super) files: Vec<(String, String)>,
    /// What is not in them.
    pub(super) not_carried: Vec<NotCarried>,
    /// How many cases are in them.
    pub(super) cases: usize,
    /// How many of these have a recorded run.
    pub(super) recorded: usize,
    /// Files that the cases name, by their paths beside the given one.
    pub(super) named: Vec<(Place, String)>,
}

impl Imported {
    /// Whether the file held nothing that could have been carried.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.not_carried.is_empty()
    }
}

/// The keys of a case that ask for something.
const CHECKING: &[&str] =
    &["metric", "eval", "expect", "expected", "extract", "checks", "turns", "thresholds", "require_calls"];

/// What is being written.
pub(super) struct Draft {
    stem: String,
    title: String,
    head: Map<String, Value>,
    cases: Vec<Value>,
    traces: Vec<(String, String)>,
    trace_names: HashSet<String>,
    named: Vec<(Place, String)>,
    pub(super) beside: Arc<Beside>,
    pub(super) ids: Ids,
    pub(super) lost: Lost,
}

impl Draft {
    /// Nothing carried yet of `given`, a file of the tool `from`.
    pub(super) fn new(given: &Given, from: &str) -> Self {
        let name = one_line(given.source.name());
        Self {
            stem: given.stem(),
            title: format!("# From {name}, by `cargo arraign import --from {from}`.\n"),
            head: Map::new(),
            cases: Vec::new(),
            traces: Vec::new(),
            trace_names: HashSet::new(),
            named: Vec::new(),
            beside: Arc::clone(&given.beside),
            ids: Ids::default(),
            lost: Lost::default(),
        }
    }

    /// A key of the suite.
    pub(super) fn head(&mut self, key: &str, value: impl Into<Value>) {
        self.head.insert(key.to_owned(), value.into());
    }

    /// Keeps a recorded run; gives the path that its case names.
    pub(super) fn trace(&mut self, id: &str, trace: &Trace) -> Value {
        let plain = file_name(id);
        let mut name = plain.clone();
        let mut number = 1;
        while !self.trace_names.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        let path = format!("traces/{}/{name}.json", self.stem);
        self.traces.push((path.clone(), to_native(trace)));
        path.into()
    }

    /// A file that a case names by its path beside the other tool's file.
    pub(super) fn names(&mut self, node: Node<'_>) {
        if let Some(path) = node.as_str() {
            self.named.push((node.place(), path.to_owned()));
        }
    }

    /// A case, if it asks for something.
    pub(super) fn case(&mut self, place: Place, case: Map<String, Value>) {
        if CHECKING.iter().any(|key| case.contains_key(*key)) {
            self.cases.push(Value::Object(case));
            return;
        }
        let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
        let why = "nothing that it checks could be carried, so it is not written";
        self.lost.add(place, format!("the case `{id}`"), why);
    }

    /// The files.
    pub(super) fn finish(self) -> Imported {
        let Self { stem, title, mut head, cases, traces, named, lost, .. } = self;
        let count = cases.len();
        let kept: HashSet<String> =
            cases.iter().filter_map(|case| Some(case.get("trace")?.as_str()?.to_owned())).collect();
        let recorded = kept.len();
        let mut files = Vec::new();
        if count > 0 {
            head.insert("tests".to_owned(), Value::Array(cases));
            files.push((format!("{stem}.yaml"), format!("{title}{}", yaml_text::document(&head))));
            files.extend(traces.into_iter().filter(|(path, _)| kept.contains(path)));
        }
        Imported { files, not_carried: lost.0, cases: count, recorded, named }
    }
}

/// A case that is being written: its keys in order, and its list of checks.
pub(super) struct Case {
    keys: Map<String, Value>,
    expect: Vec<Value>,
    labels: Ids,
}

impl Case {
    pub(super) fn new(id: &str) -> Self {
        Self {
            keys: Map::from_iter([("id".to_owned(), id.into())]),
            expect: Vec::new(),
            labels: Ids::default(),
        }
    }

    /// A key, unless there is nothing to say under it.
    pub(super) fn put(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.keys.insert(key.to_owned(), value.into());
        }
    }

    /// Entries of `expect`. A question to a judge has a label of its own.
    pub(super) fn expect(&mut self, checks: Vec<Value>) {
        for mut check in checks {
            if let Some(label) = check.pointer_mut("/agent_check/label")
                && let Value::String(text) = label
            {
                *text = self.labels.own(text);
            }
            self.expect.push(check);
        }
    }

    pub(super) fn finish(mut self) -> Map<String, Value> {
        if !self.expect.is_empty() {
            self.keys.insert("expect".to_owned(), Value::Array(self.expect));
        }
        self.keys
    }
}

/// `{name: value}`: a check with its settings.
pub(super) fn named(name: &str, value: impl Into<Value>) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value.into())]))
}
