//! Whether nextest runs a partition (`--partition hash:1/2`).
//!
//! nextest does not tell the processes that it starts. On Linux and macOS they find it in the command line of the process
//! that has started them.

/// The flag of a partition.
#[cfg(unix)]
const FLAG: &str = "--partition";

/// Whether this process belongs to a partition of nextest.
#[cfg(unix)]
pub(in crate::harness) fn runs_partition() -> bool {
    let parent = std::os::unix::process::parent_id().to_string();
    names_partition(&read_command_line(&parent))
}

/// Whether this process belongs to a partition of nextest: unknown on this system.
#[cfg(not(unix))]
pub(in crate::harness) fn runs_partition() -> bool {
    false
}

/// Reads the words of a process's command line. Empty if the system does not show them.
#[cfg(unix)]
fn read_command_line(process: &str) -> Vec<String> {
    if let Ok(bytes) = std::fs::read(format!("/proc/{process}/cmdline")) {
        return String::from_utf8_lossy(&bytes).split('\0').map(str::to_owned).collect();
    }
    let shown = std::process::Command::new("ps").args(["-o", "args=", "-p", process]).output();
    let shown = shown.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    shown.split_whitespace().map(str::to_owned).collect()
}

/// Whether the flag is among the words, before those for the test programs.
#[cfg(unix)]
fn names_partition(words: &[String]) -> bool {
    let mut own = words.iter().take_while(|word| *word != "--");
    own.any(|word| word.strip_prefix(FLAG).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn says(line: &str) -> bool {
        names_partition(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_partition_is_a_flag_of_nextest_itself() {
        assert!(says("cargo-nextest nextest run --partition hash:1/2"));
        assert!(says("cargo-nextest nextest run --partition=count:1/2 -E all()"));
        assert!(!says("cargo-nextest nextest run -E test(partition)"));
        assert!(!says("cargo-nextest nextest run -- --partition"));
        assert!(!says("cargo-nextest nextest run --partitions"));
    }

    #[test]
    fn the_command_line_of_this_process_is_found() {
        let own = read_command_line(&std::process::id().to_string());
        assert!(own.first().is_some_and(|program| program.contains("arraign")), "{own:?}");
    }
}
