//! The files that a run changed, by the edits in its trace.

/// What a run changed.
#[derive(Debug, Default)]
pub(in crate::check) struct TracedEdits {
    /// The changed files, by the calls that changed them.
    pub(in crate::check) changes: Vec<TracedChange>,
    /// The first call of which nobody knows what it changed, such as "call 3, `make gen`".
    pub(in crate::check) unknown: Option<String>,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct TracedChange {
    /// The path, as the call has it.
    pub(in crate::check) path: String,
    /// The number of the call, from 1.
    pub(in crate::check) call: usize,
    /// Whether the change was made for certain, and nothing took it back.
    pub(in crate::check) is_certain: bool,
}
