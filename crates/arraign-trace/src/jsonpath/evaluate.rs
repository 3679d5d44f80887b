//! The evaluation of a path.
//!
//! One value is followed to the end of the path before the next one, so no segment builds a list. Values come in the order of
//! the document.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow;

use regex::Regex;

use crate::compiled::Compiled;
use crate::json::{Json, JsonNode};
use crate::jsonpath::syntax::{Comparison, Condition, Operand, Query, Segment, Selector, Start};

/// The place of a node: the step to it, and the place of the node above it.
pub(super) struct NodePlace<'p> {
    above: Option<&'p NodePlace<'p>>,
    step: PathStep<'p>,
}

enum PathStep<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl NodePlace<'_> {
    pub(super) const ROOT: Self = Self { above: None, step: PathStep::Root };
}

/// Writes the normalized path of RFC 9535, section 2.7: `$['items'][0]`.
impl fmt::Display for NodePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above {
            fmt::Display::fmt(above, f)?;
        }
        match self.step {
            PathStep::Root => f.write_str("$"),
            PathStep::Index(index) => write!(f, "[{index}]"),
            PathStep::Key(key) => {
                f.write_str("['")?;
                for c in key.chars() {
                    match c {
                        '\'' => f.write_str("\\'")?,
                        '\\' => f.write_str("\\\\")?,
                        '\n' => f.write_str("\\n")?,
                        '\r' => f.write_str("\\r")?,
                        '\t' => f.write_str("\\t")?,
                        '\u{8}' => f.write_str("\\b")?,
                        '\u{c}' => f.write_str("\\f")?,
                        '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(c))?,
                        c => write!(f, "{c}")?,
                    }
                }
                f.write_str("']")
            }
        }
    }
}

/// A document whose values are filtered, and what filters asked about the document as a whole: such a question has one answer for
/// all values, and the document may have millions of them.
pub(super) struct Filters<'d, 't> {
    root: &'d JsonNode<'t>,
    /// The answers, by the address of the query.
    known: RefCell<HashMap<usize, OperandValue<'d, 't>>>,
    /// The number of steps of all evaluations.
    steps: Cell<usize>,
}

/// The function that takes the nodes which a path selects in a document.
pub(super) struct Evaluation<'f, 'd, 't, F> {
    filters: &'f Filters<'d, 't>,
    take: F,
    effort: Effort,
}

/// How far an evaluation goes. `$..*..*..*` leads to a node on as many ways as three of the nodes above it can be chosen:
/// in a document of a megabyte, some billions.
pub(super) enum Effort {
    /// All ways to a node, until no step is left.
    Steps(usize),
    /// The first way to each node. The set holds the nodes from which a part of the path was followed, by the number of
    /// segments in this part.
    Once(HashSet<(usize, usize)>),
}

impl<'f, 'd, 'v, 't, F: FnMut(&'v JsonNode<'t>, &NodePlace) -> ControlFlow<()>> Evaluation<'f, 'd, 't, F> {
    pub(super) fn of(filters: &'f Filters<'d, 't>, take: F) -> Self {
        Self { filters, take, effort: Effort::Steps(usize::MAX) }
    }

    pub(super) fn with_effort(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// Whether the steps ended before the path.
    pub(super) fn is_exhausted(&self) -> bool {
        matches!(self.effort, Effort::Steps(0))
    }

    /// Counts a step from `node`. Breaks if no step is left; returns false if the path was followed from here before.
    fn count_step(&mut self, segments: &[Segment], node: &'v JsonNode<'t>) -> ControlFlow<(), bool> {
        self.filters.steps.set(self.filters.steps.get() + 1);
        match &mut self.effort {
            Effort::Steps(0) => ControlFlow::Break(()),
            Effort::Steps(left) => {
                *left -= 1;
                if *left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(true) }
            }
            Effort::Once(known) => {
                ControlFlow::Continue(known.insert((std::ptr::from_ref(node).addr(), segments.len())))
            }
        }
    }

    /// Gives `take` each node that `segments` lead to from `node`, until it has enough.
    pub(super) fn follow(
        &mut self,
        segments: &[Segment],
        node: &'v JsonNode<'t>,
        place: &NodePlace,
    ) -> ControlFlow<()> {
        if !self.count_step(segments, node)? {
            return ControlFlow::Continue(());
        }
        let Some((segment, rest)) = segments.split_first() else { return (self.take)(node, place) };
        self.select(segment, rest, node, place)?;
        if segment.descends { self.descend(segments, node, place) } else { ControlFlow::Continue(()) }
    }

    /// Applies a segment that descends to everything below `node`.
    fn descend(
        &mut self,
        segments: &[Segment],
        node: &'v JsonNode<'t>,
        place: &NodePlace,
    ) -> ControlFlow<()> {
        each_child(node, place, |child, place| {
            // Nothing is below a value that is neither a list nor an object.
            if matches!(child, JsonNode::Array(_) | JsonNode::Object(_)) {
                self.follow(segments, child, place)
            } else {
                ControlFlow::Continue(())
            }
        })
    }

    /// Applies the selectors of a segment to one node.
    fn select(
        &mut self,
        segment: &Segment,
        rest: &[Segment],
        node: &'v JsonNode<'t>,
        place: &NodePlace,
    ) -> ControlFlow<()> {
        for selector in &segment.selectors {
            match (selector, node) {
                (Selector::Name(name), JsonNode::Object(object)) => {
                    if let Some(child) = object.get(name) {
                        let step = PathStep::Key(name);
                        self.follow(rest, child, &NodePlace { above: Some(place), step })?;
                    }
                }
                (Selector::Index(index), JsonNode::Array(items)) => {
                    let index = usize::try_from(*index)
                        .ok()
                        .or_else(|| items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?));
                    if let Some((index, child)) = index.and_then(|index| Some((index, items.get(index)?))) {
                        let step = PathStep::Index(index);
                        self.follow(rest, child, &NodePlace { above: Some(place), step })?;
                    }
                }
                (Selector::Every, _) => {
                    each_child(node, place, |child, place| self.follow(rest, child, place))?;
                }
                (Selector::Slice { start, end, step }, JsonNode::Array(items)) => {
                    for index in slice(items.len(), *start, *end, *step) {
                        let step = PathStep::Index(index);
                        self.follow(rest, &items[index], &NodePlace { above: Some(place), step })?;
                    }
                }
                (Selector::Filter(condition), _) => {
                    // A question about the root has one answer for all children.
                    let filters = self.filters;
                    if condition.asks_only_root() && !filters.holds(condition, filters.root) {
                        continue;
                    }
                    each_child(node, place, |child, place| {
                        if filters.holds(condition, child) {
                            self.follow(rest, child, place)
                        } else {
                            ControlFlow::Continue(())
                        }
                    })?;
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

/// Visits the elements of a list, or the values of an object.
fn each_child<'v, 't>(
    node: &'v JsonNode<'t>,
    place: &NodePlace,
    mut visit: impl FnMut(&'v JsonNode<'t>, &NodePlace) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match node {
        JsonNode::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| {
            visit(item, &NodePlace { above: Some(place), step: PathStep::Index(index) })
        }),
        JsonNode::Object(object) => object.iter().try_for_each(|(key, value)| {
            visit(value, &NodePlace { above: Some(place), step: PathStep::Key(key) })
        }),
        _ => ControlFlow::Continue(()),
    }
}

/// Returns the indexes of a slice, as RFC 9535, section 2.3.4.2 defines them.
fn slice(len: usize, start: Option<i64>, end: Option<i64>, step: i64) -> impl Iterator<Item = usize> {
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let normalize = |index: i64| if index >= 0 { index } else { len.saturating_add(index) };
    let (first, last) = if step >= 0 {
        (normalize(start.unwrap_or(0)).clamp(0, len), normalize(end.unwrap_or(len)).clamp(0, len))
    } else {
        let start = start.map_or(len - 1, normalize);
        let end = end.map_or(-1, normalize);
        (start.clamp(-1, len - 1), end.clamp(-1, len - 1))
    };
    let goes_on = move |index: &i64| match step.cmp(&0) {
        Ordering::Greater => *index < last,
        Ordering::Less => *index > last,
        Ordering::Equal => false,
    };
    std::iter::successors(Some(first), move |index| index.checked_add(step))
        .take_while(goes_on)
        .filter_map(|index| usize::try_from(index).ok())
}

impl<'d, 't> Filters<'d, 't> {
    pub(super) fn of(root: &'d JsonNode<'t>) -> Self {
        Self { root, known: RefCell::default(), steps: Cell::new(0) }
    }

    /// Whether `node` passes a filter.
    fn holds(&self, condition: &Condition, node: &JsonNode<'t>) -> bool {
        match condition {
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part, node)),
            Condition::All(parts) => parts.iter().all(|part| self.holds(part, node)),
            Condition::Not(part) => !self.holds(part, node),
            Condition::Exists(query) => {
                let found = self.answer(query, node, |node| {
                    let mut evaluation = Evaluation::of(self, |_, _| ControlFlow::Break(()));
                    let found = evaluation.follow(&query.segments, node, &NodePlace::ROOT).is_break();
                    OperandValue::Number(found.into())
                });
                matches!(found, OperandValue::Number(1))
            }
            Condition::Compare(one, comparison, other) => {
                compare(&self.evaluate(one, node), *comparison, &self.evaluate(other, node))
            }
            Condition::Matches { text, pattern, is_whole } => {
                let text = self.evaluate(text, node);
                let pattern = self.evaluate(pattern, node);
                match (text.as_str(), pattern.as_str()) {
                    (Some(text), Some(pattern)) => matches(text, pattern, *is_whole),
                    _ => false,
                }
            }
        }
    }

    /// Computes what `query` is about, from its start. An answer about the document is kept.
    fn answer<'v>(
        &self,
        query: &Query,
        node: &'v JsonNode<'t>,
        compute: impl for<'n> Fn(&'n JsonNode<'t>) -> OperandValue<'n, 't>,
    ) -> OperandValue<'v, 't>
    where
        'd: 'v,
    {
        if matches!(query.start, Start::Current) {
            return compute(node);
        }
        let key = std::ptr::from_ref(query).addr();
        let known = self.known.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let answer = compute(self.root);
            self.known.borrow_mut().insert(key, answer);
            answer
        })
    }

    fn evaluate<'v>(&self, operand: &'v Operand, node: &'v JsonNode<'t>) -> OperandValue<'v, 't>
    where
        'd: 'v,
    {
        match operand {
            Operand::Literal(value) => OperandValue::Node(shorten_lifetime(value)),
            Operand::Node(query) => self.answer(query, node, |node| {
                let mut found = OperandValue::Nothing;
                self.each_node(query, node, |node| found = OperandValue::Node(node));
                found
            }),
            Operand::Count(query) => self.answer(query, node, |node| {
                let mut count = 0;
                self.each_node(query, node, |_| count += 1);
                OperandValue::Number(count)
            }),
            Operand::Value(query) => self.answer(query, node, |node| {
                let mut found = OperandValue::Nothing;
                let mut count = 0;
                self.each_node(query, node, |node| {
                    count += 1;
                    found = OperandValue::Node(node);
                });
                if count == 1 { found } else { OperandValue::Nothing }
            }),
            Operand::Length(operand) => match self.evaluate(operand, node) {
                OperandValue::Node(JsonNode::String(text)) => OperandValue::Number(text.chars().count()),
                OperandValue::Node(JsonNode::Array(items)) => OperandValue::Number(items.len()),
                OperandValue::Node(JsonNode::Object(object)) => OperandValue::Number(object.len()),
                _ => OperandValue::Nothing,
            },
        }
    }

    /// Gives `take` the nodes that `query` selects from `start`.
    fn each_node<'v>(&self, query: &Query, start: &'v JsonNode<'t>, mut take: impl FnMut(&'v JsonNode<'t>)) {
        let mut evaluation = Evaluation::of(self, |node, _: &NodePlace| {
            take(node);
            ControlFlow::Continue(())
        });
        let _ = evaluation.follow(&query.segments, start, &NodePlace::ROOT);
    }

    #[cfg(test)]
    pub(super) fn count_steps(&self) -> usize {
        self.steps.get()
    }
}

/// The value of an operand.
#[derive(Clone, Copy)]
enum OperandValue<'v, 't> {
    Nothing,
    Node(&'v JsonNode<'t>),
    Number(usize),
}

impl<'v, 't> OperandValue<'v, 't> {
    fn as_str(&self) -> Option<&'v str> {
        if let Self::Node(node) = self { node.as_str() } else { None }
    }

    fn as_json(&self) -> Option<Cow<'v, JsonNode<'t>>> {
        match self {
            Self::Nothing => None,
            Self::Node(node) => Some(Cow::Borrowed(node)),
            Self::Number(number) => Some(Cow::Owned((*number).into())),
        }
    }
}

/// A tree that borrows from nothing is one that borrows from anything.
fn shorten_lifetime<'t>(value: &Json) -> &JsonNode<'t> {
    value
}

fn compare(one: &OperandValue, comparison: Comparison, other: &OperandValue) -> bool {
    let one = one.as_json();
    let other = other.as_json();
    let equal = || match (&one, &other) {
        (None, None) => true,
        (Some(one), Some(other)) => one == other,
        _ => false,
    };
    // Only two numbers or two texts have an order.
    let order = match (one.as_deref(), other.as_deref()) {
        (Some(JsonNode::Number(one)), Some(JsonNode::Number(other))) => Some(one.cmp(other)),
        (Some(JsonNode::String(one)), Some(JsonNode::String(other))) => Some(one.cmp(other)),
        _ => None,
    };
    match comparison {
        Comparison::Equal => equal(),
        Comparison::NotEqual => !equal(),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::LessOrEqual => order == Some(Ordering::Less) || equal(),
        Comparison::GreaterOrEqual => order == Some(Ordering::Greater) || equal(),
    }
}

/// The patterns of filters. A pattern that does not compile matches nothing.
static PATTERNS: Compiled<Option<Regex>> = Compiled::empty();

/// The most memory that a compiled pattern may take.
const MAX_PATTERN_BYTES: usize = 1 << 20;

fn matches(text: &str, pattern: &str, is_whole: bool) -> bool {
    let anchored =
        if is_whole { format!("^(?:{})$", translate_dots(pattern)) } else { translate_dots(pattern) };
    let compiled = PATTERNS.get(&anchored, || {
        let regex = regex::RegexBuilder::new(&anchored).size_limit(MAX_PATTERN_BYTES).build();
        Ok::<_, std::convert::Infallible>((regex.ok(), MAX_PATTERN_BYTES / 16))
    });
    match compiled.as_deref() {
        Ok(Some(regex)) => regex.is_match(text),
        _ => false,
    }
}

/// Translates the dots of I-Regexp (RFC 9485), which match neither of the two line breaks.
fn translate_dots(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                translated.push(c);
                translated.extend(characters.next());
            }
            '.' if !in_class => translated.push_str("[^\\n\\r]"),
            c => {
                in_class = c == '[' || in_class && c != ']';
                translated.push(c);
            }
        }
    }
    translated
}
