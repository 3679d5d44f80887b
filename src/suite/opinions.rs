//! `opinions:` a judge's opinions, written in the case: they stand in for a judge in a test.
//!
//! ```yaml
//! opinions:
//!   polite: {pass: true, reason: it greets the customer}
//!   output_quality: 85
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::Expectation;
use crate::check::support::reading::Points;
use crate::evidence::{Judged, Opinion, Opinions};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Build, Checked, MappingOr, Node, OrderedMap, Placed, did_you_mean};

/// The opinions of a case, by label.
pub(super) type WrittenOpinions = OrderedMap<Placed<String>, Checked<WrittenOpinion>>;

/// A judge's opinion.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "opinion")]
pub(super) struct WrittenOpinion(MappingOr<ExplainedOpinion, BareOpinion>);

/// A judge's opinion without a reason.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(untagged, expecting = "an opinion is `true`, `false` or a score from 0 to 100")]
enum BareOpinion {
    Pass(bool),
    Score(Points),
}

/// A judge's opinion with its reason.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct ExplainedOpinion {
    /// Whether the answer passes.
    pass: Option<bool>,
    /// The score, from 0 to 100.
    score: Option<Points>,
    /// The number of claims that the answer makes.
    claims: Option<u32>,
    /// The number of unsupported claims. Default: 0.
    unsupported: Option<Placed<u32>>,
    /// The reason.
    reason: Option<String>,
}

impl Build for WrittenOpinion {
    type Built = Opinion;

    fn build(written: Placed<Self>) -> Result<Opinion, LoadErrors> {
        let judge = |pass: bool| if pass { Judged::Pass } else { Judged::Fail };
        let opinion = match &written.0 {
            MappingOr::Short(BareOpinion::Pass(pass)) => {
                return Ok(Opinion { judged: judge(*pass), reason: None });
            }
            MappingOr::Short(BareOpinion::Score(score)) => {
                return Ok(Opinion { judged: Judged::Score(score.get()), reason: None });
            }
            MappingOr::Mapping(opinion) => opinion,
        };
        let judged = match (opinion.pass, opinion.score, opinion.claims) {
            (Some(pass), None, None) => judge(pass),
            (None, Some(score), None) => Judged::Score(score.get()),
            (None, None, Some(all)) => {
                let unsupported = opinion.unsupported.as_ref();
                if let Some(without) = unsupported.filter(|without| ***without > all) {
                    let problem = format!("{} of {all} claims cannot be without support", **without);
                    return Err(without.error(problem).into());
                }
                Judged::Claims { all, unsupported: unsupported.map_or(0, |without| **without) }
            }
            (None, None, None) => {
                let problem = "an opinion says `pass: true`, `pass: false` or `score: 0..100`";
                return Err(written.error(problem).into());
            }
            _ => {
                let problem = "an opinion is a `pass`, a `score` or on `claims`: one of them";
                return Err(written.error(problem).into());
            }
        };
        Ok(Opinion { judged, reason: opinion.reason.clone() })
    }
}

/// Returns the opinions of a case, by label.
pub(super) fn collect_opinions(written: WrittenOpinions) -> Opinions {
    let mut opinions = Opinions::default();
    for (label, opinion) in written.0 {
        opinions.insert(label.as_str(), opinion.0);
    }
    opinions
}

/// Refuses two questions with one label, and opinions in the case that no question asks for.
pub(super) fn match_questions(
    case: Node<'_>,
    opinions: &WrittenOpinions,
    expectations: &[Expectation],
) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut asked = Vec::new();
    // Checks of turns may share a label. With two questions about the whole run, it would be unclear which of them an
    // opinion in the file answers.
    for expectation in expectations {
        for question in expectation.check().questions() {
            if expectation.turn.is_none() && asked.contains(&question.label) {
                let problem =
                    format!("two questions are called `{}`: one opinion cannot answer both", question.label);
                errors
                    .push(LoadError::new(expectation.place.clone(), problem).help("give each its own label"));
            }
            asked.push(question.label);
        }
    }
    let labels: Vec<&str> = asked.iter().map(String::as_str).collect();
    // An opinion that no check asks for is a slip in its label. Those of a suite's defaults may be about other cases.
    let own = opinions.0.iter().filter(|(label, _)| case.tree().span.contains(label.place().span()));
    for (label, _) in own.filter(|(label, _)| !labels.contains(&label.as_str())) {
        let error = label.error(format!("no check asks for an opinion on `{}`", **label));
        errors.push(error.help_if(did_you_mean(label, &labels)));
    }
    errors.or(())
}
