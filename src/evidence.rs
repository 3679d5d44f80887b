//! What a check may look at.

use std::borrow::Cow;

use crate::trace::Trace;

/// One run of an agent, as evidence. Checks are pure functions of it.
#[derive(Debug, Clone)]
pub struct Evidence<'t> {
    /// What the agent did.
    pub trace: Cow<'t, Trace>,
}

impl<'t> Evidence<'t> {
    /// A trace as evidence.
    pub fn of(trace: &'t Trace) -> Self {
        Self { trace: Cow::Borrowed(trace) }
    }
}

impl From<Trace> for Evidence<'static> {
    fn from(trace: Trace) -> Self {
        Self { trace: Cow::Owned(trace) }
    }
}
