//! Settings without the block that they configure are an error: they look like a check, but have no effect.

use super::ExpectedContext;
use crate::case::LoweredBlock;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::Node;

/// Reports settings of the case itself that have no effect. Those in the defaults of its suite may be meant for others.
pub(super) fn refuse_idle_settings(
    context: &ExpectedContext<'_>,
    lowered: &LoweredBlock,
) -> Result<(), LoadErrors> {
    let case = context.case;
    let unscored = lowered.scorecards.is_empty();
    let needs = [
        ("weights", unscored, "an `expected` block for the weights"),
        ("max_unsupported", !has_check(lowered, "grounded"), "`checks: {hallucination: true}`"),
        ("sequence_required", !has_check(lowered, "sequence_correctness"), "`expected.tool_sequence`"),
        ("adapter_config", !has_check(lowered, "sequence_correctness"), "`expected.tool_sequence`"),
        ("output_assertions", !asserts_output(context), "`expected.output`"),
    ];
    let mut errors = LoadErrors::new();
    // A setting that changes nothing is an error: its author relies on it.
    for (key, missing, wanted) in needs {
        if missing && case.says(key) {
            errors.push(idle_error(case.node.key_place(key), key, wanted));
        }
    }
    // A threshold from the defaults of the suite may be meant for other cases.
    if let Some(least) = context.thresholds.min_score().filter(|least| unscored && case.holds(*least)) {
        errors.push(idle_error(
            least.place(),
            "min_score",
            "something to score: `tools`, `tool_sequence` or `output` of an `expected` block",
        ));
    }
    errors.or(())
}

fn idle_error(place: Place, key: &str, wanted: &str) -> LoadError {
    LoadError::new(place, format!("`{key}` has no effect here")).help(format!("the case lacks {wanted}"))
}

fn has_check(lowered: &LoweredBlock, check: &str) -> bool {
    lowered.expectations.iter().any(|expectation| expectation.check == check)
}

/// Whether a block of the case or of one of its turns has output assertions.
fn asserts_output(context: &ExpectedContext<'_>) -> bool {
    let of_run = context.case.node.get("expected");
    let turns = context.case.node.get("turns").into_iter().flat_map(Node::one_or_many);
    let mut blocks = of_run.into_iter().chain(turns.filter_map(|turn| turn.get("expected")));
    blocks.any(|block| block.get("output").is_some())
}
