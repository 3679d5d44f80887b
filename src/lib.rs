//! **arraign** turns every YAML eval case into a libtest trial.
//!
//! A prompt edit or a new model can silently change which tools an agent calls, with which arguments, in which
//! order, and what it answers. A **case** in YAML applies **checks** to the recorded **trace** of an agent run and
//! gets a **verdict**. Every case is one trial of `cargo test`.
//!
//! ```text
//! evals/**/*.yaml ──read──▶ Case ─┐                              ┌─▶ libtest trial (name, ok/FAILED, message)
//!                                 ├─▶ Evidence ─check─▶ Verdict ─┼─▶ verdict log
//! trace file / inline / agent ────┘                              └─▶ insta snapshot of the violations
//! ```
//!
//! # Where to look
//!
//! - [`Harness`] is the test target: it finds the cases, runs them as trials, and leaves verdicts and reports.
//! - [`Harness::parse`] and [`evaluate`] hold a trace against a case inside any other test.
//! - [`Check`] is a check of your own, with its [`Evidence`], [`Outcome`], [`Violation`] and [`CannotDecide`].
//! - [`trace`] is the record of one run, and [`reader`] reads the formats that agents write.
//! - [`verdict`] is what each trial leaves as JSON, and [`lint`] what the cases leave untested.
//! - [`judge`] is a model that answers questions about a run.
//!
//! The keys of cases are in the README and the pages beside it; `cargo arraign` is the package `cargo-arraign`.
//!
//! # In a project
//!
//! ```toml
//! [dev-dependencies]
//! arraign = "0.1"
//!
//! [[test]]
//! name = "evals"
//! harness = false
//! ```
//!
//! The test target `tests/evals.rs`:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     arraign::Harness::new("evals").run()
//! }
//! ```
//!
//! `cargo test --test evals` or `cargo nextest run` then runs every case in `evals/` and its subfolders.
//!
//! # In any `#[test]`
//!
//! ```
//! use arraign::trace::{Arguments, Call, Trace};
//!
//! let suite = arraign::Harness::new("evals").parse("{metric: tool_blocklist, blocklist: ['admin_*']}")?;
//! let mut trace = Trace::default();
//! trace.push_call(Call::new("admin_reset", Arguments::none(), 1));
//!
//! let verdict = arraign::evaluate(&suite.cases[0], &trace);
//! assert!(!verdict.passed);
//! assert_eq!(verdict.violations().next().unwrap().message, "`admin_reset` is blocked by `admin_*`, but was called");
//! # Ok::<(), arraign::LoadErrors>(())
//! ```
//!
//! # A check of your own
//!
//! A check is a struct whose fields are its YAML settings. [`Check::check`] is a pure function of the evidence.
//! [`Harness::check`] registers the struct under a name. It then has everything that a built-in check has.
//!
//! ```
//! use arraign::{Check, Evidence, Outcome, Trace, CannotDecide, Violation};
//!
//! /// `- answer_shorter_than: {characters: 280}`
//! #[derive(serde::Deserialize)]
//! #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
//! struct AnswerShorterThan {
//!     /// The least number of characters that are too many.
//!     characters: usize,
//! }
//!
//! impl Check for AnswerShorterThan {
//!     fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
//!         let Some(answer) = &evidence.trace.answer else { return Err(CannotDecide::missing("the run has no answer")) };
//!         let long = answer.chars().count() >= self.characters;
//!         Ok(long.then(|| Violation::new("the answer is too long").at("/characters")).into())
//!     }
//!
//!     fn counterexample(&self) -> Option<Evidence<'static>> {
//!         Some(Trace { answer: Some("x".repeat(self.characters)), ..Trace::default() }.into())
//!     }
//! }
//!
//! let harness = arraign::Harness::new("evals").check::<AnswerShorterThan>("answer_shorter_than");
//! let suite = harness.parse("expect: [answer_shorter_than: {characters: 5}]")?;
//! let trace = Trace { answer: Some("It ships today.".into()), ..Trace::default() };
//! assert!(!arraign::evaluate(&suite.cases[0], &trace).passed);
//! # Ok::<(), arraign::LoadErrors>(())
//! ```

// docs.rs shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The programs on pages of the book compile.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../docs/extend.md")]
    struct Extend;

    #[cfg(feature = "model")]
    #[doc = include_str!("../docs/start-rust.md")]
    struct StartRust;
}

/// Shows the cases of a folder to rust-analyzer: its test explorer, its `Run` lenses and its results. One line of the test
/// target, with the folder that [`Harness::new`] has:
///
/// ```
/// arraign::cases!("evals");
/// ```
///
/// `cargo arraign ide` writes the names of the trials to `cases.rs` in that folder. Only rust-analyzer reads the file; for
/// the compiler the line is empty, and the file need not exist.
#[cfg(not(rust_analyzer))]
#[macro_export]
macro_rules! cases {
    ($folder:literal) => {};
}

/// The same for rust-analyzer, which compiles every crate with this condition.
#[cfg(rust_analyzer)]
#[macro_export]
macro_rules! cases {
    ($folder:literal) => {
        ::core::include!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", $folder, "/cases.rs"));
        arraign_cases!();
    };
}

#[doc(hidden)]
#[path = "internals.rs"]
pub mod __internals;

#[cfg(feature = "live")]
mod agent;
mod attack;
mod case;
mod check;
mod engine;
mod evidence;
mod harness;
#[cfg(feature = "http")]
mod http;
pub mod judge;
pub mod lint;
#[cfg(feature = "mocks")]
mod mocks;
#[cfg(feature = "model")]
mod model;
mod mutate;
mod outcome;
mod pattern;
#[cfg(feature = "model")]
mod port;
pub mod reader;
mod report;
mod score;
mod secrets;
mod source;
mod suite;
pub mod verdict;
mod vocabulary;
mod workspace;
mod yaml;

pub(crate) use arraign_trace::place;
pub use arraign_trace::trace;
pub use arraign_trace::{Json, json};

#[cfg(feature = "live")]
pub use agent::{AgentInput, AgentVariant, IntoTrace, Messages, ModelAddresses};
pub use case::Case;
pub use check::{BuildCheck, Check, CheckKind, CheckSettings, Scope};
pub use engine::evaluate;
pub use evidence::Evidence;
pub use harness::Harness;
pub use outcome::{CannotDecide, Item, Loss, Outcome, Score, State, Status, UndecidedReason, Violation};
pub use place::{LoadError, LoadErrors};
/// Settings of a check of your own derive its `JsonSchema`, with the feature `schema`.
#[cfg(feature = "schema")]
pub use schemars;
pub use suite::Suite;
pub use trace::Trace;
pub use verdict::Verdict;
pub use yaml::Placed;

/// Schemars' derive, or one that derives nothing: settings have one line for both builds.
#[cfg(not(feature = "schema"))]
pub(crate) use arraign_derive::JsonSchema;
#[cfg(feature = "schema")]
pub(crate) use schemars::JsonSchema;
