//! Panics that are expected: a check's own, and the printer's when its reader has gone.

use std::cell::Cell;
use std::panic;
use std::sync::Once;

thread_local! {
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Installs the hook, once a process. A panic inside [`quietly`] prints nothing: it becomes a trial's error. A
/// broken pipe (`cargo test | head`) ends the process without a backtrace. All others are printed as ever.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
            if text.contains("BrokenPipe") || text.contains("Broken pipe") {
                std::process::exit(101);
            }
            if !CAUGHT.get() {
                default(info);
            }
        }));
    });
}

/// Runs `work`, whose panics are caught inside it, without printing them.
pub(super) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let before = CAUGHT.replace(true);
    let value = work();
    CAUGHT.set(before);
    value
}
