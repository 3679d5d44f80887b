//! The files that a run leaves in its folder: logs of verdicts, and manifests, written and read.

mod earlier;
pub(super) mod harness_id;
mod history;
pub(super) mod manifest;
pub(super) mod prepare;
mod prune;
pub mod runs;
pub(super) mod store;

pub use earlier::{describe_runs, earlier_run, earlier_shards};
pub use history::read_history;
pub(super) use history::read_own_history;
