//! Handles the panics of checks.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::engine::read_panic;

thread_local! {
    /// This thread is inside [`catch_silently`].
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Installs the panic hook, once in a process.
///
/// A panic inside [`catch_silently`] prints nothing, because it becomes the error of a trial. All other panics are printed as
/// usual; an agent that lost a pipe of its own ends its own trial only.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !CAUGHT.get() {
                default(info);
            }
        }));
    });
}

/// Runs `work` and catches a panic without printing it. The error is the panic's message.
pub(crate) fn catch_silently<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    result.map_err(|payload| read_panic(payload.as_ref()).to_owned())
}
