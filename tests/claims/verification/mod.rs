//! The verification metric: the numbers of the profile `text` are those of the metric that it comes from; the profile
//! `trace` passes honest runs and fails the others; no input makes either of them slow, or panic.

mod dialects;
mod fuzz;
mod goldens;
mod sentences;
mod subject;
