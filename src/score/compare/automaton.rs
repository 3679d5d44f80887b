//! The longest stretch that two sequences share, in time linear in both.
//!
//! A suffix automaton is the smallest machine that takes exactly the stretches of a sequence. Each of its states
//! stands for the stretches that end at the same places.

use std::collections::BTreeMap;

/// A stretch that stands in both of two sequences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Where it begins in the old one.
    pub(super) old: usize,
    /// Where it begins in the new one.
    pub(super) new: usize,
    /// How long it is.
    pub(super) len: usize,
}

/// The state of the empty stretch.
const ROOT: usize = 0;

/// The machine of one sequence.
struct Automaton {
    states: Vec<State>,
    /// The state of the whole sequence so far.
    last: usize,
}

#[derive(Clone)]
struct State {
    /// The length of its longest stretch.
    len: usize,
    /// The state of the longest suffix that ends at more places.
    link: Option<usize>,
    /// Where its stretches end first: the index of their last symbol.
    first_end: usize,
    /// The state that a symbol leads to.
    steps: BTreeMap<u32, usize>,
}

/// The longest block of `old` and `new`: of several, the one that begins first in `old`, and of these the first in
/// `new`. Its length is 0 when nothing is shared.
pub(super) fn longest_block(old: &[u32], new: &[u32]) -> Block {
    let automaton = Automaton::build(new);
    let (mut state, mut len, mut best) = (ROOT, 0, Block::default());
    for (at, symbol) in old.iter().enumerate() {
        (state, len) = automaton.follow(state, len, *symbol);
        if len > best.len {
            best = Block { old: at + 1 - len, new: automaton.states[state].first_end + 1 - len, len };
        }
    }
    best
}

impl Automaton {
    fn build(sequence: &[u32]) -> Self {
        let root = State { len: 0, link: None, first_end: 0, steps: BTreeMap::new() };
        let mut automaton = Self { states: vec![root], last: ROOT };
        for (at, symbol) in sequence.iter().enumerate() {
            automaton.push_symbol(at, *symbol);
        }
        automaton
    }

    /// From the longest suffix read so far, `len` long, to the longest that `symbol` extends.
    fn follow(&self, mut state: usize, mut len: usize, symbol: u32) -> (usize, usize) {
        loop {
            if let Some(next) = self.states[state].steps.get(&symbol) {
                return (*next, len + 1);
            }
            let Some(link) = self.states[state].link else { return (ROOT, 0) };
            (state, len) = (link, self.states[link].len);
        }
    }

    fn push_symbol(&mut self, at: usize, symbol: u32) {
        let len = self.states[self.last].len + 1;
        let new = self.add_state(State { len, link: Some(ROOT), first_end: at, steps: BTreeMap::new() });
        let mut from = Some(self.last);
        self.last = new;
        while let Some(state) = from {
            if let Some(next) = self.states[state].steps.get(&symbol) {
                self.states[new].link = Some(self.split_suffix(state, symbol, *next));
                return;
            }
            self.states[state].steps.insert(symbol, new);
            from = self.states[state].link;
        }
    }

    /// The state of the stretches of `state` with `symbol` behind them, which is a part of `next` or all of it.
    fn split_suffix(&mut self, state: usize, symbol: u32, next: usize) -> usize {
        let len = self.states[state].len + 1;
        if self.states[next].len == len {
            return next;
        }
        let part = self.add_state(State { len, ..self.states[next].clone() });
        self.states[next].link = Some(part);
        self.redirect_steps(state, symbol, next, part);
        part
    }

    /// Steps that led to `next` from `state` and its suffixes lead to `part`.
    fn redirect_steps(&mut self, state: usize, symbol: u32, next: usize, part: usize) {
        let mut from = Some(state);
        while let Some(state) = from
            && let Some(to) = self.states[state].steps.get_mut(&symbol)
            && *to == next
        {
            *to = part;
            from = self.states[state].link;
        }
    }

    fn add_state(&mut self, state: State) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of places, compared symbol by symbol.
    fn by_trying(old: &[u32], new: &[u32]) -> Block {
        let mut best = Block::default();
        for (i, j) in (0..old.len()).flat_map(|i| (0..new.len()).map(move |j| (i, j))) {
            let len = old[i..].iter().zip(&new[j..]).take_while(|(one, other)| one == other).count();
            if len > best.len {
                best = Block { old: i, new: j, len };
            }
        }
        best
    }

    #[test]
    fn it_finds_what_trying_all_places_finds() {
        let mut seed = 1_u32;
        let mut draw = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for round in 0..3_000 {
            let symbols = 1 + round % 5;
            let mut sequence = || (0..draw(24)).map(|_| draw(symbols)).collect::<Vec<u32>>();
            let (old, new) = (sequence(), sequence());
            assert_eq!(longest_block(&old, &new), by_trying(&old, &new), "{old:?} {new:?}");
        }
    }
}
