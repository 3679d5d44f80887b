//! Finds the parts of a document that no path of a declaration selected and that may be calls.
//!
//! A declaration knows only what its paths select. So the rest of the document is searched by the few things that all
//! formats share: a call has a name and arguments, its result has its id, and the elements of one list are of one sort.
//! - A value that looks like a call, and is no call of the run, is unread.
//! - An element of a list out of which a path selects, and in which nothing was selected, is unread, unless nothing in it
//!   can be a call.
//! - The same holds for a step in which nothing was selected.

use std::collections::HashMap;

use super::declaration::DeclarationFields;
use super::document::DeclaredDocument;
use super::known::{CallFace, KnownCalls};
use super::pointer::address_of;
use super::run::{LostNode, ReadRun};
use super::selections::{SelectedAs, Selections};
use super::selector::{NodePath, PathSelector};
use crate::json::JsonNode;
use crate::json_text::escape_token;
use crate::trace::{Trace, UnreadContent, UnreadPart};

/// So many parts of one run are reported; more say no more.
const MOST_PARTS: usize = 100;

/// Kinds of parts that contain no call in any format.
const HARMLESS: [&str; 16] = [
    "audio",
    "citation",
    "document",
    "file",
    "image",
    "image_url",
    "input_audio",
    "input_image",
    "metadata",
    "ping",
    "reasoning",
    "redacted_thinking",
    "refusal",
    "thinking",
    "url_citation",
    "usage",
];

/// Words in the kind of a part that may be a call, however little is in it.
const CALL_WORDS: [&str; 9] =
    ["tool", "call", "function", "command", "exec", "action", "shell", "invo", "mcp"];

/// The keys under which formats keep the kind of a record or a part.
const KIND_KEYS: [&str; 8] =
    ["type", "kind", "part_kind", "content_type", "event", "event_type", "__event__", "role"];

/// Adds to each run the parts of the document that no path selected.
pub(super) fn add_unread_parts(
    fields: &DeclarationFields,
    document: &DeclaredDocument<'_>,
    selections: &Selections,
    runs: Vec<ReadRun<'_>>,
) -> Vec<Trace> {
    let scene = LeftScene { fields, document, selections, lists_of_steps: fields.lists_of_steps() };
    let (outside, pointers) = find_outside_of_runs(&scene, &runs);
    let mut traces = Vec::with_capacity(runs.len());
    for run in runs {
        let pointer = pointers.get(&address_of(run.node)).map_or("", String::as_str);
        let found = find_in_run(&scene, &run, pointer);
        let mut trace = run.trace;
        // What is outside of all runs may belong to any of them, so each run says it.
        trace.push_unread(found.into_iter().chain(outside.iter().cloned()));
        traces.push(trace);
    }
    traces
}

/// Returns the parts around the runs of a document, which may belong to any of them, and the pointers of the runs.
fn find_outside_of_runs(
    scene: &LeftScene<'_>,
    runs: &[ReadRun<'_>],
) -> (Vec<UnreadPart>, HashMap<usize, String>) {
    if scene.fields.runs.is_none() {
        return (Vec::new(), HashMap::new());
    }
    let known = KnownCalls::of(runs.iter().map(|run| &run.trace));
    let mut search = LeftSearch::new(scene, &known, &[], "");
    search.search_value(&scene.document.value, None);
    (search.found, search.runs)
}

fn find_in_run(scene: &LeftScene<'_>, run: &ReadRun<'_>, pointer: &str) -> Vec<UnreadPart> {
    let known = KnownCalls::of([&run.trace]);
    let mut search = LeftSearch::new(scene, &known, &run.lost, pointer);
    search.note_lists_of_run(run.node);
    // A run may itself be a step, and is judged as one.
    if scene.selections.find(run.node) == Some(SelectedAs::Step) {
        search.search_step(run.node);
    } else {
        search.search_parts(run.node, None);
    }
    search.found
}

/// The data that all searches of one document share.
struct LeftScene<'s> {
    fields: &'s DeclarationFields,
    document: &'s DeclaredDocument<'s>,
    selections: &'s Selections,
    /// The lists out of which the paths of a step select.
    lists_of_steps: Vec<&'s NodePath>,
}

/// A step, and the lists in it out of which paths select, as soon as they are needed.
struct SearchedStep<'v> {
    step: &'v JsonNode<'v>,
    lists: Option<Vec<usize>>,
}

/// The search through what is left of one run, or of the document around the runs.
struct LeftSearch<'s> {
    scene: &'s LeftScene<'s>,
    known: &'s KnownCalls<'s>,
    lost: &'s [LostNode],
    /// The addresses of the lists out of which the run selects its steps.
    step_lists: Vec<usize>,
    /// The JSON pointer of the value that is looked at.
    pointer: String,
    found: Vec<UnreadPart>,
    /// The pointers of the runs that the search met.
    runs: HashMap<usize, String>,
}

impl<'s> LeftSearch<'s> {
    fn new(scene: &'s LeftScene<'s>, known: &'s KnownCalls<'s>, lost: &'s [LostNode], pointer: &str) -> Self {
        let step_lists = Vec::new();
        let found = Vec::new();
        let runs = HashMap::new();
        Self { scene, known, lost, step_lists, pointer: pointer.to_owned(), found, runs }
    }

    fn note_lists_of_run(&mut self, run: &JsonNode) {
        let steps = self.scene.fields.steps.as_ref();
        let paths = steps.into_iter().flat_map(PathSelector::lists);
        self.step_lists = paths.flat_map(|path| addresses_of(&path.select(run))).collect();
    }

    fn search_value(&mut self, value: &JsonNode, step: Option<&mut SearchedStep<'_>>) {
        // The walk visits every container of the document once. How a value was selected decides how deep the walk
        // goes: a value that a path reads whole is understood, a node or a step is searched for parts beside the
        // selected ones, and everything else is searched for the shape of a call.
        // What was lost while a run was built has its own reason, which is better than the one that this search would
        // find.
        if let Some(lost) = self.lost.iter().find(|lost| lost.address == address_of(value)) {
            self.report(lost.content.clone());
            return;
        }
        match self.scene.selections.find(value) {
            Some(SelectedAs::Run) => drop(self.runs.insert(address_of(value), self.pointer.clone())),
            Some(SelectedAs::Step) => self.search_step(value),
            Some(SelectedAs::Whole) => {}
            Some(SelectedAs::Node) => self.search_parts(value, step),
            None => self.search_unselected(value, step),
        }
    }

    /// Searches a value that no path selected, although one may have selected a part of it.
    fn search_unselected(&mut self, value: &JsonNode, step: Option<&mut SearchedStep<'_>>) {
        // A wrapper around selected values may look like a call itself. It is not one if a path reaches into it.
        if let JsonNode::Object(object) = value
            && let Some(face) = CallFace::of(object)
            && !self.scene.selections.reach_into(value)
        {
            if !self.known.include(object, &face) {
                self.report(UnreadContent::UnreadCall { name: face.name.to_owned(), kind: kind_of(value) });
            }
            return;
        }
        self.search_parts(value, step);
    }

    fn search_step(&mut self, step: &JsonNode) {
        // A step whose inside no path reaches was never looked at, so it is judged as a whole.
        if self.scene.selections.reach_below(step) {
            self.search_parts(step, Some(&mut SearchedStep { step, lists: None }));
        } else if !self.scene.selections.is_whole(step) {
            self.judge_item(step);
        }
    }

    fn search_parts(&mut self, value: &JsonNode, mut step: Option<&mut SearchedStep<'_>>) {
        match value {
            JsonNode::Object(object) => {
                for (key, part) in object.iter() {
                    // An empty part loses nothing if it is left out.
                    if is_filled(part) {
                        self.search_below(&escape_token(key), |search| {
                            search.search_value(part, step.as_deref_mut());
                        });
                    }
                }
            }
            JsonNode::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if is_filled(item) {
                        self.search_below(&index.to_string(), |search| {
                            search.search_element(value, item, step.as_deref_mut());
                        });
                    }
                }
            }
            _ => {}
        }
    }

    /// Searches an element of a list. If paths select out of the list, an element that they skip is an item of an unknown
    /// kind.
    fn search_element(&mut self, list: &JsonNode, item: &JsonNode, mut step: Option<&mut SearchedStep<'_>>) {
        let is_passed_over =
            !self.scene.selections.reach_into(item) && self.selects_out_of(list, step.as_deref_mut());
        if is_passed_over { self.judge_item(item) } else { self.search_value(item, step) }
    }

    fn selects_out_of(&self, list: &JsonNode, step: Option<&mut SearchedStep<'_>>) -> bool {
        let Some(step) = step else { return self.step_lists.contains(&address_of(list)) };
        // The lists are found once for each step, and compared by address: equal lists elsewhere are other lists.
        let within = step.step;
        let lists = step.lists.get_or_insert_with(|| {
            let paths = self.scene.lists_of_steps.iter();
            paths.flat_map(|path| addresses_of(&path.select(within))).collect()
        });
        lists.contains(&address_of(list))
    }

    fn search_below(&mut self, key: &str, search: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(key);
        search(self);
        self.pointer.truncate(length);
    }

    /// Judges a record, a part or a step in which nothing was selected.
    fn judge_item(&mut self, item: &JsonNode) {
        // An item is unread unless one of three things explains it: its kind is harmless, it repeats a call or a
        // result that was read, or it has nothing in it that could be a call.
        if let Some(lost) = self.lost.iter().find(|lost| lost.address == address_of(item)) {
            return self.report(lost.content.clone());
        }
        let kinds = kinds_of(item);
        let harmless = &self.scene.fields.harmless;
        if kinds.iter().any(|kind| HARMLESS.contains(kind) || harmless.iter().any(|known| known == kind)) {
            return;
        }
        // A repeated record of the same call, or of its result, is not unread.
        match self.find_call(item) {
            Some(CallInItem::Unknown(name)) => {
                self.report(UnreadContent::UnreadCall { name, kind: kind_of(item) });
            }
            None if has_substance(item, &kinds) && !self.known.mention_answered(item) => {
                self.report(UnreadContent::UnknownKind(kind_of(item)));
            }
            Some(CallInItem::Known) | None => {}
        }
    }

    /// Searches an item for calls. One that was not read counts more than those that were.
    fn find_call(&self, value: &JsonNode) -> Option<CallInItem> {
        let parts: Vec<&JsonNode> = match value {
            JsonNode::Array(items) => items.iter().collect(),
            JsonNode::Object(object) => match CallFace::of(object) {
                Some(face) if self.known.include(object, &face) => return Some(CallInItem::Known),
                Some(face) => return Some(CallInItem::Unknown(face.name.to_owned())),
                None => object.values().collect(),
            },
            _ => return None,
        };
        let found = parts.into_iter().filter_map(|part| self.find_call(part));
        // One unread call outweighs any number of known ones: the item must be reported.
        found.reduce(|one, other| if one == CallInItem::Known { other } else { one })
    }

    fn report(&mut self, content: UnreadContent) {
        if self.found.len() < MOST_PARTS {
            let place = self.scene.document.locate(&self.pointer);
            self.found.push(UnreadPart::new(place, content));
        }
    }
}

/// A call in an item in which nothing was selected.
#[derive(Debug, PartialEq, Eq)]
enum CallInItem {
    Known,
    Unknown(String),
}

fn addresses_of(values: &[&JsonNode]) -> Vec<usize> {
    values.iter().map(|value| address_of(*value)).collect()
}

/// Whether a value is a list or an object with anything in it.
fn is_filled(value: &JsonNode) -> bool {
    match value {
        JsonNode::Array(items) => !items.is_empty(),
        JsonNode::Object(object) => !object.is_empty(),
        _ => false,
    }
}

/// The words that say of what kind an item is. An item with a single key is of the kind of this key.
fn kinds_of<'v>(item: &'v JsonNode<'v>) -> Vec<&'v str> {
    let JsonNode::Object(object) = item else { return Vec::new() };
    let mut kinds: Vec<&str> = KIND_KEYS.iter().filter_map(|key| object.get(key)?.as_str()).collect();
    // The only key of an object names its kind in formats such as `{"toolUse": {...}}`.
    if let (1, Some((key, _))) = (object.len(), object.iter().next()) {
        kinds.push(key);
    }
    kinds
}

fn kind_of(item: &JsonNode) -> String {
    kinds_of(item).first().copied().unwrap_or("without a kind").to_owned()
}

/// Whether an item could hold a call: it has more than texts and figures, or its kind sounds like one.
fn has_substance(item: &JsonNode, kinds: &[&str]) -> bool {
    let mut kinds = kinds.iter().map(|kind| kind.to_lowercase());
    // The kind alone is enough: a record of a call may have only texts.
    if kinds.any(|kind| CALL_WORDS.iter().any(|word| kind.contains(word))) {
        return true;
    }
    let parts: Vec<&JsonNode> = match item {
        JsonNode::Array(items) => items.iter().collect(),
        JsonNode::Object(object) => object.values().collect(),
        _ => return false,
    };
    parts.into_iter().filter(|part| is_filled(part)).any(|part| match part {
        JsonNode::Array(items) => items.iter().any(|item| is_filled(item) && has_substance_as_part(item)),
        part => has_substance_as_part(part),
    })
}

/// Whether a part of an item is more than a text.
fn has_substance_as_part(part: &JsonNode) -> bool {
    let JsonNode::Object(object) = part else { return true };
    let is_text = ["text", "content"].iter().any(|key| object.get(key).is_some_and(JsonNode::is_string));
    !is_text || has_substance(part, &kinds_of(part))
}
