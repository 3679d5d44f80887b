//! The last line of a comparison: its word in a sentence, with what the word rests on.

use super::figures::{render_percent, render_points};
use super::{ComparisonReport, SideComparison, TrialChange};
use crate::outcome::count_noun;
use crate::score::paired::{ComparisonWord, LEAST_CLUSTERS, PairedResult, UndecidedWhy};

impl ComparisonReport {
    /// Renders a sentence for each comparison: `cheaper is no worse than baseline by more than 5 points (97 pairs, 95 % from -3.1 to
    /// +4.4), at 18 % of the cost`.
    pub fn render_sentences(&self) -> Vec<String> {
        self.comparisons.iter().map(|comparison| self.render_sentence(comparison)).collect()
    }

    fn render_sentence(&self, comparison: &SideComparison) -> String {
        let SideComparison { before, after, .. } = comparison;
        let Some((word, result)) = comparison.verdict.zip(comparison.result.as_ref()) else {
            let pairs = count_noun(comparison.fixed_pairs, "case");
            return match comparison.trials_with(TrialChange::Regressed).count() {
                0 => {
                    format!("{after} and {before} judged the same evidence in all of {pairs}: none regressed")
                }
                count => format!(
                    "{after} and {before} judged the same evidence in all of {pairs}: {count} regressed"
                ),
            };
        };
        let Some(statistics) = &result.statistics else {
            return format!("undecided: {}", explain_undecided(result, comparison));
        };
        let claim = match word {
            ComparisonWord::Worse => {
                format!("{after} is worse than {before} by {} points", render_size(statistics.difference))
            }
            ComparisonWord::Better => {
                format!("{after} is better than {before} by {} points", render_size(statistics.difference))
            }
            ComparisonWord::NoWorse => {
                let margin = self.margin.unwrap_or_default() * 100.0;
                let claim = format!("{after} is no worse than {before} by more than {margin} points");
                // A drop that is no chance is still said.
                if result.p_adjusted < 1.0 - self.confidence && statistics.difference < 0.0 {
                    format!(
                        "{claim}: lower by {} points, within the margin",
                        render_size(statistics.difference)
                    )
                } else {
                    claim
                }
            }
            ComparisonWord::Undecided => format!("undecided whether {after} differs from {before}"),
        };
        let figures = self.render_figures(result, comparison);
        let cost = self.render_cost(comparison);
        let reason = match word {
            ComparisonWord::Undecided => format!(": {}", explain_undecided(result, comparison)),
            _ => String::new(),
        };
        let needs = comparison.needs.map_or_else(String::new, |needs| {
            let runs = if needs.runs == 1 { String::new() } else { format!(" of {} runs each", needs.runs) };
            format!("; {}{runs} like these would decide it", count_noun(needs.cases as usize, "case"))
        });
        format!("{claim} ({figures}){cost}{reason}{needs}")
    }

    /// Renders the pairs and the interval, and p where it does not agree with the interval.
    fn render_figures(&self, result: &PairedResult, comparison: &SideComparison) -> String {
        let pairs = count_noun(result.pairs, "pair");
        let clusters =
            result.clusters.map_or_else(String::new, |count| format!(" in {}", count_noun(count, "cluster")));
        let [lower, upper] = comparison.interval.unwrap_or([-1.0, 1.0]);
        let [low, high] = [lower, upper].map(render_points);
        let level = self.confidence * 100.0;
        let is_significant = result.p_adjusted < 1.0 - self.confidence;
        let excludes_zero = lower > 0.0 || upper < 0.0;
        let p = if is_significant == excludes_zero {
            String::new()
        } else {
            format!(", p = {}", render_p(result.p_adjusted))
        };
        format!("{pairs}{clusters}, {} % from {low} to {high}{p}", (level * 1e6).round() / 1e6)
    }

    /// Renders the cost of a case beside that of the first side, if both are known.
    fn render_cost(&self, comparison: &SideComparison) -> String {
        let cost = |name: &str| {
            self.variants
                .iter()
                .find(|variant| variant.name == name)
                .and_then(|variant| variant.cost_per_case)
        };
        match (cost(&comparison.before), cost(&comparison.after)) {
            (Some(before), Some(after)) if before > 0.0 => {
                format!(", at {:.0} % of the cost", after / before * 100.0)
            }
            _ => String::new(),
        }
    }
}

/// Renders the size of a difference in points.
fn render_size(difference: f64) -> String {
    format!("{:.1}", (difference * 100.0).abs())
}

fn render_p(p: f64) -> String {
    if p < 0.0001 { "0.0001 or less".to_owned() } else { format!("{p:.4}") }
}

/// Returns why a comparison is undecided, and what would help.
fn explain_undecided(result: &PairedResult, comparison: &SideComparison) -> String {
    let before = result.missing_before;
    let after = result.missing_after;
    let cases = comparison.cases - comparison.fixed_pairs;
    match result.why {
        Some(UndecidedWhy::ManyMissing) => {
            let (side, count) =
                if before > after { (&comparison.before, before) } else { (&comparison.after, after) };
            format!(
                "{count} of {} have no result in {side}, more than {}",
                count_noun(cases, "case"),
                render_percent(0.05)
            )
        }
        Some(UndecidedWhy::NoPairs) => "no case has a result on both sides".to_owned(),
        Some(UndecidedWhy::FewClusters) => format!(
            "{} are fewer than {LEAST_CLUSTERS}",
            count_noun(result.clusters.unwrap_or_default(), "cluster")
        ),
        Some(UndecidedWhy::MissingMatters) => {
            let lost = [(after, "case"), (result.lost_after, "run")];
            let lost = lost.iter().filter(|(count, _)| *count > 0);
            let lost: Vec<String> = lost.map(|(count, noun)| count_noun(*count, noun)).collect();
            let they = if after + result.lost_after == 1 { "it" } else { "they" };
            format!(
                "{} without a result in {} would decide otherwise, if {they} had failed",
                lost.join(" and "),
                comparison.after
            )
        }
        Some(UndecidedWhy::FewDiffer) => {
            let differing = result.statistics.as_ref().map_or(0, |found| found.sample.count_differing());
            let all =
                result.clusters.map_or(count_noun(result.pairs, "pair"), |all| count_noun(all, "cluster"));
            format!("{differing} of {all} differ, and fewer than {} can be chance", result.least_differing)
        }
        Some(UndecidedWhy::Chance) | None => "the difference may be chance".to_owned(),
    }
}
