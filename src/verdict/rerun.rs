//! The command that runs a single trial.

use super::Verdict;

/// The largest number of trials in a command.
const MAX_NAMED: usize = 50;

/// The command that runs the trials of one harness, without `--exact NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rerun {
    command: String,
    /// The variables that decide whom the trials ask, as a shell sets them: empty, or with a space at the end.
    variables: String,
}

impl Default for Rerun {
    fn default() -> Self {
        Self::of_target(None, "evals")
    }
}

impl Rerun {
    /// Returns the command for a test target, of this package if other packages of the workspace may have it as well.
    pub fn of_target(package: Option<&str>, target: &str) -> Self {
        let package = package.map_or_else(String::new, |package| format!(" -p {}", quoted(package)));
        Self::of_command(format!("cargo test{package} --test {} --", quoted(target)))
    }

    /// Returns the command for a program, such as `cargo arraign run --`.
    pub fn of_command(command: impl Into<String>) -> Self {
        Self { command: command.into(), variables: String::new() }
    }

    /// Adds the variables that decide whom the trials ask, for the commands that repeat a trial.
    pub fn with_variables(self, variables: &[(&str, String)]) -> Self {
        let set = variables.iter().map(|(name, value)| format!("{name}={} ", quoted(value)));
        Self { variables: set.collect(), ..self }
    }

    /// Adds the variants of the run to every command: without them, there is no trial of a variant.
    pub fn with_variants(self, names: Option<String>) -> Self {
        match names {
            Some(names) => {
                Self { command: format!("ARRAIGN_VARIANT={} {}", quoted(&names), self.command), ..self }
            }
            None => self,
        }
    }

    /// Returns the command that repeats the trial `name` alone: it asks whom this run asks.
    pub fn repeat(&self, name: &str) -> String {
        format!("{}{}", self.variables, self.command(name))
    }

    /// Returns the command that repeats the run as a whole.
    pub fn repeat_all(&self) -> String {
        format!("{}{}", self.variables, self.command.trim_end_matches(" --"))
    }

    /// Returns the command that repeats the trials `names`, or all trials if the names are too many for a command line.
    pub fn repeat_some(&self, names: &[&str]) -> String {
        format!("{}{}", self.variables, self.command_for_some(names))
    }

    /// Returns the command that runs the trial `name` alone. The name is quoted if a shell would split it.
    pub fn command(&self, name: &str) -> String {
        self.command_for(&[name])
    }

    /// Returns the command that runs the trials `names`.
    pub fn command_for(&self, names: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        format!("{} --exact {}", self.command, names.join(" "))
    }

    /// Returns the command that runs the trials `names`, or all trials if the names are too many for a command line.
    pub fn command_for_some(&self, names: &[&str]) -> String {
        if names.len() > MAX_NAMED {
            return self.command.trim_end_matches(" --").to_owned();
        }
        self.command_for(names)
    }
}

impl Verdict {
    /// Returns the command that runs this trial alone.
    pub fn rerun_command(&self) -> String {
        self.rerun.clone().unwrap_or_else(|| Rerun::default().command(&self.name))
    }
}

/// Quotes a word for a shell, if it needs quotes.
pub fn quoted(word: &str) -> String {
    if word.chars().all(|c| c.is_alphanumeric() || "_-:.,/%+@=".contains(c)) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
