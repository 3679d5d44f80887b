//! Where the answers of programs behind mock tools come from.
//!
//! A check is a pure function, so a program is asked before it: the calls of the run are made once while programs are asked, and
//! the check makes them once more with the answers.

use super::script::{ProgramCall, ScriptRun, ScriptedAnswer, ServedAnswer};
use crate::evidence::{AskProgram, ProgramReplies, ProgramReply};
use crate::outcome::CannotDecide;
use crate::trace::Arguments;

/// The most questions to programs about one run. A run of which many orders of calls are possible needs some for each order.
const MAX_ASKED: u32 = 1_000;

/// Where the answers of programs come from.
pub(super) enum ProgramSource<'s> {
    /// They are known.
    Known(&'s ProgramReplies),
    /// A program is asked for those that are not known yet.
    Asked(AskProgram<'s>, &'s mut ProgramReplies, u32),
}

impl ProgramSource<'_> {
    /// Makes a call. The inner error is the sentence with which the script refuses it, the outer one says why its program gives
    /// no answer.
    pub(super) fn make_call(
        &mut self,
        run: &mut ScriptRun,
        name: &str,
        arguments: &Arguments,
    ) -> Result<Result<ServedAnswer, String>, CannotDecide> {
        Ok(match run.take_answer(name, arguments) {
            ScriptedAnswer::Given(answer) => Ok(answer),
            ScriptedAnswer::Asks(call) => {
                let reply = self.find_reply(run, &call)?;
                run.settle_call(&call, reply)
            }
            ScriptedAnswer::Refused(problem) => Err(problem),
            ScriptedAnswer::UnknownTool => Err(format!("`{name}` is not one of the mock tools")),
        })
    }

    fn find_reply(&mut self, run: &ScriptRun, call: &ProgramCall) -> Result<&ProgramReply, CannotDecide> {
        match self {
            Self::Known(replies) => replies.find(call.key()),
            Self::Asked(ask, replies, asked) => {
                if !replies.contains(call.key()) {
                    if *asked == MAX_ASKED {
                        let what = format!("the programs behind the mock tools were asked {MAX_ASKED} times");
                        return Err(CannotDecide::budget_exceeded(what));
                    }
                    *asked += 1;
                    let answer = ask(&call.program, run.render_input(call));
                    replies.insert(call.key().to_owned(), answer.map(|answer| run.compare_answer(answer)));
                }
                replies.find(call.key())
            }
        }
    }
}
