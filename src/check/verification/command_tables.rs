//! The command lines that are known, one table a purpose, in `data/commands_*.txt`: entries between commas, about one
//! tool family a line. `purpose.rs` says how an entry is read.

/// Runs tests.
pub(super) const TEST: &str = include_str!("data/commands_test.txt");

/// Checks types, or compiles.
pub(super) const TYPE: &str = include_str!("data/commands_type.txt");

/// Lints, or checks the form.
pub(super) const LINT: &str = include_str!("data/commands_lint.txt");

/// Measures coverage.
pub(super) const COVERAGE: &str = include_str!("data/commands_coverage.txt");

/// Deploys.
pub(super) const DEPLOY: &str = include_str!("data/commands_deploy.txt");

/// Shows how what was deployed is doing.
pub(super) const HEALTH: &str = include_str!("data/commands_health.txt");
