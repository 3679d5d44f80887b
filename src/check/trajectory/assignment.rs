//! Pairs slots and calls without regard to order.
//!
//! Two stages. The first finds a maximum matching of the pairs that agree, by augmenting paths over rows of bits: each
//! path makes one more pair, and never leaves alone what was paired. The verdict and the score depend on this stage
//! alone. The second stage completes it, by the Hungarian method, so that the slots and calls that remain are
//! paired with the fewest differences; paths of least cost may exchange equal pairs of the first stage. It stops after
//! [`MAX_STEPS`], and what then remains is paired with the nearest that is free.

use std::collections::VecDeque;

use super::pairing_costs::{MATCH, PairingCosts, Pairs};

/// The greatest number of comparisons of costs in the second stage.
pub(super) const MAX_STEPS: usize = 30_000_000;

/// Pairs slots and calls at the least cost. Also returns the number of steps.
pub(super) fn assign_calls(costs: &PairingCosts) -> (Pairs, usize) {
    let mut matching = Matching::new(costs);
    matching.match_all(true);
    matching.match_all(false);
    let steps = matching.steps;
    let Matching { call_of, slot_of, .. } = matching;
    // Every slot has a call that agrees, and no forbidden call remains: no other pairing costs less.
    if call_of.iter().all(Option::is_some) && !leaves_forbidden(&slot_of, costs) {
        return (call_of, steps);
    }
    let mut completion = Completion::new(costs, &call_of);
    completion.complete();
    let pairs = completion.list_pairs();
    (pairs, steps + completion.steps)
}

/// Collects one bit for each call, 64 in a word.
fn collect_bits(calls: usize, is_set: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut bits = vec![0; calls.div_ceil(64)];
    for call in (0..calls).filter(|call| is_set(*call)) {
        bits[call / 64] |= 1 << (call % 64);
    }
    bits
}

/// Whether a call that is forbidden without a slot has none.
fn leaves_forbidden(slot_of: &[Option<usize>], costs: &PairingCosts) -> bool {
    slot_of.iter().zip(&costs.forbidden).any(|(slot, forbidden)| *forbidden && slot.is_none())
}

/// A matching of the slots and calls that agree.
struct Matching<'c> {
    costs: &'c PairingCosts,
    /// The calls that agree with each slot, one bit each.
    agreeing: Vec<Vec<u64>>,
    call_of: Pairs,
    slot_of: Vec<Option<usize>>,
    steps: usize,
}

impl<'c> Matching<'c> {
    fn new(costs: &'c PairingCosts) -> Self {
        let slots = costs.demanded.len();
        let calls = costs.forbidden.len();
        let agreeing =
            (0..slots).map(|slot| collect_bits(calls, |call| costs.fit(slot, call) == MATCH)).collect();
        Self { costs, agreeing, call_of: vec![None; slots], slot_of: vec![None; calls], steps: 0 }
    }

    /// Matches as many slots as possible, demanded ones first. The forbidden calls come first on their own: a call that
    /// has a slot keeps one, so that as few as possible remain.
    fn match_all(&mut self, forbidden_only: bool) {
        // Demanded slots come first: a search never takes a call away from a slot that has one.
        for demanded in [true, false] {
            for slot in 0..self.call_of.len() {
                if self.costs.demanded[slot] == demanded && self.call_of[slot].is_none() {
                    self.augment(slot, forbidden_only);
                }
            }
        }
    }

    /// Searches a path from a free slot to a free call, breadth first, and pairs along it. Without such a path, a demanded
    /// slot may take the call of a slot that is not demanded.
    fn augment(&mut self, start: usize, forbidden_only: bool) {
        // Forbidden calls alone, or all. Each call is closed when the search reaches it.
        let mut open = collect_bits(self.slot_of.len(), |call| self.costs.forbidden[call] || !forbidden_only);
        let mut reached_from: Vec<Option<usize>> = vec![None; self.slot_of.len()];
        // An alternating path: a slot reaches the calls that agree with it, a taken call reaches the slot that has it. A
        // free call ends the path, and pairing along it gives every slot on it another call. Each call is reached at most
        // once in a search, so a search costs no more than one look at each row of bits.
        let mut queue = VecDeque::from([start]);
        let mut given_up: Option<(usize, usize)> = None;
        while let Some(slot) = queue.pop_front() {
            while let Some(call) = self.take_open_call(slot, &mut open) {
                reached_from[call] = Some(slot);
                let Some(other) = self.slot_of[call] else {
                    return self.pair_along(call, start, &reached_from);
                };
                // Any of these slots will do: one demanded slot more has a call, and one less that is not demanded.
                if self.costs.demanded[start] && !self.costs.demanded[other] {
                    given_up.get_or_insert((other, call));
                }
                queue.push_back(other);
            }
        }
        if let Some((other, call)) = given_up {
            self.call_of[other] = None;
            self.pair_along(call, start, &reached_from);
        }
    }

    /// Takes a call that agrees with the slot and was not reached before.
    fn take_open_call(&mut self, slot: usize, open: &mut [u64]) -> Option<usize> {
        for (index, (word, agreeing)) in open.iter_mut().zip(&self.agreeing[slot]).enumerate() {
            self.steps += 1;
            let both = *word & agreeing;
            if both != 0 {
                let bit = both.trailing_zeros() as usize;
                // The call is closed when it is taken, so that each is visited once a search: this bounds the time.
                *word &= !(1 << bit);
                return Some(index * 64 + bit);
            }
        }
        None
    }

    fn pair_along(&mut self, last: usize, start: usize, reached_from: &[Option<usize>]) {
        let mut call = last;
        // Backwards along the path, so that each slot hands on the call that the slot behind it needs.
        while let Some(slot) = reached_from[call] {
            self.slot_of[call] = Some(slot);
            // Each slot on the path takes the call that was reached from it, and leaves its former call to the slot
            // before it.
            let before = self.call_of[slot].replace(call);
            match before {
                Some(before) if slot != start => call = before,
                _ => break,
            }
        }
    }
}

/// The Hungarian method on a square of slots (rows) and calls (columns); what is beyond the slots or calls stands for
/// "alone". Potentials begin at zero: the pairs of the first stage cost nothing, so that they are optimal among themselves.
struct Completion<'c> {
    costs: &'c PairingCosts,
    size: usize,
    row_potential: Vec<i64>,
    column_potential: Vec<i64>,
    row_of: Vec<Option<usize>>,
    steps: usize,
}

impl<'c> Completion<'c> {
    fn new(costs: &'c PairingCosts, call_of: &Pairs) -> Self {
        let size = call_of.len().max(costs.forbidden.len());
        let mut row_of = vec![None; size];
        for (slot, call) in call_of.iter().enumerate().filter_map(|(slot, call)| Some((slot, (*call)?))) {
            row_of[call] = Some(slot);
        }
        let row_potential = vec![0; size];
        let column_potential = vec![0; size];
        Self { costs, size, row_potential, column_potential, row_of, steps: 0 }
    }

    fn cost(&self, row: usize, column: usize) -> i64 {
        let slots = self.costs.demanded.len();
        let calls = self.costs.forbidden.len();
        match (row < slots, column < calls) {
            (true, true) => {
                // Two that are paired without being related both count as alone. The square thus needs no forbidden
                // cells.
                let alone = self.costs.slot_alone(row) + self.costs.call_alone(column);
                self.costs.pair(row, column).map_or(alone, |pair| pair.min(alone))
            }
            (true, false) => self.costs.slot_alone(row),
            (false, true) => self.costs.call_alone(column),
            (false, false) => 0,
        }
    }

    /// Lists the rows below `end` that have no column.
    fn list_free_rows(&self, end: usize) -> Vec<usize> {
        let mut is_paired = vec![false; self.size];
        self.row_of.iter().flatten().for_each(|row| is_paired[*row] = true);
        (0..end).filter(|row| !is_paired[*row]).collect()
    }

    fn complete(&mut self) {
        // Rows are added one by one. The pairs of the first stage are already in place, so only the others need a
        // search, each of which reads the square once at most.
        for row in self.list_free_rows(self.size) {
            // The limit is checked between rows: half a search has no valid pairing to keep.
            if self.steps > MAX_STEPS {
                return self.pair_nearest();
            }
            self.insert_row(row);
        }
    }

    /// Searches the path of least cost from a free row to a free column, and pairs along it.
    fn insert_row(&mut self, row: usize) {
        let mut search = PathSearch::new(self.size, row);
        // The rows on the path grow until a column is free: each taken column leads to the row that has it.
        let free = loop {
            let column = self.extend(&mut search);
            match self.row_of[column] {
                None => break column,
                Some(next) => search.row = next,
            }
        };
        for (column, distance) in search.done.iter().copied() {
            // What is nearer than the end of the path is moved by the rest of the way, so that no cost gets negative.
            let rest = search.length - distance;
            self.column_potential[column] -= rest;
            if let Some(row) = self.row_of[column] {
                self.row_potential[row] += rest;
            }
        }
        self.row_potential[row] += search.length;
        let mut column = free;
        // Each column on the path takes the row of the column before it.
        while let Some(before) = search.before[column] {
            self.row_of[column] = self.row_of[before];
            column = before;
        }
        self.row_of[column] = Some(row);
    }

    /// Adds the nearest column to the search. Among equally near ones, a free column ends it.
    fn extend(&mut self, search: &mut PathSearch) -> usize {
        let row = search.row;
        let mut nearest: Option<(i64, bool, usize)> = None;
        for column in 0..self.size {
            self.steps += 1;
            if search.is_done[column] {
                continue;
            }
            // Costs less potentials are never negative, so that the nearest column is final, as in Dijkstra's search.
            let reduced = self.cost(row, column) - self.row_potential[row] - self.column_potential[column];
            if search.length + reduced < search.least[column] {
                search.least[column] = search.length + reduced;
                search.before[column] = search.last;
            }
            // Of equal distances, a free column comes first.
            let key = (search.least[column], self.row_of[column].is_some(), column);
            nearest = Some(nearest.map_or(key, |known| known.min(key)));
        }
        let (length, _, column) = nearest.unwrap_or_default();
        search.length = length;
        search.add(column);
        column
    }

    /// Pairs what is left without searching: each free slot with the nearest free call.
    fn pair_nearest(&mut self) {
        // Behind the limit any pairing will do, as long as each call is used once.
        for slot in self.list_free_rows(self.costs.demanded.len()) {
            let free = (0..self.costs.forbidden.len()).filter(|call| self.row_of[*call].is_none());
            if let Some(call) = free.min_by_key(|call| self.cost(slot, *call)) {
                self.row_of[call] = Some(slot);
            }
        }
    }

    /// Returns the pairs that are cheaper than leaving both alone.
    fn list_pairs(&self) -> Pairs {
        let mut pairs = vec![None; self.costs.demanded.len()];
        for (call, row) in self.row_of.iter().take(self.costs.forbidden.len()).enumerate() {
            // Columns and rows beyond the calls and slots only fill up the square.
            let Some(slot) = row.filter(|row| *row < pairs.len()) else { continue };
            let alone = self.costs.slot_alone(slot) + self.costs.call_alone(call);
            let pair = self.costs.pair(slot, call);
            if pair.is_some_and(|pair| pair < alone || self.costs.fit(slot, call) == MATCH) {
                pairs[slot] = Some(call);
            }
        }
        pairs
    }
}

/// A search for the path of least cost from one row.
struct PathSearch {
    /// The row whose columns are looked at next.
    row: usize,
    /// The column of that row on the path; `None` for the first row.
    last: Option<usize>,
    /// The cost of the path so far.
    length: i64,
    least: Vec<i64>,
    before: Vec<Option<usize>>,
    is_done: Vec<bool>,
    /// The columns that were reached, each with its distance.
    done: Vec<(usize, i64)>,
}

impl PathSearch {
    fn new(size: usize, row: usize) -> Self {
        let least = vec![i64::MAX; size];
        let before = vec![None; size];
        let is_done = vec![false; size];
        Self { row, last: None, length: 0, least, before, is_done, done: Vec::new() }
    }

    fn add(&mut self, column: usize) {
        self.last = Some(column);
        self.is_done[column] = true;
        self.done.push((column, self.length));
    }
}
