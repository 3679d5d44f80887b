//! A pattern as a program for the machine that counts its steps.

use std::ops::Range;

use super::syntax::{Assertion, Look, Part, Pattern, Repeat};
use super::units::Units;

#[derive(Debug)]
pub(super) enum Op {
    /// One unit of the set.
    Unit {
        set: Units,
        way: Way,
    },
    /// As many units of the set as there are, then fewer, but no fewer than `min`.
    Run {
        set: Units,
        min: usize,
        max: usize,
        way: Way,
    },
    /// Goes on, and elsewhere if that fails.
    Fork {
        elsewhere: usize,
    },
    Jump(usize),
    /// Remembers the position in a register.
    Save(usize),
    Assert(Assertion),
    Reference {
        group: usize,
        any_case: bool,
        way: Way,
    },
    /// A loop of this number begins.
    Begin(usize),
    /// Whether a loop goes on, after each round.
    Decide(usize),
    /// A round of a loop begins.
    Enter(usize),
    /// The operations up to `end` look around.
    Look {
        negative: bool,
        end: usize,
    },
    Looked,
    Match,
}

/// Which way the machine reads: in a look-behind it reads back, as JavaScript does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Forward,
    Back,
}

#[derive(Debug)]
pub(super) struct Loop {
    /// The register that counts the rounds; the next one holds where the last round began.
    pub(super) count: usize,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) greedy: bool,
    /// Registers that each round begins with unset.
    pub(super) captures: Range<usize>,
    pub(super) exit: usize,
}

#[derive(Debug)]
pub(super) struct Program {
    pub(super) ops: Vec<Op>,
    pub(super) loops: Vec<Loop>,
    pub(super) registers: usize,
    /// How many registers hold where groups begin and end.
    pub(super) captures: usize,
}

pub(super) fn compile(pattern: &Pattern) -> Program {
    let captures = 2 * (pattern.groups + 1);
    let mut program = Program { ops: Vec::new(), loops: Vec::new(), registers: captures, captures };
    program.capture(0, &pattern.root, Way::Forward);
    program.ops.push(Op::Match);
    program
}

impl Program {
    fn part(&mut self, part: &Part, way: Way) {
        match part {
            Part::Unit(set) => self.ops.push(Op::Unit { set: set.clone(), way }),
            Part::Sequence(parts) if way == Way::Back => {
                parts.iter().rev().for_each(|part| self.part(part, way));
            }
            Part::Sequence(parts) => parts.iter().for_each(|part| self.part(part, way)),
            Part::Alternatives(parts) => self.alternatives(parts, way),
            Part::Capture(group, body) => self.capture(*group, body, way),
            Part::Repeat(repeat) => self.repeat(repeat, way),
            Part::Assertion(assertion) => self.ops.push(Op::Assert(*assertion)),
            Part::Look(look) => self.look(look),
            Part::Reference { group, any_case } => {
                self.ops.push(Op::Reference { group: *group, any_case: *any_case, way });
            }
        }
    }

    fn alternatives(&mut self, parts: &[Part], way: Way) {
        let mut jumps = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let is_last = index + 1 == parts.len();
            let fork = self.ops.len();
            self.ops.extend((!is_last).then_some(Op::Fork { elsewhere: 0 }));
            self.part(part, way);
            if !is_last {
                jumps.push(self.ops.len());
                self.ops.push(Op::Jump(0));
                self.ops[fork] = Op::Fork { elsewhere: self.ops.len() };
            }
        }
        let end = self.ops.len();
        for jump in jumps {
            self.ops[jump] = Op::Jump(end);
        }
    }

    fn capture(&mut self, group: usize, body: &Part, way: Way) {
        let (first, last) = match way {
            Way::Forward => (2 * group, 2 * group + 1),
            Way::Back => (2 * group + 1, 2 * group),
        };
        self.ops.push(Op::Save(first));
        self.part(body, way);
        self.ops.push(Op::Save(last));
    }

    fn repeat(&mut self, repeat: &Repeat, way: Way) {
        let (min, max) = (bound(Some(repeat.min)), bound(repeat.max));
        if let Part::Unit(set) = &*repeat.body
            && repeat.greedy
        {
            return self.ops.push(Op::Run { set: set.clone(), min, max, way });
        }
        let (index, count) = (self.loops.len(), self.registers);
        self.registers += 2;
        let captures = 2 * repeat.groups.start..2 * repeat.groups.end;
        self.loops.push(Loop { count, min, max, greedy: repeat.greedy, captures, exit: 0 });
        self.ops.push(Op::Begin(index));
        let decide = self.ops.len();
        self.ops.extend([Op::Decide(index), Op::Enter(index)]);
        self.part(&repeat.body, way);
        self.ops.push(Op::Jump(decide));
        self.loops[index].exit = self.ops.len();
    }

    fn look(&mut self, look: &Look) {
        let start = self.ops.len();
        self.ops.push(Op::Looked);
        self.part(&look.body, if look.behind { Way::Back } else { Way::Forward });
        self.ops.push(Op::Looked);
        self.ops[start] = Op::Look { negative: look.negative, end: self.ops.len() };
    }
}

fn bound(count: Option<u32>) -> usize {
    count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX)
}
