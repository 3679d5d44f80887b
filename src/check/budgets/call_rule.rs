//! The shared part of checks that forbid a sort of calls, with exceptions.

use serde::Deserialize;

use crate::check::Check;
use crate::check::support::call_success::RunSuccess;
use crate::check::support::named_tools::run_of;
use crate::evidence::Evidence;
use crate::outcome::{Item, Outcome, Unfit, Violation};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call};
use crate::yaml::{Fields, Node};

/// `true`, or the tools to except.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Exceptions {
    /// `true`. To require nothing, omit the check.
    #[serde(default = "yes")]
    required: bool,
    /// The tools to except: names and globs.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    except: Vec<ToolPattern>,
}

fn yes() -> bool {
    true
}

/// The violation of each call, if it is one.
pub(super) type CallViolations = Result<Vec<Option<Violation>>, Unfit>;

/// The calls that a check forbids.
pub(super) struct CallRule {
    /// Finds the violation of each call, if it is one.
    pub(super) find: fn(&[&Call], RunSuccess) -> CallViolations,
    /// Builds calls with a violation from a call that has none.
    pub(super) build_counterexample: fn(Call) -> Vec<Call>,
}

struct CallCheck {
    settings: Exceptions,
    rule: &'static CallRule,
}

/// Reads the settings of the check with this rule. `false` is a mistake: it would ask for nothing.
pub(super) fn read_call_check(node: Node<'_>, rule: &'static CallRule) -> Result<Box<dyn Check>, LoadErrors> {
    Fields::of(node, "the settings")?;
    let settings: Exceptions = node.decode_all()?;
    if !settings.required {
        let at = node.get("required").unwrap_or(node);
        return Err(at.error("`false` asks for nothing").help("leave the check out").into());
    }
    Ok(Box::new(CallCheck { settings, rule }))
}

impl Check for CallCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let (all, except) = (&evidence.trace.calls, &self.settings.except);
        let calls: Vec<&Call> =
            all.iter().filter(|call| !except.iter().any(|tool| tool.matches(call))).collect();
        let found = (self.rule.find)(&calls, RunSuccess::of(all))?;
        let items = calls.iter().zip(&found);
        let items = items.map(|(call, violation)| Item::tested(call.label(), violation.is_none())).collect();
        Ok(Outcome::of_items(items, found.into_iter().flatten().collect()).stat("calls_checked", calls.len()))
    }

    // What a call is, it stays.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        // A tool that is not excepted.
        let mut names = ["a_tool", "zz9", "Q", "another-tool"].into_iter();
        let name = names.find(|name| !self.settings.except.iter().any(|tool| tool.matches_name(name)))?;
        Some(run_of((self.rule.build_counterexample)(Call::new(name, Arguments::none(), 1))).into())
    }

    fn is_vacuous(&self) -> bool {
        self.settings.except.iter().any(|tool| tool.as_str() == "*")
    }
}
