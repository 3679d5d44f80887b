//! The texts, calls and results of one step, in their order.

use super::declaration::{CallRule, DeclarationFields, ResultRule};
use super::pointer::address_of;
use super::selections::{SelectedAs, Selections};
use super::selector::PathSelector;
use crate::json::JsonNode;
use crate::trace::Role;

/// Something that a path selected in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepEvent<'d, 'v> {
    pub(super) node: &'v JsonNode<'v>,
    pub(super) kind: StepEventKind<'d>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum StepEventKind<'d> {
    Text(Role),
    Call(&'d CallRule),
    Result(&'d ResultRule),
}

impl StepEventKind<'_> {
    /// Returns the rank of an event among those under different keys of one object, whose order in the file means nothing.
    fn rank(self) -> u8 {
        match self {
            Self::Text(Role::System) => 0,
            Self::Text(Role::User) => 1,
            Self::Text(Role::Assistant) => 2,
            Self::Call(_) => 3,
            Self::Result(_) => 4,
        }
    }
}

/// Returns the events of a step, in their order.
pub(super) fn read_events<'d, 'v>(
    fields: &'d DeclarationFields,
    step: &'v JsonNode<'v>,
    selections: &mut Selections,
) -> Vec<StepEvent<'d, 'v>> {
    let mut events = Vec::new();
    let texts = [(&fields.system, Role::System), (&fields.user, Role::User), (&fields.say, Role::Assistant)];
    for (selector, role) in texts {
        let nodes = selections.select_with(selector.as_ref(), step);
        events.extend(nodes.into_iter().map(|node| StepEvent { node, kind: StepEventKind::Text(role) }));
    }
    for rule in fields.call.iter() {
        let nodes = select_each(rule.each.as_ref(), rule.name.as_ref(), step, selections);
        events.extend(nodes.into_iter().map(|node| StepEvent { node, kind: StepEventKind::Call(rule) }));
    }
    for rule in fields.result.iter() {
        // A node is a result where the id of its call is found; without a path to the id, where the value is.
        let mark = rule.of.as_ref().or(rule.value.as_ref());
        let nodes = select_each(rule.each.as_ref(), mark, step, selections);
        events.extend(nodes.into_iter().map(|node| StepEvent { node, kind: StepEventKind::Result(rule) }));
    }
    // One kind is in the order of the file already; several are interleaved by their places in the step.
    if has_several_kinds(&events) { order_events(step, &events) } else { events }
}

/// Selects calls or results: by `each`, or else the step itself if it has the part that `mark` selects.
fn select_each<'v>(
    each: Option<&PathSelector>,
    mark: Option<&PathSelector>,
    step: &'v JsonNode<'v>,
    selections: &mut Selections,
) -> Vec<&'v JsonNode<'v>> {
    match (each, mark) {
        (Some(each), _) => selections.select_nodes(each, step, SelectedAs::Node),
        (None, Some(mark)) if !mark.select(step).is_empty() => vec![step],
        (None, _) => Vec::new(),
    }
}

fn has_several_kinds(events: &[StepEvent<'_, '_>]) -> bool {
    events.windows(2).any(|pair| pair[0].kind.rank() != pair[1].kind.rank())
}

/// Sorts events by their places: the elements of a list in the order of the list, the entries of an object by what
/// they hold.
fn order_events<'d, 'v>(step: &'v JsonNode<'v>, events: &[StepEvent<'d, 'v>]) -> Vec<StepEvent<'d, 'v>> {
    let mut by_address: Vec<(usize, StepEvent)> =
        events.iter().map(|event| (address_of(event.node), *event)).collect();
    by_address.sort_by_key(|(address, event)| (*address, event.kind.rank()));
    let mut ordered = Vec::with_capacity(events.len());
    place_events(step, &by_address, &mut ordered);
    ordered
}

fn place_events<'d, 'v>(
    value: &'v JsonNode<'v>,
    events: &[(usize, StepEvent<'d, 'v>)],
    ordered: &mut Vec<StepEvent<'d, 'v>>,
) {
    // Events were collected rule by rule. To restore the order of the file, the step is walked once and each value
    // looks up the events with its own address.
    let address = address_of(value);
    let first = events.partition_point(|(other, _)| *other < address);
    let here = events[first..].iter().take_while(|(other, _)| *other == address).map(|(_, event)| *event);
    match value {
        JsonNode::Array(items) => {
            ordered.extend(here);
            for item in items {
                place_events(item, events, ordered);
            }
        }
        JsonNode::Object(object) => {
            // A call may be the object itself: then it comes after the texts in it.
            let mut entries: Vec<Vec<StepEvent>> = here.map(|event| vec![event]).collect();
            for entry in object.values() {
                let mut found = Vec::new();
                place_events(entry, events, &mut found);
                entries.push(found);
            }
            // A sort that keeps the order of equals: between entries of one kind the file's order counts.
            entries.sort_by_key(|found| found.first().map(|event| event.kind.rank()));
            ordered.extend(entries.into_iter().flatten());
        }
        _ => ordered.extend(here),
    }
}
