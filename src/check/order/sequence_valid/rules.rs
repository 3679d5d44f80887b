//! The rules of `sequence_valid`, one below the other, and the setting `sequence`.

use std::collections::HashSet;

use super::settings::{Operand, Operands, RuleBuilder, RuleWindow, WrittenRule};
use super::{Finding, Rule, Run, SameTurn};
use crate::check::support::messages::{BLOCKED_HELP, is_blocked, join_list, say_calls, say_times};
use crate::evidence::is_same_turn;
use crate::outcome::Violation;
use crate::pattern::{ToolPattern, is_glob};
use crate::place::LoadError;
use crate::trace::{Arguments, Call, ToolServer};
use crate::yaml::{Placed, nearest};

/// `require`: each of the tools is called.
struct Require {
    tools: Operands,
}

pub(super) fn build_require(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    rule.refuse_both(written.tool.as_ref(), written.tools.as_ref());
    let tools = match (&written.tool, &written.tools) {
        (None, Some(tools)) => rule.tools("tools", Some(tools))?,
        (tool, _) => rule.tools("tool", tool.as_ref())?,
    };
    Some(Box::new(Require { tools }))
}

impl Rule for Require {
    fn operands(&self) -> Vec<&Operand> {
        self.tools.tools().iter().collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let missing = self.tools.tools().iter().enumerate().filter(|(_, tool)| tool.first_in(run).is_none());
        Finding::of_each(missing, run, |(index, tool)| {
            never_called(tool, run.calls).at(self.tools.pointer(index))
        })
    }

    fn stays_held(&self) -> bool {
        true
    }

    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        self.tools.tools().iter().filter_map(|tool| tool.list_alternatives(1)).collect()
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(Vec::new())
    }
}

fn never_called(tool: &Operand, calls: &[Call]) -> Violation {
    let called = list_called(calls);
    let near = nearest(tool.name(), called.iter().copied()).filter(|near| *near != tool.name());
    let help = near.map_or_else(
        || format!("have the agent call {tool}, or drop the rule"),
        |near| format!("`{near}` was called: is that the tool meant?"),
    );
    Violation::new(format!("{tool} was never called"))
        .tool(tool.name())
        .expected(format!("at least one call of {tool}"), format!("the agent called {}", quote_names(called)))
        .help(help)
}

/// Why a call of the same turn does not count.
const SAME_TURN: &str = "same turn: the second call could not have seen the first's result";

/// The tools of `before` and of `immediately_before`.
struct Order {
    first: Operands,
    then: Operands,
}

impl Order {
    fn build(rule: &mut RuleBuilder<'_>) -> Option<Self> {
        let written = rule.written;
        let first = rule.tools("first", written.first.as_ref());
        let then = rule.tools("then", written.then.as_ref());
        let order = Self { first: first?, then: then? };
        let firsts = order.first.tools();
        // An operand that names the same tool on both sides could only be kept by never calling it.
        let itself = order.then.tools().iter().position(|then| firsts.iter().any(|first| first.same(then)));
        if let Some(index) = itself {
            let problem = format!("{} cannot come before itself", order.then.tools()[index]);
            let node = written.then.as_ref()?.node();
            let tool = node.list().and_then(|mut tools| tools.nth(index)).unwrap_or(node);
            rule.errors.push(tool.error(problem).help("`first` and `then` name different tools"));
            return None;
        }
        Some(order)
    }

    fn operands(&self) -> Vec<&Operand> {
        self.first.tools().iter().chain(self.then.tools()).collect()
    }

    fn not_exercised(&self) -> Finding {
        Finding::NotExercised(format!("{} was never called", self.then.say_all(", ")))
    }

    /// `then` alone.
    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.then.tools().iter().find_map(|then| then.example(1))?])
    }
}

/// `before`: each `first` is called before the first call of each `then`.
struct Before(Order);

pub(super) fn build_before(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    Some(Box::new(Before(Order::build(rule)?)))
}

impl Rule for Before {
    fn operands(&self) -> Vec<&Operand> {
        self.0.operands()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.0.first.tools().iter().collect()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let thens = self.0.then.tools().iter();
        let tested: Vec<(&Operand, usize)> =
            thens.filter_map(|then| Some((then, then.first_in(run)?))).collect();
        if tested.is_empty() {
            return self.0.not_exercised();
        }
        let firsts: Vec<Option<usize>> =
            self.0.first.tools().iter().map(|first| first.first_in(run)).collect();
        let unprepared = tested.into_iter().filter_map(|(then, at)| {
            let missing = self.find_missing(&firsts, at, run);
            (!missing.is_empty()).then_some((then, at, missing))
        });
        Finding::of_each(unprepared, run, |(then, at, missing)| self.describe(&missing, then, at, run))
    }

    fn count_comparisons(&self, run: &Run<'_>) -> usize {
        let [first, then] = [&self.0.first, &self.0.then]
            .map(|side| side.tools().iter().map(|tool| tool.members().len()).sum::<usize>());
        // Each `first` is looked up once. Beyond that, only the calls of one turn are looked at for each pair.
        let pairs = if run.has_turns() { 0 } else { first.saturating_mul(then) };
        first + then + pairs
    }

    fn refused(&self) -> Option<Vec<Call>> {
        self.0.refused()
    }
}

impl Before {
    /// Lists the indices of the tools that do not stand before the call at `at`. `firsts` has the first call of each.
    fn find_missing(&self, firsts: &[Option<usize>], at: usize, run: &Run<'_>) -> Vec<usize> {
        let tools = self.0.first.tools().iter().zip(firsts).enumerate();
        let missing = tools
            .filter(|(_, (first, begin))| !begin.is_some_and(|begin| stands_before(first, begin, at, run)));
        missing.map(|(index, _)| index).collect()
    }

    fn describe(&self, missing: &[usize], then: &Operand, at: usize, run: &Run<'_>) -> Violation {
        let tools: Vec<&Operand> = missing.iter().map(|index| &self.0.first.tools()[*index]).collect();
        describe_missing(&tools, then, at, run).at(self.0.first.pointer(missing[0]))
    }
}

/// Whether a call of `first` stands before the call at `at`. Its first call is the one at `begin`.
fn stands_before(first: &Operand, begin: usize, at: usize, run: &Run<'_>) -> bool {
    let then = &run.calls[at];
    let mut earlier = run.calls[begin.min(at)..at].iter().filter(|call| first.matches(call, run));
    earlier.any(|call| run.same_turn == SameTurn::Allow || !is_same_turn(call, then))
}

fn describe_missing(missing: &[&Operand], then: &Operand, at: usize, run: &Run<'_>) -> Violation {
    let call = &run.calls[at];
    let said: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let said = join_list(&said, "and");
    // A call of the same turn was made without the other's result, so it does not count as one before.
    let same_turn = missing.iter().any(|first| first.first_before(at, run).is_some());
    let (when, help) = if same_turn {
        (
            "in an earlier turn",
            format!("{SAME_TURN}; call {said} in an earlier turn, or say `same_turn: allow`"),
        )
    } else {
        ("before it", format!("the agent must call {said} first; if it need not, remove the rule"))
    };
    let actual: Vec<String> = missing.iter().map(|first| locate_first(first, at, run)).collect();
    Violation::of_call(call, format!("{} was called without {said} {when}", then.say(call)))
        .expected(format!("{said} before call {}", call.index), join_list(&actual, "and"))
        .help(help)
}

fn locate_first(first: &Operand, at: usize, run: &Run<'_>) -> String {
    match first.first_in(run) {
        None => first.describe_other_outcome(run).unwrap_or_else(|| format!("{first} was never called")),
        Some(found) if found < at => format!("{first} is call {} of the same turn", run.calls[found].index),
        Some(found) => format!("{first} came only as call {}", run.calls[found].index),
    }
}

/// `immediately_before`: directly before every call of each `then` stands a call of one `first`.
struct ImmediatelyBefore(Order);

pub(super) fn build_immediately_before(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    Some(Box::new(ImmediatelyBefore(Order::build(rule)?)))
}

impl Rule for ImmediatelyBefore {
    fn operands(&self) -> Vec<&Operand> {
        self.0.operands()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        // Of several tools one will do: which of them was meant is unknown.
        if let [only] = self.0.first.tools() { vec![only] } else { Vec::new() }
    }

    fn count_comparisons(&self, _run: &Run<'_>) -> usize {
        self.0.first.count_comparisons() + self.0.then.count_comparisons()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let tested = (0..run.calls.len()).filter_map(|at| {
            Some((at, self.0.then.tools().iter().find(|then| then.matches(&run.calls[at], run))?))
        });
        let mut tested = tested.peekable();
        if tested.peek().is_none() {
            return self.0.not_exercised();
        }
        let is_preceded = |at: usize| {
            at.checked_sub(1).is_some_and(|previous| self.0.first.any_matches(&run.calls[previous], run))
        };
        let unpreceded = tested.filter(|(at, _)| !is_preceded(*at));
        Finding::of_each(unpreceded, run, |(at, then)| self.describe_unpreceded(at, then, run))
    }

    fn refused(&self) -> Option<Vec<Call>> {
        self.0.refused()
    }
}

impl ImmediatelyBefore {
    fn describe_unpreceded(&self, at: usize, then: &Operand, run: &Run<'_>) -> Violation {
        let previous = at.checked_sub(1).map(|previous| &run.calls[previous]);
        let call = &run.calls[at];
        let first = self.0.first.say_all(" or ");
        let actual = previous.map_or_else(
            || "it was the first call".to_owned(),
            |previous| format!("`{}` stands directly before it", previous.name),
        );
        let message = format!("{} was called without {first} directly before it", then.say(call));
        let violation = Violation::of_call(call, message)
            .expected(format!("{first} as the call before call {}", call.index), actual)
            .help(format!("call {first} right before each {then}, or use `before`"));
        violation.at("/first")
    }
}

/// `blocklist` with `tools`: none of these is called.
struct Blocklist {
    blocked: Operands,
}

pub(super) fn build_blocklist(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    rule.refuse_both(written.tools.as_ref(), written.pattern.as_ref());
    match (&written.tools, &written.pattern) {
        (None, Some(pattern)) => {
            let part = rule.errors.take(parse_part(pattern))?;
            Some(Box::new(Pattern { part }))
        }
        (tools, _) => Some(Box::new(Blocklist { blocked: rule.tools("tools", tools.as_ref())? })),
    }
}

impl Rule for Blocklist {
    fn operands(&self) -> Vec<&Operand> {
        self.blocked.tools().iter().collect()
    }

    fn count_comparisons(&self, _run: &Run<'_>) -> usize {
        self.blocked.count_comparisons()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let blocked = run.calls.iter().filter_map(|call| Some((call, self.blocked.find_match(call, run)?)));
        Finding::of_each(blocked, run, |(call, index)| self.describe_call(call, index))
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.blocked.tools().iter().find_map(|tool| tool.example(1))?])
    }
}

impl Blocklist {
    fn describe_call(&self, call: &Call, index: usize) -> Violation {
        let entry = self.blocked.tools()[index].to_string();
        let violation = describe_blocked(call, &entry, format!("no call of {entry}"));
        violation.constraint(entry.replace('`', "")).at(self.blocked.pointer(index))
    }
}

/// `blocklist` with `pattern`: no tool's name has this part.
struct Pattern {
    part: Part,
}

enum Part {
    Glob(Operand),
    /// A part of names, and the glob that means the same.
    Text(String, Operand),
}

/// A glob matches the whole name; anything else is looked for inside of it.
fn parse_part(written: &Placed<String>) -> Result<Part, LoadError> {
    if written.is_empty() {
        return Err(written
            .error("`pattern` is empty: it would match every name")
            .help("name the tools to block"));
    }
    // `delete` blocks `delete_user` as well. A blocklist that is too wide is noticed, one that is too narrow is not.
    if !is_glob(written) {
        // The glob is for names that are nearly such names. What cannot be a glob has none.
        let glob = written.try_map(|text| ToolPattern::new(&format!("*{text}*")))?;
        return Ok(Part::Text(written.to_string(), Operand::of_pattern(glob)));
    }
    Ok(Part::Glob(Operand::of_pattern(written.try_map(|text| ToolPattern::new(text))?)))
}

impl Part {
    fn matches(&self, call: &Call, run: &Run<'_>) -> bool {
        match self {
            Self::Glob(glob) => glob.matches(call, run),
            Self::Text(text, _) => call.name.contains(text) || call.written_name().contains(text),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Glob(glob) => glob.name(),
            Self::Text(text, _) => text,
        }
    }
}

impl Rule for Pattern {
    fn operands(&self) -> Vec<&Operand> {
        match &self.part {
            Part::Glob(glob) | Part::Text(_, glob) => vec![glob],
        }
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let hits = run.calls.iter().filter(|call| self.part.matches(call, run));
        Finding::of_each(hits, run, |call| self.blocked(call))
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn refused(&self) -> Option<Vec<Call>> {
        match &self.part {
            Part::Glob(glob) => Some(vec![glob.example(1)?]),
            Part::Text(text, _) => Some(vec![Call::new(text, Arguments::none(), 1)]),
        }
    }
}

impl Pattern {
    fn blocked(&self, call: &Call) -> Violation {
        let pattern = self.part.as_str();
        let expected = match self.part {
            Part::Glob(_) => format!("no call of `{pattern}`"),
            Part::Text(..) => format!("no call of a tool with `{pattern}` in its name"),
        };
        describe_blocked(call, &format!("`{pattern}`"), expected).constraint(pattern).at("/pattern")
    }
}

fn describe_blocked(call: &Call, entry: &str, expected: String) -> Violation {
    Violation::of_call(call, is_blocked(&call.name, entry, 1))
        .expected(expected, format!("`{}` is call {}", call.name, call.index))
        .help(BLOCKED_HELP)
}

/// `allowlist`: nothing else is called.
struct Allowlist {
    allowed: Operands,
}

pub(super) fn build_allowlist(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let tools = rule.written.tools.as_ref();
    Some(Box::new(Allowlist { allowed: rule.tools("tools", tools)? }))
}

impl Rule for Allowlist {
    fn operands(&self) -> Vec<&Operand> {
        self.allowed.tools().iter().collect()
    }

    fn count_comparisons(&self, _run: &Run<'_>) -> usize {
        self.allowed.count_comparisons()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let others = run
            .calls
            .iter()
            .filter(|call| self.allowed.find(call, |tool| tool.may_match(call, run)).is_none());
        Finding::of_each(others, run, |call| self.outside(call))
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn is_vacuous(&self) -> bool {
        self.allowed.tools().iter().any(Operand::means_every_call)
    }

    fn refused(&self) -> Option<Vec<Call>> {
        let strangers = ["unlisted_tool", "x", "_", "0"]
            .map(|name| Call { server: ToolServer::BuiltIn, ..Call::new(name, Arguments::none(), 1) });
        Some(vec![strangers.into_iter().find(|call| !self.allowed.any_matches(call, &Run::of_calls(&[])))?])
    }
}

impl Allowlist {
    fn outside(&self, call: &Call) -> Violation {
        Violation::of_call(call, format!("`{}` was called, but is not on the allowlist", call.name))
            .expected(self.allowed.say_all(" or "), format!("`{}`", call.name))
            .help("keep the agent from calling it, or add it to the allowlist")
            .at("/tools")
    }
}

/// A bound above this has no counterexample: a trace of so many calls is not worth building.
const LARGEST_EXAMPLE: usize = 10_000;

/// A required number above this is not compared with other rules.
const LARGEST_REQUIRED: usize = 100;

/// `count` and `max_calls`: how often a tool is called.
struct Count {
    tool: Operand,
    bounds: Vec<Bound>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BoundKind {
    Exactly,
    Min,
    Max,
}

#[derive(Clone, Copy)]
struct Bound {
    kind: BoundKind,
    number: usize,
}

/// The bounds by their keys, and what messages call them.
const BOUNDS: [(&str, BoundKind, &str); 3] = [
    ("exactly", BoundKind::Exactly, "exactly"),
    ("min", BoundKind::Min, "at least"),
    ("max", BoundKind::Max, "at most"),
];

pub(super) fn build_count(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    let tool = rule.tool("tool", written.tool.as_ref());
    let bounds = rule.errors.take(build_bounds(written));
    Some(Box::new(Count { tool: tool?, bounds: bounds? }))
}

/// Builds the bounds. Bounds that say nothing, or cannot hold together, are errors.
fn build_bounds(written: &Placed<WrittenRule>) -> Result<Vec<Bound>, LoadError> {
    let WrittenRule { exactly, min, max, .. } = &**written;
    let mistake = match (exactly, min, max) {
        (None, None, None) => Some(written.error("a `count` without a bound holds always")),
        (Some(exactly), Some(_), _) | (Some(exactly), _, Some(_)) => {
            Some(exactly.error("`exactly` leaves nothing to `min` and `max`"))
        }
        (None, Some(min), None) if **min == 0 => Some(min.error("`min: 0` holds always")),
        (None, Some(min), Some(max)) if **min > **max => Some(min.error("`min` is more than `max`")),
        _ => None,
    };
    if let Some(mistake) = mistake {
        return Err(mistake.help("give `min`, `max` or both, or `exactly` alone"));
    }
    let numbers = [exactly, min, max].into_iter().zip(BOUNDS);
    let bounds =
        numbers.filter_map(|(number, (_, kind, _))| Some(Bound { kind, number: **number.as_ref()? }));
    Ok(bounds.collect())
}

pub(super) fn build_max_calls(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    let tool = rule.tool("tool", written.tool.as_ref());
    let max = rule.require("max", written.max.as_ref());
    let bounds = vec![Bound { kind: BoundKind::Max, number: **max? }];
    Some(Box::new(Count { tool: tool?, bounds }))
}

impl Bound {
    fn admits(self, count: usize) -> bool {
        match self.kind {
            BoundKind::Min => count >= self.number,
            BoundKind::Max => count <= self.number,
            BoundKind::Exactly => count == self.number,
        }
    }

    /// Whether the bound requires calls.
    fn is_minimum(self) -> bool {
        self.kind != BoundKind::Max && self.number > 0
    }

    /// Returns the key, and what messages call the bound.
    fn words(self) -> (&'static str, &'static str) {
        let known = BOUNDS.iter().find(|(_, kind, _)| *kind == self.kind);
        known.map_or(("", ""), |(key, _, words)| (key, words))
    }

    /// Returns the smallest number of calls that breaks the bound.
    fn find_breaking_count(self) -> Option<usize> {
        match self.kind {
            BoundKind::Min => (self.number > 0).then_some(0),
            BoundKind::Max => self.number.checked_add(1),
            BoundKind::Exactly => Some(usize::from(self.number == 0)),
        }
    }

    /// Finds the first call that is one too many.
    fn find_excess<'c>(self, hits: &[&'c Call]) -> Option<&'c Call> {
        hits.get(self.number).copied().filter(|_| self.kind != BoundKind::Min)
    }
}

impl Rule for Count {
    fn operands(&self) -> Vec<&Operand> {
        vec![&self.tool]
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        if self.bounds.iter().any(|bound| bound.is_minimum()) { vec![&self.tool] } else { Vec::new() }
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let hits: Vec<&Call> = self.tool.all_in(run).into_iter().map(|at| &run.calls[at]).collect();
        let broken = self.bounds.iter().find(|bound| !bound.admits(hits.len()));
        Finding::of(broken.map(|bound| self.miscounted(*bound, &hits)).into_iter().collect())
    }

    fn stays_broken(&self, violations: &[&Violation]) -> bool {
        // A call that is one too many is named; calls that are missing cannot be.
        violations.iter().any(|violation| violation.call.is_some())
    }

    fn stays_held(&self) -> bool {
        self.bounds.iter().all(|bound| bound.kind == BoundKind::Min)
    }

    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        let least = self.bounds.iter().filter(|bound| bound.is_minimum()).map(|bound| bound.number).max();
        let least = least.filter(|least| *least <= LARGEST_REQUIRED);
        least.and_then(|least| self.tool.list_alternatives(least)).into_iter().collect()
    }

    fn refused(&self) -> Option<Vec<Call>> {
        let counts = self.bounds.iter().filter_map(|bound| bound.find_breaking_count());
        let count = counts.min().filter(|count| *count <= LARGEST_EXAMPLE)?;
        (1..=count).map(|turn| self.tool.example(turn)).collect()
    }
}

impl Count {
    fn miscounted(&self, bound: Bound, hits: &[&Call]) -> Violation {
        let (key, limit) = bound.words();
        let (demand, expected) = match bound.number {
            0 => ("never be".to_owned(), "no call".to_owned()),
            number => (
                format!("be called {limit} {}", say_how_often(number)),
                format!("{limit} {}", say_calls(number)),
            ),
        };
        let message = format!("{} was {}, but should {demand}", self.tool, say_called(hits.len()));
        let violation = bound.find_excess(hits).map_or_else(
            || Violation::new(&message).tool(self.tool.name()),
            |call| Violation::of_call(call, &message),
        );
        Violation { calls: hits.iter().map(|call| call.index).collect(), ..violation }
            .constraint(format!("{key}: {}", bound.number))
            .expected(expected, say_calls(hits.len()))
            .help("change how often the agent calls it, or the bound")
            .at(format!("/{key}"))
    }
}

fn say_called(count: usize) -> String {
    if count == 0 { "never called".to_owned() } else { format!("called {}", say_how_often(count)) }
}

/// `eventually`: the tool is among the first calls.
struct Eventually {
    tool: Operand,
    within: usize,
}

pub(super) fn build_eventually(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    let tool = rule.tool("tool", written.tool.as_ref());
    let within = rule.require("within", written.within.as_ref())?;
    match **within {
        RuleWindow::Calls(calls) => Some(Box::new(Eventually { tool: tool?, within: calls.get() })),
        RuleWindow::Any(_) => {
            rule.errors.push(within.error("`within` is a number of calls, 1 or more"));
            None
        }
    }
}

impl Rule for Eventually {
    fn operands(&self) -> Vec<&Operand> {
        vec![&self.tool]
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        match self.tool.first_in(run) {
            Some(at) if at < self.within => Finding::Held,
            Some(at) => Finding::of(vec![self.late(&run.calls[at])]),
            None => Finding::of(vec![self.never(run)]),
        }
    }

    fn find_prefix(&self, _violation: &Violation, run: &Run<'_>) -> Option<usize> {
        Some(self.within).filter(|calls| *calls <= run.calls.len())
    }

    fn list_required(&self) -> Vec<Vec<Vec<Call>>> {
        self.tool.list_alternatives(1).into_iter().collect()
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(Vec::new())
    }
}

impl Eventually {
    fn late(&self, call: &Call) -> Violation {
        let message = format!("{} was called only as call {}", self.tool.say(call), call.index);
        self.explain(Violation::of_call(call, message), format!("its first call is call {}", call.index))
            .at("/within")
    }

    fn never(&self, run: &Run<'_>) -> Violation {
        let violation = Violation::new(format!("{} was never called", self.tool)).tool(self.tool.name());
        self.explain(violation, format!("none among {}", say_calls(run.calls.len()))).at("/tool")
    }

    fn explain(&self, violation: Violation, actual: String) -> Violation {
        let window = if self.within == 1 { "call".to_owned() } else { say_calls(self.within) };
        violation
            .constraint(format!("within: {}", self.within))
            .expected(format!("a call of {} within the first {window}", self.tool), actual)
            .help(format!("call {} earlier, or widen `within`", self.tool))
    }
}

/// `after`: each call of `trigger` is followed by each `then`. One call may answer several triggers.
struct After {
    trigger: Operand,
    then: Operands,
    within: Within,
}

/// How far behind the trigger the answer may stand.
#[derive(Clone, Copy)]
enum Within {
    Calls(usize),
    Any,
}

pub(super) fn build_after(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    let trigger = rule.tool("trigger", written.trigger.as_ref());
    let then = rule.tools("then", written.then.as_ref());
    let within = match written.within.as_deref() {
        None => Within::Calls(1),
        Some(RuleWindow::Calls(calls)) => Within::Calls(calls.get()),
        Some(RuleWindow::Any(_)) => Within::Any,
    };
    Some(Box::new(After { trigger: trigger?, then: then?, within }))
}

/// A call of the trigger that is not answered in time, and the next call of the tool that should answer it.
struct OpenTrigger {
    at: usize,
    next: Option<usize>,
}

impl Within {
    fn admits(self, trigger: usize, answer: usize) -> bool {
        match self {
            Self::Calls(calls) => answer - trigger <= calls,
            Self::Any => true,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Calls(1) => "directly after it".to_owned(),
            Self::Calls(calls) => format!("within {} after it", say_calls(calls)),
            Self::Any => "anywhere after it".to_owned(),
        }
    }
}

impl Rule for After {
    fn operands(&self) -> Vec<&Operand> {
        std::iter::once(&self.trigger).chain(self.then.tools()).collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.then.tools().iter().collect()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let triggers = self.trigger.all_in(run);
        if triggers.is_empty() {
            return never_came(&self.trigger);
        }
        let thens = self.then.tools().iter().enumerate();
        let open = thens.flat_map(|(index, then)| {
            self.find_unanswered(then, &triggers, run).into_iter().map(move |open| (index, then, open))
        });
        Finding::of_each(open, run, |(index, then, open)| {
            self.alone(open.at, open.next, then, run).at(self.then.pointer(index))
        })
    }

    // Until the window is over, a call may still answer the trigger.
    fn find_prefix(&self, violation: &Violation, run: &Run<'_>) -> Option<usize> {
        let Within::Calls(window) = self.within else { return None };
        let trigger = run.calls.iter().position(|call| Some(call.index) == violation.call)?;
        Some(trigger + 1 + window).filter(|calls| *calls <= run.calls.len())
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.trigger.example(1)?])
    }
}

impl After {
    /// Lists the triggers that `then` does not follow in time.
    fn find_unanswered(&self, then: &Operand, triggers: &[usize], run: &Run<'_>) -> Vec<OpenTrigger> {
        let answers = then.all_in(run);
        // The answers are in order, so the first one behind a trigger is found by a binary search. It alone decides: if the
        // next answer comes too late, so does every further one.
        let nexts = triggers.iter().map(|at| {
            let next = answers.partition_point(|answer| answer <= at);
            OpenTrigger { at: *at, next: answers.get(next).copied() }
        });
        nexts.filter(|open| !open.next.is_some_and(|answer| self.within.admits(open.at, answer))).collect()
    }

    fn alone(&self, at: usize, next: Option<usize>, then: &Operand, run: &Run<'_>) -> Violation {
        let call = &run.calls[at];
        let window = self.within.words();
        let actual = match next {
            Some(next) => format!("the next call of {then} is call {}", run.calls[next].index),
            None => format!("{then} was never called after it"),
        };
        Violation::of_call(call, format!("{} was called without {then} {window}", self.trigger.say(call)))
            .expected(format!("a call of {then} {window}"), actual)
            .help(format!("call {then} after it, or change the rule"))
    }
}

/// `never_after`: after the first call of `trigger` there is no call of `forbidden`.
struct NeverAfter {
    trigger: Operand,
    forbidden: Operand,
}

pub(super) fn build_never_after(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    let trigger = rule.tool("trigger", written.trigger.as_ref());
    let forbidden = rule.tool("forbidden", written.forbidden.as_ref());
    Some(Box::new(NeverAfter { trigger: trigger?, forbidden: forbidden? }))
}

impl Rule for NeverAfter {
    fn operands(&self) -> Vec<&Operand> {
        vec![&self.trigger, &self.forbidden]
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let Some(first) = self.trigger.first_in(run) else { return never_came(&self.trigger) };
        let later = run.calls[first + 1..].iter().filter(|call| self.forbidden.matches(call, run));
        Finding::of_each(later, run, |call| self.forbidden(call, &run.calls[first]))
    }

    fn stays_broken(&self, _violations: &[&Violation]) -> bool {
        true
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.trigger.example(1)?, self.forbidden.example(2)?])
    }
}

impl NeverAfter {
    fn forbidden(&self, call: &Call, trigger: &Call) -> Violation {
        let said = self.forbidden.say(call);
        let cause = self.trigger.say(trigger);
        let violation = Violation::of_call(call, format!("{said} was called after {cause}"))
            .expected(
                format!("no call of {} after call {}", self.forbidden, trigger.index),
                format!("call {} is one", call.index),
            )
            .help(format!("keep the agent from calling it once {cause} was called"))
            .at("/forbidden");
        Violation { calls: vec![trigger.index, call.index], ..violation }
    }
}

fn never_came(trigger: &Operand) -> Finding {
    Finding::NotExercised(format!("{trigger} was never called"))
}

/// `sequence`: once one of the tools is called, all are, in this order.
struct Sequence {
    tools: Operands,
    strict: bool,
}

pub(super) fn build_sequence(rule: &mut RuleBuilder<'_>) -> Option<Box<dyn Rule>> {
    let written = rule.written;
    let tools = rule.tools("tools", written.tools.as_ref())?;
    let strict = written.strict.as_deref().copied().unwrap_or_default();
    Some(Box::new(Sequence { tools, strict }))
}

/// The call at `at` stands where the member `next` was due.
struct Breach {
    at: usize,
    next: usize,
}

impl Rule for Sequence {
    fn operands(&self) -> Vec<&Operand> {
        self.tools.tools().iter().collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        let members = self.tools.tools();
        let reached = if self.strict { self.walk_strictly(run) } else { self.walk_loosely(run) };
        match reached {
            // Without its first member, the sequence was never begun.
            Ok(0) => Finding::NotExercised(format!("none of {} was called", self.tools.say_all(", "))),
            Ok(reached) if reached == members.len() => Finding::Held,
            Ok(reached) => Finding::of(vec![self.unfinished(reached)]),
            Err(breach) => Finding::of(vec![self.breached(&breach, run)]),
        }
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(vec![self.tools.tools().first()?.example(1)?])
    }
}

impl Sequence {
    /// Counts the members that were called in their order. Other calls, and repeats of earlier members, may come
    /// between them.
    fn walk_loosely(&self, run: &Run<'_>) -> Result<usize, Breach> {
        let calls = run.calls;
        let members = self.tools.tools();
        // `next` is the member that is due. A call of a later member before it breaks the order; a repeat of an
        // earlier one does not.
        let mut next = 0;
        for (at, call) in calls.iter().enumerate() {
            let (past, due) = members.split_at(next);
            let Some((expected, later)) = due.split_first() else { break };
            if expected.matches(call, run) {
                next += 1;
            } else if !past.iter().any(|member| member.matches(call, run))
                && later.iter().any(|member| member.matches(call, run))
            {
                return Err(Breach { at, next });
            }
        }
        Ok(next)
    }

    /// Counts the members that were called directly one after the other, from the first call of any member on.
    fn walk_strictly(&self, run: &Run<'_>) -> Result<usize, Breach> {
        let calls = run.calls;
        // Calls before the first member are free. From it on, each call must be the next member.
        let Some(start) = calls.iter().position(|call| self.tools.any_matches(call, run)) else {
            return Ok(0);
        };
        let mut next = 0;
        for (member, at) in self.tools.tools().iter().zip(start..calls.len()) {
            if !member.matches(&calls[at], run) {
                return Err(Breach { at, next });
            }
            next += 1;
        }
        Ok(next)
    }

    fn unfinished(&self, reached: usize) -> Violation {
        let members = self.tools.tools();
        let last = &members[reached - 1];
        let missing = &members[reached];
        let violation = Violation::new(format!("{missing} was not called after {last}")).tool(missing.name());
        self.explain(violation, format!("the run ended after {last}"), reached)
    }

    fn breached(&self, breach: &Breach, run: &Run<'_>) -> Violation {
        let call = &run.calls[breach.at];
        let expected = &self.tools.tools()[breach.next];
        let message = match breach.next.checked_sub(1) {
            Some(last) if self.strict => {
                let last = &self.tools.tools()[last];
                format!("`{}` was called directly after {last}, in place of {expected}", call.name)
            }
            _ => format!("`{}` was called before {expected}", call.name),
        };
        self.explain(
            Violation::of_call(call, message),
            format!("`{}` is call {}", call.name, call.index),
            breach.next,
        )
    }

    fn explain(&self, violation: Violation, actual: String, member: usize) -> Violation {
        let how = if self.strict { "in direct succession" } else { "in this order" };
        violation
            .expected(format!("{} {how}", self.tools.say_all(", ")), actual)
            .help("keep the order, or change the rule")
            .at(self.tools.pointer(member))
    }
}

/// The setting `sequence`: exactly these calls, in this order, and no others.
pub(super) struct Exact {
    pub(super) tools: Operands,
}

impl Rule for Exact {
    fn operands(&self) -> Vec<&Operand> {
        self.tools.tools().iter().collect()
    }

    fn list_required_operands(&self) -> Vec<&Operand> {
        self.operands()
    }

    fn check(&self, run: &Run<'_>) -> Finding {
        Finding::of(self.first_difference(run).into_iter().collect())
    }

    fn refused(&self) -> Option<Vec<Call>> {
        Some(Vec::new())
    }
}

impl Exact {
    fn first_difference(&self, run: &Run<'_>) -> Option<Violation> {
        let calls = run.calls;
        let tools = self.tools.tools();
        // The first place where the lists part is the one to report: all places behind it may only be shifted.
        let same = tools.iter().zip(calls).take_while(|(tool, call)| tool.matches(call, run)).count();
        let violation = match (tools.get(same), calls.get(same)) {
            (None, None) => return None,
            (Some(tool), Some(call)) => describe_other(call, tool),
            (Some(tool), None) => describe_end(tool, calls.len()),
            (None, Some(call)) => {
                Violation::of_call(call, format!("`{}` was called after the sequence had ended", call.name))
            }
        };
        let at = if same < tools.len() { self.tools.pointer(same) } else { "/sequence".to_owned() };
        let called = quote_names(calls.iter().map(|call| call.name.as_str()));
        let expected = format!("exactly {}", self.tools.say_all(", "));
        Some(violation.expected(expected, called).help("keep the order, or change `sequence`").at(at))
    }
}

fn describe_other(call: &Call, tool: &Operand) -> Violation {
    Violation::of_call(call, format!("`{}` was called as call {}, in place of {tool}", call.name, call.index))
}

fn describe_end(tool: &Operand, calls: usize) -> Violation {
    Violation::new(format!("{tool} was not called: the run ended after {}", say_calls(calls)))
        .tool(tool.name())
}

/// Names beyond this many are counted, not listed.
const SHOWN: usize = 10;

/// `once`, `twice`, `3 times`.
fn say_how_often(count: usize) -> String {
    if count == 2 { "twice".to_owned() } else { say_times(count) }
}

/// The names in backticks, in order; a long list is cut.
fn quote_names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() {
        return "no tool at all".to_owned();
    }
    let rest = quoted.len().saturating_sub(SHOWN);
    quoted.truncate(SHOWN);
    let listed = quoted.join(", ");
    if rest == 0 { listed } else { format!("{listed} and {rest} more") }
}

/// The names of the called tools, each once, in the order of their first calls.
fn list_called(calls: &[Call]) -> Vec<&str> {
    let mut seen = HashSet::new();
    calls.iter().map(|call| call.name.as_str()).filter(|name| seen.insert(*name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_said_as_a_person_would() {
        assert_eq!(quote_names([]), "no tool at all");
        assert!(quote_names(["x"; 12]).ends_with("`x` and 2 more"));
    }
}
