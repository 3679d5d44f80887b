//! How the calls that a rule means end: by their status, and by values in their results.

use std::fmt;

use super::Run;
use crate::check::arguments::{ArgumentMatcher, CallContext, WrittenArgument, read_value, refuse_relations};
use crate::check::support::answer_json::shown;
use crate::check::support::call_results::select_in_result;
use crate::check::support::call_status::WantedStatus;
use crate::evidence::Known;
use crate::json::{Json, JsonMap};
use crate::outcome::CannotDecide;
use crate::pattern::JsonPath;
use crate::place::LoadErrors;
use crate::trace::{Call, CallStatus};
use crate::yaml::{OrderedMap, Placed, Unparsed};

/// How a call ends.
pub(super) struct WantedOutcome {
    status: WantedStatus,
    /// Values in the result. All of them must hold.
    result: Vec<(JsonPath, ArgumentMatcher)>,
}

/// Whether a call ended as a rule wants.
pub(super) enum OutcomeFit {
    Yes,
    /// It did not: the predicate of the call.
    No(String),
    /// The trace does not say.
    Unknown(CannotDecide),
}

impl WantedOutcome {
    /// Builds the settings `status` and `result`; `None` if they ask for nothing.
    pub(super) fn build(
        status: Option<WantedStatus>,
        result: Option<Placed<OrderedMap<JsonPath, Unparsed<WrittenArgument>>>>,
    ) -> Result<Option<Self>, LoadErrors> {
        let status = status.unwrap_or(WantedStatus::Any);
        let Some(written) = result else {
            let asks_nothing = status == WantedStatus::Any;
            return Ok((!asks_nothing).then(|| Self { status, result: Vec::new() }));
        };
        let mut errors = LoadErrors::new();
        if written.0.is_empty() {
            errors.push(written.error("`result` must name at least one path"));
        }
        let mut result = Vec::new();
        for (path, value) in &written.0 {
            refuse_relations(value.node(), "the results in rules", &mut errors);
            let matcher = errors.take(read_value(value.node()));
            result.extend(matcher.map(|matcher| (path.clone(), matcher)));
        }
        errors.or(Some(Self { status, result }))
    }

    /// Whether `call` ended so.
    pub(super) fn judge(&self, call: &Call, run: &Run<'_>) -> OutcomeFit {
        let success = run.success;
        let ended = self.status.judge(call, || success.happened(call), || success.worked(call));
        if ended == Known::No {
            let failure = success.describe_failure(call);
            return OutcomeFit::No(failure.unwrap_or_else(|| match self.status {
                WantedStatus::Error => "succeeded".to_owned(),
                _ => "is not known to have succeeded".to_owned(),
            }));
        }
        let mut doubt = (ended == Known::Unknown).then(|| success.explain_doubt(call));
        for (path, matcher) in &self.result {
            match judge_value(call, path, matcher) {
                OutcomeFit::Yes => {}
                // A value that is another one decides, whatever else is not known.
                OutcomeFit::No(why) => return OutcomeFit::No(why),
                OutcomeFit::Unknown(why) => doubt = doubt.or(Some(why)),
            }
        }
        doubt.map_or(OutcomeFit::Yes, OutcomeFit::Unknown)
    }

    /// Whether the reading of the run takes it that a call of unknown outcome ended so.
    pub(super) fn is_assumed(&self, call: &Call, run: &Run<'_>) -> bool {
        let is_assumed = run.assumed.contains(&call.index);
        // Where the same call is asked for its success and for its failure, only one of them can be.
        if self.status == WantedStatus::Error { !is_assumed } else { is_assumed }
    }

    /// Describes the values that the result must have.
    pub(super) fn describe_result(&self) -> Vec<String> {
        self.result.iter().map(|(path, matcher)| format!("`{path}`: {matcher}")).collect()
    }

    /// Returns the call with such an end, if its result can be made up.
    pub(super) fn set_example(&self, mut call: Call) -> Option<Call> {
        call.status = if self.status == WantedStatus::Error { CallStatus::Error } else { CallStatus::Ok };
        let mut result = JsonMap::new();
        for (path, matcher) in &self.result {
            let text = path.to_string();
            let is_plain = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
            let name = text.strip_prefix("$.").filter(is_plain)?;
            result.insert(name.to_owned(), matcher.value.example()?);
        }
        call.result = Some(Json::Object(result));
        Some(call)
    }
}

fn judge_value(call: &Call, path: &JsonPath, matcher: &ArgumentMatcher) -> OutcomeFit {
    let selected = select_in_result(call, path);
    let mut values: Vec<Option<&Json>> = selected.values.iter().map(Some).collect();
    if values.is_empty() && selected.hidden.is_none() {
        values.push(None);
    }
    for value in values {
        match matcher.accepts(value, CallContext::none()) {
            Ok(true) => return OutcomeFit::Yes,
            Ok(false) => {}
            Err(doubt) => return OutcomeFit::Unknown(doubt),
        }
    }
    let Call { index, name, .. } = call;
    match selected.hidden {
        Some(why) => OutcomeFit::Unknown(CannotDecide::missing(format!(
            "it is not known what call {index} of `{name}` returned at `{path}`: {why}"
        ))),
        None => OutcomeFit::No(match selected.values.first() {
            Some(value) => format!("returned {} at `{path}`", shown(value)),
            None => format!("returned nothing at `{path}`"),
        }),
    }
}

/// `succeeded, $.verified: true`.
impl fmt::Display for WantedOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = match self.status {
            WantedStatus::Ok | WantedStatus::Succeeded => Some("succeeded".to_owned()),
            WantedStatus::Error => Some("failed".to_owned()),
            WantedStatus::Any => None,
        };
        f.write_str(&status.into_iter().chain(self.describe_result()).collect::<Vec<_>>().join(", "))
    }
}
