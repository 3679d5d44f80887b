//! The entries of a list of expected calls, and the slots that they make.
//!
//! A slot takes one call. An entry makes one slot, or several with `times`; a group makes those of its entries.

use super::settings::TrajectoryMode;
use super::spec::{CallSpec, SpecDefaults};
use crate::check::arguments::ArgumentsMode;
use crate::check::support::reading::require_list;
use crate::check::support::words::say_times;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value as Yaml, did_you_mean, read_all};

/// The greatest number of slots of one entry.
const MOST_TIMES: usize = 1000;

/// The keys of an entry's long forms.
const ENTRY_KEYS: &[&str] =
    &["any_of", "args", "args_mode", "optional", "status", "times", "tool", "unordered"];

/// A place for one call.
#[derive(Debug)]
pub(super) struct CallSlot {
    /// The calls that it takes.
    pub(super) specs: Vec<std::sync::Arc<CallSpec>>,
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

impl Times {
    /// Reads a number, or `{at_least, at_most}`.
    pub(super) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        if node.entries().is_none() {
            let times: usize = node.decode()?;
            return Ok(Self { at_least: times, at_most: Some(times) });
        }
        let mut fields = Fields::of(node, "`times`")?;
        let (at_least, at_most) = (fields.optional::<usize>("at_least"), fields.optional::<usize>("at_most"));
        if at_least.is_none() && at_most.is_none() && fields.errors.is_empty() {
            fields.errors.push(node.error("`times` is a number or has bounds: `{at_least: 1, at_most: 3}`"));
        }
        let times = Self { at_least: at_least.unwrap_or(0), at_most };
        if at_most.is_some_and(|most| most < times.at_least) {
            fields.errors.push(node.error("no number is within these bounds"));
        }
        fields.finish(times)
    }

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

/// Reads the entries of a list.
pub(super) struct EntryReader<'r> {
    pub(super) defaults: &'r SpecDefaults,
    pub(super) mode: TrajectoryMode,
}

impl EntryReader<'_> {
    /// Reads all entries, each a group.
    pub(super) fn read_list(&self, node: Node<'_>) -> Result<Vec<SlotGroup>, LoadErrors> {
        let entries = require_list(node, "`list` is a list of calls")?;
        let groups =
            entries.enumerate().map(|(index, entry)| self.read_entry(entry, index + 1, &format!("/{index}")));
        Ok(read_all(groups)?.into_iter().flatten().collect())
    }

    fn read_entry(&self, node: Node<'_>, entry: usize, at: &str) -> Result<Vec<SlotGroup>, LoadErrors> {
        if node.get("unordered").is_some() {
            return self.read_group(node, entry, at).map(|group| vec![group]);
        }
        let (specs, fields) = self.read_alternatives(node)?;
        let slots = self.read_slots(fields, specs, entry, at)?;
        // Equal slots one after the other: their order says nothing.
        Ok(slots.into_iter().map(|slot| vec![slot]).collect())
    }

    fn read_group(&self, node: Node<'_>, entry: usize, at: &str) -> Result<SlotGroup, LoadErrors> {
        let mut fields = Fields::of(node, "a group")?;
        let members = fields.node("unordered").and_then(Node::list).into_iter().flatten();
        let (mut group, mut count) = (Vec::new(), 0);
        for (index, member) in members.enumerate() {
            count += 1;
            let at = format!("{at}/unordered/{index}");
            if member.get("unordered").is_some() {
                fields.errors.push(member.error("a group within a group has no meaning"));
                continue;
            }
            let slots = self.read_entry(member, entry, &at);
            group.extend(fields.take(slots).into_iter().flatten().flatten());
        }
        if count == 0 {
            fields.errors.push(node.error("`unordered` is a list of calls, and not an empty one"));
        }
        // The states of a group double with each of its slots.
        if let Some(error) = self.refuse_large_group(node, group.len()) {
            fields.errors.push(error);
        }
        fields.finish(group)
    }

    fn refuse_large_group(&self, node: Node<'_>, slots: usize) -> Option<LoadError> {
        let most = usize::from(super::alignment::LARGEST_GROUP);
        let is_large = self.mode.is_ordered() && slots > most;
        is_large.then(|| {
            node.error(format!("a group takes at most {most} calls, this one has {slots}"))
                .help("with `mode: unordered` or `superset` the whole list has no order")
        })
    }

    /// Reads the calls that an entry accepts, and leaves the keys that say how often.
    fn read_alternatives<'n>(
        &self,
        node: Node<'n>,
    ) -> Result<(Vec<CallSpec>, Option<Fields<'n>>), LoadErrors> {
        // A name alone is any call of the tool.
        if let Some(name) = node.as_str() {
            let tool = ToolPattern::new(name).map_err(|problem| node.error(problem))?;
            return Ok((vec![CallSpec::of_tool(tool, self.defaults.status)], None));
        }
        let keys: Vec<&str> =
            node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str()).collect();
        match keys.as_slice() {
            [name] if !ENTRY_KEYS.contains(name) => Ok((vec![self.read_short(node, name)?], None)),
            keys if keys.contains(&"any_of") => {
                self.read_any_of(node).map(|(specs, fields)| (specs, Some(fields)))
            }
            keys if keys.contains(&"tool") => {
                let mut fields = Fields::of(node, "an expected call")?;
                match CallSpec::read(&mut fields, ArgumentsMode::Exact, self.defaults) {
                    Some(spec) => Ok((vec![spec], Some(fields))),
                    None => Err(fields.errors),
                }
            }
            _ => Err(describe_wrong_entry(node, &keys).into()),
        }
    }

    /// Reads `TOOL: ARGS`.
    fn read_short(&self, node: Node<'_>, name: &str) -> Result<CallSpec, LoadErrors> {
        let tool = ToolPattern::new(name).map_err(|problem| node.error(problem))?;
        let given = node.get(name).filter(|value| !matches!(value.value(), Yaml::Null));
        let mode = self.defaults.arguments_mode.unwrap_or(ArgumentsMode::Superset);
        let arguments = given.map(|value| self.defaults.read_arguments(value, mode, &tool)).transpose()?;
        Ok(CallSpec { arguments, ..CallSpec::of_tool(tool, self.defaults.status) })
    }

    fn read_any_of<'n>(&self, node: Node<'n>) -> Result<(Vec<CallSpec>, Fields<'n>), LoadErrors> {
        let mut fields = Fields::of(node, "an expected call")?;
        let alternatives = fields.node("any_of").and_then(Node::list).into_iter().flatten();
        let mut specs = Vec::new();
        for alternative in alternatives {
            match self.read_alternatives(alternative) {
                Ok((read, rest)) => {
                    specs.extend(read);
                    // How often is a question to the whole entry.
                    let finished = rest.map_or(Ok(()), |rest| rest.finish(()));
                    fields.take(finished);
                }
                Err(errors) => drop(fields.take(Err::<(), _>(errors))),
            }
        }
        if specs.is_empty() && fields.errors.is_empty() {
            fields.errors.push(node.error("`any_of` is a list of calls, and not an empty one"));
        }
        Ok((specs, fields))
    }

    fn read_slots(
        &self,
        fields: Option<Fields<'_>>,
        specs: Vec<CallSpec>,
        entry: usize,
        at: &str,
    ) -> Result<Vec<CallSlot>, LoadErrors> {
        // One entry makes as many slots as calls are allowed, of which the first ones are demanded.
        let (mut times, mut optional) = (Times { at_least: 1, at_most: Some(1) }, false);
        if let Some(mut fields) = fields {
            if let Some(node) = fields.node("times") {
                times = fields.take(self.read_times(node)).unwrap_or(times);
            }
            optional = fields.optional("optional").unwrap_or_default();
            fields.finish(())?;
        }
        let specs: Vec<_> = specs.into_iter().map(std::sync::Arc::new).collect();
        let slots = (0..times.at_most.unwrap_or(times.at_least)).map(|index| CallSlot {
            specs: specs.clone(),
            demanded: index < times.at_least && !optional,
            entry,
            at: at.to_owned(),
        });
        Ok(slots.collect())
    }

    fn read_times(&self, node: Node<'_>) -> Result<Times, LoadErrors> {
        let times = Times::read(node)?;
        // Each time becomes a slot of the assignment, so the number must be finite and small.
        let most = times.at_most.unwrap_or(times.at_least);
        if times.at_most.is_none() && self.mode.forbids_extras() {
            let error = node
                .error(format!("`at_most` is missing: mode `{}` allows no further calls", self.mode.word()));
            return Err(error.into());
        }
        match most {
            0 => Err(node.error("a call that is made 0 times is no entry").help("use `not_called`").into()),
            most if most > MOST_TIMES => Err(node.error(format!("expected at most {MOST_TIMES}")).into()),
            _ => Ok(times),
        }
    }
}

fn describe_wrong_entry(node: Node<'_>, keys: &[&str]) -> LoadError {
    let error =
        node.error("an entry is a tool's name, `TOOL: ARGS`, or `{tool, args, status, times, optional}`");
    let unknown = keys.iter().find(|key| !ENTRY_KEYS.contains(key));
    error.help_if(unknown.and_then(|key| did_you_mean(key, ENTRY_KEYS)))
}
