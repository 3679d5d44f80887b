//! The engine: a case and its runs to a verdict. Pure: no file, no clock but for durations.

mod aggregate;
mod baseline;
mod details;
mod evaluate;
mod gate;
mod regression;
mod run;
mod scoring;
mod secrets;

pub use evaluate::{evaluate, evaluate_each, evaluate_recorded, evaluate_with_judge, failed_with};
pub use gate::{MeasuredCase, evaluate_gate};
pub use regression::evaluate_summary_baseline;
