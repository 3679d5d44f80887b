//! Replaces `verification` when the crate is built without it: a file that asks for the check is rejected with an error
//! that names the feature.
#![expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    reason = "the methods have the signatures of those that they replace"
)]

use super::support::missing_feature::report_missing_feature;
use super::support::traced_edits::TracedEdits;
use super::{Check, CheckKind, Scope};
use crate::place::LoadErrors;
use crate::trace::Trace;
use crate::yaml::Node;

const FEATURE: &str = "verification";

pub(super) const KIND: CheckKind =
    CheckKind::undescribed("verification", "the agent verifies its work and claims only what it saw", refuse)
        .shorthand("threshold");

/// The settings of a suite. Without the feature, they are empty.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct VerificationSettings;

impl VerificationSettings {
    /// Returns the error that names the feature.
    pub(crate) fn shared(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        Err(report_missing_feature("this check", node.place(), FEATURE).into())
    }

    /// Returns the error that names the feature.
    pub(crate) fn extended(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        Err(report_missing_feature("this check", node.place(), FEATURE).into())
    }

    /// Never called, since [`VerificationSettings::extended`] always fails.
    pub(crate) fn only_scores(&self) -> bool {
        false
    }
}

fn refuse(node: Node<'_>, _: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    Err(report_missing_feature("this check", node.place(), FEATURE).into())
}

/// Finds nothing: the edits of a trace need the feature.
pub(in crate::check) fn find_edits(trace: &Trace) -> TracedEdits {
    let unknown = trace.calls.first().map(|call| {
        format!("call {}, `{}` (arraign is built without the feature `{FEATURE}`)", call.index, call.name)
    });
    TracedEdits { unknown, ..TracedEdits::default() }
}
