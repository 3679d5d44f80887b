//! The entries of a list of expected calls, and the slots that they make.
//!
//! A slot takes one call. An entry makes one slot, or several with `times`; a group makes those of its entries.

use std::sync::Arc;

use serde::Deserialize;

use super::mode::TrajectoryMode;
use super::spec::{CallSpec, SpecDefaults, WrittenCall};
use crate::JsonSchema;
use crate::check::arguments::{ArgumentsMode, WrittenArguments};
use crate::check::support::call_status::WantedStatus;
use crate::check::support::messages::say_times;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{
    Build, Checked, MappingOr, Node, OrderedMap, Placed, Unparsed, did_you_mean, even_null, read_all,
};

/// The greatest number of slots of one entry.
const MOST_TIMES: usize = 1000;

/// The keys of an entry's long forms.
const ENTRY_KEYS: &[&str] =
    &["any_of", "args", "args_mode", "optional", "status", "times", "tool", "unordered"];

/// A place for one call.
#[derive(Debug)]
pub(super) struct CallSlot {
    /// The calls that it takes.
    pub(super) specs: Vec<Arc<CallSpec>>,
    /// Whether it must have a call.
    pub(super) demanded: bool,
    /// The number of its entry in the list, from 1.
    pub(super) entry: usize,
    /// A JSON pointer to its entry, in the list.
    pub(super) at: String,
}

/// Slots without an order among each other.
pub(super) type SlotGroup = Vec<CallSlot>;

/// How often an entry's call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) at_least: usize,
    /// `None`: any number.
    pub(super) at_most: Option<usize>,
}

/// The number of calls, or bounds of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "times")]
pub(super) struct WrittenTimes(MappingOr<TimesBounds, usize>);

/// Bounds of a number of calls.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct TimesBounds {
    /// The minimum number of calls.
    at_least: Option<usize>,
    /// The maximum number of calls.
    at_most: Option<usize>,
}

impl Build for WrittenTimes {
    type Built = Times;

    fn build(written: Placed<Self>) -> Result<Times, LoadErrors> {
        let bounds = match &written.0 {
            MappingOr::Short(times) => return Ok(Times { at_least: *times, at_most: Some(*times) }),
            MappingOr::Mapping(bounds) => bounds,
        };
        if bounds.at_least.is_none() && bounds.at_most.is_none() {
            let problem = "`times` is a number or has bounds: `{at_least: 1, at_most: 3}`";
            return Err(written.error(problem).into());
        }
        let times = Times { at_least: bounds.at_least.unwrap_or(0), at_most: bounds.at_most };
        match times.at_most {
            Some(most) if most < times.at_least => {
                Err(written.error("no number is within these bounds").into())
            }
            _ => Ok(times),
        }
    }
}

impl Times {
    /// The number in words: `2 times`, `at least 1 time`.
    pub(super) fn words(self) -> String {
        match (self.at_least, self.at_most) {
            (0, Some(0)) => "never".to_owned(),
            (least, Some(most)) if least == most => say_times(most),
            (0, Some(most)) => format!("at most {}", say_times(most)),
            (least, None) => format!("at least {}", say_times(least)),
            (least, Some(most)) => format!("{least} to {most} times"),
        }
    }
}

/// An expected call: a tool's name, its long form, alternatives, a group, or `TOOL: ARGUMENTS`.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "expected_call")]
pub(super) enum Entry {
    Name(ToolPattern),
    Long(LongEntry),
    AnyOf(AnyOfEntry),
    Group(GroupEntry),
    Short(OrderedMap<ToolPattern, Option<Unparsed<WrittenArguments>>>),
}

/// The long form of an expected call.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "long_expected_call")]
#[serde(deny_unknown_fields)]
pub(super) struct LongEntry {
    /// The tool: a name, `server:tool`, or a glob.
    tool: ToolPattern,
    /// The arguments, by name.
    #[serde(default, deserialize_with = "even_null")]
    args: Option<Unparsed<WrittenArguments>>,
    /// How the arguments relate to the expected ones. Default: `exact`.
    args_mode: Option<ArgumentsMode>,
    /// How the call ends.
    status: Option<WantedStatus>,
    /// How often the call is made.
    times: Option<Placed<Checked<WrittenTimes>>>,
    /// `true`: the call may be missing.
    optional: Option<Placed<bool>>,
}

/// Alternatives for one call.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct AnyOfEntry {
    /// One of these calls is made.
    any_of: Placed<Vec<Unparsed<Entry>>>,
    /// How often one of them is made.
    times: Option<Placed<Checked<WrittenTimes>>>,
    /// `true`: all of them may be missing.
    optional: Option<Placed<bool>>,
}

/// Calls without an order.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupEntry {
    /// These calls are made, in any order.
    unordered: Placed<Vec<Unparsed<Entry>>>,
}

impl Entry {
    /// Parses an entry: its keys decide about its form.
    fn parse(written: &Unparsed<Entry>) -> Result<Self, LoadErrors> {
        let node = written.node();
        if node.as_str().is_some() {
            return Ok(Self::Name(node.decode()?));
        }
        let keys: Vec<&str> =
            node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str()).collect();
        match keys.as_slice() {
            [name] if !ENTRY_KEYS.contains(name) => Ok(Self::Short(node.decode_all()?)),
            keys if keys.contains(&"unordered") => Ok(Self::Group(node.decode_all()?)),
            keys if keys.contains(&"any_of") => Ok(Self::AnyOf(node.decode_all()?)),
            keys if keys.contains(&"tool") => Ok(Self::Long(node.decode_all()?)),
            keys => Err(describe_wrong_entry(node, keys).into()),
        }
    }
}

fn describe_wrong_entry(node: Node<'_>, keys: &[&str]) -> LoadError {
    let error =
        node.error("an entry is a tool's name, `TOOL: ARGS`, or `{tool, args, status, times, optional}`");
    let unknown = keys.iter().find(|key| !ENTRY_KEYS.contains(key));
    error.help_if(unknown.and_then(|key| did_you_mean(key, ENTRY_KEYS)))
}

/// Builds the slots of a list of entries.
pub(super) struct SlotBuilder<'b> {
    pub(super) defaults: &'b SpecDefaults,
    pub(super) mode: TrajectoryMode,
}

/// The calls that an entry accepts, and how often.
struct Alternatives {
    specs: Vec<CallSpec>,
    times: Option<Placed<Checked<WrittenTimes>>>,
    optional: Option<Placed<bool>>,
}

impl SlotBuilder<'_> {
    /// Builds the slots of all entries, each a group.
    pub(super) fn build_list(&self, entries: &[Unparsed<Entry>]) -> Result<Vec<SlotGroup>, LoadErrors> {
        let groups = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| self.build_entry(entry, index + 1, &format!("/{index}")));
        Ok(read_all(groups)?.into_iter().flatten().collect())
    }

    fn build_entry(
        &self,
        written: &Unparsed<Entry>,
        entry: usize,
        at: &str,
    ) -> Result<Vec<SlotGroup>, LoadErrors> {
        match Entry::parse(written)? {
            Entry::Group(group) => Ok(vec![self.build_group(&group, entry, at)?]),
            parsed => {
                let slots = self.build_slots(self.build_alternatives(parsed)?, entry, at)?;
                // Equal slots one after the other: their order says nothing.
                Ok(slots.into_iter().map(|slot| vec![slot]).collect())
            }
        }
    }

    fn build_group(&self, group: &GroupEntry, entry: usize, at: &str) -> Result<SlotGroup, LoadErrors> {
        let members = &group.unordered;
        if members.is_empty() {
            return Err(members.error("`unordered` must list at least one call").into());
        }
        let slots = members.iter().enumerate().map(|(index, member)| {
            if member.node().get("unordered").is_some() {
                return Err(member.node().error("`unordered` groups cannot be nested").into());
            }
            self.build_entry(member, entry, &format!("{at}/unordered/{index}"))
        });
        let slots: SlotGroup = read_all(slots)?.into_iter().flatten().flatten().collect();
        // The states of a group double with each of its slots.
        let most = usize::from(super::alignment::LARGEST_GROUP);
        if self.mode.is_ordered() && slots.len() > most {
            let problem = format!("a group takes at most {most} calls, this one has {}", slots.len());
            let help = "with `mode: unordered` or `superset` the whole list has no order";
            return Err(members.error(problem).help(help).into());
        }
        Ok(slots)
    }

    fn build_alternatives(&self, entry: Entry) -> Result<Alternatives, LoadErrors> {
        let once = |spec| Alternatives { specs: vec![spec], times: None, optional: None };
        match entry {
            // A name alone is any call of the tool.
            Entry::Name(tool) => Ok(once(CallSpec::of_tool(tool, self.defaults.status))),
            Entry::Short(calls) => {
                let calls = calls.0.into_iter().map(|(tool, args)| {
                    let call = WrittenCall { tool, args, args_mode: None, status: None };
                    self.defaults.build_spec(call, ArgumentsMode::Superset)
                });
                Ok(Alternatives { specs: read_all(calls)?, times: None, optional: None })
            }
            Entry::Long(LongEntry { tool, args, args_mode, status, times, optional }) => {
                let call = WrittenCall { tool, args, args_mode, status };
                let spec = self.defaults.build_spec(call, ArgumentsMode::Exact)?;
                Ok(Alternatives { specs: vec![spec], times, optional })
            }
            Entry::AnyOf(AnyOfEntry { any_of, times, optional }) => {
                if any_of.is_empty() {
                    return Err(any_of.error("`any_of` must list at least one call").into());
                }
                let specs = read_all(any_of.iter().map(|alternative| self.build_alternative(alternative)))?;
                Ok(Alternatives { specs: specs.into_iter().flatten().collect(), times, optional })
            }
            Entry::Group(group) => {
                Err(group.unordered.error("`unordered` is no alternative for a single call").into())
            }
        }
    }

    /// Builds an entry of `any_of`.
    fn build_alternative(&self, written: &Unparsed<Entry>) -> Result<Vec<CallSpec>, LoadErrors> {
        let alternative = self.build_alternatives(Entry::parse(written)?)?;
        let of_whole_entry = |key: &str, place: &Place| {
            LoadError::new(place.clone(), format!("`{key}` belongs beside `any_of`, not to one of its calls"))
        };
        let times = alternative.times.map(|times| of_whole_entry("times", times.place()));
        let optional = alternative.optional.map(|optional| of_whole_entry("optional", optional.place()));
        match times.or(optional) {
            Some(error) => Err(error.into()),
            None => Ok(alternative.specs),
        }
    }

    fn build_slots(
        &self,
        alternatives: Alternatives,
        entry: usize,
        at: &str,
    ) -> Result<Vec<CallSlot>, LoadErrors> {
        // One entry makes as many slots as calls are allowed, of which the first ones are demanded.
        let times = match &alternatives.times {
            Some(written) => self.check_times(written)?,
            None => Times { at_least: 1, at_most: Some(1) },
        };
        let is_optional = alternatives.optional.is_some_and(Placed::into_value);
        let specs: Vec<_> = alternatives.specs.into_iter().map(Arc::new).collect();
        let slots = (0..times.at_most.unwrap_or(times.at_least)).map(|index| CallSlot {
            specs: specs.clone(),
            demanded: index < times.at_least && !is_optional,
            entry,
            at: at.to_owned(),
        });
        Ok(slots.collect())
    }

    fn check_times(&self, written: &Placed<Checked<WrittenTimes>>) -> Result<Times, LoadErrors> {
        let times = written.0;
        // Each time becomes a slot of the assignment, so the number must be finite and small.
        let most = times.at_most.unwrap_or(times.at_least);
        if times.at_most.is_none() && self.mode.forbids_extras() {
            let mode = self.mode.word();
            let problem = format!("`at_most` is missing: mode `{mode}` allows no further calls");
            return Err(written.error(problem).into());
        }
        match most {
            0 => {
                Err(written.error("a call that is made 0 times is no entry").help("use `not_called`").into())
            }
            most if most > MOST_TIMES => Err(written.error(format!("expected at most {MOST_TIMES}")).into()),
            _ => Ok(times),
        }
    }
}
