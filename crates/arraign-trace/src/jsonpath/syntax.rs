//! What a path is made of: the tree that the parser builds and the evaluation walks.

use crate::json::Json;

/// A step of a path: from each node to some of its children, or of all its descendants.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    /// Whether the selectors are applied to the node and to everything below it (`..`).
    pub(super) descends: bool,
    pub(super) selectors: Vec<Selector>,
    /// The offset in the path's text behind this segment.
    pub(super) end: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Selector {
    Name(String),
    Index(i64),
    Every,
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Condition),
}

/// A question about a node, in a filter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Box<Condition>),
    /// Whether the query selects anything.
    Exists(Query),
    Compare(Operand, Comparison, Operand),
    /// Whether the whole text (`match`), or a part of it (`search`), fits the pattern.
    Matches {
        text: Operand,
        pattern: Operand,
        is_whole: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A path inside a filter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    pub(super) start: Start,
    pub(super) segments: Vec<Segment>,
}

/// The node at which a query of a filter begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// `$`
    Root,
    /// `@`
    Current,
}

/// What has a value: one of JSON, or nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Literal(Json),
    /// A query that selects one node at most.
    Node(Query),
    Length(Box<Operand>),
    Count(Query),
    /// The value of the only node that the query selects.
    Value(Query),
}

impl Query {
    /// Whether the query selects one node at most, whatever the document is.
    pub(super) fn is_singular(&self) -> bool {
        self.segments.iter().all(|segment| {
            !segment.descends
                && matches!(segment.selectors.as_slice(), [Selector::Name(_) | Selector::Index(_)])
        })
    }
}

impl Condition {
    /// Whether the answer is the same for all nodes of a document: every query begins at the root.
    pub(super) fn asks_only_root(&self) -> bool {
        match self {
            Self::Any(parts) | Self::All(parts) => parts.iter().all(Self::asks_only_root),
            Self::Not(part) => part.asks_only_root(),
            Self::Exists(query) => query.start == Start::Root,
            Self::Compare(one, _, other) => one.asks_only_root() && other.asks_only_root(),
            Self::Matches { text, pattern, .. } => text.asks_only_root() && pattern.asks_only_root(),
        }
    }

    /// Lets the queries that begin at the current node begin at the root.
    pub(super) fn ask_root(&mut self) {
        match self {
            Self::Any(parts) | Self::All(parts) => parts.iter_mut().for_each(Self::ask_root),
            Self::Not(part) => part.ask_root(),
            Self::Exists(query) => query.start = Start::Root,
            Self::Compare(one, _, other) => {
                one.ask_root();
                other.ask_root();
            }
            Self::Matches { text, pattern, .. } => {
                text.ask_root();
                pattern.ask_root();
            }
        }
    }
}

impl Operand {
    fn asks_only_root(&self) -> bool {
        match self {
            Self::Literal(_) => true,
            Self::Length(operand) => operand.asks_only_root(),
            Self::Node(query) | Self::Count(query) | Self::Value(query) => query.start == Start::Root,
        }
    }

    fn ask_root(&mut self) {
        match self {
            Self::Literal(_) => {}
            Self::Length(operand) => operand.ask_root(),
            Self::Node(query) | Self::Count(query) | Self::Value(query) => query.start = Start::Root,
        }
    }
}
