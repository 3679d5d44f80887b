//! Programs behind mock tools: what they are asked about a call, and what they answer.

use std::collections::BTreeMap;

use serde::Deserialize;
use smol_str::SmolStr;

use super::{Absent, ProgramRequest};
use crate::json::{self, Json};
use crate::outcome::CannotDecide;

/// What a program answers to a call: the output of one process.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramAnswer {
    /// The state after the call.
    pub state: Json,
    /// The result of the call.
    pub answer: Json,
    /// Whether the tool says that it failed.
    #[serde(default)]
    pub failed: bool,
}

impl ProgramAnswer {
    /// Parses the output of a program. The error says why it is no answer.
    pub fn parse(output: &str) -> Result<Self, String> {
        json::from_str(output).map_err(|error| error.to_string())
    }
}

/// Asks a program: its request, and the line that it reads from its standard input.
pub type AskProgram<'a> = &'a dyn Fn(&ProgramRequest, String) -> Result<ProgramAnswer, Absent>;

/// A change of the state that a program made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StateEdit {
    /// The value at the path is set.
    Set(Vec<SmolStr>, Json),
    /// A value is appended to the list at the path.
    Append(Vec<SmolStr>, Json),
    /// What is at the path is removed.
    Remove(Vec<SmolStr>),
}

/// A program's answer to one call, with what it changed in place of the whole state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProgramReply {
    pub(crate) edits: Vec<StateEdit>,
    pub(crate) answer: Json,
    pub(crate) failed: bool,
}

/// The answers of programs to the calls of a run. Each has the key of its call: a hash of the call and of all changes of the
/// state before it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProgramReplies(BTreeMap<String, Result<ProgramReply, Absent>>);

impl ProgramReplies {
    /// Whether the call with this key was asked about.
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(crate) fn insert(&mut self, key: String, reply: Result<ProgramReply, Absent>) {
        self.0.insert(key, reply);
    }

    /// Returns the answer to the call with this key. The error says why the answer is missing.
    pub(crate) fn find(&self, key: &str) -> Result<&ProgramReply, CannotDecide> {
        match self.0.get(key) {
            Some(Ok(reply)) => Ok(reply),
            Some(Err(Absent::Failed(why))) => Err(CannotDecide::invalid(why.as_str())),
            Some(Err(Absent::Undecided { why, help })) => {
                Err(CannotDecide::missing(why.as_str()).help(help.as_str()))
            }
            // The lint and the library alone run no programs.
            None => Err(CannotDecide::missing(
                "the program behind the mock tool was not run: only a test target runs programs",
            )),
        }
    }
}
