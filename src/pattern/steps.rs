//! Counts the steps of scanners in tests, because time depends on the machine.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Counts that a scanner looked at so many bytes. Outside of tests, nothing is counted.
pub(super) fn count_steps(bytes: usize) {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + bytes));
    #[cfg(not(test))]
    let _ = bytes;
}

/// Asserts that a text of eight times the length of another takes about eight times as many steps, and not 64 times.
#[cfg(test)]
pub(super) fn assert_linear<T>(piece: &str, run: impl Fn(&str) -> T) {
    let [once, often] = [4_000, 32_000].map(|length| {
        let before = STEPS.with(Cell::get);
        run(&piece.repeat(length / piece.len()));
        STEPS.with(Cell::get) - before
    });
    assert!(once > 0 && often <= 10 * once + 10_000, "{piece}: {once} steps, then {often}");
}
