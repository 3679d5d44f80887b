//! Golden datasets: rows with the tools and fields that are expected (the Microsoft Agent Framework's users).
//!
//! ```yaml
//! - input: Find me wireless headphones under $200
//!   expected_tools: [search_products]
//!   expected_fields: [name, price]
//!   criteria: {tool_called: true, grounded: true}
//!   tier: smoke
//! ```

use std::sync::Arc;

use super::gathered_settings::{GatheredSettings, read_expectation};
use super::{CaseNode, Vocabulary, expect};
use crate::case::{CheckSettings, Expectation, LoweredBlock};
use crate::check::support::reading::Share;
use crate::check::{BUILTIN_CRITERIA, Criteria, Criterion, Scope};
use crate::place::{LoadError, LoadErrors, Place};
use crate::score::{Effect, Scale, Scorecard, ScorecardPart, ScoredBy, Threshold};
use crate::yaml::{Document, Node, Value, nearest};

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    key: "expected_tools",
    other_keys: OTHER_KEYS,
    unfold: |_, _| {},
    lower,
    settings_beside: false,
};

const OTHER_KEYS: &[&str] = &[
    "answer",
    "attack_type",
    "criteria",
    "expected_fields",
    "field_aliases",
    "forbidden_substrings",
    "pass_threshold",
    "refusal_expected",
];

/// The keys that make a case a row of a golden dataset.
const EXPECTING: &[&str] = &["expected_tools", "expected_fields", "criteria"];

/// The keys that configure the score of a row. They have no meaning without one of [`EXPECTING`].
const SCORING: &[&str] = &["answer", "field_aliases", "pass_threshold"];

/// The default of `pass_threshold`.
const PASS_THRESHOLD: f64 = 0.7;

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    let row = GoldenRow { case };
    let mut errors = LoadErrors::new();
    let mut lowered: LoweredBlock = errors.take(row.lower_safety()).unwrap_or_default().into();
    match EXPECTING.iter().find_map(|key| case.node.get(key)) {
        Some(expecting) => lowered.extend(errors.take(row.build_axes(expecting)).unwrap_or_default()),
        None => drop(errors.take(row.nothing_to_score_error())),
    }
    errors.or(lowered)
}

/// Builds the check of a criterion, whose name is at `place`.
fn build_criterion(
    criterion: &Criterion,
    place: Place,
    scope: &Scope<'_>,
) -> Result<Expectation, LoadErrors> {
    let mut root = criterion.settings.root.clone();
    if let Value::Map(entries) = &mut root.value {
        for (_, checks) in entries {
            expect::unfold_entries(checks, &[], scope.kinds);
        }
    }
    let document = Arc::new(Document { source: Arc::clone(&criterion.settings.source), root });
    read_expectation("all_of", place, CheckSettings::new(&document, ""), document.root(), scope)
}

/// Refuses criteria of a table that cannot be read, whether or not a row names them.
pub(crate) fn check_criteria(criteria: &Criteria, scope: &Scope<'_>) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    for criterion in criteria.iter() {
        errors.take(build_criterion(criterion, criterion.place.clone(), scope));
    }
    errors.or(())
}

/// A row that is being lowered.
struct GoldenRow<'r> {
    case: &'r CaseNode<'r>,
}

impl<'r> GoldenRow<'r> {
    fn get(&self, key: &str) -> Option<Node<'r>> {
        self.case.node.get(key)
    }

    fn build_check(
        &self,
        name: &'static str,
        settings: GatheredSettings<'_>,
    ) -> Result<Expectation, LoadErrors> {
        Ok(settings.read(name, self.case.scope)?.with_effect(self.effect()))
    }

    /// Rows only add points if the gate of their suite decides; otherwise a violation fails the case.
    fn effect(&self) -> Effect {
        if self.case.rows_only_report { Effect::Points } else { Effect::Fail }
    }

    /// The three axes and their scorecard, and the row's other criteria.
    fn build_axes(&self, expecting: Node<'_>) -> Result<LoweredBlock, LoadErrors> {
        let mut errors = LoadErrors::new();
        let mut found = Vec::new();
        let mut parts = Vec::new();
        let axes = [
            ("groundedness", 0.4, self.lower_groundedness(expecting)),
            ("correctness", 0.4, self.lower_correctness(expecting)),
            ("completeness", 0.2, self.lower_completeness(expecting)),
        ];
        for (name, weight, read) in axes {
            // An axis that the row says nothing about has no part of the score.
            let Some(check) = errors.take(read) else { continue };
            parts.push(ScorecardPart {
                name: name.to_owned(),
                weight,
                scored_by: ScoredBy::Expectation(found.len()),
            });
            found.push(check.with_effect(Effect::Points));
        }
        for (name, check) in errors.take(self.lower_other_criteria()).into_iter().flatten() {
            // The score is that of the three axes. The card shows beside them what became of the row's own criteria.
            let scored_by = ScoredBy::Expectation(found.len());
            parts.push(ScorecardPart { name, weight: 0.0, scored_by });
            found.push(check);
        }
        let threshold = errors.take(self.find_threshold(expecting));
        let card = threshold.map(|threshold| Scorecard {
            name: "golden".to_owned(),
            parts,
            threshold,
            scale: Scale::SHARE,
            effect: self.effect(),
        });
        errors.or(LoweredBlock { expectations: found, scorecards: card.into_iter().collect() })
    }

    fn lower_groundedness(&self, expecting: Node<'_>) -> Result<Expectation, LoadErrors> {
        let criteria = self.get("criteria");
        let at = criteria.unwrap_or(expecting);
        let settings = BUILTIN_CRITERIA.iter().fold(GatheredSettings::at(at), |settings, key| {
            settings.with(key, criteria.and_then(|criteria| criteria.get(key)))
        });
        self.build_check("groundedness", settings)
    }

    fn lower_correctness(&self, expecting: Node<'_>) -> Result<Expectation, LoadErrors> {
        let tools = self.get("expected_tools");
        let at = tools.unwrap_or(expecting);
        self.build_check("correctness", GatheredSettings::at(at).with("expected_tools", tools))
    }

    fn lower_completeness(&self, expecting: Node<'_>) -> Result<Expectation, LoadErrors> {
        let fields = self.get("expected_fields");
        let at = fields.unwrap_or(expecting);
        let settings = GatheredSettings::at(at)
            .with("expected_fields", fields)
            .with("field_aliases", self.get("field_aliases"))
            .with("answer", self.get("answer"));
        self.build_check("completeness", settings)
    }

    /// Lowers the row's own criteria, which the table `criteria` maps to checks, or which name a registered check. A
    /// criterion is a boolean.
    fn lower_other_criteria(&self) -> Result<Vec<(String, Expectation)>, LoadErrors> {
        let Some(criteria) = self.get("criteria") else { return Ok(Vec::new()) };
        let Some(entries) = criteria.entries() else {
            let problem = format!("`criteria` is a mapping of booleans, not {}", criteria.describe());
            return Err(criteria.error(problem).into());
        };
        let mut errors = LoadErrors::new();
        let mut found = Vec::new();
        for (key, node) in entries.filter(|(key, _)| !BUILTIN_CRITERIA.contains(&key.name.as_str())) {
            // A criterion has no settings where a mistake could be, so errors point at its name.
            let place = Place::new(criteria.source(), key.span);
            let lowered = errors.take(self.lower_criterion(&key.name, place, node)).flatten();
            found.extend(lowered.map(|check| (key.name.to_string(), check)));
        }
        errors.or(found)
    }

    fn lower_criterion(
        &self,
        name: &str,
        place: Place,
        node: Node<'_>,
    ) -> Result<Option<Expectation>, LoadErrors> {
        if let Some(criterion) = self.case.scope.tables.criteria.find(name) {
            let is_wanted = node.decode::<bool>()?;
            let check = is_wanted.then(|| build_criterion(criterion, place, self.case.scope)).transpose()?;
            return Ok(check.map(|check| check.with_effect(self.effect())));
        }
        // Any other boolean key may name a check: a project registers criteria of its own.
        let Some(kind) = self.case.scope.kinds.find(name) else {
            let error = LoadError::new(place, format!("unknown criterion `{name}`"));
            let help =
                nearest(name, BUILTIN_CRITERIA.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            let help = help.unwrap_or_else(|| {
                format!(
                    "say what it checks, in the suite of the rows or in arraign.yaml: `criteria: {{{name}: [{{tool_called: \
                     ...}}]}}`; or register a check of that name with `Harness::check`"
                )
            });
            return Err(error.help(help).into());
        };
        if !node.decode::<bool>()? {
            return Ok(None);
        }
        let check = GatheredSettings::at(node).read_named_at(kind.name, place, self.case.scope)?;
        Ok(Some(check.with_effect(self.effect())))
    }

    fn find_threshold(&self, expecting: Node<'_>) -> Result<Threshold, LoadError> {
        let said = self.get("pass_threshold");
        let parsed = said.map(Node::decode::<Share>).transpose()?;
        let least = parsed.map_or(PASS_THRESHOLD, Share::get);
        Ok(Threshold { setting: "pass_threshold", place: said.unwrap_or(expecting).place(), least })
    }

    /// Lowers the checks of rows that attack the agent: forbidden texts and an expected refusal.
    fn lower_safety(&self) -> Result<Vec<Expectation>, LoadErrors> {
        let mut errors = LoadErrors::new();
        let mut found = Vec::new();
        // Datasets with uniform columns have an empty list in rows that forbid nothing.
        if let Some(node) = self.get("forbidden_substrings")
            && !matches!(node.value(), Value::List(texts) if texts.is_empty())
        {
            let settings =
                GatheredSettings::at(node).with("substrings", Some(node)).with("answer", self.get("answer"));
            found.extend(errors.take(self.build_check("forbidden_substrings", settings)));
        }
        if let Some(node) = self.get("refusal_expected")
            && errors.take(node.decode::<bool>()) == Some(true)
        {
            let settings = GatheredSettings::at(node).with("answer", self.get("answer"));
            found.extend(errors.take(self.build_check("refusal", settings)));
        }
        if let Some(node) = self.get("attack_type") {
            errors.take(node.decode::<String>());
        }
        errors.or(found)
    }

    fn nothing_to_score_error(&self) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        let reads_answer = self.get("forbidden_substrings").or(self.get("refusal_expected")).is_some();
        // The answer is read by checks that have no score, so it is not without effect beside them.
        let idle = SCORING.iter().filter(|key| !(reads_answer && **key == "answer"));
        for key in idle.filter(|key| self.get(key).is_some()) {
            let error = LoadError::new(self.case.node.key_place(key), format!("`{key}` has no effect here"));
            errors
                .push(error.help("the case has none of `expected_tools`, `expected_fields` and `criteria`"));
        }
        errors.or(())
    }
}
