//! `failed_when`: which results of tools are failures, where the format of a trace does not say.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::arguments::{MatcherWords, RELATION_WORDS, ResultMatcher, WORDS};
use crate::json::Json;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::trace::{Call, CallStatus, StatusMark, Trace, find_in_result};
use crate::yaml::{Build, MappingOr, Node, Placed, Unparsed};

/// What users write under `failed_when`.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct WrittenFailures(Unparsed<MappingOr<BTreeMap<String, WrittenRule>, WrittenRule>>);

/// What users write for a tool, or for all tools: `never`, or a matcher of the result.
type WrittenRule = MappingOr<Unparsed<MatcherWords>, Never>;

/// The word `never`: no result is a failure.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, extend("enum" = ["never"]))]
#[serde(try_from = "Json")]
enum Never {
    Never,
}

impl TryFrom<Json> for Never {
    type Error = String;

    fn try_from(value: Json) -> Result<Self, String> {
        if value.as_str() == Some("never") {
            return Ok(Self::Never);
        }
        let found = value.describe();
        Err(format!(
            "expected `never` or a matcher of the result, such as `{{matches: \"/^Error/\"}}`, found {found}"
        ))
    }
}

impl Build for WrittenFailures {
    type Built = Arc<FailedWhen>;

    fn build(written: Placed<Self>) -> Result<Self::Built, LoadErrors> {
        FailedWhen::read(written.0.node()).map(Arc::new)
    }
}

/// Which results are failures, by tool.
#[derive(Debug)]
pub struct FailedWhen {
    /// The first rule whose tool is called decides: exact names come before patterns.
    rules: Vec<(Option<ToolPattern>, FailureRule)>,
}

/// Which results of a tool are failures.
#[derive(Debug)]
enum FailureRule {
    /// None.
    Never,
    /// Those that the matcher accepts.
    Matches(ResultMatcher),
}

impl FailedWhen {
    /// Reads `never`, a matcher of the result, or such a rule for each tool.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        // A tool may be called `path`.
        let is_word = |key: &str| WORDS.contains(&key) && !RELATION_WORDS.contains(&key);
        let is_matcher = node.entries().into_iter().flatten().any(|(key, _)| is_word(key.name.as_str()));
        if node.entries().is_none() || is_matcher {
            return Ok(Self { rules: vec![(None, FailureRule::read(node)?)] });
        }
        let mut errors = LoadErrors::new();
        let mut rules = Vec::new();
        for (key, value) in node.entries().into_iter().flatten() {
            let named = ToolPattern::new(&key.name)
                .map_err(|problem| LoadError::new(node.key_place(&key.name), problem));
            let tool = errors.take(named);
            let rule = errors.take(FailureRule::read(value));
            rules.extend(tool.zip(rule).map(|(tool, rule)| (Some(tool), rule)));
        }
        if rules.is_empty() && errors.is_empty() {
            errors
                .push(node.error("`failed_when` is empty").help("write `failed_when: never`, or a matcher"));
        }
        rules.sort_by_key(|(tool, _)| tool.as_ref().is_some_and(|tool| tool.as_str().contains(['*', '?'])));
        errors.or(Self { rules })
    }

    /// The tools that have a rule of their own.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &ToolPattern> {
        self.rules.iter().filter_map(|(tool, _)| tool.as_ref())
    }

    /// Returns the run with the statuses that follow from the results. A failure that the format records stays one, and a
    /// call without a result stays as it is.
    pub fn apply<'t>(&self, trace: &'t Trace) -> Cow<'t, Trace> {
        let mut trace = Cow::Borrowed(trace);
        for at in 0..trace.calls.len() {
            if let Some((status, mark)) = self.judge(&trace.calls[at]) {
                let call = &mut trace.to_mut().calls[at];
                call.status = status;
                call.status_mark = mark;
            }
        }
        trace
    }

    fn judge(&self, call: &Call) -> Option<(CallStatus, StatusMark)> {
        if !matches!(call.status, CallStatus::Ok | CallStatus::Unknown) {
            return None;
        }
        let of_tool = |(tool, _): &&(Option<ToolPattern>, FailureRule)| {
            tool.as_ref().is_none_or(|tool| tool.matches(call))
        };
        let (_, rule) = self.rules.iter().find(of_tool)?;
        let failed = match (rule, &call.result) {
            (FailureRule::Never, _) => Ok(false),
            (FailureRule::Matches(matcher), Some(result)) => accepts_result(matcher, result),
            // Nothing is there to compare.
            (FailureRule::Matches(_), None) => return None,
        };
        Some(match failed {
            Ok(true) => (CallStatus::Error, StatusMark::Declared),
            Ok(false) => (CallStatus::Ok, StatusMark::Declared),
            Err(()) => {
                let why = "`failed_when` ran out of steps on its result".to_owned();
                (CallStatus::Unknown, StatusMark::Unclear(why))
            }
        })
    }
}

impl FailureRule {
    fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        match node.decode()? {
            WrittenRule::Short(Never::Never) => Ok(Self::Never),
            WrittenRule::Mapping(words) => ResultMatcher::read(words.node()).map(Self::Matches),
        }
    }
}

/// Whether the matcher accepts a layer of the result, such as the JSON that it is the text of. The error says that a pattern
/// ran out of steps.
fn accepts_result(matcher: &ResultMatcher, result: &Json) -> Result<bool, ()> {
    let found = find_in_result(result, |_| true, &mut |layer| match matcher.accepts(layer) {
        Ok(false) => None,
        decided => Some(decided.map_err(drop)),
    });
    found.unwrap_or(Ok(false))
}
