//! One expected call, looked for among the calls of its tool.

use super::entry::Times;
use super::run_calls::RunCalls;
use super::spec::{CallSpec, SpecDefaults, WrittenCall};
use crate::check::arguments::{ArgumentsMode, IgnoredPaths};
use crate::check::support::call_status::WantedStatus;
use crate::check::support::messages::{run_of, what_was_called};
use crate::check::support::reading::Occurrence;
use crate::check::{Check, Demand};
use crate::evidence::{
    Evidence, Known, SuccessBasis, explain_unreadable_arguments, has_unreadable_arguments, require_arguments,
};
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call};

/// The greatest number of calls that a message describes.
const MAX_DIFFERENCES: usize = 10;

/// A call, and how often it is made.
pub(super) struct ExpectedCall {
    pub(super) spec: CallSpec,
    pub(super) ignored: IgnoredPaths,
    pub(super) occurrence: Occurrence,
    pub(super) times: Option<Times>,
}

impl ExpectedCall {
    /// Builds the check of a call. `usual` is the status of a call that says none.
    pub(super) fn build(
        call: WrittenCall,
        ignored: Option<IgnoredPaths>,
        usual: WantedStatus,
    ) -> Result<Self, LoadErrors> {
        let ignored = ignored.unwrap_or_default();
        let defaults = SpecDefaults { ignored: ignored.clone(), status: usual, ..SpecDefaults::default() };
        let spec = defaults.build_spec(call, ArgumentsMode::Superset)?;
        Ok(Self { spec, ignored, occurrence: Occurrence::Any, times: None })
    }
}

/// A call of the tool, and what is known of it.
struct JudgedCall<'c> {
    call: &'c Call,
    /// Whether it ended as wanted.
    ended: Known,
    /// Whether it ended as wanted with the wanted arguments.
    agrees: Known,
    /// Why it is not known whether the arguments are the wanted ones, if the run says too little.
    doubt: Option<CannotDecide>,
}

impl JudgedCall<'_> {
    /// Whether something is unknown that the check asks.
    fn is_unknown(&self) -> bool {
        self.ended == Known::Unknown || self.agrees == Known::Unknown
    }
}

/// The calls of the tool: all of them, those with the right status, and those that agree.
struct CallsOfTool<'c> {
    all: Vec<&'c Call>,
    ended: Vec<&'c Call>,
    agreeing: Vec<&'c Call>,
}

impl<'c> CallsOfTool<'c> {
    /// Sorts the calls; `counts` decides whether one of which something is unknown counts.
    fn sort(judged: &[JudgedCall<'c>], counts: fn(Known) -> bool) -> Self {
        Self {
            all: judged.iter().map(|judged| judged.call).collect(),
            ended: judged.iter().filter(|judged| counts(judged.ended)).map(|judged| judged.call).collect(),
            agreeing: judged
                .iter()
                .filter(|judged| counts(judged.agrees))
                .map(|judged| judged.call)
                .collect(),
        }
    }

    fn agrees(&self, call: &Call) -> bool {
        self.agreeing.iter().any(|agreeing| agreeing.index == call.index)
    }
}

/// The verdict on the calls of a tool, where some may be unknown.
enum Judgement<'c> {
    Holds(CallsOfTool<'c>),
    /// The calls violate the check, whatever the unknown ones are.
    Violated(CallsOfTool<'c>),
    Unknown,
}

impl ExpectedCall {
    fn judge_calls<'c>(&self, run: &'c RunCalls<'_>) -> Result<Vec<JudgedCall<'c>>, CannotDecide> {
        let calls = run.calls.iter().filter(|call| self.spec.means_tool(call));
        let judged = calls.map(|call| {
            let ended = run.knows_status(call, self.spec.status);
            // Calls of another outcome were not what was wanted, however well their arguments agree.
            if ended == Known::No {
                return Ok(JudgedCall { call, ended, agrees: Known::No, doubt: None });
            }
            let (known, doubt) = self.knows_arguments(call, run)?;
            let agrees = if known == Known::Yes { ended } else { known };
            Ok(JudgedCall { call, ended, agrees, doubt })
        });
        judged.collect()
    }

    /// Whether the arguments are the wanted ones. Where a call is forbidden, arguments that cannot be read may be those.
    /// What a relation cannot know comes with its reason.
    fn knows_arguments(
        &self,
        call: &Call,
        run: &RunCalls<'_>,
    ) -> Result<(Known, Option<CannotDecide>), CannotDecide> {
        let has_limit = self.times.is_some_and(|times| times.at_most.is_some());
        match &call.arguments {
            _ if self.spec.accepts_any_arguments() => return Ok((Known::Yes, None)),
            Arguments::Unrecorded => return Ok((Known::Unknown, None)),
            _ if has_limit && has_unreadable_arguments(call) => return Ok((Known::Unknown, None)),
            _ => {}
        }
        let fit = self.spec.compare_arguments(call, run)?;
        Ok(match (fit.differences, fit.doubt) {
            (0, None) => (Known::Yes, None),
            (0, doubt) => (Known::Unknown, doubt),
            _ => (Known::No, None),
        })
    }

    fn judge<'c>(&self, judged: &[JudgedCall<'c>]) -> Judgement<'c> {
        let sure = CallsOfTool::sort(judged, |known| known == Known::Yes);
        let possible = CallsOfTool::sort(judged, |known| known != Known::No);
        let least =
            self.times.map_or(usize::from(self.occurrence == Occurrence::Any), |times| times.at_least);
        let most = self.times.and_then(|times| times.at_most).unwrap_or(usize::MAX);
        // The number of agreeing calls comes first. It is what the user counts, and decides alone if no occurrence is
        // asked for.
        if possible.agreeing.len() < least {
            return Judgement::Violated(possible);
        }
        if sure.agreeing.len() > most {
            return Judgement::Violated(sure);
        }
        if sure.agreeing.len() < least || possible.agreeing.len() > most {
            return Judgement::Unknown;
        }
        if self.occurrence == Occurrence::Any {
            return Judgement::Holds(sure);
        }
        // An occurrence asks further which of the calls agrees. With several unknown calls, there are more ways than the
        // two that are compared, so only what holds of each call is certain.
        let unknown = judged.iter().filter(|judged| judged.is_unknown()).count();
        let holds = [&sure, &possible].map(|found| self.holds_by_occurrence(found));
        match holds {
            [true, true] if unknown <= 1 => Judgement::Holds(sure),
            [false, false] if unknown <= 1 || possible.agreeing.is_empty() => Judgement::Violated(possible),
            _ => Judgement::Unknown,
        }
    }

    fn holds_by_occurrence(&self, found: &CallsOfTool<'_>) -> bool {
        if self.times.is_some() && found.ended.is_empty() {
            return true;
        }
        let chosen = self.occurrence.choose(&found.ended);
        !chosen.is_empty() && chosen.iter().all(|call| found.agrees(call))
    }

    /// Explains the first call of which something is unknown.
    fn explain_doubt(judged: &[JudgedCall<'_>], run: &RunCalls<'_>) -> CannotDecide {
        let Some(first) = judged.iter().find(|judged| judged.is_unknown()) else {
            return CannotDecide::missing("it is not known how the calls ended");
        };
        if first.ended == Known::Unknown {
            return run.explain_doubt(first.call);
        }
        if let Some(doubt) = &first.doubt {
            return doubt.clone();
        }
        if let Err(unrecorded) = require_arguments(first.call) {
            return unrecorded;
        }
        explain_unreadable_arguments(first.call)
    }

    /// Whether no call at all is what is wanted.
    fn is_negative(&self) -> bool {
        self.times.is_some_and(|times| times.at_most == Some(0))
    }

    /// Describes how the calls violate the check.
    fn describe_violation(
        &self,
        found: &CallsOfTool<'_>,
        run: &RunCalls<'_>,
    ) -> Result<Violation, CannotDecide> {
        if let Some(times) = self.times
            && !(times.at_least <= found.agreeing.len()
                && times.at_most.is_none_or(|most| found.agreeing.len() <= most))
        {
            return self.describe_times(times, found, run);
        }
        let chosen = self.occurrence.choose(&found.ended);
        let wrong = chosen.into_iter().filter(|call| !found.agrees(call)).collect::<Vec<_>>();
        self.describe_wrong(&wrong, found, run)
    }

    fn describe_times(
        &self,
        times: Times,
        found: &CallsOfTool<'_>,
        run: &RunCalls<'_>,
    ) -> Result<Violation, CannotDecide> {
        // No call agrees, so the nearest one says more than a number.
        if found.agreeing.is_empty() && times.at_least > 0 {
            return self.describe_wrong(&found.ended, found, run);
        }
        let tool = self.spec.tool.as_str();
        let count = found.agreeing.len();
        let made = Times { at_least: count, at_most: Some(count) }.words();
        let with = if self.spec.arguments.is_some() { " with these arguments" } else { "" };
        let message = if self.is_negative() {
            format!("`{tool}` must not be called{with}, and was called {made}")
        } else {
            format!("`{tool}` was called{with} {made}, expected {}", times.words())
        };
        let violation = self.point_at(Violation::new(message), &found.agreeing);
        Ok(violation
            .expected(times.words(), made)
            .help("change the agent, or the number")
            .at(if self.is_negative() { "/tool" } else { "/times" }))
    }

    /// No call, or not the chosen one, is the expected one.
    fn describe_wrong(
        &self,
        wrong: &[&Call],
        found: &CallsOfTool<'_>,
        run: &RunCalls<'_>,
    ) -> Result<Violation, CannotDecide> {
        let tool = self.spec.tool.as_str();
        let which = self.occurrence.words();
        // Without a call at fault, the message shows how all calls of the tool differ.
        let concerned = if wrong.is_empty() { &found.all } else { wrong };
        let message = match (found.all.len(), found.ended.len()) {
            (0, _) => format!("`{tool}` was never called"),
            (_, 0) => format!("no call of `{tool}` {}", self.spec.status.words()),
            _ if wrong.is_empty() => {
                format!("there is no {which} `{tool}` that {}", self.spec.status.words())
            }
            _ => format!("{which} `{tool}` {} the expected arguments", self.occurrence.verb()),
        };
        let mut differences = Vec::new();
        for call in concerned.iter().take(MAX_DIFFERENCES) {
            let difference = self.spec.describe_differences(call, run)?;
            if difference.count() > 0 {
                differences.push(format!("~ {} {}  {}", call.index, call.name, difference.describe()));
            }
        }
        let violation = self.point_at(Violation::new(message), concerned);
        if differences.is_empty() {
            return Ok(violation.at("/tool").help(what_was_called(&run_of(run.calls.to_vec()))));
        }
        // Where no call ended as expected, nobody asks about the arguments yet.
        let (at, help) = if found.ended.is_empty() {
            ("/tool", "find out why the calls ended this way: the trace has their results")
        } else {
            ("/args", "change what the agent passes, or the arguments here")
        };
        let help = self.spec.suggest_argument(&found.ended).unwrap_or_else(|| help.to_owned());
        Ok(violation.at(at).expected(self.spec.describe(), differences.join("\n")).help(help))
    }

    fn point_at(&self, violation: Violation, calls: &[&Call]) -> Violation {
        let numbers: Vec<usize> = calls.iter().map(|call| call.index).collect();
        Violation {
            tool: Some(self.spec.tool.as_str().to_owned()),
            call: numbers.first().copied(),
            call_id: calls.first().and_then(|call| call.id.clone()),
            calls: if numbers.len() > 1 { numbers } else { Vec::new() },
            ..violation
        }
    }
}

impl Check for ExpectedCall {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let run = RunCalls::new(evidence, &self.ignored);
        let judged = self.judge_calls(&run)?;
        let (found, violation) = match self.judge(&judged) {
            Judgement::Holds(found) => (found, None),
            Judgement::Violated(found) => {
                let violation = self.describe_violation(&found, &run)?;
                (found, Some(violation))
            }
            Judgement::Unknown => return Err(Self::explain_doubt(&judged, &run)),
        };
        let basis = found.agreeing.iter().find_map(|call| run.describe_basis(call, self.spec.status));
        // An answered call whose success nobody recorded is not said to have succeeded.
        let status = basis.map_or_else(
            || self.spec.status.words().to_owned(),
            |SuccessBasis { how, why }| format!("were {how} ({why})"),
        );
        let all = found.all.len();
        let ended = found.ended.len();
        let agreeing = found.agreeing.len();
        let note = format!("{agreeing} of {ended} calls agree; of {all} attempts, {ended} {status}");
        let item = Item::tested(self.spec.tool.as_str(), violation.is_none()).note(note);
        let outcome = Outcome::of_items(vec![item], violation.into_iter().collect());
        Ok(outcome.stat("calls_checked", all).stat("calls_that_agree", agreeing))
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.spec.list_tools()
    }

    // Further calls add to those that agree, and take none away.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        let agreeing = outcome.stats.get("calls_that_agree").copied().unwrap_or_default();
        match (self.times, self.occurrence) {
            (Some(times), Occurrence::Any) => match times.at_most {
                Some(most) => agreeing > most as u64,
                None => outcome.violations.is_empty(),
            },
            (None, Occurrence::Any) => outcome.violations.is_empty(),
            _ => false,
        }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let most = self.times.and_then(|times| times.at_most);
        match most.filter(|_| self.times.is_some_and(|times| times.at_least == 0)) {
            Some(most) => {
                // One call more than allowed.
                let calls: Option<Vec<Call>> = (0..=most).map(|turn| self.spec.example(turn + 1)).collect();
                calls.map(|calls| run_of(calls).into())
            }
            None => Some(run_of(Vec::new()).into()),
        }
    }

    fn demands(&self) -> Vec<Demand<'_>> {
        let is_required =
            self.occurrence == Occurrence::Any && self.times.is_none_or(|times| times.at_least > 0);
        is_required.then(|| Demand::call(&self.spec.tool, "/tool")).flatten().into_iter().collect()
    }

    fn bans_call(&self, call: &Call) -> bool {
        self.is_negative() && self.spec.is_any_call() && self.spec.tool.matches(call)
    }

    // Only `times` without a lower or upper bound asks for nothing.
    fn is_vacuous(&self) -> bool {
        self.occurrence == Occurrence::Any
            && self.times.is_some_and(|times| times.at_least == 0 && times.at_most.is_none())
    }
}
