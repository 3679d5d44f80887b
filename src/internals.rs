//! What the program `cargo-arraign` and this repository's tests use besides the public face. No part of it is stable: the
//! program pins the library's version exactly.

#[cfg(feature = "live")]
pub mod agent {
    pub use crate::agent::*;
}
pub mod attack {
    pub use crate::attack::*;
}
pub mod case {
    pub use crate::case::*;
}
pub mod check {
    pub use crate::check::*;
}
pub mod engine {
    pub use crate::engine::*;
}
pub mod evidence {
    pub use crate::evidence::*;
}
pub mod harness {
    pub use crate::harness::*;
}
#[cfg(feature = "http")]
pub mod http {
    pub use crate::http::*;
}
pub mod judge {
    pub use crate::judge::cassette::{CASSETTES, cassette_prefix};
    pub use crate::judge::pool::{JudgeMode, JudgePool};
    pub use crate::judge::questionnaire::{AskedQuestion, Questionnaire};
    pub use crate::judge::reply::BadReply;
    pub use crate::judge::session::{JudgeSession, opinions_without_judge};
    pub use crate::judge::spending::JudgeUsage;
    pub use crate::judge::*;
}
#[cfg(feature = "mocks")]
pub mod mocks {
    pub use crate::mocks::*;
}
#[cfg(feature = "model")]
pub mod model {
    pub use crate::model::*;
}
pub mod mutate {
    pub use crate::mutate::*;
}
pub mod outcome {
    pub use crate::outcome::*;
}
pub mod pattern {
    pub use crate::pattern::*;
}
pub mod place {
    pub use crate::place::*;
}
#[cfg(feature = "model")]
pub mod port {
    pub use crate::port::*;
}
pub mod report {
    pub use crate::report::*;
}
pub mod score {
    pub use crate::score::*;
}
pub mod secrets {
    pub use crate::secrets::*;
}
pub mod source {
    pub use crate::source::*;
}
pub mod suite {
    pub use crate::suite::*;
}
pub mod verdict {
    pub use crate::verdict::rerun::{Rerun, quoted};
    pub use crate::verdict::*;

    pub mod summary {
        pub use crate::verdict::summary::*;
    }
}
pub mod vocabulary {
    pub use crate::vocabulary::*;
}
/// The files of workspaces.
pub mod workspace {
    pub use crate::workspace::*;
}
pub mod yaml {
    pub use crate::yaml::*;
}
pub mod write {
    pub use arraign_trace::write::*;
}
