//! The pairs are optimal, and cheap to find.

use super::alignment::align_calls;
use super::assignment::assign_calls;
use super::pairing_costs::{MATCH, PairingCosts, Pairs, UNRELATED};

/// Numbers that look random, and are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn costs(&mut self, slots: usize, calls: usize) -> PairingCosts {
        let demand = self.below(3);
        let forbid = self.below(3);
        let fit = |numbers: &mut Self| match numbers.below(4) {
            0 => MATCH,
            1 => UNRELATED,
            _ => u8::try_from(1 + numbers.below(3)).expect("small"),
        };
        PairingCosts {
            fits: (0..slots * calls).map(|_| fit(self)).collect(),
            demanded: (0..slots).map(|_| demand == 0 || (demand == 1 && self.below(2) == 0)).collect(),
            forbidden: (0..calls).map(|_| forbid == 0 || (forbid == 1 && self.below(2) == 0)).collect(),
        }
    }
}

fn total(costs: &PairingCosts, pairs: &Pairs) -> i64 {
    let slots = pairs.iter().enumerate().map(|(slot, call)| match call {
        Some(call) => costs.pair(slot, *call).expect("a pair of related ones"),
        None => costs.slot_alone(slot),
    });
    let is_alone = |call: &usize| !pairs.contains(&Some(*call));
    let calls = (0..costs.forbidden.len()).filter(is_alone).map(|call| costs.call_alone(call));
    slots.chain(calls).sum()
}

/// The least cost of all choices of pairs, each slot after the other.
fn least(costs: &PairingCosts, pairs: &mut Pairs, slot: usize, allowed: &dyn Fn(&Pairs) -> bool) -> i64 {
    if slot == pairs.len() {
        return if allowed(pairs) { total(costs, pairs) } else { i64::MAX };
    }
    pairs[slot] = None;
    let mut best = least(costs, pairs, slot + 1, allowed);
    for call in 0..costs.forbidden.len() {
        if costs.pair(slot, call).is_some() && !pairs[..slot].contains(&Some(call)) {
            pairs[slot] = Some(call);
            best = best.min(least(costs, pairs, slot + 1, allowed));
        }
    }
    pairs[slot] = None;
    best
}

#[test]
fn an_assignment_is_as_cheap_as_the_best_of_all() {
    let mut numbers = Numbers(7);
    for _ in 0..1500 {
        let slots = numbers.below(5);
        let calls = numbers.below(5);
        let costs = numbers.costs(slots, calls);
        let found = total(&costs, &assign_calls(&costs).0);
        assert_eq!(found, least(&costs, &mut vec![None; slots], 0, &|_| true), "{costs:?}");
    }
}

#[test]
fn an_alignment_is_as_cheap_as_the_best_of_all() {
    let mut numbers = Numbers(11);
    for _ in 0..1500 {
        let groups: Vec<u16> = (0..numbers.below(4)).map(|_| [1, 1, 2][numbers.below(3)]).collect();
        let group_of: Vec<usize> =
            groups.iter().enumerate().flat_map(|(group, slots)| vec![group; usize::from(*slots)]).collect();
        let calls = numbers.below(5);
        let costs = numbers.costs(group_of.len(), calls);
        let is_ordered = |pairs: &Pairs| {
            let paired: Vec<(usize, usize)> = pairs
                .iter()
                .enumerate()
                .filter_map(|(slot, call)| Some((group_of[slot], (*call)?)))
                .collect();
            paired.iter().all(|one| paired.iter().all(|other| one.0 >= other.0 || one.1 < other.1))
        };
        let pairs = align_calls(&costs, &groups);
        assert!(is_ordered(&pairs), "{pairs:?}");
        assert_eq!(
            total(&costs, &pairs),
            least(&costs, &mut vec![None; group_of.len()], 0, &is_ordered),
            "{costs:?}"
        );
    }
}

/// What makes the search for pairs long: each slot agrees with all calls before it, or few differ in little.
fn hard_costs(size: usize, fit: impl Fn(usize, usize) -> u8) -> PairingCosts {
    let fits = (0..size * size).map(|at| fit(at / size, at % size)).collect();
    PairingCosts { fits, demanded: vec![true; size], forbidden: vec![true; size] }
}

#[test]
fn a_thousand_calls_are_paired_in_few_steps() {
    let size = 1000;
    let far = |slot: usize, call: usize| u8::try_from((slot * call) % 7 + 1).expect("small");
    for (name, costs) in [
        ("a staircase", hard_costs(size, |slot, call| if call <= slot { MATCH } else { UNRELATED })),
        (
            "a staircase down",
            hard_costs(size, |slot, call| if call + slot < size { MATCH } else { UNRELATED }),
        ),
        ("the reverse", hard_costs(size, |slot, call| if call + slot == size - 1 { MATCH } else { 1 })),
        ("no call agrees", hard_costs(size, far)),
        ("half agree", hard_costs(size, |slot, call| if call < slot / 2 { MATCH } else { far(slot, call) })),
        ("all agree", hard_costs(size, |_, _| MATCH)),
    ] {
        let (pairs, steps) = assign_calls(&costs);
        assert!(steps < 50_000_000, "{name}: {steps} steps");
        let matched = pairs.iter().enumerate();
        let matched = matched.filter(|(slot, call)| call.is_some_and(|call| costs.fit(*slot, call) == MATCH));
        let agreeing = match name {
            "no call agrees" => 0,
            "half agree" => size / 2 - 1,
            _ => size,
        };
        assert_eq!(matched.count(), agreeing, "{name}");
    }
}
