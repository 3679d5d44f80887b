//! Each rule against its meaning, said another way, on runs by the dice.

use super::*;

/// A linear congruential generator: the runs are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn run(&mut self) -> Vec<&'static str> {
        (0..self.below(9)).map(|_| ["a", "b", "c", "d"][self.below(4)]).collect()
    }
}

/// Holds `settings` against `naive` on a thousand runs. `None` from `naive`: not exercised.
fn agree(settings: &str, naive: impl Fn(&str) -> Option<bool>) {
    let mut dice = Dice(7);
    for _ in 0..1000 {
        let run = dice.run();
        let expected = match naive(&run.concat()) {
            None => State::NotExercised,
            Some(true) => State::Held,
            Some(false) => State::Violated,
        };
        assert_eq!(state(&outcome(settings, &named(&run))), expected, "{settings} on {run:?}");
    }
}

#[test]
fn before_is_a_cut_at_the_first_then() {
    agree("rules: [{type: before, first: a, then: b}]", |run| Some(run.split_once('b')?.0.contains('a')));
}

#[test]
fn immediately_before_leaves_no_then_without_its_first() {
    agree("rules: [{type: immediately_before, first: a, then: b}]", |run| {
        run.contains('b').then(|| !run.replace("ab", "").contains('b'))
    });
}

#[test]
fn never_after_is_an_empty_rest() {
    agree("rules: [{type: never_after, trigger: a, forbidden: b}]", |run| {
        Some(!run.split_once('a')?.1.contains('b'))
    });
}

#[test]
fn count_is_the_number_of_pieces() {
    agree("rules: [{type: count, tool: a, min: 1, max: 2}]", |run| {
        Some((2..=3).contains(&run.split('a').count()))
    });
}

#[test]
fn after_is_a_window_behind_each_trigger() {
    agree("rules: [{type: after, trigger: a, then: b, within: 2}]", |run| {
        let mut rests = run.match_indices('a').map(|(at, _)| &run[at + 1..]).peekable();
        rests.peek()?;
        Some(rests.all(|rest| rest.chars().take(2).any(|call| call == 'b')))
    });
}

#[test]
fn a_strict_sequence_is_a_word_at_the_first_member() {
    agree("rules: [{type: sequence, tools: [a, b, c], strict: true}]", |run| {
        Some(run[run.find(['a', 'b', 'c'])?..].starts_with("abc"))
    });
}

#[test]
fn a_loose_sequence_meets_its_members_in_order_for_the_first_time() {
    agree("rules: [{type: sequence, tools: [a, b, c]}]", |run| {
        run.find(['a', 'b', 'c'])?;
        let [a, b, c] = ['a', 'b', 'c'].map(|member| run.find(member));
        Some(a.is_some() && b.is_some() && c.is_some() && a < b && b < c)
    });
}

#[test]
fn an_exact_sequence_is_equality() {
    agree("sequence: [a, b]", |run| Some(run == "ab"));
}
