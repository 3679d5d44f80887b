//! `output_quality`: the quality of the final answer, from 0 to 100.
//!
//! The score is the judge's opinion `output_quality`. If no judge is configured, the score is the share of
//! `assertions` that hold, and the verdict says so. If a judge is configured, its opinion is required. Without
//! either, the check is undecided.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/output_quality/fail-by-assertions.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::inner_check::Nested;
use crate::check::support::opinion::{judged, on_answer, reason, score};
use crate::check::{BuildCheck, Check, CheckKind, Scope, accepts_counterexample};
use crate::evidence::{AnswerForm, Evidence, JudgeContext, Judged, Opinion, Question};
use crate::json::JsonMap;
use crate::outcome::{CannotDecide, Item, Loss, Outcome, Score, State, Violation, reaches};
use crate::place::LoadErrors;
use crate::yaml::{Placed, Unparsed, even_null, read_all};

pub(crate) const KIND: CheckKind = CheckKind::built::<OutputQualitySettings>(
    "output_quality",
    "a judge finds the final answer good enough, or, without a judge, its `assertions` hold",
)
.only_reports(|node| node.get("min").is_none())
.without_calls();

/// The label of the question.
const LABEL: &str = "output_quality";

/// What may stand among `assertions`.
const ASSERTIONS: &[&str] = &["contains", "json_schema", "not_contains", "regex"];

const PROMPT: &str = "How good is the answer, between 0 and 100? Does it answer the question? Is it accurate and \
    factual (the results of the tools are the ground truth)? Is it well structured? Does it follow the instructions?";

/// Settings of `output_quality`.
#[derive(Deserialize, JsonSchema)]
struct OutputQualitySettings {
    /// The least score, from 0 to 100. Without it the check only reports the score.
    #[schemars(range(min = 0, max = 100))]
    min: Option<Placed<f64>>,
    /// A list of `{contains: ..}`, `{not_contains: ..}`, `{regex: ..}` and `{json_schema: ..}`.
    #[serde(default, deserialize_with = "even_null")]
    assertions: Option<Vec<Unparsed<JsonMap>>>,
}

struct OutputQuality {
    /// Between 0 and 100.
    min: Option<f64>,
    assertions: Vec<Nested>,
}

impl BuildCheck for OutputQualitySettings {
    fn build(settings: Placed<Self>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { min, assertions } = settings.into_value();
        let mut errors = LoadErrors::new();
        if let Some(min) = min.as_ref().filter(|min| !(0.0..=100.0).contains(&***min)) {
            errors.push(min.error("`min` is a score between 0 and 100"));
        }
        let entries = assertions.iter().flatten();
        let assertions =
            read_all(entries.map(|entry| Nested::read(entry.node(), Some(ASSERTIONS), "", scope)));
        let assertions = errors.take(assertions).unwrap_or_default();
        errors.or(Box::new(OutputQuality { min: min.map(Placed::into_value), assertions }))
    }
}

impl Check for OutputQuality {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let opinions = &evidence.opinions;
        // A judge is asked if there is one; the assertions are for runs without any.
        if opinions.has_judge() || opinions.get(LABEL).is_some() {
            return self.by_judge(on_answer(evidence, LABEL)?);
        }
        if self.assertions.is_empty() {
            return Err(nobody_to_ask());
        }
        self.by_assertions(evidence)
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(judged(LABEL, Judged::Score(0.0)))
    }

    fn is_vacuous(&self) -> bool {
        accepts_counterexample(self)
    }

    fn questions(&self) -> Vec<Question> {
        let context = JudgeContext::everything();
        let label = LABEL.to_owned();
        let prompt = PROMPT.to_owned();
        vec![Question { label, prompt, answer: AnswerForm::Score, context }]
    }
}

impl OutputQuality {
    fn by_judge(&self, opinion: &Opinion) -> Result<Outcome, CannotDecide> {
        let points = score(opinion, LABEL)?;
        let reason = reason(opinion);
        let said = format!("the judge gives the answer {points} of 100");
        let note = reason.as_ref().map_or_else(|| said.clone(), |reason| format!("{said}: {reason}"));
        let violation = self.too_low(points, &said).map(|violation| match reason {
            Some(reason) => violation.expected("a better answer", reason),
            None => violation,
        });
        let items = vec![Item::tested("the judge's opinion", violation.is_none()).note(&note)];
        let score = Score::new(points / 100.0);
        let lost = 1.0 - score.get();
        let losses = if lost > 0.0 { vec![Loss { points: lost, why: note }] } else { Vec::new() };
        let outcome = Outcome::of_items(items, violation.into_iter().collect());
        Ok(Outcome { score, losses, ..outcome }.value("judged_by", "judge".into()))
    }

    /// The share of the assertions that hold.
    fn by_assertions(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let mut items = Vec::with_capacity(self.assertions.len() + 1);
        for assertion in &self.assertions {
            items.push(build_item(assertion, &assertion.ask(evidence)?));
        }
        let by = format!("by {} output assertions, no judge", items.len());
        let mut outcome = Outcome::of_items(items, Vec::new());
        let points = outcome.score.get() * 100.0;
        let said = format!("the answer reaches {} of 100, {by}", (points * 10.0).round() / 10.0);
        let broken: Vec<&str> = outcome.items.iter().filter_map(|item| item.note.as_deref()).collect();
        let broken = broken.join("; ");
        let violation = self.too_low(points, &said);
        outcome.violations.extend(violation.map(|it| it.expected("every assertion holds", broken)));
        // Pushed after the score is computed, so that the opinion that nobody gave costs nothing.
        outcome.items.push(Item::new("the judge's opinion", State::NotExercised).note(by));
        Ok(outcome.value("judged_by", "assertions".into()))
    }

    fn too_low(&self, points: f64, said: &str) -> Option<Violation> {
        let min = self.min.filter(|min| !reaches(points, *min))?;
        let violation = Violation::new(format!("{said}, less than {min}")).at("/min");
        let violation = violation.value(points).constraint(format!("min: {min}"));
        Some(violation.help("make the agent answer better, or lower `min`"))
    }
}

/// Builds the item of one assertion, with its first message if it is violated.
fn build_item(assertion: &Nested, outcome: &Outcome) -> Item {
    let broken = outcome.violations.first();
    let note = broken.map(|violation| violation.message.clone());
    Item { note, ..Item::tested(assertion.to_string(), broken.is_none()) }
}

fn nobody_to_ask() -> CannotDecide {
    CannotDecide::missing(
        "nobody says how good the answer is: there is no judge, and there are no output assertions",
    )
    .help(format!(
        "add `output` assertions, or give `output_quality` the weight 0, or write the opinion into the case: \
             `opinions: {{{LABEL}: 90}}`"
    ))
}
