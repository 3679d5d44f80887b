//! The key `failed_when` for a run whose format does not say which of its results are failures.

use arraign::Trace;
use arraign::json::{Json, json};
use arraign::trace::{Call, CallStatus, FailureSign, StatusMark};

/// Proposes which results are failures, by those of the run that look like one. `None` if none does.
pub(super) fn propose_failed_when(run: &Trace) -> Option<Json> {
    let mut matchers: Vec<Json> = Vec::new();
    for sign in run.calls.iter().filter_map(find_sign) {
        let matcher = build_matcher(&sign)?;
        if !matchers.contains(&matcher) {
            matchers.push(matcher);
        }
    }
    match matchers.len() {
        0 => None,
        1 => matchers.pop(),
        _ => Some(json!({"any": matchers})),
    }
}

/// Sets the statuses that follow from the proposal: the calls that look like failures failed, and all others succeeded.
pub(super) fn settle_statuses(run: &mut Trace) {
    for call in &mut run.calls {
        if matches!(call.status, CallStatus::Ok | CallStatus::Unknown) && call.result.is_some() {
            call.status = if find_sign(call).is_some() { CallStatus::Error } else { CallStatus::Ok };
            call.status_mark = StatusMark::Declared;
        }
    }
}

/// What looks like a failure in a call of which the format does not record a success.
fn find_sign(call: &Call) -> Option<FailureSign> {
    let is_recorded = call.status == CallStatus::Ok && call.status_mark.is_recorded();
    if is_recorded { None } else { call.find_failure_sign() }
}

fn build_matcher(sign: &FailureSign) -> Option<Json> {
    Some(match sign {
        FailureSign::Error(key) => json!({"jsonpath": format!("$.{key}")}),
        FailureSign::NoSuccess(key) => json!({"jsonpath": format!("$.{key}"), "equals": false}),
        FailureSign::Status(key, status) if status.parse::<u64>().is_ok() => {
            json!({"jsonpath": format!("$.{key}"), "at_least": 400})
        }
        FailureSign::Status(key, status) => json!({"jsonpath": format!("$.{key}"), "equals": status}),
        FailureSign::Text(line) => {
            // The word that begins the text is what its next failure has in common with this one.
            let word: String =
                line.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect();
            if word.is_empty() {
                return None;
            }
            json!({"matches": format!("/^{}/i", word.to_lowercase().replace('.', "\\."))})
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arraign::trace::Arguments;

    use super::*;

    fn run_with(results: &[Json]) -> Trace {
        let mut run = Trace::default();
        for result in results {
            let call = Call::new("refund", Arguments::none(), 1);
            run.push_call(Call { status: CallStatus::Unknown, result: Some(result.clone()), ..call });
        }
        run
    }

    #[test]
    fn the_results_that_look_like_failures_are_matched() {
        let run = run_with(&[json!("Error: 403"), json!({"refunded": 30}), json!("error: 404")]);
        assert_eq!(propose_failed_when(&run), Some(json!({"matches": "/^error/i"})));
        let run = run_with(&[json!({"error": "no"}), json!({"id": 7})]);
        assert_eq!(propose_failed_when(&run), Some(json!({"jsonpath": "$.error"})));
        assert_eq!(propose_failed_when(&run_with(&[json!({"id": 7})])), None);
    }

    #[test]
    fn a_status_that_the_format_records_stays() {
        let mut run = run_with(&[json!("Error: 403")]);
        run.calls[0].status = CallStatus::Ok;
        assert_eq!(propose_failed_when(&run), None);
        run.calls[0].status_mark = StatusMark::Inferred;
        settle_statuses(&mut run);
        assert_eq!(run.calls[0].status, CallStatus::Error);
    }
}
