//! The criteria of an evaluation as checks.

use arraign::__internals::place::{LoadErrors, Place, Span};
use arraign::__internals::yaml::{Document, Node, Value as Yaml};
use arraign::trace::Call;
use serde_json::{Value, json};

use super::recorded::Conversation;
use crate::import::draft::{Given, named};
use crate::import::lost::{Keys, Lost, list};
use crate::import::question::{question, same_as};

const NO_JUDGE: &str = "how a judge is asked is said once for all cases, and a check of it passes or fails";

/// How the calls of a run are compared with those of the eval case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Match {
    /// The same calls, and no others.
    #[default]
    Exact,
    /// In this order; others may stand between.
    InOrder,
    /// All of them, in any order.
    AnyOrder,
}

/// What is to be checked of each case.
#[derive(Default)]
pub(super) struct Criteria {
    trajectory: Option<(Match, bool)>,
    answer: bool,
    safe: bool,
    rubrics: Vec<Value>,
}

impl Criteria {
    /// Those of the file beside the eval set, else ADK's own.
    pub(super) fn of(given: &Given, lost: &mut Lost) -> Result<Self, LoadErrors> {
        let Some(source) = &given.criteria else {
            let place = Place::new(&given.source, Span::default());
            lost.add(
                place,
                "`response_match_score`, which ADK asks for itself",
                why_not("response_match_score"),
            );
            return Ok(Self { trajectory: Some((Match::Exact, false)), ..Self::default() });
        };
        let mut criteria = Self::default();
        for document in Document::parse(source)? {
            let root = document.root();
            let Some(mut file) = Keys::of(root) else { continue };
            let Some(all) = file.take(&["criteria"]) else {
                return Err(root.error("a file of criteria has `criteria`").into());
            };
            for (key, node) in all.entries().into_iter().flatten() {
                criteria.add(&key.name, node, lost);
            }
            file.lose_all("how an agent is run is no part of a case", lost);
        }
        Ok(criteria)
    }

    fn add(&mut self, name: &str, node: Node<'_>, lost: &mut Lost) {
        let mut keys = Keys::of(node);
        let threshold = keys.as_mut().map_or(Some(node), |keys| keys.take(&["threshold"]));
        match name {
            "tool_trajectory_avg_score" => self.trajectory(threshold, keys.as_mut(), lost),
            "final_response_match_v2" => self.answer = true,
            "safety_v1" => self.safe = true,
            "rubric_based_final_response_quality_v1" => {
                let rubrics = list(keys.as_mut().and_then(|keys| keys.take(&["rubrics"])));
                self.rubrics.extend(rubrics.into_iter().filter_map(rubric));
            }
            _ => return lost.key(node, name, why_not(name)),
        }
        if let Some(keys) = keys {
            keys.lose_all(NO_JUDGE, lost);
        }
    }

    fn trajectory(&mut self, threshold: Option<Node<'_>>, keys: Option<&mut Keys<'_>>, lost: &mut Lost) {
        let least = threshold.and_then(|node| node.to_json().as_f64()).unwrap_or(1.0);
        if least <= 0.0 {
            if let Some(node) = threshold {
                lost.key(node, "tool_trajectory_avg_score", "a threshold of 0 asks for nothing");
            }
            return;
        }
        if let Some(node) = threshold.filter(|_| least < 1.0) {
            let why = "it is the share of turns that must match: here all of them must";
            lost.key(node, "threshold", why);
        }
        let mut settings = (Match::Exact, false);
        if let Some(keys) = keys {
            settings.0 = match_type(keys.take(&["match_type", "matchType"]));
            let ignored = keys.take(&["ignore_args", "ignoreArgs"]).map(Node::to_json);
            settings.1 = ignored == Some(Value::Bool(true));
        }
        self.trajectory = Some(settings);
    }

    /// The checks of one case.
    pub(super) fn checks(&self, said: &Conversation, node: Node<'_>, lost: &mut Lost) -> Vec<Value> {
        let mut checks = Vec::new();
        if let Some((how, names_only)) = self.trajectory.filter(|_| said.turns > 0) {
            checks.extend(calls(how, &said.trace.calls));
            if !names_only {
                checks.extend(arguments(how, &said.trace.calls));
            }
        }
        if self.answer {
            match &said.trace.answer {
                Some(answer) => checks.push(question("final_response_match", &same_as(answer))),
                None => lost.key(
                    node,
                    "final_response_match_v2",
                    "the case has no final response to compare with",
                ),
            }
        }
        if self.safe {
            checks.push(named("safe", json!({})));
        }
        checks.extend(self.rubrics.iter().chain(&said.rubrics).cloned());
        checks
    }
}

fn why_not(name: &str) -> &'static str {
    match name {
        "response_match_score" | "response_evaluation_score" => {
            "likeness of words is not measured here: write `contains`, `expected_fields`, or ask a judge (`agent_check`)"
        }
        "hallucinations_v1" => "the check `grounded` holds the answer against the results, without a model",
        _ => "there is no such criterion here: ask a judge (`agent_check`)",
    }
}

fn match_type(node: Option<Node<'_>>) -> Match {
    let word = match node.map(Node::value) {
        Some(Yaml::String(word)) => word.trim().to_uppercase().replace(['-', ' '], "_"),
        Some(Yaml::Int(1)) => "IN_ORDER".to_owned(),
        Some(Yaml::Int(2)) => "ANY_ORDER".to_owned(),
        _ => String::new(),
    };
    match word.as_str() {
        "IN_ORDER" => Match::InOrder,
        "ANY_ORDER" => Match::AnyOrder,
        _ => Match::Exact,
    }
}

/// Which tools are called.
fn calls(how: Match, calls: &[Call]) -> Option<Value> {
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    match how {
        Match::Exact if names.is_empty() => Some(named("tool_blocklist", json!(["*"]))),
        _ if names.is_empty() => None,
        Match::Exact => Some(named("tool_sequence", json!({"allow": [names]}))),
        Match::InOrder => Some(named("tool_sequence", json!(names))),
        Match::AnyOrder => {
            Some(named("sequence_correctness", json!({"tool_sequence": names, "mode": "unordered"})))
        }
    }
}

/// What is passed to them. In an exact match the n-th call of a tool is compared with the n-th, else one is enough.
fn arguments(how: Match, calls: &[Call]) -> Vec<Value> {
    let mut checks = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let number = calls[..=at].iter().filter(|other| other.name == call.name).count();
        let equals = call.arguments.json().cloned().unwrap_or_default();
        let mut settings = json!({"tool": call.name, "type": "jsonpath", "path": "$", "equals": equals});
        if how == Match::Exact && calls.iter().filter(|other| other.name == call.name).count() > 1 {
            settings["calls"] = number.into();
        }
        let check = named("tool_input", settings);
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    checks
}

/// A rubric is a question to a judge.
pub(super) fn rubric(node: Node<'_>) -> Option<Value> {
    let get = |node: Node<'_>, names: [&str; 2]| {
        names.into_iter().find_map(|name| node.get(name).and_then(Node::as_str).map(str::to_owned))
    };
    let content = node.get("rubric_content").or_else(|| node.get("rubricContent"))?;
    let prompt = get(content, ["text_property", "textProperty"])?;
    let label = get(node, ["rubric_id", "rubricId"]).unwrap_or_else(|| "rubric".to_owned());
    Some(question(&label, &prompt))
}
