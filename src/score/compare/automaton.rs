//! The longest block that two sequences share, in time linear in both.
//!
//! A suffix automaton is the smallest automaton that accepts exactly the contiguous parts of a sequence. Each of its
//! states represents the parts that end at the same positions. The automaton of the new sequence is built one symbol at
//! a time; then the old sequence runs through it, and its longest accepted suffix at any position is the block.

use std::collections::BTreeMap;

/// A contiguous part that two sequences share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CommonBlock {
    /// The index of its first symbol in the old sequence.
    pub(super) old: usize,
    /// The index of its first symbol in the new sequence.
    pub(super) new: usize,
    /// The number of symbols.
    pub(super) len: usize,
}

/// The state of the empty part.
const ROOT: usize = 0;

/// The suffix automaton of one sequence.
struct Automaton {
    states: Vec<AutomatonState>,
    /// The state of the whole sequence so far.
    last: usize,
}

#[derive(Clone)]
struct AutomatonState {
    /// The length of the longest part that this state represents.
    len: usize,
    /// The suffix link: the state of the longest suffix that ends at more positions.
    link: Option<usize>,
    /// The first position at which the parts end: the index of their last symbol.
    first_end: usize,
    /// The next state for each symbol.
    steps: BTreeMap<u32, usize>,
}

/// The longest block of `old` and `new`: of several, the one that begins first in `old`, and of these the first in
/// `new`. Its length is 0 when nothing is shared.
pub(super) fn longest_block(old: &[u32], new: &[u32]) -> CommonBlock {
    let automaton = Automaton::build(new);
    let mut state = ROOT;
    let mut len = 0;
    let mut best = CommonBlock::default();
    for (at, symbol) in old.iter().enumerate() {
        // `state` is reached by the longest suffix of what was read that occurs in `new`, and `len` is its length.
        (state, len) = automaton.follow(state, len, *symbol);
        if len > best.len {
            best = CommonBlock { old: at + 1 - len, new: automaton.states[state].first_end + 1 - len, len };
        }
    }
    best
}

impl Automaton {
    fn build(sequence: &[u32]) -> Self {
        let root = AutomatonState { len: 0, link: None, first_end: 0, steps: BTreeMap::new() };
        let mut automaton = Self { states: vec![root], last: ROOT };
        for (at, symbol) in sequence.iter().enumerate() {
            automaton.push_symbol(at, *symbol);
        }
        automaton
    }

    /// Reads `symbol` after the accepted suffix of length `len`, and returns the longest accepted suffix again.
    fn follow(&self, mut state: usize, mut len: usize, symbol: u32) -> (usize, usize) {
        // A suffix link leads to the next shorter suffix that the automaton has seen. The first suffix that can be extended
        // by the symbol is the longest accepted one.
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
        let new =
            self.add_state(AutomatonState { len, link: Some(ROOT), first_end: at, steps: BTreeMap::new() });
        let mut from = Some(self.last);
        self.last = new;
        // Every suffix of the sequence so far gets a transition to the new state, from the longest to the shortest. The
        // first suffix that already has a transition for `symbol` has been seen with it: the new state links there.
        while let Some(state) = from {
            if let Some(next) = self.states[state].steps.get(&symbol) {
                self.states[new].link = Some(self.split_suffix(state, symbol, *next));
                return;
            }
            self.states[state].steps.insert(symbol, new);
            from = self.states[state].link;
        }
    }

    /// Returns the state for the parts of `state` extended by `symbol`. If `next` also represents longer parts, they end
    /// at fewer positions from now on, so the shorter ones move to a state of their own.
    fn split_suffix(&mut self, state: usize, symbol: u32, next: usize) -> usize {
        let len = self.states[state].len + 1;
        // The state has no longer parts, so it can be shared as it is.
        if self.states[next].len == len {
            return next;
        }
        let part = self.add_state(AutomatonState { len, ..self.states[next].clone() });
        self.states[next].link = Some(part);
        self.redirect_steps(state, symbol, next, part);
        part
    }

    /// Redirects the transitions from `state` and its suffixes that lead to `next`, so that they lead to `part`.
    fn redirect_steps(&mut self, state: usize, symbol: u32, next: usize, part: usize) {
        let mut from = Some(state);
        while let Some(state) = from
            && let Some(to) = self.states[state].steps.get_mut(&symbol)
            // Longer suffixes come first: once one leads elsewhere, the shorter ones do, too.
            && *to == next
        {
            *to = part;
            from = self.states[state].link;
        }
    }

    fn add_state(&mut self, state: AutomatonState) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of places, compared symbol by symbol.
    fn by_trying(old: &[u32], new: &[u32]) -> CommonBlock {
        let mut best = CommonBlock::default();
        for (i, j) in (0..old.len()).flat_map(|i| (0..new.len()).map(move |j| (i, j))) {
            let len = old[i..].iter().zip(&new[j..]).take_while(|(one, other)| one == other).count();
            if len > best.len {
                best = CommonBlock { old: i, new: j, len };
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
            let [old, new] = [(); 2].map(|()| (0..draw(24)).map(|_| draw(symbols)).collect::<Vec<u32>>());
            assert_eq!(longest_block(&old, &new), by_trying(&old, &new), "{old:?} {new:?}");
        }
    }
}
