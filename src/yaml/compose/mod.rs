//! Parser events to a tree: expands aliases and merge keys within a budget and reports duplicate keys, each with its
//! span in the file.

mod merge;
mod scan_error;
mod tree_size;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use smol_str::SmolStr;

use self::merge::{collect_merged, find_duplicates, is_merge_key, merge_entries};
use self::tree_size::TreeSize;
use super::{Document, Key, Tree, Value, scalar};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};

/// The deepest nesting: deeper than any case, and a bound for every function that walks a tree recursively.
const MAX_DEPTH: usize = 64;
/// Nodes that aliases may copy in one file: far above any suite, far below a bomb.
const MAX_COPIED_NODES: usize = 250_000;
/// The bytes of text that aliases may copy in one file.
const MAX_COPIED_BYTES: usize = 8 << 20;
/// The values of one document. A dataset of JSON Lines is a document for each line.
const MAX_NODES: usize = 2_000_000;

/// Parses the documents in `range` of `source`.
pub(super) fn compose_documents(
    source: &Arc<Source>,
    range: Range<usize>,
) -> Result<Vec<Document>, LoadErrors> {
    let mut composer = YamlComposer::new(source, range.start);
    // Spans have 32 bits.
    if u32::try_from(source.text().len()).is_err() {
        return Err(LoadError::new(Place::of_file(source.name()), "the file is larger than 4 GiB").into());
    }
    let options = granit_parser::options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    // The first error ends the file: after it the parser no longer knows where values begin. Duplicate keys do not end
    // it, so all of them are reported together.
    for event in Parser::new_from_str_with_options(&source.text()[range], options) {
        let step = match event {
            Ok((event, span)) => composer.take_event(event, composer.span_between(span.start, span.end)),
            Err(error) => Err(composer.scan_error(&error)),
        };
        if let Err(error) = step {
            composer.errors.push(error);
            break;
        }
    }
    composer.errors.or(composer.documents)
}

/// A list or a mapping without its end event.
///
/// Its children so far are in the composer's `items` or `entries`, beginning at index `from`. The end event moves them
/// to a vector of exactly their number: two shared buffers grow, not one vector for each open node.
enum OpenNode {
    List { start: Span, anchor: usize, from: usize },
    Map { start: Span, anchor: usize, from: usize, key: Option<Key>, merged: Vec<Tree> },
}

struct AnchoredTree {
    tree: Tree,
    size: TreeSize,
}

struct YamlComposer<'s> {
    source: &'s Arc<Source>,
    offset: usize,
    stack: Vec<OpenNode>,
    items: Vec<Tree>,
    entries: Vec<(Key, Tree)>,
    anchors: HashMap<usize, AnchoredTree>,
    copied: TreeSize,
    /// The number of values so far, without the copied ones.
    nodes: usize,
    documents: Vec<Document>,
    errors: LoadErrors,
}

impl<'s> YamlComposer<'s> {
    fn new(source: &'s Arc<Source>, offset: usize) -> Self {
        Self {
            source,
            offset,
            stack: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            anchors: HashMap::new(),
            copied: TreeSize::default(),
            nodes: 0,
            documents: Vec::new(),
            errors: LoadErrors::new(),
        }
    }

    fn take_event(&mut self, event: Event<'_>, span: Span) -> Result<(), LoadError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.add_scalar(text, style, anchor, tag.as_deref(), span)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open_node(OpenNode::List { start: span, anchor, from: self.items.len() })
            }
            Event::MappingStart(_, anchor, _) => {
                let from = self.entries.len();
                self.open_node(OpenNode::Map { start: span, anchor, from, key: None, merged: Vec::new() })
            }
            Event::SequenceEnd | Event::MappingEnd => self.close_node(span),
            Event::Alias(id) => self.expand_alias(id, span),
            Event::UnresolvedAlias(name) => Err(self.unknown_alias_error(&name, span)),
            // An anchor is valid in its own document only.
            Event::DocumentStart(..) => {
                self.anchors.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add_scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Result<(), LoadError> {
        // In a mapping, scalars are keys and values by turns. A key keeps its text whatever its style or tag is: `1:
        // x` has the key `1`.
        if let Some(OpenNode::Map { key: key @ None, .. }) = self.stack.last_mut() {
            *key = Some(Key { span, name: SmolStr::from(text) });
            return Ok(());
        }
        let value = match (tag, style) {
            (Some(tag), _) => self.resolve_tagged(&text, tag, span)?,
            (None, ScalarStyle::Plain) => scalar::resolve_scalar(&text),
            (None, _) => Value::String(SmolStr::from(text)),
        };
        self.add_value(Tree { span, value }, anchor)
    }

    fn resolve_tagged(&self, text: &str, tag: &Tag, span: Span) -> Result<Value, LoadError> {
        let value = match tag.core_suffix() {
            Some("str") => Some(Value::String(SmolStr::from(text))),
            Some("int" | "float") => scalar::parse_number(text),
            Some("bool" | "null") => Some(scalar::resolve_scalar(text)),
            _ => None,
        };
        value.ok_or_else(|| {
            self.error_at(span, format!("`{text}` has an unsupported tag: `{}`", tag.original()))
                .help("leave the tag out, or quote the value")
        })
    }

    fn open_node(&mut self, frame: OpenNode) -> Result<(), LoadError> {
        let (OpenNode::List { start, .. } | OpenNode::Map { start, .. }) = &frame;
        // A mapping without a pending key expects a key, which this node would be.
        if let Some(OpenNode::Map { key: None, .. }) = self.stack.last() {
            return Err(self.error_at(*start, "a key must be a plain word, not a list or a mapping"));
        }
        // The stack of open nodes is also the depth, so one limit bounds the memory and the recursion of all later walks.
        if self.stack.len() >= MAX_DEPTH {
            return Err(self.depth_error(*start));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn close_node(&mut self, end: Span) -> Result<(), LoadError> {
        // The children of this node are the tail of the shared buffer, because those of inner nodes were taken out before.
        let (start, anchor, value) = match self.stack.pop() {
            Some(OpenNode::List { start, anchor, from }) => {
                (start, anchor, Value::List(self.items.split_off(from)))
            }
            Some(OpenNode::Map { start, anchor, from, merged, .. }) => {
                let mut entries = self.entries.split_off(from);
                merge_entries(&mut entries, merged);
                self.refuse_duplicates(&mut entries);
                (start, anchor, Value::Map(entries))
            }
            None => return Ok(()),
        };
        self.add_value(Tree { span: Span { start: start.start, end: end.end }, value }, anchor)
    }

    fn expand_alias(&mut self, id: usize, span: Span) -> Result<(), LoadError> {
        if let Some(OpenNode::Map { key: None, .. }) = self.stack.last() {
            return Err(self.error_at(span, "an alias cannot be a key"));
        }
        let Some(anchored) = self.anchors.get(&id) else {
            return Err(self.error_at(span, "this alias is inside the value that it refers to"));
        };
        let size = anchored.size;
        let tree = anchored.tree.clone();
        // Ten aliases of ten aliases of ... grow without a bound from a few lines: the sum of all copies in the file
        // is limited, not the size of each.
        self.copied.nodes += size.nodes;
        self.copied.bytes += size.bytes;
        if self.copied.nodes > MAX_COPIED_NODES {
            return Err(self.error_at(span, "aliases copy too much: more than 250000 values in one file"));
        }
        if self.copied.bytes > MAX_COPIED_BYTES {
            return Err(self.error_at(span, "aliases copy too much: more than 8 MiB of text in one file"));
        }
        // A copy may be deeper than where it was written, so its depth counts from here.
        if self.stack.len() + size.depth > MAX_DEPTH {
            return Err(self.depth_error(span));
        }
        self.add_value(tree, 0)
    }

    /// Adds a finished value to the list or mapping around it, or ends the document with it.
    fn add_value(&mut self, tree: Tree, anchor: usize) -> Result<(), LoadError> {
        self.nodes += 1;
        // An alias counts as one value here. Its copies have a budget of their own, which is checked before the copy
        // is added.
        if self.nodes > MAX_NODES {
            let problem = "the file has more than 2000000 values: split it, or write it as JSON Lines";
            return Err(self.error_at(tree.span, problem));
        }
        // The parser numbers anchors from 1; 0 is a value without an anchor.
        if anchor != 0 {
            // Measured once for each anchor, since a tree does not change after its end, and an alias of it costs
            // nothing to measure.
            let size = TreeSize::of_tree(&tree);
            self.anchors.insert(anchor, AnchoredTree { tree: tree.clone(), size });
        }
        // A value belongs to the innermost open node. Outside of any node it is a document. Empty documents are dropped.
        match self.stack.last_mut() {
            Some(OpenNode::List { .. }) => self.items.push(tree),
            Some(OpenNode::Map { key, merged, .. }) => match key.take() {
                Some(key) if is_merge_key(&key, self.source) => {
                    merged.extend(collect_merged(tree, self.source)?);
                }
                Some(key) => self.entries.push((key, tree)),
                None => {}
            },
            None if tree.value == Value::Null => {}
            None => self.documents.push(Document { source: Arc::clone(self.source), root: tree }),
        }
        Ok(())
    }

    fn refuse_duplicates(&mut self, entries: &mut Vec<(Key, Tree)>) {
        let duplicates = find_duplicates(entries);
        // Reverse order keeps the earlier indices valid while entries are removed.
        for (index, first) in duplicates.iter().rev() {
            let (key, _) = entries.remove(*index);
            let line = Place::new(self.source, entries[*first].0.span).line();
            let problem = format!("duplicate key `{}`: it is already on line {line}", key.name);
            self.errors.push(self.error_at(key.span, problem).help("keep one of the two"));
        }
    }

    fn unknown_alias_error(&self, name: &str, span: Span) -> LoadError {
        self.error_at(span, format!("unknown anchor: `*{name}` is an alias in YAML, not a pattern"))
            .help(format!("quote it: \"*{name}\""))
    }

    fn depth_error(&self, span: Span) -> LoadError {
        self.error_at(span, format!("nested too deeply: more than {MAX_DEPTH} levels"))
    }

    fn error_at(&self, span: Span, problem: impl fmt::Display) -> LoadError {
        LoadError::new(Place::new(self.source, span), problem)
    }

    fn span_between(&self, start: Marker, end: Marker) -> Span {
        Span { start: self.find_offset(start), end: self.find_offset(end) }
    }

    fn find_offset(&self, marker: Marker) -> u32 {
        let offset = self.offset + marker.byte_offset().unwrap_or_default();
        u32::try_from(offset.min(self.source.text().len())).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use crate::json::{Json, json};
    use std::fmt::Write as _;

    use super::*;

    fn read(text: &str) -> Result<Vec<Json>, String> {
        let documents = Document::parse(&Source::new("t.yaml", text)).map_err(|errors| errors.to_string())?;
        Ok(documents.iter().map(|document| document.root().to_json()).collect())
    }

    #[test]
    fn merge_keys_and_aliases_expand() {
        let json = read("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: *a").expect("it is valid");
        assert_eq!(json[0]["b"], json!({"x": 1, "y": 3}));
        assert_eq!(json[0]["c"], json!({"x": 1, "y": 2}));
        let quoted = read("a: &a {x: 1}\nb: {\"<<\": *a}").expect("it is valid");
        assert_eq!(quoted[0]["b"], json!({"<<": {"x": 1}}));
    }

    #[test]
    fn a_stream_gives_its_documents_without_the_empty_ones() {
        assert_eq!(read("a: 1\n---\n---\nb: 2\n").expect("it is valid").len(), 2);
        assert!(read("").expect("it is valid").is_empty());
    }

    #[test]
    fn all_duplicates_are_reported_at_once() {
        let errors = read("a: 1\na: 2\nb: {c: 1, c: 2}").expect_err("two duplicates");
        assert!(errors.contains("t.yaml:2:1: duplicate key `a`: it is already on line 1"), "{errors}");
        assert!(errors.contains("t.yaml:3:11: duplicate key `c`"), "{errors}");
    }

    #[test]
    fn a_bare_star_and_a_regex_escape_say_how_to_quote() {
        let star = read("blocklist:\n  - *_dangerous\n").expect_err("an alias");
        assert!(star.starts_with("t.yaml:2:5: unknown anchor") && star.contains("\"*_dangerous\""), "{star}");
        let escape = read("pattern: \"refund\\s+(it's)\"").expect_err("an escape");
        assert!(escape.contains(r"'refund\s+(it''s)'"), "{escape}");
    }

    #[test]
    fn bombs_and_towers_are_refused() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, before) in ('b'..='i').zip('a'..='h') {
            let ten = vec![format!("*{before}"); 10].join(", ");
            writeln!(bomb, "{name}: &{name} [{ten}]").expect("text");
        }
        assert!(read(&bomb).expect_err("a bomb").contains("aliases copy too much: more than 250000 values"));
        // Few values, each of which is a long text.
        let long = format!("a: &a {}\nb: [{}]", "x".repeat(50_000), vec!["*a"; 10_000].join(", "));
        let error = read(&long).expect_err("a bomb of text");
        assert!(error.starts_with("t.yaml:2:") && error.contains("more than 8 MiB of text"), "{error}");
        assert!(read(&"[".repeat(10_000)).expect_err("a tower").contains("nested too deeply"));
        assert!(read(&"- ".repeat(10_000)).expect_err("a tower").contains("nested too deeply"));
        assert!(read(&"{a: ".repeat(10_000)).expect_err("a tower").contains("nested too deeply"));
        assert!(read("a: &a [*a]").expect_err("a circle").contains("inside the value that it refers to"));
    }
}
