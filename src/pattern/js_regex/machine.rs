//! Runs a program by backtracking, with the semantics of JavaScript, and counts every step.

use std::ops::RangeInclusive;

use super::program::{Loop, Op, Program, Way};
use super::text::Text;
use super::units::Units;
use super::{Exhausted, JsRegex};

/// The value of an unset register.
const UNSET: usize = usize::MAX;
/// The largest number of open choices: more would take tens of megabytes.
const MAX_FRAMES: usize = 1 << 20;
/// The number of units that a run reads at the cost of one step.
const SCANNED_A_STEP: usize = 4;

#[derive(Debug, Clone, Copy)]
struct At {
    op: usize,
    position: usize,
}

/// An entry of the backtracking stack: what to do when the current alternative fails.
#[derive(Debug, Clone, Copy)]
enum Frame {
    Branch(At),
    /// Shortens a run by one unit, down to `stop`.
    Shorten {
        at: At,
        stop: usize,
    },
    Restore {
        register: usize,
        value: usize,
    },
    Look {
        back: At,
        negative: bool,
    },
}

struct Machine<'p> {
    program: &'p Program,
    text: Text<'p>,
    registers: Vec<usize>,
    frames: Vec<Frame>,
    /// The index in `frames` at which each open look-around began.
    looks: Vec<usize>,
    steps_left: usize,
}

/// The start and end of each group in the first match; group 0 is the whole match.
pub(super) type Groups = Vec<Option<(usize, usize)>>;

/// Searches the first match in a text.
pub(super) fn search(program: &Program, units: &[u16]) -> Result<Option<Groups>, Exhausted> {
    let registers = vec![UNSET; program.registers];
    let steps_left = JsRegex::MAX_STEPS;
    let text = Text(units);
    let mut machine = Machine { program, text, registers, frames: Vec::new(), looks: Vec::new(), steps_left };
    for start in 0..=units.len() {
        if machine.matches_at(start)? {
            return Ok(Some(machine.groups()));
        }
    }
    Ok(None)
}

impl Machine<'_> {
    /// Tries to match at `start`. A failure undoes all register writes, so that the next attempt begins with unset
    /// registers.
    fn matches_at(&mut self, start: usize) -> Result<bool, Exhausted> {
        let mut at = At { op: 0, position: start };
        loop {
            self.charge(1)?;
            let next = match &self.program.ops[at.op] {
                Op::Match => return Ok(true),
                op => self.step(op, at)?,
            };
            let Some(next) = next.or_else(|| self.backtrack()) else { return Ok(false) };
            at = next;
        }
    }

    fn groups(&self) -> Groups {
        let pairs = self.registers[..self.program.captures].chunks_exact(2);
        pairs.map(|pair| (pair[0] != UNSET && pair[1] != UNSET).then_some((pair[0], pair[1]))).collect()
    }

    fn charge(&mut self, steps: usize) -> Result<(), Exhausted> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(Exhausted)?;
        if self.frames.len() > MAX_FRAMES { Err(Exhausted) } else { Ok(()) }
    }

    /// Runs `op` and returns the next state. `None` if it fails.
    fn step(&mut self, op: &Op, at: At) -> Result<Option<At>, Exhausted> {
        let next = At { op: at.op + 1, ..at };
        let program = self.program;
        Ok(match op {
            Op::Unit { set, way } => {
                self.text.read(at.position, set, *way).map(|position| At { position, ..next })
            }
            Op::Run { set, min, max, way } => return self.run(next, set, *min..=*max, *way),
            Op::Fork { elsewhere } => {
                self.frames.push(Frame::Branch(At { op: *elsewhere, ..at }));
                Some(next)
            }
            Op::Jump(op) => Some(At { op: *op, ..at }),
            Op::Save(register) => {
                self.write(*register, at.position);
                Some(next)
            }
            Op::Assert(assertion) => self.text.holds(*assertion, at.position).then_some(next),
            Op::Reference { group, any_case, way } => return self.reference(next, *group, *any_case, *way),
            Op::Begin(index) => {
                self.write(program.loops[*index].count, 0);
                Some(next)
            }
            Op::Decide(index) => self.decide(&program.loops[*index], at),
            Op::Enter(index) => {
                self.charge(program.loops[*index].captures.len())?;
                self.enter(&program.loops[*index], at.position);
                Some(next)
            }
            Op::Look { negative, end } => {
                self.looks.push(self.frames.len());
                self.frames.push(Frame::Look { back: At { op: *end, ..at }, negative: *negative });
                Some(next)
            }
            Op::Looked => self.looked(),
            Op::Match => Some(at),
        })
    }

    fn write(&mut self, register: usize, value: usize) {
        let old = std::mem::replace(&mut self.registers[register], value);
        if old != value {
            self.frames.push(Frame::Restore { register, value: old });
        }
    }

    fn run(
        &mut self,
        next: At,
        set: &Units,
        bounds: RangeInclusive<usize>,
        way: Way,
    ) -> Result<Option<At>, Exhausted> {
        let mut position = next.position;
        let mut count = 0;
        while let Some(after) = self.text.read(position, set, way).filter(|_| count < *bounds.end()) {
            position = after;
            count += 1;
        }
        self.charge(count / SCANNED_A_STEP)?;
        let at = At { position, ..next };
        let stop = match way {
            Way::Forward => next.position.checked_add(*bounds.start()),
            Way::Back => next.position.checked_sub(*bounds.start()),
        };
        let Some(stop) = stop.filter(|_| count >= *bounds.start()) else { return Ok(None) };
        if position != stop {
            self.frames.push(Frame::Shorten { at, stop });
        }
        Ok(Some(at))
    }

    /// Matches a back-reference. An unset group matches the empty text.
    fn reference(
        &mut self,
        next: At,
        group: usize,
        any_case: bool,
        way: Way,
    ) -> Result<Option<At>, Exhausted> {
        let (start, end) = (self.registers[2 * group], self.registers[2 * group + 1]);
        if start == UNSET || end == UNSET {
            return Ok(Some(next));
        }
        self.charge(end - start)?;
        let position = self.text.again(start..end, next.position, any_case, way);
        Ok(position.map(|position| At { position, ..next }))
    }

    /// Decides between another round of a loop and its exit. A round beyond the minimum that consumed nothing fails.
    fn decide(&mut self, round: &Loop, at: At) -> Option<At> {
        let count = self.registers[round.count];
        let enter = At { op: at.op + 1, ..at };
        let leave = At { op: round.exit, ..at };
        if count > round.min && self.registers[round.count + 1] == at.position {
            return None;
        }
        if count < round.min {
            return Some(enter);
        }
        if count >= round.max {
            return Some(leave);
        }
        let (first, second) = if round.greedy { (enter, leave) } else { (leave, enter) };
        self.frames.push(Frame::Branch(second));
        Some(first)
    }

    fn enter(&mut self, round: &Loop, position: usize) {
        self.write(round.count, self.registers[round.count] + 1);
        self.write(round.count + 1, position);
        round.captures.clone().for_each(|register| self.write(register, UNSET));
    }

    /// Ends the innermost look-around after its body matched. Its open choices are dropped.
    fn looked(&mut self) -> Option<At> {
        let begin = self.looks.pop()?;
        let Some(Frame::Look { back, negative }) = self.frames.get(begin).copied() else { return None };
        if negative {
            while self.frames.len() > begin {
                self.restore();
            }
            return None;
        }
        // A positive look-around is atomic: its choices are dropped, but its register writes stay undoable.
        let tail = self.frames.split_off(begin);
        self.frames.extend(tail.into_iter().filter(|frame| matches!(frame, Frame::Restore { .. })));
        Some(back)
    }

    /// Pops the last frame, and undoes it if it is a register write.
    fn restore(&mut self) {
        if let Some(Frame::Restore { register, value }) = self.frames.pop() {
            self.registers[register] = value;
        }
    }

    /// Returns the state of the last open choice.
    fn backtrack(&mut self) -> Option<At> {
        loop {
            match *self.frames.last()? {
                Frame::Restore { .. } => self.restore(),
                Frame::Branch(at) => {
                    self.frames.pop();
                    return Some(at);
                }
                Frame::Shorten { at, stop } => return Some(self.shorten(at, stop)),
                Frame::Look { back, negative } => {
                    self.frames.pop();
                    self.looks.pop();
                    if negative {
                        return Some(back);
                    }
                }
            }
        }
    }

    /// Shortens a run by one unit, and further while the next operation would fail at once.
    fn shorten(&mut self, at: At, stop: usize) -> At {
        self.frames.pop();
        let forward = at.position > stop;
        let next = |position: usize| if forward { position - 1 } else { position + 1 };
        let mut position = next(at.position);
        while position != stop && self.fails_at_once(at.op, position) {
            position = next(position);
        }
        // Skipped positions cost steps as well, or a long run of them would escape the budget.
        let scanned = at.position.abs_diff(position);
        self.steps_left = self.steps_left.saturating_sub(scanned / SCANNED_A_STEP);
        let at = At { position, ..at };
        if position != stop {
            self.frames.push(Frame::Shorten { at, stop });
        }
        at
    }

    fn fails_at_once(&self, op: usize, position: usize) -> bool {
        let mut ops = self.program.ops[op..].iter();
        match ops.find(|op| !matches!(op, Op::Save(_))) {
            Some(Op::Unit { set, way }) => self.text.read(position, set, *way).is_none(),
            _ => false,
        }
    }
}
