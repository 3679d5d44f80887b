//! The state behind mock tools, and the check of it.
//!
//! `script` says which call gets which answer and what the answer does to the state, `tree` is the state, and `replay` makes
//! the state anew from the calls of a trace. The server of mock tools uses the same script, so that a live run, its recording
//! and a foreign trace of the same calls end in the same state.

mod difference;
pub(super) mod not_injected;
mod oracle;
mod replay;
mod script;
pub(super) mod state;
mod template;
mod tree;

pub(crate) use not_injected::{KIND as NOT_INJECTED, NotInjected};
#[cfg(feature = "mocks")]
pub(crate) use script::is_named;
pub(crate) use script::{AnswerContent, ExistsIn, SharedState, StateOperation};
pub use script::{
    InitialState, MockAnswer, MockContent, MockTool, ProgramCall, ScriptRun, ScriptedAnswer, ServedAnswer,
    ToolScript,
};
pub(crate) use state::refuse_unknown_member;
pub(crate) use template::{PointerTemplate, ValueTemplate, parse_pointer};
