//! Checks that this project defines itself. A struct holds the settings, and a pure function is the check.

use arraign::trace::{Arguments, Call};
use arraign::{CannotDecide, Check, Evidence, Item, Outcome, State, Trace, Violation};
use serde::Deserialize;
use serde_json::json;

/// `no_sunday_refunds`: no refund is paid on a Sunday.
///
/// ```yaml
/// - metric: no_sunday_refunds
///   tool: issue_refund
///   date_argument: pay_on
/// ```
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct NoRefundsOnSunday {
    /// The tool that pays a refund.
    tool: String,
    /// The argument that contains the date, as YYYY-MM-DD. Default: `date`.
    #[serde(default = "default_argument")]
    date_argument: String,
}

fn default_argument() -> String {
    "date".to_owned()
}

impl Check for NoRefundsOnSunday {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let (mut items, mut violations) = (Vec::new(), Vec::new());
        for call in evidence.trace.calls.iter().filter(|call| call.name == self.tool) {
            let Some(date) = call.arguments.get(&self.date_argument).and_then(|date| date.as_str()) else {
                let what =
                    format!("call {} of `{}` has no string `{}`", call.index, self.tool, self.date_argument);
                return Err(CannotDecide::missing(what));
            };
            let Some(day) = find_weekday(date) else {
                return Err(CannotDecide::missing(format!(
                    "call {}: `{date}` is not a date (YYYY-MM-DD)",
                    call.index
                )));
            };
            let state = if day == SUNDAY { State::Violated } else { State::Held };
            items.push(Item::new(format!("call {}: {date}", call.index), state));
            violations.extend((day == SUNDAY).then(|| self.report_sunday(call, date)));
        }
        Ok(Outcome::of_items(items, violations))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let mut trace = Trace::default();
        let arguments = json!({ self.date_argument.as_str(): "2026-11-22" });
        trace.push_call(Call::new(self.tool.as_str(), Arguments::Json(arguments.into()), 1));
        Some(trace.into())
    }
}

impl NoRefundsOnSunday {
    fn report_sunday(&self, call: &Call, date: &str) -> Violation {
        Violation::of_call(call, format!("`{}` pays on {date}, a Sunday", self.tool))
            .at("/tool")
            .argument(&self.date_argument, json!(date).into())
            .help("pay on the Monday after")
    }
}

const SUNDAY: u32 = 0;

/// Returns the day of the week of a Gregorian date, from 0 for Sunday (Sakamoto's method).
fn find_weekday(date: &str) -> Option<u32> {
    let parts: Vec<u32> = date.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [year, month @ 1..=12, day @ 1..=31] = parts[..] else { return None };
    let offset = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month as usize - 1];
    let year = if month < 3 { year.checked_sub(1)? } else { year };
    Some((year + year / 4 - year / 100 + year / 400 + offset + day) % 7)
}
