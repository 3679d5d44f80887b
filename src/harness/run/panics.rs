//! Handles two expected kinds of panics: those of a check, and those of libtest-mimic when it cannot print.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::Once;

use crate::harness::stderr;
use crate::report::plain::escape_line;

thread_local! {
    /// This thread is inside [`catch_silently`].
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Installs the panic hook, once in a process.
///
/// A panic inside [`catch_silently`] prints nothing, because it becomes the error of a trial. A line that libtest-mimic
/// cannot print ends the process without a backtrace: because its reader has gone (`cargo test | head`), or the disk is
/// full. All other panics are printed as usual; an agent that lost a pipe of its own ends its own trial only.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CAUGHT.get() {
                return;
            }
            if info.location().is_some_and(is_in_printer) {
                let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
                // A reader that has gone, such as `head`, is no mistake of the run.
                if text.contains("BrokenPipe") || text.contains("Broken pipe") {
                    std::process::exit(101);
                }
                stderr::eprint(&format!("error: cannot write the output: {}", escape_line(os_message(text))));
                std::process::exit(2);
            }
            default(info);
        }));
    });
}

/// Runs `work` and catches a panic without printing it. The error is the panic's message.
pub(crate) fn catch_silently<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    result.map_err(|payload| payload_text(payload.as_ref()))
}

/// Whether libtest-mimic's printer panicked, which it does if a line cannot be written.
fn is_in_printer(location: &Location<'_>) -> bool {
    location.file().contains("libtest-mimic") && location.file().ends_with("printer.rs")
}

/// Returns the operating system's message from the debug form of an I/O error.
fn os_message(text: &str) -> &str {
    let message = text.split_once("message: \"").and_then(|(_, rest)| rest.split_once('"'));
    message.map_or(text, |(message, _)| message)
}

fn payload_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}
