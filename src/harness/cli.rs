//! The command line, repaired before libtest-mimic sees it.
//!
//! libtest-mimic takes one filter, refuses a flag given twice, does not know `--no-capture`, `--report-time`, `--shuffle` and
//! `--format junit`, hangs on `--test-threads 0` and ignores `RUST_TEST_THREADS`; cargo, nextest, the IDEs and people send all of
//! these.

use std::ffi::OsString;
use std::num::NonZero;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use libtest_mimic::{Arguments, FormatSetting};

use super::settings::{EnvSettings, VariantSelection};

/// Flags that take the next argument as their value.
const VALUED: &[&str] = &["--test-threads", "--logfile", SKIP, "--color", FORMAT, SHUFFLE_SEED, "-Z"];
/// The only flag that may be repeated.
const SKIP: &str = "--skip";
const FORMAT: &str = "--format";
const SHUFFLE: &str = "--shuffle";
const SHUFFLE_SEED: &str = "--shuffle-seed";
const REPORT_TIME: &str = "--report-time";
/// Alternative spellings of flags, each with the one that libtest-mimic knows.
const SPELLINGS: &[(&str, &str)] = &[("--no-capture", "--nocapture"), ("-q", "--quiet")];

/// The parsed command line.
#[derive(Debug)]
pub(super) struct HarnessCommand {
    /// The other flags. The filters among them are not used.
    pub(super) arguments: Arguments,
    /// The flags of libtest that libtest-mimic does not know.
    pub(super) more: LibtestFlags,
    /// All filters.
    pub(super) filters: Vec<String>,
    /// The settings of the environment.
    pub(super) settings: EnvSettings,
    /// The variants that `settings` name, once the settings of the folder are read.
    pub(super) variants: VariantSelection,
}

/// The flags of libtest that libtest-mimic does not know. libtest wants `-Z unstable-options` beside them, which is not needed here.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LibtestFlags {
    /// The trials run in the order that this seed gives, and not in the order of the plan (`--shuffle`, `--shuffle-seed N`).
    pub(super) shuffle_seed: Option<u64>,
    /// The lines of trials end with how long each took (`--report-time`).
    pub(super) reports_time: bool,
    /// Standard output is the `JUnit` report of the run (`--format junit`).
    pub(super) prints_junit: bool,
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

    /// Returns the number of threads for `trials` trials. A single trial runs on the main thread: a second one would take longer
    /// to start than most trials run.
    pub(super) fn count_threads(&self, trials: usize) -> usize {
        if trials == 1 {
            return 1;
        }
        let given = self.arguments.test_threads;
        given.or_else(|| thread::available_parallelism().ok().map(NonZero::get)).unwrap_or(1)
    }

    /// Whether the trials are listed as JSON.
    pub(super) fn lists_json(&self) -> bool {
        self.arguments.list && self.prints_json()
    }

    /// Whether standard output is a stream or a file that a program reads.
    pub(super) fn prints_data(&self) -> bool {
        self.prints_json() || self.more.prints_junit
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
    let more = LibtestFlags::take_from(&mut flags)?;
    let program = std::iter::once("evals".to_owned());
    let mut arguments = Arguments::from_iter(program.chain(flags.into_iter().map(|flag| flag.text)));
    set_threads(&mut arguments, threads_variable)?;
    try_logfile(&arguments)?;
    Ok(HarnessCommand {
        arguments,
        more,
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

    fn value(&self) -> Option<&str> {
        self.text.split_once('=').map(|(_, value)| value)
    }

    /// Without a value the flag stays as it is, and clap reports the missing value.
    fn with_value(name: &str, value: Option<String>) -> Self {
        let text = value.map_or(name.to_owned(), |value| format!("{name}={value}"));
        Self { name: name.to_owned(), text }
    }
}

impl LibtestFlags {
    /// Takes these flags out of `flags`. The error is a message for the user.
    fn take_from(flags: &mut Vec<Flag>) -> Result<Self, String> {
        let mut taken = Self::default();
        let mut seed = None;
        flags.retain(|flag| {
            match (flag.name.as_str(), flag.value()) {
                (REPORT_TIME, _) => taken.reports_time = true,
                (SHUFFLE, None) => {
                    taken.shuffle_seed.get_or_insert_with(make_seed);
                }
                (SHUFFLE_SEED, value) => seed = Some(value.unwrap_or_default().to_owned()),
                (FORMAT, Some("junit")) => taken.prints_junit = true,
                _ => return true,
            }
            false
        });
        if let Some(seed) = seed {
            let parsed = seed.parse::<u64>();
            taken.shuffle_seed = Some(
                parsed.map_err(|_| format!("{SHUFFLE_SEED} is `{seed}`: expected an integer from 0 up"))?,
            );
        }
        Ok(taken)
    }
}

/// Makes a seed that differs from run to run, as libtest does.
fn make_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| u64::from(time.subsec_nanos()) ^ time.as_secs())
}

/// Adds a flag. A later flag replaces an earlier one of the same name, except `--skip`.
fn keep_flag(flags: &mut Vec<Flag>, flag: Flag) {
    if flag.name != SKIP {
        flags.retain(|known| known.name != flag.name);
    }
    flags.push(flag);
}

/// Creates the log file, so that a run whose log cannot be written does not start.
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
        assert!(command.filters.is_empty());
    }

    #[test]
    fn a_flag_given_twice_leaves_no_value_behind() {
        let command = command("--format json --format=pretty --color never --color=auto --skip -x");
        assert!(command.filters.is_empty());
        assert_eq!(command.arguments.skip, ["-x"]);
        let quiet =
            parse_arguments(vec!["-q".into(), "--quiet".into()], None).expect("one flag by two names");
        assert!(quiet.arguments.quiet);
    }

    #[test]
    fn flags_of_libtest_alone_are_taken_out() {
        let command =
            command("-Z unstable-options --format junit --report-time --shuffle-seed 7 --shuffle x");
        assert!(command.more.prints_junit && command.more.reports_time && command.prints_data());
        assert_eq!(command.more.shuffle_seed, Some(7));
        assert_eq!(command.filters, ["x"]);
        let wrong = parse_arguments(vec!["--shuffle-seed=x".into()], None).expect_err("no number");
        assert_eq!(wrong, "--shuffle-seed is `x`: expected an integer from 0 up");
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
