//! The claims of the crate: what its readers make of real, damaged and hostile files.

mod acp;
mod answers;
mod declared;
mod drift;
mod ends;
mod failure_marks;
mod harmless;
#[cfg(feature = "inspect-zip")]
mod inspect_zip;
mod json_oracle;
mod jsonpath;
mod langfuse;
mod logs;
mod mastra;
mod mutations;
mod openinference;
mod otel_logs;
mod places;
mod reader;
mod reader_confused;
mod reader_errors;
mod reader_frameworks;
mod reader_fuzz;
mod reader_one_run;
mod reader_runs;
mod reader_same_run;
mod samples;
mod spans;
mod unread;
mod write;
mod writers;
