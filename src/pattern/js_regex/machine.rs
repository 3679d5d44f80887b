//! Runs a program by backtracking, with the semantics of JavaScript, and counts every step.

use std::ops::RangeInclusive;

use super::program::{JsLoop, JsOp, JsProgram, ReadDirection};
use super::text::UnitText;
use super::units::UnitSet;
use super::{JsRegex, StepsExhausted};

/// The value of an unset register.
const UNSET: usize = usize::MAX;
/// The largest number of open choices: more would take tens of megabytes.
const MAX_FRAMES: usize = 1 << 20;
/// The number of units that a run reads at the cost of one step.
const UNITS_PER_STEP: usize = 4;

#[derive(Debug, Clone, Copy)]
struct MachineState {
    op: usize,
    position: usize,
}

/// An entry of the backtracking stack: what to do when the current alternative fails.
#[derive(Debug, Clone, Copy)]
enum BacktrackFrame {
    Branch(MachineState),
    /// Shortens a run by one unit, down to `stop`.
    Shorten {
        at: MachineState,
        stop: usize,
    },
    Restore {
        register: usize,
        value: usize,
    },
    Look {
        back: MachineState,
        negative: bool,
    },
}

// The machine is a backtracking matcher with an explicit stack. `frames` holds everything that a failure must undo or
// try next, in order: open alternatives, old values of registers, and the beginnings of look-arounds. The call stack
// never grows with the text, and each operation costs steps, so that no pattern can run away.
struct JsMachine<'p> {
    program: &'p JsProgram,
    text: UnitText<'p>,
    registers: Vec<usize>,
    frames: Vec<BacktrackFrame>,
    /// The index in `frames` at which each open look-around began.
    looks: Vec<usize>,
    steps_left: usize,
}

/// The start and end of each group in the first match; group 0 is the whole match.
pub(super) type MatchGroups = Vec<Option<(usize, usize)>>;

/// Searches the first match in a text.
pub(super) fn search_program(
    program: &JsProgram,
    units: &[u16],
) -> Result<Option<MatchGroups>, StepsExhausted> {
    let registers = vec![UNSET; program.registers];
    let steps_left = JsRegex::MAX_STEPS;
    let text = UnitText(units);
    let mut machine =
        JsMachine { program, text, registers, frames: Vec::new(), looks: Vec::new(), steps_left };
    // All starts share one budget. A pattern that is slow at each of them must not get it anew for each.
    for start in 0..=units.len() {
        if machine.matches_at(start)? {
            return Ok(Some(machine.collect_groups()));
        }
    }
    Ok(None)
}

impl JsMachine<'_> {
    /// Tries to match at `start`. A failure undoes all register writes, so that the next attempt begins with unset
    /// registers.
    fn matches_at(&mut self, start: usize) -> Result<bool, StepsExhausted> {
        let mut at = MachineState { op: 0, position: start };
        loop {
            // Backtracking may take exponential time, so each step is paid for.
            self.charge_steps(1)?;
            let next = match &self.program.ops[at.op] {
                JsOp::Match => return Ok(true),
                op => self.run_op(op, at)?,
            };
            let Some(next) = next.or_else(|| self.backtrack()) else { return Ok(false) };
            at = next;
        }
    }

    fn collect_groups(&self) -> MatchGroups {
        let pairs = self.registers[..self.program.captures].chunks_exact(2);
        pairs.map(|pair| (pair[0] != UNSET && pair[1] != UNSET).then_some((pair[0], pair[1]))).collect()
    }

    fn charge_steps(&mut self, steps: usize) -> Result<(), StepsExhausted> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(StepsExhausted)?;
        if self.frames.len() > MAX_FRAMES { Err(StepsExhausted) } else { Ok(()) }
    }

    /// Runs `op` and returns the next state. `None` if it fails.
    fn run_op(&mut self, op: &JsOp, at: MachineState) -> Result<Option<MachineState>, StepsExhausted> {
        let next = MachineState { op: at.op + 1, ..at };
        let program = self.program;
        Ok(match op {
            JsOp::Unit { set, way } => {
                self.text.match_unit(at.position, set, *way).map(|position| MachineState { position, ..next })
            }
            JsOp::Run { set, min, max, way } => return self.match_run(next, set, *min..=*max, *way),
            JsOp::Fork { elsewhere } => {
                // The other way is kept with the present position, and every register write after it is undone before
                // it is taken.
                self.frames.push(BacktrackFrame::Branch(MachineState { op: *elsewhere, ..at }));
                Some(next)
            }
            JsOp::Jump(op) => Some(MachineState { op: *op, ..at }),
            JsOp::Save(register) => {
                self.write_register(*register, at.position);
                Some(next)
            }
            JsOp::Assert(assertion) => self.text.check_assertion(*assertion, at.position).then_some(next),
            JsOp::Reference { group, any_case, way } => {
                return self.match_reference(next, *group, *any_case, *way);
            }
            JsOp::Begin(index) => {
                self.write_register(program.loops[*index].count, 0);
                Some(next)
            }
            JsOp::Decide(index) => self.decide_loop(&program.loops[*index], at),
            JsOp::Enter(index) => {
                // Each round resets the captures inside of the loop, so a round costs as many steps as it has
                // captures.
                self.charge_steps(program.loops[*index].captures.len())?;
                self.enter_round(&program.loops[*index], at.position);
                Some(next)
            }
            JsOp::Look { negative, end } => {
                // The height of the frames says which choices belong to the look-around.
                self.looks.push(self.frames.len());
                let back = MachineState { op: *end, ..at };
                self.frames.push(BacktrackFrame::Look { back, negative: *negative });
                Some(next)
            }
            JsOp::Looked => self.finish_look(),
            JsOp::Match => Some(at),
        })
    }

    fn write_register(&mut self, register: usize, value: usize) {
        // An unchanged value needs no frame. Loops write the same value often, and the stack is bounded.
        let old = std::mem::replace(&mut self.registers[register], value);
        if old != value {
            self.frames.push(BacktrackFrame::Restore { register, value: old });
        }
    }

    fn match_run(
        &mut self,
        next: MachineState,
        set: &UnitSet,
        bounds: RangeInclusive<usize>,
        way: ReadDirection,
    ) -> Result<Option<MachineState>, StepsExhausted> {
        // The run takes all that it can. The frame that is pushed below gives one unit back at a time, so that no
        // frame per unit is needed.
        let mut position = next.position;
        let mut count = 0;
        while let Some(after) = self.text.match_unit(position, set, way).filter(|_| count < *bounds.end()) {
            position = after;
            count += 1;
        }
        // Reading a run is a tight loop and cheaper than the same number of operations.
        self.charge_steps(count / UNITS_PER_STEP)?;
        let at = MachineState { position, ..next };
        let stop = match way {
            ReadDirection::Forward => next.position.checked_add(*bounds.start()),
            ReadDirection::Back => next.position.checked_sub(*bounds.start()),
        };
        let Some(stop) = stop.filter(|_| count >= *bounds.start()) else { return Ok(None) };
        if position != stop {
            self.frames.push(BacktrackFrame::Shorten { at, stop });
        }
        Ok(Some(at))
    }

    /// Matches a back-reference. An unset group matches the empty text.
    fn match_reference(
        &mut self,
        next: MachineState,
        group: usize,
        any_case: bool,
        way: ReadDirection,
    ) -> Result<Option<MachineState>, StepsExhausted> {
        let start = self.registers[2 * group];
        let end = self.registers[2 * group + 1];
        if start == UNSET || end == UNSET {
            return Ok(Some(next));
        }
        // The comparison of a long capture is as many steps as it has units.
        self.charge_steps(end - start)?;
        let position = self.text.match_captured(start..end, next.position, any_case, way);
        Ok(position.map(|position| MachineState { position, ..next }))
    }

    /// Decides between another round of a loop and its exit. A round beyond the minimum that consumed nothing fails.
    fn decide_loop(&mut self, round: &JsLoop, at: MachineState) -> Option<MachineState> {
        let count = self.registers[round.count];
        let enter = MachineState { op: at.op + 1, ..at };
        let leave = MachineState { op: round.exit, ..at };
        // JavaScript refuses an empty round. Without this rule, `(a*)*` would loop forever.
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
        self.frames.push(BacktrackFrame::Branch(second));
        Some(first)
    }

    fn enter_round(&mut self, round: &JsLoop, position: usize) {
        self.write_register(round.count, self.registers[round.count] + 1);
        self.write_register(round.count + 1, position);
        round.captures.clone().for_each(|register| self.write_register(register, UNSET));
    }

    /// Ends the innermost look-around after its body matched. Its open choices are dropped.
    fn finish_look(&mut self) -> Option<MachineState> {
        let begin = self.looks.pop()?;
        let Some(BacktrackFrame::Look { back, negative }) = self.frames.get(begin).copied() else {
            return None;
        };
        if negative {
            // The body matched, so the look-around fails. All that it wrote and all its choices are undone, and the
            // search goes on below.
            while self.frames.len() > begin {
                self.undo_write();
            }
            return None;
        }
        // A positive look-around is atomic: its choices are dropped, but its register writes stay undoable.
        let tail = self.frames.split_off(begin);
        self.frames.extend(tail.into_iter().filter(|frame| matches!(frame, BacktrackFrame::Restore { .. })));
        Some(back)
    }

    /// Pops the last frame, and undoes it if it is a register write.
    fn undo_write(&mut self) {
        if let Some(BacktrackFrame::Restore { register, value }) = self.frames.pop() {
            self.registers[register] = value;
        }
    }

    /// Returns the state of the last open choice.
    fn backtrack(&mut self) -> Option<MachineState> {
        // Frames above the choice are undone on the way down. A frame of a positive look-around means that its body failed,
        // so the search goes on below it; a negative one succeeds by that failure.
        loop {
            match *self.frames.last()? {
                BacktrackFrame::Restore { .. } => self.undo_write(),
                BacktrackFrame::Branch(at) => {
                    self.frames.pop();
                    return Some(at);
                }
                BacktrackFrame::Shorten { at, stop } => return Some(self.shorten_run(at, stop)),
                BacktrackFrame::Look { back, negative } => {
                    self.frames.pop();
                    // The look-around has ended by failure, so it is no longer open.
                    self.looks.pop();
                    if negative {
                        return Some(back);
                    }
                }
            }
        }
    }

    /// Shortens a run by one unit, and further while the next operation would fail at once. Without this skip, `.*x`
    /// would resume the machine at every position of a text that has no `x`.
    fn shorten_run(&mut self, at: MachineState, stop: usize) -> MachineState {
        self.frames.pop();
        let mut position = step_towards(at.position, stop);
        while position != stop && self.fails_immediately(at.op, position) {
            position = step_towards(position, stop);
        }
        // Skipped positions cost steps as well, or a long run of them would escape the budget.
        let scanned = at.position.abs_diff(position);
        self.steps_left = self.steps_left.saturating_sub(scanned / UNITS_PER_STEP);
        let at = MachineState { position, ..at };
        if position != stop {
            self.frames.push(BacktrackFrame::Shorten { at, stop });
        }
        at
    }

    fn fails_immediately(&self, op: usize, position: usize) -> bool {
        let mut ops = self.program.ops[op..].iter();
        match ops.find(|op| !matches!(op, JsOp::Save(_))) {
            Some(JsOp::Unit { set, way }) => self.text.match_unit(position, set, *way).is_none(),
            _ => false,
        }
    }
}

/// The position one unit from `position` in the direction of `stop`.
fn step_towards(position: usize, stop: usize) -> usize {
    if position > stop { position - 1 } else { position + 1 }
}
