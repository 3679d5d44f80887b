//! The engine: evaluates a case on its runs. Pure functions, except that they measure durations.
//!
//! `evaluate` takes the runs one by one, `run` asks the checks about one run, `scoring` fills in its scorecards, `aggregate`
//! combines several runs, and `details` adds to a failed verdict what the runs did. `mutant` evaluates changed copies of a run.

mod aggregate;
mod baseline;
mod details;
mod divided;
mod evaluate;
mod fit;
mod gate;
mod mutant;
mod regression;
mod run;
mod run_result;
mod scoring;
mod secrets;

pub use aggregate::MEDIAN;
pub use divided::DividedGate;
pub use evaluate::{
    EvaluationSettings, UndecidedRun, evaluate, evaluate_each, evaluate_recorded, evaluate_with_judge,
    failed_with, undecided_with,
};
pub use gate::{GateRule, MeasuredCase, evaluate_gate};
pub(crate) use mutant::MutantEvaluator;
pub use mutant::MutantVerdict;
pub use regression::EarlierMeans;
pub(crate) use run::read_panic;
pub use run::{ProgramStarter, StartPrograms};
