//! Pairs slots and calls in order.
//!
//! The slots stand in groups, which are ordered among each other; the slots of one group have no order. A dynamic program
//! reads the calls from first to last. Its state is the current group and the set of its slots that have a call, one bit
//! each. In each state a call is left alone or takes a slot, or the group is closed and leaves its other slots alone. The
//! cheapest way to the last state gives the pairs. The number of steps is the number of states times the number of
//! calls; a group has at most [`LARGEST_GROUP`] slots.

use super::pairing_costs::{PairingCosts, Pairs};

/// The greatest number of slots in one group without order.
pub(super) const LARGEST_GROUP: u16 = 10;

/// How a state was reached: not yet, or by leaving a call alone.
const UNREACHED: u16 = 0;
const ALONE: u16 = 1;
/// A slot took the call. Its number within the group is added to this.
const TOOK: u16 = 2;
/// A group was closed. The set of its slots that have a call is added to this.
const CLOSED: u16 = 64;

/// Pairs the slots with calls at the least cost. `groups` are the numbers of slots in each group.
pub(super) fn align_calls(costs: &PairingCosts, groups: &[u16]) -> Pairs {
    // `moves` keeps one row of states for each number of calls that were read, because the way back needs all of them.
    // The costs need only two rows: before and after the current call.
    let states = list_states(groups);
    let calls = costs.forbidden.len();
    let mut moves = vec![UNREACHED; states.len() * (calls + 1)];
    let mut now = vec![i64::MAX; states.len()];
    now[0] = 0;
    for call in 0..=calls {
        let mut next = vec![i64::MAX; states.len()];
        // To close a group is to leave its free slots without a call. The last state is the end of the list, and has
        // no group.
        for (index, state) in states.iter().enumerate().filter(|(_, state)| state.slots > 0) {
            // Closing leads to a later state of the same call, so that the order of states is a valid one.
            let closed = now[index].saturating_add(state.closing_cost(costs));
            let mark = CLOSED + state.taken;
            keep_cheaper(&mut now, &mut moves, call * states.len(), state.next, closed, mark);
        }
        // A call is left alone, or takes one of the free slots of its group.
        if call < calls {
            for (index, state) in states.iter().enumerate().filter(|(index, _)| now[*index] < i64::MAX) {
                let row = (call + 1) * states.len();
                let alone = now[index] + costs.call_alone(call);
                keep_cheaper(&mut next, &mut moves, row, index, alone, ALONE);
                for bit in state.list_free_slots() {
                    let Some(pair) = costs.pair(state.slot(bit), call) else { continue };
                    // Within a group the states are ordered by their sets of slots, so a further slot moves the state
                    // by its bit. The full set is the first state of the next group.
                    let after = index + (1 << bit);
                    keep_cheaper(&mut next, &mut moves, row, after, now[index] + pair, TOOK + bit);
                }
            }
            now = next;
        }
    }
    trace_back(&states, &moves, costs)
}

/// Keeps the cheaper way to a state. Among equal ones the earlier stays.
fn keep_cheaper(best: &mut [i64], moves: &mut [u16], row: usize, state: usize, cost: i64, mark: u16) {
    if cost < best[state] {
        best[state] = cost;
        moves[row + state] = mark;
    }
}

/// A group and the set of its slots that have a call. A full group is the next group without any.
struct AlignmentState {
    first_slot: usize,
    slots: u16,
    taken: u16,
    /// The first state of this group, and of the next one.
    first: usize,
    next: usize,
}

fn list_states(groups: &[u16]) -> Vec<AlignmentState> {
    let mut states = Vec::new();
    let mut first_slot = 0;
    for slots in groups.iter().copied() {
        // The state of a group is the set of its slots that are taken; the full set is the next group's empty one.
        let first = states.len();
        let full = (1_u16 << slots) - 1;
        let next = first + usize::from(full);
        states.extend((0..full).map(|taken| AlignmentState { first_slot, slots, taken, first, next }));
        first_slot += usize::from(slots);
    }
    let last = states.len();
    states.push(AlignmentState { first_slot, slots: 0, taken: 0, first: last, next: last });
    states
}

impl AlignmentState {
    fn closing_cost(&self, costs: &PairingCosts) -> i64 {
        self.list_free_slots().map(|bit| costs.slot_alone(self.slot(bit))).sum()
    }

    fn list_free_slots(&self) -> impl Iterator<Item = u16> {
        let slots = self.slots;
        let taken = self.taken;
        (0..slots).filter(move |bit| taken & (1 << bit) == 0)
    }

    fn slot(&self, bit: u16) -> usize {
        self.first_slot + usize::from(bit)
    }
}

fn trace_back(states: &[AlignmentState], moves: &[u16], costs: &PairingCosts) -> Pairs {
    // From the end to the beginning: each entry of `moves` says how its state was reached.
    let mut pairs = vec![None; costs.demanded.len()];
    let mut call = costs.forbidden.len();
    let mut state = states.len() - 1;
    while (call, state) != (0, 0) {
        match moves[call * states.len() + state] {
            UNREACHED => break,
            ALONE => call -= 1,
            closed if closed >= CLOSED => {
                // The last state of the group before this one is directly before it.
                let first = states[state - 1].first;
                state = first + usize::from(closed - CLOSED);
            }
            took => {
                let bit = took - TOOK;
                call -= 1;
                state -= 1 << bit;
                pairs[states[state].slot(bit)] = Some(call);
            }
        }
    }
    pairs
}
