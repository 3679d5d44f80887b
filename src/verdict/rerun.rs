//! How a trial is run alone.

use super::Verdict;

/// The command that runs the trials of one harness: what stands before `--exact NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rerun(String);

impl Default for Rerun {
    fn default() -> Self {
        Self::of_target("evals")
    }
}

impl Rerun {
    /// That of a test target.
    pub fn of_target(target: &str) -> Self {
        Self(format!("cargo test --test {} --", quoted(target)))
    }

    /// That of a program: `cargo arraign run --`.
    pub fn of_command(command: impl Into<String>) -> Self {
        Self(command.into())
    }

    /// The command that runs the trial `name` alone. The name stands in quotes where a shell would split it.
    pub fn command(&self, name: &str) -> String {
        format!("{} --exact {}", self.0, quoted(name))
    }
}

impl Verdict {
    /// The command that runs this trial alone.
    pub fn rerun_command(&self) -> String {
        self.rerun.clone().unwrap_or_else(|| Rerun::default().command(&self.name))
    }
}

/// One word of a shell's.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-:.,/%+@=".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
