//! Runs that were recorded for another input: such a run is undecided, and no check is asked about it.

use super::run::RunResult;
use crate::case::{Case, Fit, Misfit, TraceFrom, collapse_blanks, compare_input};
use crate::outcome::Status;
use crate::pattern::mask_secrets;
use crate::trace::Trace;
use crate::verdict::{Finding, UndecidedCause};

/// The name of the rule in findings.
const FIT: &str = "fit";

/// The reason of such a finding.
const OTHER_INPUT: &str = "recorded for another input";

/// The largest length of a quoted text, in characters.
const MAX_QUOTED_CHARS: usize = 60;

/// The number of equal characters that are quoted before the first difference of two texts.
const CHARS_BEFORE_DIFFERENCE: usize = 20;

/// Returns the result of a run that was recorded for another input. `None` for all other runs.
pub(super) fn reject_misfit(case: &Case, trace: &Trace, run: usize) -> Option<RunResult> {
    let Fit::Other(misfit) = compare_input(case, trace) else { return None };
    let place = match misfit {
        Misfit::Text { turn: Some(turn), .. } => &turn.place,
        _ => case.input_place.as_ref().unwrap_or(&case.place),
    };
    let finding = Finding {
        status: Status::Undecided,
        run,
        unfit: Some(format!("{OTHER_INPUT}: {}", describe_misfit(&misfit))),
        undecided: Some(UndecidedCause::AnotherInput),
        help: Some(advise_rerecording(case).to_owned()),
        ..Finding::empty(FIT, place)
    };
    let reason = format!("the run was {OTHER_INPUT}");
    let cards = case.scorecards.iter().map(|card| card.empty_card(run, &reason)).collect();
    Some(RunResult { findings: vec![finding], cards, figures: None })
}

/// Whether the finding is about a run that was recorded for another input. Several runs together do not change what it
/// means for the case.
pub(super) fn is_misfit(finding: &Finding) -> bool {
    finding.undecided == Some(UndecidedCause::AnotherInput)
}

fn describe_misfit(misfit: &Misfit<'_>) -> String {
    let Misfit::Text { wanted, turn, found } = misfit else {
        return "the fingerprint of the case's input differs from the recorded one".to_owned();
    };
    let asks = turn.map_or("the case asks".to_owned(), |turn| format!("turn {} asks", turn.turn));
    let [wanted, asked] = quote_difference(wanted, found.unwrap_or_default());
    match found {
        Some(_) => format!("{asks} {wanted}, the run was asked {asked}"),
        None => format!("{asks} {wanted}, the run was asked nothing more"),
    }
}

fn advise_rerecording(case: &Case) -> &'static str {
    match case.trace {
        TraceFrom::Inline(_) => {
            "change the user's text in the trace or in the case; `input_match: false` accepts the difference"
        }
        TraceFrom::File(_) | TraceFrom::Lookup => {
            "record the run again, or select the run of this case; `input_match: false` accepts the difference"
        }
    }
}

/// Quotes the parts of two texts around their first difference. The texts are masked before they are cut, because a cut
/// secret would not be recognized.
fn quote_difference(one: &str, other: &str) -> [String; 2] {
    let texts = [one, other].map(|text| mask_secrets(collapse_blanks(text).trim().to_owned()));
    let equal = texts[0].chars().zip(texts[1].chars()).take_while(|(one, other)| one == other).count();
    // A short text is quoted from its beginning.
    let is_long = texts.iter().any(|text| text.chars().nth(MAX_QUOTED_CHARS).is_some());
    let skipped = if is_long { equal.saturating_sub(CHARS_BEFORE_DIFFERENCE) } else { 0 };
    texts.map(|text| quote_part(&text, skipped))
}

fn quote_part(text: &str, skipped: usize) -> String {
    let mut rest = text.chars().skip(skipped);
    let part: String = rest.by_ref().take(MAX_QUOTED_CHARS).collect();
    let before = if skipped > 0 { "..." } else { "" };
    let after = if rest.next().is_some() { "..." } else { "" };
    format!("{:?}", format!("{before}{part}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_quoted_where_they_differ() {
        let same = "You are the assistant of a shop. ".repeat(9);
        let texts = [format!("{same}Where is order 7?"), format!("{same}Where is order 8?")];
        assert_eq!(
            quote_difference(&texts[0], &texts[1]),
            ["\"...hop. Where is order 7?\"", "\"...hop. Where is order 8?\""]
        );
        assert_eq!(quote_difference("a\n b", ""), ["\"a b\"", "\"\""]);
    }
}
