//! The harness as its users meet it: a process with arguments, an environment, an exit code and two streams.

mod cases;
mod compared;
#[cfg(target_os = "linux")]
mod costly;
mod exact;
mod exits;
#[cfg(target_os = "linux")]
mod faults;
mod golden;
mod harbor;
mod history;
mod hostile;
mod ide;
mod identifiers;
mod libtest;
mod lists;
mod names;
mod quarantine;
mod reports;
mod roots;
mod rows;
mod runs;
mod schema;
mod scores;
mod secrets;
mod select;
mod shards;
mod snapshots;
mod store;
mod verbose;
