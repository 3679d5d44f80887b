//! The command line, repaired before libtest-mimic sees it.
//!
//! libtest-mimic takes one filter, refuses a flag given twice, does not know `--no-capture`, hangs on
//! `--test-threads 0` and ignores `RUST_TEST_THREADS`; cargo, nextest and the IDEs send all of these.

use std::ffi::OsString;

use libtest_mimic::Arguments;

/// Flags that take the next argument as their value.
const VALUED: &[&str] = &["--test-threads", "--logfile", "--skip", "--color", "--format", "-Z"];
/// Flags that may be repeated with a value of their own.
const REPEATABLE: &[&str] = &["--skip"];

/// What the user asked for.
#[derive(Debug)]
pub(super) struct Command {
    /// For libtest-mimic. Its filter is set only where there is one.
    pub(super) arguments: Arguments,
    /// All filters.
    pub(super) filters: Vec<String>,
}

impl Command {
    /// Whether a trial of this name is wanted.
    pub(super) fn wants(&self, name: &str) -> bool {
        let hit =
            |text: &String| if self.arguments.exact { name == text } else { name.contains(text.as_str()) };
        (self.filters.is_empty() || self.filters.iter().any(hit)) && !self.arguments.skip.iter().any(hit)
    }

    /// The names of the trials, where the command line names them.
    pub(super) fn exact_names(&self) -> Option<&[String]> {
        (self.arguments.exact && !self.filters.is_empty() && !self.arguments.list).then_some(&self.filters)
    }
}

/// Reads the arguments of a process (without its name). Help and bad flags end the process, as clap has it; the
/// error is for what clap accepts and libtest does not.
pub(super) fn parse(raw: Vec<OsString>, threads_variable: Option<OsString>) -> Result<Command, String> {
    let (mut flags, mut filters) = (vec![OsString::from("evals")], Vec::new());
    let mut rest = raw.into_iter();
    while let Some(argument) = rest.next() {
        let Some(text) = argument.to_str().map(str::to_owned) else {
            return Err(format!("the argument `{}` is not UTF-8", argument.to_string_lossy()));
        };
        if text == "--" {
            filters.extend(rest.by_ref().map(|filter| filter.to_string_lossy().into_owned()));
        } else if VALUED.contains(&text.as_str()) {
            keep_valued(&mut flags, argument, rest.next());
        } else if text.starts_with('-') {
            keep_flag(&mut flags, &text);
        } else {
            filters.push(text);
        }
    }
    let mut arguments = Arguments::from_iter(flags);
    set_threads(&mut arguments, threads_variable)?;
    if let [only] = filters.as_slice() {
        arguments.filter = Some(only.clone());
    }
    Ok(Command { arguments, filters })
}

/// The last value counts, except where all do.
fn keep_valued(flags: &mut Vec<OsString>, flag: OsString, value: Option<OsString>) {
    let repeatable = REPEATABLE.iter().any(|known| flag == *known);
    if let (false, Some(at)) = (repeatable, flags.iter().position(|known| *known == flag)) {
        flags.drain(at..(at + 2).min(flags.len()));
    }
    flags.push(flag);
    flags.extend(value);
}

fn keep_flag(flags: &mut Vec<OsString>, text: &str) {
    let flag = OsString::from(if text == "--no-capture" { "--nocapture" } else { text });
    let name = text.split('=').next().unwrap_or(text);
    if REPEATABLE.contains(&name) {
        flags.push(flag);
        return;
    }
    flags.retain(|known| {
        known.to_str().and_then(|known| known.split('=').next()) != Some(name) && *known != flag
    });
    flags.push(flag);
}

fn set_threads(arguments: &mut Arguments, variable: Option<OsString>) -> Result<(), String> {
    if arguments.test_threads == Some(0) {
        return Err("argument for --test-threads must not be 0".to_owned());
    }
    let Some(variable) = variable.filter(|_| arguments.test_threads.is_none()) else { return Ok(()) };
    let threads =
        variable.to_str().and_then(|text| text.parse::<usize>().ok()).filter(|threads| *threads > 0);
    if threads.is_none() {
        let text = variable.to_string_lossy();
        return Err(format!("RUST_TEST_THREADS is `{text}`, should be a positive integer"));
    }
    arguments.test_threads = threads;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(arguments: &[&str]) -> Command {
        parse(arguments.iter().map(OsString::from).collect(), None).expect("it is a command")
    }

    #[test]
    fn several_filters_are_any_of_them() {
        let command = command(&["refund", "auth", "--skip", "slow"]);
        assert!(command.wants("x::refund_a") && command.wants("auth"));
        assert!(!command.wants("x::refund_slow") && !command.wants("other"));
    }

    #[test]
    fn libtests_spellings_and_repeats_are_accepted() {
        let command = command(&[
            "--no-capture",
            "--nocapture",
            "--nocapture",
            "--exact",
            "--exact",
            "--format",
            "json",
            "--format=pretty",
            "-Z",
            "unstable-options",
            "-Z",
            "unstable-options",
            "--show-output",
        ]);
        assert!(command.arguments.nocapture && command.arguments.exact);
    }

    #[test]
    fn no_threads_is_no_number_of_threads() {
        let zero = parse(vec!["--test-threads=0".into()], None).expect_err("zero");
        assert_eq!(zero, "argument for --test-threads must not be 0");
        let variable = parse(vec![], Some("many".into())).expect_err("not a number");
        assert_eq!(variable, "RUST_TEST_THREADS is `many`, should be a positive integer");
        let both = parse(vec!["--test-threads".into(), "3".into()], Some("7".into())).expect("the flag wins");
        assert_eq!(both.arguments.test_threads, Some(3));
        assert_eq!(parse(vec![], Some("7".into())).expect("a number").arguments.test_threads, Some(7));
    }
}
