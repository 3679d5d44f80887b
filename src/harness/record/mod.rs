//! The files that a run leaves in its folder: logs of verdicts, and manifests, written and read.

mod earlier;
pub(super) mod harness_id;
pub(super) mod manifest;
pub(super) mod prepare;
mod prune;
pub mod runs;
pub(super) mod store;

pub use earlier::earlier_run;
