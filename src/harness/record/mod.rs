//! What a run leaves in its folder: its verdicts, and the manifest that tells how it began; and both read back.

mod earlier;
pub(super) mod harness_id;
pub(super) mod manifest;
pub mod runs;
pub(super) mod store;

pub use earlier::earlier_run;
