//! Panics that are expected: a check's own, and the printer's when its reader has gone.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::Once;

use crate::harness::output::stderr;
use crate::report::plain::escape_line;

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Installs the hook, once a process. A panic inside [`quietly`] prints nothing: it becomes a trial's error. A
/// broken pipe (`cargo test | head`) ends the process without a backtrace. All others are printed as ever.
pub(in crate::harness) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CAUGHT.get() {
                return;
            }
            let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
            if text.contains("BrokenPipe") || text.contains("Broken pipe") {
                std::process::exit(101);
            }
            if info.location().is_some_and(is_of_the_printer) {
                stderr::eprint(&format!(
                    "error: the output cannot be written: {}",
                    escape_line(os_message(text))
                ));
                std::process::exit(2);
            }
            default(info);
        }));
    });
}

/// Runs `work` without printing its panic. The error is what the panic said.
pub(in crate::harness) fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    result.map_err(|payload| payload_text(payload.as_ref()))
}

/// libtest-mimic takes it for granted that its lines can be written: a disk may be full.
fn is_of_the_printer(location: &Location<'_>) -> bool {
    location.file().contains("libtest-mimic") && location.file().ends_with("printer.rs")
}

/// The words of the operating system in the debug form of its error.
fn os_message(text: &str) -> &str {
    let message = text.split_once("message: \"").and_then(|(_, rest)| rest.split_once('"'));
    message.map_or(text, |(message, _)| message)
}

fn payload_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}
