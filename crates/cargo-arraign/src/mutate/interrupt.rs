//! Ctrl-C: the mutants stop, and what is known by then is shown. A second one ends the program at once, as does the first one
//! while no mutants are tried.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};

/// The exit code of a program that Ctrl-C has ended.
pub(super) const INTERRUPTED: u8 = 130;

/// A flag that Ctrl-C sets. Where it is set already, Ctrl-C ends the program.
pub(super) struct InterruptFlag(Arc<AtomicBool>);

impl InterruptFlag {
    pub(super) fn register() -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(true));
        register_conditional_shutdown(SIGINT, i32::from(INTERRUPTED), Arc::clone(&flag))?;
        register(SIGINT, Arc::clone(&flag))?;
        Ok(Self(flag))
    }

    /// Calls `work` with a flag that Ctrl-C sets meanwhile.
    pub(super) fn watch<T>(&self, work: impl FnOnce(&AtomicBool) -> T) -> T {
        self.0.store(false, Ordering::Relaxed);
        let result = work(&self.0);
        self.0.store(true, Ordering::Relaxed);
        result
    }
}
