//! `reward`: a verifier gave the run at least this much.
//!
//! Benchmarks such as Harbor run a verifier on what the agent left, and record a number with the run: usually 1 for a solved
//! task, and 0 otherwise. `trace: {harbor: jobs/NAME}` [reads the trials of a job](../traces.md#harbor-jobs). Where a run has
//! several rewards, `name` picks one.
//!
//! The check is undecided if the run has no reward, or one that does not count: Harbor gives no valid reward to a trial that an
//! error of the provider or of the verifier ended. A run that reached its time limit is judged by its reward. A run that has a
//! reward which no check reads is noted at the end of `cargo test`.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/reward/fail-not-solved.yaml")]
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::place::LoadErrors;
use crate::trace::{Rewards, Trace};
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<RewardSettings>("reward", "a verifier gave the run at least this much")
        .shorthand("at_least")
        .of_the_end();

/// Settings of `reward`.
#[derive(Deserialize, JsonSchema)]
struct RewardSettings {
    /// The lowest reward.
    at_least: Placed<f64>,
    /// The name of the reward. Default: the only one of the run.
    name: Option<String>,
}

struct RewardCheck {
    at_least: f64,
    name: Option<String>,
}

impl BuildCheck for RewardSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { at_least, name } = settings.into_value();
        if !at_least.is_finite() {
            return Err(at_least.error("expected a number").into());
        }
        Ok(Box::new(RewardCheck { at_least: at_least.into_value(), name }))
    }
}

impl RewardCheck {
    /// Finds the reward of the run that the check is about, and its name.
    fn find_reward<'r>(&self, rewards: &'r Rewards) -> Result<(&'r str, f64), CannotDecide> {
        let names: Vec<&str> = rewards.values.keys().map(String::as_str).collect();
        let found = match &self.name {
            Some(name) => rewards.values.get_key_value(name),
            None if names.len() > 1 => {
                let reason = format!("the run has {} rewards: `{}`", names.len(), names.join("`, `"));
                let help = "pick one: `reward: {name: ..., at_least: ...}`";
                return Err(CannotDecide::missing(reason).help(help));
            }
            None => rewards.values.first_key_value(),
        };
        match (found, &rewards.invalid, &self.name) {
            (Some((_, value)), Some(why), _) => {
                let reason = format!("the reward of the run is {value}, and it does not count: {why}");
                Err(CannotDecide::missing(reason).help("run the trial again"))
            }
            (Some((name, value)), None, _) => Ok((name, *value)),
            (None, None, Some(name)) if !names.is_empty() => {
                let reason = format!("the run has no reward `{name}`");
                Err(CannotDecide::missing(reason).help(format!("it has `{}`", names.join("`, `"))))
            }
            (None, why, _) => {
                let why = why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
                Err(CannotDecide::missing(format!("the run has no reward{why}")))
            }
        }
    }
}

impl Check for RewardCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let Some(rewards) = &evidence.trace.rewards else {
            return Err(CannotDecide::missing("the trace has no reward")
                .help("`trace: {harbor: jobs/NAME}` reads the trials of a Harbor job with their rewards"));
        };
        let (name, value) = self.find_reward(rewards)?;
        let wanted = self.at_least;
        let violation = (value < wanted).then(|| {
            Violation::new(format!("the reward `{name}` is {value}, at least {wanted} is required"))
                .at("/at_least")
                .expected(format!("at least {wanted}"), value.to_string())
                .value(value.to_string())
                .constraint(format!("at_least: {wanted}"))
        });
        let item = Item::tested(format!("`{name}` is at least {wanted}"), violation.is_none());
        Ok(Outcome::of_items(vec![item.note(format!("{value}"))], violation.into_iter().collect()))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let name = self.name.clone().unwrap_or_else(|| "reward".to_owned());
        let value = self.at_least - self.at_least.abs().max(1.0);
        let rewards = Rewards { values: BTreeMap::from([(name, value)]), ..Rewards::default() };
        Some(Trace { rewards: Some(Box::new(rewards)), ..Trace::default() }.into())
    }

    fn reads_reward(&self) -> bool {
        true
    }
}
