//! `sequence_valid`: tools are called in the order that these rules require.
//!
//! <!-- settings -->
//!
//! All rules must hold. Each violated rule is one violation. A call of [nearly the name](../traces.md#near-names) of a tool leaves
//! the rules undecided if they would not hold with it; `aliases` give a tool several names. A rule whose trigger never occurred is *not
//! exercised*: it passes, and the verdict says so. With `require_exercised: true`, it fails.
//!
//! | rule | holds when |
//! |---|---|
//! | `require {tool}` or `{tools: [..]}` | each of the tools is called |
//! | `before {first, then}` | each `first` is called before the first call of each `then` |
//! | `immediately_before {first, then}` | each call of `then` comes directly after a call of `first` |
//! | `blocklist {tools}` or `{pattern}` | none of the tools is called; a `pattern` without glob characters is a part of the name |
//! | `allowlist {tools}` | no other tool is called |
//! | `count {tool, min, max, exactly}` | the number of calls is within the bounds |
//! | `max_calls {tool, max}` | the same with one bound |
//! | `eventually {tool, within}` | the tool is among the first `within` calls |
//! | `after {trigger, then, within: 1}` | each `then` follows each call of `trigger` within this many calls, or `within: any` |
//! | `never_after {trigger, forbidden}` | after the first call of `trigger` there is no call of `forbidden` |
//! | `sequence {tools, strict: false}` | once one of the tools is called, all are, in this order; `strict`: with nothing between |
//!
//! A tool is a name, a glob, the name of an alias (any of its members), or
//! `{tool, args_match: {argument: regex}, status: ok, result: {JSONPATH: value}}`. An attempt counts, unless `status` or
//! `result` says how the call ends: `first: {tool: verify, status: ok, result: {$.verified: true}}`. A value in `result` may
//! be a [matcher](../calls.md#matchers). Where the trace does not say how a call ended, the rule is undecided if that
//! matters. `tools`, `first` and `then` take one tool or a list. For
//! `immediately_before`, one tool of the list `first` is enough. Rules are listed under `rules`, with `aliases` beside
//! them, or in a `policy` file: a list of rules, or `{version, aliases, sequences}`. `sequence: [..]` requires exactly
//! these calls and no others.
//!
//! A violation names the shortest prefix of the run that violates the rule, whatever follows. Two rules that contradict
//! each other are an error. Two calls of one turn cannot satisfy `before`, unless `same_turn: allow`. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../../tests/check/sequence_valid/fail-before.yaml")]
//! ```

mod lint;
mod outcome;
mod rules;
mod settings;

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::messages::{describe_attempts, run_of};
use crate::check::{About, Check, CheckKind, Clause};
use crate::evidence::{CallSuccess, Evidence, explain_unreadable_arguments, require_arguments};
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};
use crate::pattern::ToolPattern;
use crate::place::Place;
use crate::trace::{Call, Trace};

use self::settings::{Operand, SequenceSettings};

pub(crate) const KIND: CheckKind = CheckKind::built::<SequenceSettings>(
    "sequence_valid",
    "tools are called in the order that these rules require",
)
.shorthand("rules")
.case_keys(&["same_turn", "require_exercised"]);

/// One rule over the calls of a run.
trait Rule: Send + Sync {
    /// Checks the run. The pointers of violations are relative to the rule.
    fn check(&self, run: &Run<'_>) -> Finding;

    /// Lists the tools that the rule names.
    fn operands(&self) -> Vec<&Operand>;

    /// Returns how many tools are compared with each call.
    fn count_comparisons(&self, _run: &Run<'_>) -> usize {
        self.operands().into_iter().map(|operand| operand.members().len()).sum()
    }

    /// The tools of which the rule requires calls.
    fn list_required_operands(&self) -> Vec<&Operand> {
        Vec::new()
    }

    /// Whether these violations of the rule stand whatever else was called.
    fn stays_broken(&self, violations: &[&Violation]) -> bool {
        let _ = violations;
        false
    }

    /// The number of calls after which no later call can undo the violation. `None`: a later call could. By default, calls after
    /// the one that a violation names cannot undo it.
    fn find_prefix(&self, violation: &Violation, run: &Run<'_>) -> Option<usize> {
        run.calls.iter().position(|call| Some(call.index) == violation.call).map(|at| at + 1)
    }

    /// Runs of which each makes true a part of what the rule requires: no run that keeps the rule lacks all of the calls
    /// in one list.
    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        Vec::new()
    }

    /// Whether the rule, once held, holds whatever else was called.
    fn stays_held(&self) -> bool {
        false
    }

    /// Whether it is proven that the rule holds of every run.
    fn is_vacuous(&self) -> bool {
        false
    }

    /// Builds calls that the rule is likely to reject, or `None`.
    fn refused(&self) -> Option<Vec<Call>>;
}

/// The calls that the rules check.
struct Run<'r> {
    calls: &'r [Call],
    same_turn: SameTurn,
    /// The number of violations that a rule describes. The others are counted.
    described: usize,
    success: CallSuccess,
    /// The numbers of the calls of unknown outcome that are taken to have ended as the rules want.
    assumed: &'r [usize],
}

impl<'r> Run<'r> {
    /// A run of these calls alone.
    fn of_calls(calls: &'r [Call]) -> Self {
        let success = CallSuccess::of_calls(calls);
        Self { calls, same_turn: SameTurn::default(), described: usize::MAX, success, assumed: &[] }
    }

    /// Whether no turn has more than [`MAX_TURN_CALLS`] calls, so that a search in one turn costs little.
    fn has_turns(&self) -> bool {
        if self.same_turn == SameTurn::Allow {
            return true;
        }
        let mut counts: HashMap<(usize, &[String]), usize> = HashMap::new();
        self.calls.iter().all(|call| {
            let count = counts.entry((call.turn, call.agent_path.as_slice())).or_default();
            *count += 1;
            *count <= MAX_TURN_CALLS
        })
    }
}

/// The calls of one turn that may be searched for each pair of tools.
const MAX_TURN_CALLS: usize = 100;

/// Whether a call counts as `before` another one of its turn, whose result it cannot have seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SameTurn {
    /// Two calls of one turn do not count as ordered. The default.
    #[default]
    Refuse,
    /// Two calls of one turn count as ordered.
    Allow,
}

/// The largest number of times that a tool of a rule is compared with a call: some seconds. The longest run, 250,000 calls,
/// may have 200 rules of two tools.
const MAX_STEPS: usize = 100_000_000;

/// How many comparisons of tools one comparison of results is worth: a result may be a long text of JSON.
const OUTCOME_STEPS: usize = 1000;

/// The largest number of calls of unknown outcome that are tried both ways. With more of them, a rule about outcomes is
/// undecided.
const MAX_DOUBTFUL_CALLS: usize = 8;

/// The largest number of violations of one rule that are kept. Each of many calls can violate each of many rules.
const MAX_RULE_VIOLATIONS: usize = 100;

/// The result of one rule.
enum Finding {
    Held,
    Violated {
        listed: Vec<Violation>,
        /// The number of further ones.
        more: usize,
    },
    /// The trigger never occurred. The text names it.
    NotExercised(String),
}

impl Finding {
    /// Creates the result of a rule that was tested.
    fn of(violations: Vec<Violation>) -> Self {
        if violations.is_empty() { Self::Held } else { Self::Violated { listed: violations, more: 0 } }
    }

    /// Creates the result of a rule that each of `broken` violates. Of many, only the first are described: each of 100,000
    /// calls can violate each of 300 rules.
    fn of_each<B>(
        mut broken: impl Iterator<Item = B>,
        run: &Run<'_>,
        describe: impl Fn(B) -> Violation,
    ) -> Self {
        let listed: Vec<Violation> = broken.by_ref().take(run.described).map(describe).collect();
        let more = broken.count();
        if listed.is_empty() { Self::Held } else { Self::Violated { listed, more } }
    }
}

/// A rule and where it stands: with a number in `rules` or in a policy, without one as a setting of its own.
struct LocatedRule {
    name: &'static str,
    number: Option<usize>,
    policy: Option<Place>,
    /// Whether the rule constrains arguments.
    reads_arguments: bool,
    /// Whether the rule asks how calls ended.
    reads_outcomes: bool,
    rule: Box<dyn Rule>,
}

impl LocatedRule {
    fn new(name: &'static str, number: Option<usize>, policy: Option<Place>, rule: Box<dyn Rule>) -> Self {
        let reads_arguments = rule.operands().into_iter().any(Operand::reads_arguments);
        let reads_outcomes = rule.operands().into_iter().any(Operand::reads_outcomes);
        Self { name, number, policy, reads_arguments, reads_outcomes, rule }
    }

    fn label(&self) -> String {
        match self.number {
            Some(number) => ["rule ", &number.to_string(), ": ", self.name].concat(),
            None => self.name.to_owned(),
        }
    }

    fn item(&self, state: State) -> Item {
        Item::new(self.label(), state)
    }

    /// Whether those of `violations` that are of this rule stand whatever else was called.
    fn stays_broken(&self, violations: &[Violation]) -> bool {
        let own = violations.iter().filter(|violation| violation.rule == self.number);
        self.rule.stays_broken(&own.collect::<Vec<_>>())
    }

    /// The first call of which nobody knows whether the rule means it: its arguments cannot be read.
    fn find_unreadable<'r>(&self, run: &Run<'r>) -> Option<&'r Call> {
        let operands = if self.reads_arguments { self.rule.operands() } else { Vec::new() };
        run.calls.iter().find(|call| operands.iter().any(|operand| operand.may_match_unreadable(call)))
    }

    /// The calls of which nobody knows whether the rule means them, because the trace does not say how they ended.
    fn list_doubts(&self, run: &Run<'_>) -> Vec<DoubtfulCall> {
        if !self.reads_outcomes {
            return Vec::new();
        }
        let operands = self.rule.operands();
        let doubts = run.calls.iter().filter_map(|call| {
            let mut doubts =
                operands.iter().filter_map(|operand| Some((operand, operand.find_doubt(call, run)?)));
            let (first, why) = doubts.next()?;
            let is_alike = doubts.all(|(other, _)| other.wants_outcome_like(first));
            Some(DoubtfulCall { index: call.index, why, is_alike })
        });
        doubts.collect()
    }

    /// Checks the run in each reading of the calls of unknown outcome. `Err` explains the first of them, if the readings
    /// differ.
    fn check_readings(&self, run: &Run<'_>) -> Result<Finding, CannotDecide> {
        let doubts = self.list_doubts(run);
        let finding = self.rule.check(run);
        let Some(first) = doubts.first() else { return Ok(finding) };
        // Two members of a rule may want different results of one call: a reading would be a choice for each of them.
        if doubts.len() > MAX_DOUBTFUL_CALLS || doubts.iter().any(|doubt| !doubt.is_alike) {
            let is_proven = match &finding {
                Finding::Violated { listed, .. } => {
                    self.rule.stays_broken(&listed.iter().collect::<Vec<_>>())
                }
                Finding::Held | Finding::NotExercised(_) => false,
            };
            return if is_proven { Ok(finding) } else { Err(first.why.clone()) };
        }
        // Each number stands for a set of the doubtful calls, those that ended as wanted: its bits say which.
        for reading in 1..1_usize << doubts.len() {
            let assumed = doubts.iter().enumerate().filter(|(at, _)| reading >> at & 1 == 1);
            let assumed: Vec<usize> = assumed.map(|(_, doubt)| doubt.index).collect();
            let other = self.rule.check(&Run { assumed: &assumed, ..*run });
            if std::mem::discriminant(&other) != std::mem::discriminant(&finding) {
                return Err(first.why.clone());
            }
        }
        Ok(finding)
    }

    /// Whether a call with arguments that cannot be read could turn this finding around.
    fn is_open(&self, finding: &Finding, run: &Run<'_>) -> bool {
        if self.find_unreadable(run).is_none() {
            return false;
        }
        let operands = self.rule.operands();
        let is_unreadable = |number: usize| {
            let mut calls = run.calls.iter().filter(|call| call.index == number);
            calls.any(|call| operands.iter().any(|operand| operand.may_match_unreadable(call)))
        };
        match finding {
            Finding::Held => !self.rule.stays_held(),
            Finding::NotExercised(_) => true,
            // A violation that rests on such a call is disproved if the rule means the call after all.
            Finding::Violated { listed, .. } => {
                let proven = listed.iter().filter(|violation| !violation.call.is_some_and(is_unreadable));
                let proven: Vec<&Violation> = proven.collect();
                proven.is_empty() || !self.rule.stays_broken(&proven)
            }
        }
    }

    fn clause(&self) -> Clause {
        let at = match (self.number, &self.policy) {
            (Some(number), None) => format!("/rules/{}", number - 1),
            _ => String::new(),
        };
        Clause { about: About::Rule(self.label()), at, policy: self.policy.clone() }
    }

    /// Adds the place of the rule to a violation.
    fn stamp(&self, violation: Violation) -> Violation {
        let stamped = Violation { rule: self.number, ..violation };
        match (self.number, &self.policy) {
            (_, Some(place)) => stamped.cite_policy(place).at("/policy"),
            (Some(number), None) => {
                let at = format!("/rules/{}{}", number - 1, stamped.at);
                stamped.at(at)
            }
            (None, None) => stamped,
        }
    }
}

/// A call of which nobody knows whether a rule means it.
struct DoubtfulCall {
    index: usize,
    why: CannotDecide,
    /// Whether all members of the rule that may mean the call want the same of its result.
    is_alike: bool,
}

struct SequenceValid {
    /// Shared by all cases that name the same policy.
    rules: Arc<Vec<LocatedRule>>,
    sequence: Option<LocatedRule>,
    same_turn: SameTurn,
    require_exercised: bool,
}

impl Check for SequenceValid {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        self.needs_are_met(evidence)?;
        let run = self.run(&evidence.trace);
        self.require_steps(&run)?;
        let (items, violations): (Vec<Item>, Vec<Vec<Violation>>) =
            self.all().map(|located| self.hold(located, &run)).unzip();
        let rules = items.len();
        let open = self.all().zip(&items).find(|(_, item)| item.state == State::Open);
        // A rule that is violated decides the check, whatever becomes of the others.
        if let Some((located, _)) = open.filter(|_| violations.iter().all(Vec::is_empty)) {
            if let Some(call) = located.find_unreadable(&run) {
                return Err(explain_unreadable_arguments(call));
            }
            let doubt = located.list_doubts(&run).into_iter().next();
            return Err(doubt.map_or_else(|| CannotDecide::missing(located.label()), |doubt| doubt.why));
        }
        Ok(Outcome::of_items(items, violations.into_iter().flatten().collect())
            .stat("calls_checked", run.calls.len())
            .stat("rules", rules))
    }

    fn is_settled(&self, outcome: &Outcome) -> bool {
        // A violated item with a note was not put to the test: a further call may do that.
        let items = outcome.items.iter();
        let tested = items.map(|item| item.state == State::Held || item.note.is_none());
        let rules: Vec<(&LocatedRule, &Item)> = self
            .all()
            .zip(&outcome.items)
            .zip(tested)
            .filter(|(_, tested)| *tested)
            .map(|(rule, _)| rule)
            .collect();
        let is_broken = rules.iter().any(|(located, item)| {
            item.state == State::Violated && located.stays_broken(&outcome.violations)
        });
        let stay_held =
            rules.iter().all(|(located, item)| item.state == State::Held && located.rule.stays_held());
        is_broken || rules.len() == outcome.items.len() && stay_held
    }

    fn refuses(&self, evidence: &Evidence<'_>) -> bool {
        let run = self.run(&evidence.trace);
        self.needs_are_met(evidence).is_ok()
            && self.all().any(|located| !self.hold(located, &run).1.is_empty())
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.all().flat_map(|located| located.rule.operands()).flat_map(Operand::members).collect()
    }

    fn is_vacuous(&self) -> bool {
        self.all().all(|located| located.rule.is_vacuous())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let calls = self.all().find_map(|located| {
            let calls = located.rule.refused()?;
            let run = Run { same_turn: self.same_turn, ..Run::of_calls(&calls) };
            let refused = matches!(located.rule.check(&run), Finding::Violated { .. });
            refused.then_some(calls)
        })?;
        Some(run_of(calls).into())
    }

    fn clauses(&self) -> Vec<Clause> {
        self.all().map(LocatedRule::clause).collect()
    }
}

impl SequenceValid {
    fn all(&self) -> impl Iterator<Item = &LocatedRule> {
        self.rules.iter().chain(&self.sequence)
    }

    /// Returns an error if the trace lacks arguments that a rule needs.
    fn needs_are_met(&self, evidence: &Evidence<'_>) -> Result<(), CannotDecide> {
        if self.all().any(|located| located.reads_arguments) {
            evidence.trace.calls.iter().try_for_each(require_arguments)?;
        }
        Ok(())
    }

    fn run<'r>(&self, trace: &'r Trace) -> Run<'r> {
        let success = CallSuccess::of(trace);
        let calls = &trace.calls;
        Run { calls, same_turn: self.same_turn, described: MAX_RULE_VIOLATIONS, success, assumed: &[] }
    }

    /// Returns an error if the rules compare too many tools with too many calls.
    fn require_steps(&self, run: &Run<'_>) -> Result<(), CannotDecide> {
        let weigh = |located: &LocatedRule| {
            let comparisons = located.rule.count_comparisons(run);
            if located.reads_outcomes { comparisons.saturating_mul(OUTCOME_STEPS) } else { comparisons }
        };
        let tools = self.all().map(weigh).fold(0, usize::saturating_add);
        if tools.saturating_mul(run.calls.len()) <= MAX_STEPS {
            return Ok(());
        }
        let problem = format!("the rules compare tools with calls more than {MAX_STEPS} times");
        Err(CannotDecide::budget_exceeded(problem).help("use fewer rules and tools, or record a shorter run"))
    }

    fn hold(&self, located: &LocatedRule, run: &Run<'_>) -> (Item, Vec<Violation>) {
        // A violation that rests on a call with unreadable arguments does not count, so all violations are listed.
        let described = if located.find_unreadable(run).is_some() { usize::MAX } else { MAX_RULE_VIOLATIONS };
        let run = &Run { described, ..*run };
        let Ok(finding) = located.check_readings(run) else {
            let item = located.item(State::Open).note("it is not known how a call ended");
            return (item, Vec::new());
        };
        if located.is_open(&finding, run) {
            return (located.item(State::Open).note("the arguments of a call cannot be read"), Vec::new());
        }
        match finding {
            Finding::Held => (note_failed_operand(located.item(State::Held), located, run), Vec::new()),
            Finding::Violated { listed: mut violations, more } => {
                let more = more + violations.len().saturating_sub(MAX_RULE_VIOLATIONS);
                violations.truncate(MAX_RULE_VIOLATIONS);
                name_shortest_prefix(located.rule.as_ref(), &mut violations, run);
                let rest = (more > 0).then(|| and_more(located, more));
                let kept = violations.into_iter().chain(rest);
                (located.item(State::Violated), kept.map(|violation| located.stamp(violation)).collect())
            }
            Finding::NotExercised(note) if self.require_exercised => {
                let violation = located.stamp(not_exercised(located, &note));
                (located.item(State::Violated).note(format!("not exercised: {note}")), vec![violation])
            }
            Finding::NotExercised(note) => (located.item(State::NotExercised).note(note), Vec::new()),
        }
    }
}

/// Adds the shortest prefix of the run that violates the rule to the violation that it ends with. A rule is an automaton
/// over the calls: after some prefix no continuation leads to a run that keeps the rule. A rule that a later call could still have kept has
/// none: the run as a whole violates it.
fn name_shortest_prefix(rule: &dyn Rule, violations: &mut [Violation], run: &Run<'_>) {
    let prefixes = violations.iter().enumerate();
    let shortest =
        // The shortest prefix shows where a reader must look: all calls behind it are of no importance.
        prefixes.filter_map(|(index, violation)| Some((rule.find_prefix(violation, run)?, index))).min();
    let Some((calls, index)) = shortest else { return };
    let violation = &mut violations[index];
    let words = if calls == 1 { "call 1".to_owned() } else { format!("calls 1 to {calls}") };
    let actual = violation.actual.take().unwrap_or_default();
    violation.actual = Some(format!("{actual}\nshortest prefix that violates the rule: {words}"));
}

/// Notes the first required tool whose calls all failed. The rules count attempts.
fn note_failed_operand(item: Item, located: &LocatedRule, run: &Run<'_>) -> Item {
    // The search below looks at each operand and each call. A run without failures needs none of it.
    let success = CallSuccess::of_calls(run.calls);
    if run.calls.iter().all(|call| success.may_have_worked(call)) {
        return item;
    }
    let mut required = located.rule.list_required_operands().into_iter();
    let only_failed = required.find(|operand| {
        let mut calls = run.calls.iter().filter(|call| operand.matches(call, run)).peekable();
        calls.peek().is_some() && !calls.any(|call| success.may_have_worked(call))
    });
    match only_failed {
        Some(operand) => item.note(describe_attempts(operand.name())),
        None => item,
    }
}

fn and_more(located: &LocatedRule, more: usize) -> Violation {
    Violation::new(format!("{} is violated {more} more times", located.label()))
}

fn not_exercised(located: &LocatedRule, note: &str) -> Violation {
    let rule = located.number.map_or_else(String::new, |number| format!("rule {number} "));
    Violation::new(format!("{rule}(`{}`) was not exercised: {note}", located.name))
        .expected("a run that puts every rule to the test", note)
        .help("use a trace that exercises the rule, or drop `require_exercised`")
}
