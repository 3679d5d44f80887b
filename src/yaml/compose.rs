//! Parser events to a tree: aliases and merge keys expanded within a budget, duplicates refused, all of it
//! with the bytes of the file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Tag};
use smol_str::SmolStr;

use super::{Document, Key, Tree, Value, scalar};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};

/// Nesting that no case needs; it bounds the recursion of all that walks a tree.
const MAX_DEPTH: usize = 64;
/// Nodes that aliases may copy in one file: far above any suite, far below a bomb.
const MAX_COPIED_NODES: usize = 250_000;
/// The bytes of text that aliases may copy in one file.
const MAX_COPIED_BYTES: usize = 8 << 20;

/// The documents in `range` of `source`.
pub(super) fn compose_documents(
    source: &Arc<Source>,
    range: Range<usize>,
) -> Result<Vec<Document>, LoadErrors> {
    let mut composer = YamlComposer::new(source, range.start);
    if u32::try_from(source.text().len()).is_err() {
        return Err(LoadError::new(Place::of_file(source.name()), "the file is larger than 4 GiB").into());
    }
    let options = granit_parser::options! {
        emit_comments: false,
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
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

/// A list or a mapping whose end has not come. What it holds so far is what stands from `from` on in the composer's
/// `items` or `entries`: when the end comes, it is moved to a vector of just its length.
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
            self.error_at(span, format!("`{text}` has a tag that means nothing here: `{}`", tag.original()))
                .help("leave the tag out, or quote the value")
        })
    }

    fn open_node(&mut self, frame: OpenNode) -> Result<(), LoadError> {
        let (OpenNode::List { start, .. } | OpenNode::Map { start, .. }) = &frame;
        if let Some(OpenNode::Map { key: None, .. }) = self.stack.last() {
            return Err(self.error_at(*start, "a key must be a plain word, not a list or a mapping"));
        }
        if self.stack.len() >= MAX_DEPTH {
            return Err(self.depth_error(*start));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn close_node(&mut self, end: Span) -> Result<(), LoadError> {
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
            return Err(self.error_at(span, "this alias stands inside the value that it names"));
        };
        let (size, tree) = (anchored.size, anchored.tree.clone());
        self.copied.nodes += size.nodes;
        self.copied.bytes += size.bytes;
        if self.copied.nodes > MAX_COPIED_NODES {
            return Err(self.error_at(span, "aliases copy too much: more than 250000 values in one file"));
        }
        if self.copied.bytes > MAX_COPIED_BYTES {
            return Err(self.error_at(span, "aliases copy too much: more than 8 MiB of text in one file"));
        }
        if self.stack.len() + size.depth > MAX_DEPTH {
            return Err(self.depth_error(span));
        }
        self.add_value(tree, 0)
    }

    /// Adds a finished value to the list or mapping around it, or ends the document with it.
    fn add_value(&mut self, tree: Tree, anchor: usize) -> Result<(), LoadError> {
        // The parser numbers anchors from 1; 0 is a value without an anchor.
        if anchor != 0 {
            self.anchors.insert(anchor, AnchoredTree { tree: tree.clone(), size: measure_tree(&tree) });
        }
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
        // Reverse order keeps the earlier indices valid while entries are removed.
        let doubles = find_duplicates(entries);
        for (index, first) in doubles.iter().rev() {
            let (key, _) = entries.remove(*index);
            let line = Place::new(self.source, entries[*first].0.span).line();
            let problem = format!("duplicate key `{}`: it already stands on line {line}", key.name);
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

    fn error_at(&self, span: Span, problem: impl Into<String>) -> LoadError {
        LoadError::new(Place::new(self.source, span), problem)
    }

    fn scan_error(&self, error: &ScanError) -> LoadError {
        let span = self.span_between(*error.marker(), *error.marker());
        let error_kind = error.kind();
        let problem = match error_kind {
            ErrorKind::UnknownQuotedScalarEscape => "unknown escape in a double-quoted string".to_owned(),
            ErrorKind::RecursionLimitExceeded => return self.depth_error(span),
            _ => format!("not valid YAML: {}", error.info()),
        };
        let error = LoadError::new(Place::new(self.source, span), problem);
        if let Some(help) = find_usual_cause(error_kind) {
            return error.help(help);
        }
        match (error.problem.starts_with("unknown escape"), self.find_quoted_around(span.start as usize)) {
            (true, Some(inner)) => {
                error.help(format!("use single quotes, where a backslash is itself: '{inner}'"))
            }
            (true, None) => error.help("use single quotes, where a backslash is itself"),
            (false, _) => error,
        }
    }

    /// Returns the double-quoted text on the line around `offset`, rewritten in single quotes.
    fn find_quoted_around(&self, offset: usize) -> Option<String> {
        let text = self.source.text();
        let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next()?;
        let open = line.get(..=offset - line_start)?.rfind('"')?;
        let inner = &line[open + 1..];
        let close = inner.char_indices().find(|(at, c)| *c == '"' && !inner[..*at].ends_with('\\'))?.0;
        Some(inner[..close].replace('\'', "''"))
    }

    fn span_between(&self, start: Marker, end: Marker) -> Span {
        let at = |marker: Marker| {
            let offset = self.offset + marker.byte_offset().unwrap_or_default();
            u32::try_from(offset.min(self.source.text().len())).unwrap_or(u32::MAX)
        };
        Span { start: at(start), end: at(end) }
    }
}

/// Returns the usual mistake behind a message of the YAML parser.
fn find_usual_cause(kind: &ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::MappingValueNotAllowed | ErrorKind::MappingKeyNotAllowed => {
            Some("a text that holds a colon and a blank stands in quotes: \"it says: no\"")
        }
        ErrorKind::InvalidColonPlacement
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::InvalidFlowScalarIndent => Some("is a bracket, brace or quote left open above?"),
        ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            Some("indent with blanks, not with tabs")
        }
        ErrorKind::UnclosedQuotedScalar => Some("close the quote"),
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey => {
            Some("is this line indented like its neighbours?")
        }
        _ => None,
    }
}

/// Finds entries with a key that occurred before, and the index of its first entry. Small mappings are compared
/// pairwise: nearly all are small, and a hash table costs more than they do.
fn find_duplicates(entries: &[(Key, Tree)]) -> Vec<(usize, usize)> {
    if entries.len() <= 16 {
        let before =
            |index: usize| entries[..index].iter().position(|(key, _)| key.name == entries[index].0.name);
        return (1..entries.len()).filter_map(|index| Some((index, before(index)?))).collect();
    }
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
    let mut doubles = Vec::new();
    for (index, (key, _)) in entries.iter().enumerate() {
        match first.entry(&key.name) {
            Entry::Occupied(known) => doubles.push((index, *known.get())),
            Entry::Vacant(free) => drop(free.insert(index)),
        }
    }
    doubles
}

/// Whether a key merges what follows: `"<<"` in quotes is a word like any other.
fn is_merge_key(key: &Key, source: &Source) -> bool {
    key.name == "<<" && source.text()[key.span.start as usize..].starts_with("<<")
}

/// The mappings that a merge key brings in.
fn collect_merged(tree: Tree, source: &Arc<Source>) -> Result<Vec<Tree>, LoadError> {
    let (span, trees) = match tree.value {
        Value::List(items) => (tree.span, items),
        _ => (tree.span, vec![tree]),
    };
    if trees.iter().all(|tree| matches!(tree.value, Value::Map(_))) {
        return Ok(trees);
    }
    Err(LoadError::new(Place::new(source, span), "`<<` merges a mapping, or a list of mappings"))
}

/// Adds the entries of `merged` whose keys are not there yet: explicit keys win, then earlier mappings.
fn merge_entries(entries: &mut Vec<(Key, Tree)>, merged: Vec<Tree>) {
    for tree in merged {
        let Value::Map(more) = tree.value else { continue };
        for (key, tree) in more {
            if !entries.iter().any(|(known, _)| known.name == key.name) {
                entries.push((key, tree));
            }
        }
    }
}

/// The size of a tree.
#[derive(Debug, Clone, Copy, Default)]
struct TreeSize {
    nodes: usize,
    /// The bytes of all texts, also of keys.
    bytes: usize,
    /// The number of levels.
    depth: usize,
}

impl TreeSize {
    /// Adds a tree below.
    fn add_child(self, child: TreeSize) -> Self {
        Self {
            nodes: self.nodes + child.nodes,
            bytes: self.bytes + child.bytes,
            depth: self.depth.max(child.depth + 1),
        }
    }
}

fn measure_tree(tree: &Tree) -> TreeSize {
    let alone = TreeSize { nodes: 1, bytes: 0, depth: 1 };
    match &tree.value {
        Value::List(items) => items.iter().map(measure_tree).fold(alone, TreeSize::add_child),
        Value::Map(entries) => entries.iter().fold(alone, |size, (key, tree)| {
            let child = measure_tree(tree);
            size.add_child(TreeSize { bytes: child.bytes + key.name.len(), ..child })
        }),
        Value::String(text) => TreeSize { bytes: text.len(), ..alone },
        _ => alone,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn read(text: &str) -> Result<Vec<serde_json::Value>, String> {
        let documents = Document::parse(&Source::new("t.yaml", text)).map_err(|errors| errors.to_string())?;
        Ok(documents.iter().map(|document| document.root().to_json()).collect())
    }

    #[test]
    fn merge_keys_and_aliases_expand() {
        let json = read("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: *a").expect("it is valid");
        assert_eq!(json[0]["b"], serde_json::json!({"x": 1, "y": 3}));
        assert_eq!(json[0]["c"], serde_json::json!({"x": 1, "y": 2}));
        let quoted = read("a: &a {x: 1}\nb: {\"<<\": *a}").expect("it is valid");
        assert_eq!(quoted[0]["b"], serde_json::json!({"<<": {"x": 1}}));
    }

    #[test]
    fn a_stream_gives_its_documents_without_the_empty_ones() {
        assert_eq!(read("a: 1\n---\n---\nb: 2\n").expect("it is valid").len(), 2);
        assert!(read("").expect("it is valid").is_empty());
    }

    #[test]
    fn all_duplicates_are_reported_at_once() {
        let errors = read("a: 1\na: 2\nb: {c: 1, c: 2}").expect_err("two duplicates");
        assert!(errors.contains("t.yaml:2:1: duplicate key `a`: it already stands on line 1"), "{errors}");
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
        assert!(read("a: &a [*a]").expect_err("a circle").contains("inside the value that it names"));
    }
}
