//! Mock tools: an MCP server between an agent and its tools.
//!
//! An agent finds the server at an address of its own run, and calls its tools there. The answers are scripted in the case,
//! or recorded from an existing server and replayed. What was called is part of the trace.

mod handler;
mod inspect;
mod merge;
mod remote;
mod server;
mod session;

pub use handler::{MockHandler, MockLease, serve_streams};
pub use merge::{MockCall, merge_calls};
pub use remote::RemoteMocks;
pub use server::{ServerPlan, ServerProcess, StartServer};
pub use session::{MockOutcome, MockPlan, MockProblem, MockSession, StartProgram};
