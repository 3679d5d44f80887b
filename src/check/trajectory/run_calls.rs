//! The calls of a run, with their success.

use std::borrow::Cow;

use serde::Deserialize;

use crate::check::arguments::IgnoredPaths;
use crate::check::support::call_success::RunSuccess;
use crate::trace::{Arguments, Call, CallStatus, Trace};

/// The calls of a run as checks of expected calls see them.
pub(super) struct RunCalls<'r> {
    pub(super) calls: Cow<'r, [Call]>,
    success: RunSuccess,
}

impl<'r> RunCalls<'r> {
    /// Takes the calls without their ignored arguments.
    pub(super) fn new(trace: &'r Trace, ignored: &IgnoredPaths) -> Self {
        let success = RunSuccess::of(&trace.calls);
        // The trace is copied only if something is taken out of it.
        let mut calls = Cow::Borrowed(trace.calls.as_slice());
        if !ignored.is_empty() {
            for call in calls.to_mut() {
                if let Arguments::Json(arguments) = &mut call.arguments {
                    ignored.strip_arguments(&call.name, arguments);
                }
            }
        }
        Self { calls, success }
    }

    /// Keeps the calls that `wanted` returns `true` for.
    pub(super) fn filter(self, wanted: impl Fn(&Call) -> bool) -> Self {
        let calls = self.calls.iter().filter(|call| wanted(call)).cloned().collect();
        Self { calls: Cow::Owned(calls), ..self }
    }

    /// Whether the call succeeded.
    pub(super) fn succeeded(&self, call: &Call) -> bool {
        self.success.includes(call)
    }

    /// Says how the call ended, if that is not `wanted`.
    pub(super) fn describe_other_status(&self, call: &Call, wanted: WantedStatus) -> Option<String> {
        if self.has_status(call, wanted) {
            return None;
        }
        let failure = self.success.describe_failure(call);
        Some(failure.unwrap_or_else(|| "succeeded, a failure is expected".to_owned()))
    }

    /// Whether the call ended as wanted.
    pub(super) fn has_status(&self, call: &Call, wanted: WantedStatus) -> bool {
        match wanted {
            WantedStatus::Ok => self.succeeded(call),
            WantedStatus::Error => call.status == CallStatus::Error,
            WantedStatus::Any => true,
        }
    }
}

/// How an expected call must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "call_status"))]
#[serde(rename_all = "snake_case")]
pub(super) enum WantedStatus {
    /// The call did not fail, and it has a result if the run records results.
    #[default]
    Ok,
    /// The call failed.
    Error,
    /// The call was made, with any result.
    Any,
}

impl WantedStatus {
    /// The predicate of a call that ended so.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Ok => "succeeded",
            Self::Error => "failed",
            Self::Any => "were made",
        }
    }
}
