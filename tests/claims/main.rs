//! The claims of the library: what its parts do, and what a user meets in a process, its exit code and its streams.
//!
//! A process that a claim starts is the test target `subject`.

mod absent_evidence;
mod architecture;
mod args_valid;
mod bad_input;
mod baseline;
mod book;
mod budgets;
#[path = "../support/cargo.rs"]
mod cargo;
mod comparison;
mod declared_readers;
mod docs;
mod evalview;
mod evalview_cases;
mod exact_numbers;
mod expected_calls;
mod fit;
mod formats;
mod golden_dataset;
mod harness;
mod http;
mod joined_runs;
mod js_regex;
mod judge;
mod key_tables;
mod keys;
#[cfg(unix)]
mod killed;
mod live;
mod msrv;
#[path = "../../crates/arraign-trace/tests/claims/mutations.rs"]
mod mutations;
mod native_yaml;
mod packages;
mod paired;
#[path = "../support/project.rs"]
mod project;
#[path = "../support/published.rs"]
mod published;
mod report;
mod runs_of_case;
mod schema;
#[path = "../subject/scripted.rs"]
mod scripted;
mod secrets;
mod sequence_valid;
#[path = "../support/server.rs"]
#[cfg_attr(not(unix), expect(dead_code, reason = "the claims about models need an agent in shell"))]
mod server;
mod statistics;
mod tested;
mod tool_names;
mod verification;
mod yaml_oracle;
