//! Merges several votes: the median decides, which for pass or fail is the majority.

use std::collections::BTreeMap;

use crate::evidence::{Judged, Opinion};

/// The opinions of one vote, by label.
pub(super) type Vote = BTreeMap<String, Opinion>;

/// Returns the median opinion on each question, with the agreement of the votes in its reason.
pub(super) fn merge_votes(votes: &[Vote]) -> Vote {
    let [first, rest @ ..] = votes else { return Vote::new() };
    // One vote has no agreement to speak of.
    if rest.is_empty() {
        return first.clone();
    }
    let medians = first.keys().filter_map(|label| {
        let opinions = votes.iter().filter_map(|vote| vote.get(label)).collect();
        Some((label.clone(), find_median(opinions)?))
    });
    medians.collect()
}

/// Returns the opinion in the middle. For an even number of votes it is the better of the two.
fn find_median(mut votes: Vec<&Opinion>) -> Option<Opinion> {
    votes.sort_by(|one, other| rank_opinion(one).total_cmp(&rank_opinion(other)));
    // The median is one of the votes, so that its reason fits. A mean would be a score that no vote gave.
    let middle = *votes.get(votes.len() / 2)?;
    let agreement = render_agreement(middle, &votes);
    let reason = match &middle.reason {
        Some(reason) => format!("{agreement}: {reason}"),
        None => agreement,
    };
    Some(Opinion { judged: middle.judged, reason: Some(reason) })
}

/// Returns a number by which opinions are ordered, higher for a better run.
fn rank_opinion(opinion: &Opinion) -> f64 {
    match opinion.judged {
        Judged::Pass => 1.0,
        Judged::Fail => 0.0,
        Judged::Score(score) => score,
        // The fewer unsupported claims, the better the run.
        Judged::Claims { unsupported, .. } => -f64::from(unsupported),
    }
}

fn render_agreement(middle: &Opinion, votes: &[&Opinion]) -> String {
    if let Judged::Score(score) = middle.judged {
        let all: Vec<String> = votes.iter().map(|vote| rank_opinion(vote).to_string()).collect();
        return format!("{score} is the middle of the votes {}", all.join(", "));
    }
    // A pass has no middle to show, so the number of equal votes is.
    let alike = votes.iter().filter(|vote| vote.judged == middle.judged).count();
    format!("{alike} of {} votes", votes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(judged: Judged, reason: &str) -> Vote {
        BTreeMap::from([("a".to_owned(), Opinion { judged, reason: Some(reason.to_owned()) })])
    }

    fn said(votes: &[Vote]) -> (Judged, String) {
        let opinion = merge_votes(votes).remove("a").expect("an opinion");
        (opinion.judged, opinion.reason.expect("a reason"))
    }

    #[test]
    fn the_majority_decides_and_its_agreement_is_told() {
        let votes = [vote(Judged::Pass, "x"), vote(Judged::Fail, "y"), vote(Judged::Pass, "z")];
        assert_eq!(said(&votes), (Judged::Pass, "2 of 3 votes: x".to_owned()));
        let votes = [vote(Judged::Fail, "x"), vote(Judged::Fail, "y"), vote(Judged::Fail, "z")];
        assert_eq!(said(&votes).1, "3 of 3 votes: y");
    }

    #[test]
    fn the_middle_score_decides() {
        let votes =
            [vote(Judged::Score(80.0), "x"), vote(Judged::Score(10.0), "y"), vote(Judged::Score(72.5), "z")];
        assert_eq!(
            said(&votes),
            (Judged::Score(72.5), "72.5 is the middle of the votes 10, 72.5, 80: z".to_owned())
        );
    }

    #[test]
    fn one_vote_is_as_it_is() {
        assert_eq!(said(&[vote(Judged::Pass, "x")]).1, "x");
    }
}
