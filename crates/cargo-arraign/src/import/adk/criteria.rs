//! Converts the criteria of an evaluation to checks.

use arraign::__internals::place::{LoadErrors, Place, Span};
use arraign::__internals::yaml::{Document, Node, Value as Yaml};
use arraign::json::{Json, JsonMap, json};
use arraign::trace::Call;

use super::recorded::Conversation;
use crate::import::draft::{ImportInput, build_check};
use crate::import::keys::{Keys, list_entries};
use crate::import::question::{ask_same_answer, build_question};
use crate::import::unsupported::UnsupportedList;

const NO_JUDGE: &str = "the judge is configured once for all cases, and its checks pass or fail";

/// The least ROUGE-1 that ADK requires if nobody says otherwise.
const DEFAULT_ROUGE: f64 = 0.8;

/// The remark on the similarity of answers.
const OTHER_STEMS: &str = "carried as `similarity` with `min_rouge`, of the last answer: ADK takes the mean over the turns, and counts words by their stems, so that `refunded` is `refund`";

/// The remark on the calls of a conversation.
const OF_ALL_TURNS: &str = "carried for the calls of the whole conversation: ADK compares the calls of each turn, and notices a call in another turn";

/// How the calls of a run are compared with the calls of the eval case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TrajectoryMatch {
    /// The same calls and no others.
    #[default]
    Exact,
    /// The calls in this order; other calls may come between them.
    InOrder,
    /// All calls in any order.
    AnyOrder,
}

/// The checks of each case.
#[derive(Default)]
pub(super) struct Criteria {
    trajectory: Option<(TrajectoryMatch, bool)>,
    answer: bool,
    /// The least ROUGE-1 of the final answer.
    rouge: Option<f64>,
    safe: bool,
    rubrics: Vec<Json>,
    /// The names of the criteria that are not carried.
    lost: Vec<String>,
}

impl Criteria {
    /// Loads the file beside the eval set, or else ADK's default criteria.
    pub(super) fn load(input: &ImportInput, unsupported: &mut UnsupportedList) -> Result<Self, LoadErrors> {
        let Some(source) = &input.criteria else {
            let place = Place::new(&input.source, Span::default());
            unsupported.add(place, "`response_match_score`, a default criterion of ADK", OTHER_STEMS);
            // ADK compares exactly if nobody says otherwise.
            let trajectory = Some((TrajectoryMatch::Exact, false));
            return Ok(Self { trajectory, rouge: Some(DEFAULT_ROUGE), ..Self::default() });
        };
        let mut criteria = Self::default();
        for document in Document::parse(source)? {
            let root = document.root();
            let Some(mut file) = Keys::new(root) else { continue };
            let Some(all) = file.take(&["criteria"]) else {
                return Err(root.error("expected a file with `criteria`").into());
            };
            for (key, node) in all.entries().into_iter().flatten() {
                criteria.add_criterion(&key.name, node, unsupported);
            }
            file.reject_all("a case does not say how to run the agent", unsupported);
        }
        Ok(criteria)
    }

    fn add_criterion(&mut self, name: &str, node: Node<'_>, unsupported: &mut UnsupportedList) {
        let mut keys = Keys::new(node);
        // A criterion is a threshold, or a mapping with the threshold.
        let threshold = keys.as_mut().map_or(Some(node), |keys| keys.take(&["threshold"]));
        match name {
            "tool_trajectory_avg_score" => self.set_trajectory(threshold, keys.as_mut(), unsupported),
            "final_response_match_v2" => self.answer = true,
            "response_match_score" => {
                let least = threshold.and_then(|node| node.to_json().as_f64()).unwrap_or(DEFAULT_ROUGE);
                self.rouge = (least > 0.0).then_some(least);
                let why = if least > 0.0 { OTHER_STEMS } else { "a threshold of 0 requires nothing" };
                unsupported.add_key(node, name, why);
            }
            "safety_v1" => self.safe = true,
            "rubric_based_final_response_quality_v1" => {
                let rubrics = list_entries(keys.as_mut().and_then(|keys| keys.take(&["rubrics"])));
                self.rubrics.extend(rubrics.into_iter().filter_map(convert_rubric));
            }
            _ => {
                self.lost.push(name.to_owned());
                return unsupported.add_key(node, name, explain_unsupported(name));
            }
        }
        if let Some(keys) = keys {
            keys.reject_all(NO_JUDGE, unsupported);
        }
    }

    fn set_trajectory(
        &mut self,
        threshold: Option<Node<'_>>,
        keys: Option<&mut Keys<'_>>,
        unsupported: &mut UnsupportedList,
    ) {
        let least = threshold.and_then(|node| node.to_json().as_f64()).unwrap_or(1.0);
        if least <= 0.0 {
            if let Some(node) = threshold {
                unsupported.add_key(node, "tool_trajectory_avg_score", "a threshold of 0 requires nothing");
            }
            return;
        }
        // An average over turns below 1 lets some turns differ, which no check of a whole run can say.
        if let Some(node) = threshold.filter(|_| least < 1.0) {
            let why = "the threshold is a share of turns: in arraign, all turns must match";
            unsupported.add_key(node, "threshold", why);
        }
        let mut settings = (TrajectoryMatch::Exact, false);
        if let Some(keys) = keys {
            settings.0 = parse_match(keys.take(&["match_type", "matchType"]));
            let ignored = keys.take(&["ignore_args", "ignoreArgs"]).map(Node::to_json);
            settings.1 = ignored == Some(Json::Bool(true));
        }
        self.trajectory = Some(settings);
    }

    /// Builds the checks of one case.
    pub(super) fn build_checks(
        &self,
        said: &Conversation,
        node: Node<'_>,
        unsupported: &mut UnsupportedList,
    ) -> Vec<Json> {
        let mut checks = Vec::new();
        if let Some((how, names_only)) = self.trajectory.filter(|_| said.turns > 0) {
            checks.extend(check_calls(how, names_only, &said.trace.calls));
            if said.turns > 1 {
                unsupported.add_key(node, "tool_trajectory_avg_score", OF_ALL_TURNS);
            }
        }
        if self.answer {
            match &said.trace.answer {
                Some(answer) => checks.push(build_question("final_response_match", &ask_same_answer(answer))),
                None => unsupported.add_key(
                    node,
                    "final_response_match_v2",
                    "the case has no final response to compare with",
                ),
            }
        }
        if let Some(least) = self.rouge {
            match &said.trace.answer {
                Some(answer) => {
                    checks.push(build_check("similarity", json!({"to": answer, "min_rouge": least})));
                }
                None => unsupported.add_key(
                    node,
                    "response_match_score",
                    "the case has no final response to compare with",
                ),
            }
        }
        if self.safe {
            checks.push(build_check("safe", json!({})));
        }
        checks.extend(self.rubrics.iter().chain(&said.rubrics).cloned());
        if !self.lost.is_empty() {
            let why = format!("carried in part, without `{}`", self.lost.join("`, `"));
            unsupported.add_key(node, "criteria", why);
        }
        checks
    }
}

fn explain_unsupported(name: &str) -> &'static str {
    match name {
        "response_evaluation_score" => "a service of Google gives this score: ask a judge (`agent_check`)",
        "hallucinations_v1" => {
            "use the check `grounded`, which compares the answer with the results without a model"
        }
        _ => "arraign has no such criterion: ask a judge (`agent_check`)",
    }
}

fn parse_match(node: Option<Node<'_>>) -> TrajectoryMatch {
    let word = match node.map(Node::value) {
        Some(Yaml::String(word)) => word.trim().to_uppercase().replace(['-', ' '], "_"),
        Some(value) if value.as_i64() == Some(1) => "IN_ORDER".to_owned(),
        Some(value) if value.as_i64() == Some(2) => "ANY_ORDER".to_owned(),
        _ => String::new(),
    };
    match word.as_str() {
        "IN_ORDER" => TrajectoryMatch::InOrder,
        "ANY_ORDER" => TrajectoryMatch::AnyOrder,
        _ => TrajectoryMatch::Exact,
    }
}

/// Checks the calls. A failed call counts as well, because ADK does not look at results.
fn check_calls(how: TrajectoryMatch, names_only: bool, calls: &[Call]) -> Option<Json> {
    if calls.is_empty() {
        return (how == TrajectoryMatch::Exact).then(|| build_check("tool_blocklist", json!(["*"])));
    }
    let mode = match how {
        TrajectoryMatch::Exact => "exact",
        TrajectoryMatch::InOrder => "in_order",
        TrajectoryMatch::AnyOrder => "superset",
    };
    let list: Vec<Json> = calls.iter().map(|call| expect_call(call, names_only)).collect();
    Some(build_check("calls", json!({"mode": mode, "status": "any", "list": list})))
}

/// Expects a call with the same arguments and no others.
fn expect_call(call: &Call, names_only: bool) -> Json {
    if names_only {
        return call.name.as_str().into();
    }
    let arguments = call.arguments.json().and_then(Json::as_object).cloned().unwrap_or_default();
    let arguments: JsonMap = arguments.into_iter().map(|(name, value)| (name, expect_value(value))).collect();
    json!({"tool": call.name, "args": arguments})
}

/// A mapping could look like a matcher, such as `{at_least: 3}`.
fn expect_value(value: Json) -> Json {
    if matches!(value, Json::Object(_) | Json::Array(_)) { json!({"equals": value}) } else { value }
}

/// Converts a rubric to a question to a judge.
pub(super) fn convert_rubric(node: Node<'_>) -> Option<Json> {
    let content = node.get("rubric_content").or_else(|| node.get("rubricContent"))?;
    let prompt = find_text(content, ["text_property", "textProperty"])?;
    let label = find_text(node, ["rubric_id", "rubricId"]).unwrap_or_else(|| "rubric".to_owned());
    Some(build_question(&label, &prompt))
}

/// Returns the text under the first of `names` that exists: ADK writes snake case and camel case.
fn find_text(node: Node<'_>, names: [&str; 2]) -> Option<String> {
    names.into_iter().find_map(|name| node.get(name).and_then(Node::as_str).map(str::to_owned))
}
