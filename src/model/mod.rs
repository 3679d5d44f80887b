//! The model port: a server on this machine between agents and their models.
//!
//! An agent sends the requests to its model to the port. The port forwards them and records the exchanges, or answers them
//! from the recorded ones. So the agent's own code runs in every mode, and a replay needs neither a network nor a key. A
//! request is found by its content, never by its position.

mod cassette;
mod content;
mod difference;
mod exchange;
mod forward;
mod incoming;
mod messages;
mod provider;
mod reply_body;
mod server;
mod session;

pub use crate::workspace::PathNames;
pub use cassette::{Cassette, render_exchanges};
pub use exchange::{RecordedExchange, RecordedReply, RecordedRequest};
pub use provider::Provider;
pub use server::PortLease;
pub use session::{PortAnswer, PortMode, PortOutcome, PortSession, RecordedSubject, SessionPlan, Upstreams};
