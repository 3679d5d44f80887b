//! A pattern as a program for the machine that counts its steps.

use std::ops::Range;

use super::syntax::{JsAssertion, JsLook, JsPart, JsPattern, JsRepeat};
use super::units::UnitSet;

#[derive(Debug)]
pub(super) enum JsOp {
    /// One unit of the set.
    Unit {
        set: UnitSet,
        way: ReadDirection,
    },
    /// As many units of the set as there are, then fewer, but no fewer than `min`.
    Run {
        set: UnitSet,
        min: usize,
        max: usize,
        way: ReadDirection,
    },
    /// Continues with the next operation, and at `elsewhere` if that fails.
    Fork {
        elsewhere: usize,
    },
    Jump(usize),
    /// Remembers the position in a register.
    Save(usize),
    Assert(JsAssertion),
    Reference {
        group: usize,
        any_case: bool,
        way: ReadDirection,
    },
    /// A loop of this number begins.
    Begin(usize),
    /// Decides after each round whether a loop continues.
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

/// The direction in which the machine reads. A look-behind is read backwards, as in JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadDirection {
    Forward,
    Back,
}

#[derive(Debug)]
pub(super) struct JsLoop {
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
pub(super) struct JsProgram {
    pub(super) ops: Vec<JsOp>,
    pub(super) loops: Vec<JsLoop>,
    pub(super) registers: usize,
    /// The number of registers for the beginnings and ends of groups.
    pub(super) captures: usize,
}

pub(super) fn compile_program(pattern: &JsPattern) -> JsProgram {
    let captures = 2 * (pattern.groups + 1);
    let mut program = JsProgram { ops: Vec::new(), loops: Vec::new(), registers: captures, captures };
    program.compile_capture(0, &pattern.root, ReadDirection::Forward);
    program.ops.push(JsOp::Match);
    program
}

impl JsProgram {
    fn compile_part(&mut self, part: &JsPart, way: ReadDirection) {
        match part {
            JsPart::Unit(set) => self.ops.push(JsOp::Unit { set: set.clone(), way }),
            // A look-behind reads its text backwards, so its parts come in the opposite order.
            JsPart::Sequence(parts) if way == ReadDirection::Back => {
                parts.iter().rev().for_each(|part| self.compile_part(part, way));
            }
            JsPart::Sequence(parts) => parts.iter().for_each(|part| self.compile_part(part, way)),
            JsPart::Alternatives(parts) => self.compile_alternatives(parts, way),
            JsPart::Capture(group, body) => self.compile_capture(*group, body, way),
            JsPart::Repeat(repeat) => self.compile_repeat(repeat, way),
            JsPart::Assertion(assertion) => self.ops.push(JsOp::Assert(*assertion)),
            JsPart::Look(look) => self.compile_look(look),
            JsPart::Reference { group, any_case } => {
                self.ops.push(JsOp::Reference { group: *group, any_case: *any_case, way });
            }
        }
    }

    fn compile_alternatives(&mut self, parts: &[JsPart], way: ReadDirection) {
        // `a|b|c` becomes: fork to L1, a, jump END; L1: fork to L2, b, jump END; L2: c; END. The targets are not known when
        // an operation is written, so forks and jumps are patched afterwards.
        let mut jumps = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let is_last = index + 1 == parts.len();
            let fork = self.ops.len();
            self.ops.extend((!is_last).then_some(JsOp::Fork { elsewhere: 0 }));
            self.compile_part(part, way);
            if !is_last {
                jumps.push(self.ops.len());
                self.ops.push(JsOp::Jump(0));
                self.ops[fork] = JsOp::Fork { elsewhere: self.ops.len() };
            }
        }
        let end = self.ops.len();
        for jump in jumps {
            self.ops[jump] = JsOp::Jump(end);
        }
    }

    fn compile_capture(&mut self, group: usize, body: &JsPart, way: ReadDirection) {
        // Inside a look-behind the text is read backwards, so the end of the group comes first.
        let (first, last) = match way {
            ReadDirection::Forward => (2 * group, 2 * group + 1),
            ReadDirection::Back => (2 * group + 1, 2 * group),
        };
        self.ops.push(JsOp::Save(first));
        self.compile_part(body, way);
        self.ops.push(JsOp::Save(last));
    }

    fn compile_repeat(&mut self, repeat: &JsRepeat, way: ReadDirection) {
        let min = to_bound(Some(repeat.min));
        let max = to_bound(repeat.max);
        // A greedy run of one set needs no loop: the machine scans it at once and gives back unit by unit.
        if let JsPart::Unit(set) = &*repeat.body
            && repeat.greedy
        {
            return self.ops.push(JsOp::Run { set: set.clone(), min, max, way });
        }
        let index = self.loops.len();
        let count = self.registers;
        self.registers += 2;
        let captures = 2 * repeat.groups.start..2 * repeat.groups.end;
        self.loops.push(JsLoop { count, min, max, greedy: repeat.greedy, captures, exit: 0 });
        self.ops.push(JsOp::Begin(index));
        let decide = self.ops.len();
        self.ops.extend([JsOp::Decide(index), JsOp::Enter(index)]);
        self.compile_part(&repeat.body, way);
        self.ops.push(JsOp::Jump(decide));
        self.loops[index].exit = self.ops.len();
    }

    fn compile_look(&mut self, look: &JsLook) {
        // The first operation is a placeholder: the end of the body is known only after the body is written.
        let start = self.ops.len();
        self.ops.push(JsOp::Looked);
        self.compile_part(&look.body, if look.behind { ReadDirection::Back } else { ReadDirection::Forward });
        self.ops.push(JsOp::Looked);
        self.ops[start] = JsOp::Look { negative: look.negative, end: self.ops.len() };
    }
}

fn to_bound(count: Option<u32>) -> usize {
    count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX)
}
