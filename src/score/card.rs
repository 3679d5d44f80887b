//! The result of a scorecard for one run.

use serde::{Deserialize, Serialize};

use super::{Scorecard, ScorecardPart, ScoredBy};
use crate::outcome::{Loss, Score, reaches, render_apart};

/// The result of a scorecard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Card {
    /// The vocabulary of the scorecard.
    pub name: String,
    /// The index of the run in the runs of the verdict.
    pub run: usize,
    /// The score. `None` if a part has no answer.
    pub score: Option<f64>,
    /// The full score.
    pub full: f64,
    /// The name of the setting with the threshold.
    pub threshold: String,
    /// The least score that passes.
    pub least: f64,
    /// Whether the score reaches the threshold.
    pub passed: bool,
    /// Why the score was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_computed: Option<String>,
    /// The weighed checks. Empty if no score was computed.
    pub parts: Vec<CardPart>,
    /// The lost points, as shares of the full score. Their sum is the difference to the full score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Loss>,
}

/// One weighed check of a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CardPart {
    /// The name of the check.
    pub name: String,
    /// The share of the full score.
    pub weight: f64,
    /// The score of the check.
    pub score: Score,
    /// The points for this score, on the scale of the card.
    pub points: f64,
}

impl Scorecard {
    /// Fills in the card of a run. `answer` returns the score and the losses of an expectation; if it returns `None` for
    /// any part, the card has no score.
    pub fn fill<'o>(&self, run: usize, answer: impl Fn(usize) -> Option<(Score, &'o [Loss])>) -> Card {
        let answers = self.parts.iter().map(|part| match part.scored_by {
            ScoredBy::Nothing => Some((Score::FULL, &[][..])),
            ScoredBy::Expectation(at) => answer(at),
            ScoredBy::Check => None,
        });
        let answers: Option<Vec<_>> = answers.collect();
        // A sum over the other parts would be a score on another scale, so one missing answer makes the score
        // unknown.
        let Some(answers) = answers else { return self.empty_card(run, "a part of the score has no answer") };
        let scored = self.parts.iter().zip(&answers);
        let parts: Vec<CardPart> =
            scored.clone().map(|(part, (score, _))| self.card_part(part, *score)).collect();
        let score = self.round_score(parts.iter().fold(0.0, |sum, part| sum + part.points));
        let losses = scored.flat_map(|(part, (_, losses))| losses.iter().map(|loss| weigh_loss(part, loss)));
        Card {
            score: Some(score),
            passed: reaches(score, self.threshold.least),
            losses: losses.collect(),
            parts,
            not_computed: None,
            ..self.empty_card(run, "")
        }
    }

    /// Returns the card of a case that violates a hard gate: a score of 0, without parts.
    pub fn gated_card(&self, run: usize) -> Card {
        Card { score: Some(0.0), ..self.empty_card(run, "a hard gate was violated") }
    }

    /// Returns a card without a score, for the reason `why`.
    pub fn empty_card(&self, run: usize, why: &str) -> Card {
        Card {
            name: self.name.clone(),
            run,
            score: None,
            full: self.scale.full,
            threshold: self.threshold.setting.to_owned(),
            least: self.threshold.least,
            passed: false,
            not_computed: Some(why.to_owned()),
            parts: Vec::new(),
            losses: Vec::new(),
        }
    }

    fn card_part(&self, part: &ScorecardPart, score: Score) -> CardPart {
        let points = self.scale.full * score.get() * part.weight;
        CardPart { name: part.name.clone(), weight: part.weight, score, points }
    }

    /// Rounds a score to the decimals of the scale, and limits it to the full score.
    fn round_score(&self, score: f64) -> f64 {
        let score = score.min(self.scale.full);
        self.scale.decimals.map_or(score, |decimals| round_half_even(score, decimals))
    }
}

impl Card {
    /// Returns the score as a share of the full score, or 0 without a score.
    pub fn share(&self) -> Score {
        Score::new(self.score.unwrap_or(0.0) / self.full)
    }
}

fn weigh_loss(part: &ScorecardPart, loss: &Loss) -> Loss {
    Loss { points: loss.points * part.weight, why: format!("{}: {}", part.name, loss.why) }
}

/// Renders a number with at most four decimals, without trailing zeros.
pub fn written(number: f64) -> String {
    trim_zeros(&format!("{number:.4}"))
}

/// Renders a score and the least score that it misses: with at most four decimals, or as many more as tell the two apart.
pub fn write_apart(score: f64, least: f64) -> [String; 2] {
    render_apart(score, least, 4).map(|text| trim_zeros(&text))
}

fn trim_zeros(decimal: &str) -> String {
    decimal.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Rounds `value` to `decimals`, and exact ties to the even digit.
pub fn round_half_even(value: f64, decimals: usize) -> f64 {
    // Formatting rounds the exact binary value, which multiplying by a power of ten does not.
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use crate::score::{Effect, Scale, Threshold};

    fn part(at: usize, weight: f64) -> ScorecardPart {
        ScorecardPart { name: "part".to_owned(), weight, scored_by: ScoredBy::Expectation(at) }
    }

    fn card(weights: &[f64], least: f64, scale: Scale) -> Scorecard {
        let parts = weights.iter().enumerate();
        let parts = parts.map(|(at, &weight)| part(at, weight)).collect();
        let threshold = Threshold { setting: "min_score", place: Place::of_file("x"), least };
        Scorecard { name: "test".to_owned(), parts, threshold, scale, effect: Effect::Fail }
    }

    fn filled(scorecard: &Scorecard, scores: &[f64]) -> Card {
        let losses: Vec<Vec<Loss>> =
            scores.iter().map(|score| vec![Loss { points: 1.0 - score, why: "x".to_owned() }]).collect();
        scorecard.fill(0, |at| Some((Score::new(scores[at]), losses[at].as_slice())))
    }

    #[test]
    fn four_full_parts_are_a_full_score() {
        for scale in [Scale::SHARE, Scale::PERCENT] {
            let card = filled(&card(&[0.4, 0.3, 0.2, 0.1], scale.full, scale), &[1.0; 4]);
            assert!(card.passed, "{card:?}");
        }
    }

    #[test]
    fn losses_add_up_to_what_is_missing() {
        let card = filled(&card(&[0.5, 0.3, 0.2], 80.0, Scale::PERCENT), &[0.25, 1.0, 0.5]);
        let lost: f64 = card.losses.iter().map(|loss| loss.points).sum();
        assert_eq!(card.score, Some(52.5));
        assert!((lost - 0.475).abs() < 1e-12 && !card.passed);
    }

    #[test]
    fn a_part_without_an_answer_leaves_no_score() {
        let card =
            card(&[0.5, 0.5], 0.0, Scale::SHARE).fill(0, |at| (at == 0).then_some((Score::FULL, &[][..])));
        assert_eq!((card.score, card.passed), (None, false));
    }

    #[test]
    fn exact_ties_go_to_the_even_digit() {
        let rounded = [0.125, 0.375, 72.115, 1.005].map(|value| round_half_even(value, 2).to_string());
        assert_eq!(rounded, ["0.12", "0.38", "72.11", "1"]);
    }
}
