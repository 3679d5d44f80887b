//! The Rust half of the Python package `arraign-trace`: the module `arraign_trace._native`.

mod error;
mod file;
mod run;
mod save;
mod value;

use pyo3::prelude::*;

#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::error::TraceError;
    #[pymodule_export]
    use crate::file::{detect, formats, read};
    #[pymodule_export]
    use crate::run::{Call, Message, Run, UnreadPart, Usage};
    #[pymodule_export]
    use crate::save::{build_native, read_messages};
}
