//! The command line, repaired before libtest-mimic sees it.
//!
//! libtest-mimic takes one filter, refuses a flag given twice, does not know `--no-capture`, hangs on
//! `--test-threads 0` and ignores `RUST_TEST_THREADS`; cargo, nextest and the IDEs send all of these.

use std::ffi::OsString;

use libtest_mimic::{Arguments, FormatSetting};

use super::settings::{EnvSettings, VariantSelection};

/// Flags that take the next argument as their value.
const VALUED: &[&str] = &["--test-threads", "--logfile", SKIP, "--color", "--format", "-Z"];
/// The only flag that may be repeated.
const SKIP: &str = "--skip";
/// Alternative spellings of flags, each with the one that libtest-mimic knows.
const SPELLINGS: &[(&str, &str)] = &[("--no-capture", "--nocapture"), ("-q", "--quiet")];

/// The parsed command line.
#[derive(Debug)]
pub(super) struct HarnessCommand {
    /// The arguments for libtest-mimic. Its filter is set only if there is exactly one.
    pub(super) arguments: Arguments,
    /// All filters.
    pub(super) filters: Vec<String>,
    /// The settings of the environment.
    pub(super) settings: EnvSettings,
    /// The variants that `settings` name, once the settings of the folder are read.
    pub(super) variants: VariantSelection,
}

impl HarnessCommand {
    /// Whether the filters select the trial `name` and no `--skip` excludes it.
    pub(super) fn wants_trial(&self, name: &str) -> bool {
        let is_selected = self.filters.is_empty() || self.matches_any(&self.filters, name);
        is_selected && !self.matches_any(&self.arguments.skip, name)
    }

    fn matches_any(&self, filters: &[String], name: &str) -> bool {
        if self.arguments.exact {
            return filters.iter().any(|filter| name == filter);
        }
        filters.iter().any(|filter| name.contains(filter.as_str()))
    }

    /// Returns the arguments of libtest-mimic for a plan of `trials` trials. A single trial runs on the main thread: a
    /// second one would take longer to start than most trials run.
    pub(super) fn arguments_for(&self, trials: usize) -> Arguments {
        let mut arguments = self.arguments.clone();
        if trials == 1 {
            arguments.test_threads = Some(1);
        }
        arguments
    }

    /// Whether the trials are listed as JSON.
    pub(super) fn lists_json(&self) -> bool {
        self.arguments.list && self.prints_json()
    }

    /// Whether standard output is JSON.
    pub(super) fn prints_json(&self) -> bool {
        self.arguments.format == Some(FormatSetting::Json)
    }

    /// The names of the trials, if `--exact` runs trials by their full names.
    pub(super) fn exact_names(&self) -> Option<&[String]> {
        (self.arguments.exact && !self.filters.is_empty() && !self.arguments.list).then_some(&self.filters)
    }
}

/// Parses the arguments of a process, without its name. `--help` and invalid flags end the process, as clap does. The
/// error is for arguments that clap accepts and libtest does not.
pub(super) fn parse_arguments(
    raw: Vec<OsString>,
    threads_variable: Option<OsString>,
) -> Result<HarnessCommand, String> {
    let mut flags = Vec::new();
    let mut filters = Vec::new();
    let mut rest = raw.into_iter();
    // clap would refuse a repeated flag and a second filter. So filters are collected apart, and each flag is brought
    // into the form `--flag=value`, in which a later one replaces an earlier one by name.
    while let Some(argument) = rest.next() {
        let text = into_utf8(argument)?;
        if text == "--" {
            let more: Result<Vec<String>, String> = rest.by_ref().map(into_utf8).collect();
            filters.extend(more?);
        } else if VALUED.contains(&text.as_str()) {
            let value = rest.next().map(into_utf8).transpose()?;
            keep_flag(&mut flags, Flag::with_value(&text, value));
        } else if text.starts_with('-') {
            keep_flag(&mut flags, Flag::from_text(&text));
        } else {
            filters.push(text);
        }
    }
    let program = std::iter::once("evals".to_owned());
    let mut arguments = Arguments::from_iter(program.chain(flags.into_iter().map(|flag| flag.text)));
    set_threads(&mut arguments, threads_variable)?;
    try_logfile(&arguments)?;
    if let [only] = filters.as_slice() {
        arguments.filter = Some(only.clone());
    }
    Ok(HarnessCommand {
        arguments,
        filters,
        settings: EnvSettings::default(),
        variants: VariantSelection::default(),
    })
}

fn into_utf8(argument: OsString) -> Result<String, String> {
    argument
        .into_string()
        .map_err(|argument| format!("the argument `{}` is not UTF-8", argument.to_string_lossy()))
}

/// A flag with its value after `=`, however it was written.
struct Flag {
    name: String,
    text: String,
}

impl Flag {
    fn from_text(text: &str) -> Self {
        let known = SPELLINGS.iter().find(|(other, _)| *other == text);
        let text = known.map_or(text, |(_, usual)| usual);
        // `-Zunstable-options` is the only flag that may have its value attached.
        let name = if text.starts_with("-Z") { "-Z" } else { text.split('=').next().unwrap_or(text) };
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    /// Without a value the flag stays as it is, and clap reports the missing value.
    fn with_value(name: &str, value: Option<String>) -> Self {
        let text = value.map_or(name.to_owned(), |value| format!("{name}={value}"));
        Self { name: name.to_owned(), text }
    }
}

/// Adds a flag. A later flag replaces an earlier one of the same name, except `--skip`.
fn keep_flag(flags: &mut Vec<Flag>, flag: Flag) {
    if flag.name != SKIP {
        flags.retain(|known| known.name != flag.name);
    }
    flags.push(flag);
}

/// Creates the log file, because libtest-mimic panics if it cannot be created.
fn try_logfile(arguments: &Arguments) -> Result<(), String> {
    let Some(path) = &arguments.logfile else { return Ok(()) };
    let created = std::fs::File::create(path);
    created.map(drop).map_err(|error| format!("--logfile: cannot write `{path}`: {error}"))
}

fn set_threads(arguments: &mut Arguments, variable: Option<OsString>) -> Result<(), String> {
    if arguments.test_threads == Some(0) {
        return Err("argument for --test-threads must not be 0".to_owned());
    }
    // The flag wins over the variable, as in libtest.
    let Some(variable) = variable.filter(|_| arguments.test_threads.is_none()) else { return Ok(()) };
    let threads =
        variable.to_str().and_then(|text| text.parse::<usize>().ok()).filter(|threads| *threads > 0);
    if threads.is_none() {
        let text = variable.to_string_lossy();
        return Err(format!("RUST_TEST_THREADS is `{text}`: expected a positive integer"));
    }
    arguments.test_threads = threads;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> HarnessCommand {
        parse_arguments(line.split(' ').map(OsString::from).collect(), None).expect("it is a command")
    }

    #[test]
    fn several_filters_are_any_of_them() {
        let command = command("refund auth --skip slow");
        assert!(command.wants_trial("x::refund_a") && command.wants_trial("auth"));
        assert!(!command.wants_trial("x::refund_slow") && !command.wants_trial("other"));
    }

    #[test]
    fn libtests_spellings_and_repeats_are_accepted() {
        let command = command(
            "--no-capture --nocapture --nocapture --exact --exact --format json --format=pretty -Z unstable-options \
             -Z unstable-options --show-output",
        );
        assert!(command.arguments.nocapture && command.arguments.exact);
        assert!(command.filters.is_empty() && command.arguments.filter.is_none());
    }

    #[test]
    fn a_flag_given_twice_leaves_no_value_behind() {
        let command = command("--format json --format=pretty --color never --color=auto --skip -x");
        assert_eq!(command.arguments.filter, None);
        assert_eq!(command.arguments.skip, ["-x"]);
        let quiet =
            parse_arguments(vec!["-q".into(), "--quiet".into()], None).expect("one flag by two names");
        assert!(quiet.arguments.quiet);
    }

    #[test]
    fn no_threads_is_no_number_of_threads() {
        let zero = parse_arguments(vec!["--test-threads=0".into()], None).expect_err("zero");
        assert_eq!(zero, "argument for --test-threads must not be 0");
        let variable = parse_arguments(vec![], Some("many".into())).expect_err("not a number");
        assert_eq!(variable, "RUST_TEST_THREADS is `many`: expected a positive integer");
        let both = parse_arguments(vec!["--test-threads".into(), "3".into()], Some("7".into()))
            .expect("the flag wins");
        assert_eq!(both.arguments.test_threads, Some(3));
        assert_eq!(
            parse_arguments(vec![], Some("7".into())).expect("a number").arguments.test_threads,
            Some(7)
        );
    }
}
