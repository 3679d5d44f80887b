//! The settings of a run. They are environment variables, because runners pass no unknown flags on.

mod overrides;
mod shard;
mod variants;

use std::env;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use self::overrides::{CaseOverrides, parse_repeat, parse_threshold};
pub(super) use self::shard::{Shard, add_bazel_filter};
pub(super) use self::variants::VariantSelection;
use crate::case::Tier;
use crate::judge::JudgeMode;
use crate::report::{FORMATS, render_utc};
use crate::suite::ReportFormat;

/// The variables that this version reads.
const KNOWN: &[&str] = &[
    #[cfg(feature = "live")]
    "ARRAIGN_AGENT_MODE",
    "ARRAIGN_BASE",
    "ARRAIGN_HISTORY",
    "ARRAIGN_JUDGE",
    "ARRAIGN_KEEP_WORKSPACE",
    "ARRAIGN_MUTATE",
    "ARRAIGN_COMPARE",
    "ARRAIGN_OUT",
    "ARRAIGN_OUTPUT_JSON",
    "ARRAIGN_PASS_THRESHOLD",
    "ARRAIGN_QUARANTINE",
    "ARRAIGN_REPEAT",
    "ARRAIGN_REPORT",
    "ARRAIGN_SCHEMA",
    "ARRAIGN_SHARD",
    "ARRAIGN_SHARD_TIMES",
    "ARRAIGN_STALE",
    "ARRAIGN_TAGS",
    "ARRAIGN_TIER",
    "ARRAIGN_VARIANT",
    "ARRAIGN_VERBOSE",
];

/// The settings of a run, read from environment variables.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a variable of the environment")]
pub(super) struct EnvSettings {
    /// The tier to run; `None` runs every case.
    pub(super) tier: Option<Tier>,
    /// Run only cases that have one of these tags; empty runs all.
    pub(super) tags: Vec<String>,
    /// The names of the variants to run; empty runs the baseline.
    pub(super) variants: Vec<String>,
    /// What the run says in place of its cases.
    pub(super) overrides: CaseOverrides,
    /// Reports to render at the end.
    pub(super) reports: Vec<ReportFormat>,
    /// Whether the judge is asked, recorded or replayed.
    pub(super) judge: JudgeMode,
    /// Whether runs that were recorded for another input count.
    pub(super) allows_stale: bool,
    /// Whether the scratch folders of workspaces stay.
    pub(super) keeps_workspaces: bool,
    /// Whether the mutants of each case that passes are tried.
    pub(super) mutates: bool,
    /// The only file whose cases run, if the user names one.
    pub(super) file: Option<PathBuf>,
    /// The run that reports compare this one with.
    pub(super) compare: Option<String>,
    /// The copy of `quarantine.yaml` of the base branch.
    pub(super) quarantine: Option<PathBuf>,
    /// The file to which the trials are appended for the history of many runs.
    pub(super) history: Option<PathBuf>,
    /// The base branch of a pull request.
    pub(super) base: Option<String>,
    /// The folder of the verdicts.
    pub(super) out: Option<PathBuf>,
    /// The file of the summary, as JSON.
    pub(super) output_json: Option<PathBuf>,
    /// The file of the schema for editors. If set, the schema is written and no trial runs.
    pub(super) schema: Option<PathBuf>,
    /// Print each case with its result, passed or not.
    pub(super) verbose: bool,
    /// GitHub's runner reads the output.
    pub(super) github: bool,
    /// The part of the trials that this process runs.
    pub(super) shard: Option<Shard>,
    /// The file of durations by which trials are divided into shards.
    pub(super) shard_times: Option<PathBuf>,
    /// The file of a `JUnit` report, for Bazel.
    pub(super) junit_file: Option<PathBuf>,
    /// Warnings of variables that this version does not read.
    pub(super) unknown_variables: Vec<String>,
    /// The variables that decide whom the trials ask, if they ask anyone, and how answers are judged.
    pub(super) modes: Vec<(&'static str, String)>,
    /// nextest has started this process.
    pub(super) nextest: Option<Nextest>,
}

/// The facts that nextest passes to the processes that it starts.
#[derive(Debug)]
pub(super) struct Nextest {
    /// The run's id, the same for all processes of a run.
    pub(super) run_id: String,
    /// The attempt at the trial, from 1.
    pub(super) attempt: u32,
    /// The slot of this process. Two processes that run at the same time never share one.
    pub(super) slot: Option<u32>,
}

/// Reads the environment. The error is a message for the user.
pub(super) fn read_environment() -> Result<EnvSettings, String> {
    refuse_replaced_variable()?;
    let formats = read_variable("ARRAIGN_REPORT").map(|formats| split_words(&formats)).unwrap_or_default();
    Ok(EnvSettings {
        tier: read_choice("ARRAIGN_TIER", &[("smoke", Some(Tier::Smoke)), ("full", None)])?.flatten(),
        tags: read_variable("ARRAIGN_TAGS").map(|tags| split_words(&tags)).unwrap_or_default(),
        variants: read_variable("ARRAIGN_VARIANT").map(|names| split_words(&names)).unwrap_or_default(),
        overrides: CaseOverrides::read_environment()?,
        reports: formats.iter().map(|word| parse_report_format(word)).collect::<Result<_, _>>()?,
        judge: read_choice("ARRAIGN_JUDGE", JudgeMode::NAMES)?.unwrap_or_default(),
        allows_stale: read_choice("ARRAIGN_STALE", &[("allow", true), ("refuse", false)])?.unwrap_or(false),
        keeps_workspaces: read_switch("ARRAIGN_KEEP_WORKSPACE")?,
        file: None,
        compare: read_variable("ARRAIGN_COMPARE"),
        quarantine: read_path("ARRAIGN_QUARANTINE"),
        history: read_path("ARRAIGN_HISTORY"),
        base: read_variable("ARRAIGN_BASE"),
        out: read_path("ARRAIGN_OUT"),
        output_json: read_path("ARRAIGN_OUTPUT_JSON"),
        schema: read_path("ARRAIGN_SCHEMA"),
        mutates: read_switch("ARRAIGN_MUTATE")?,
        verbose: read_switch("ARRAIGN_VERBOSE")?,
        github: read_variable("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
        junit_file: read_path("XML_OUTPUT_FILE"),
        unknown_variables: check_unknown_variables()?,
        shard: Shard::read_environment()?,
        shard_times: read_path("ARRAIGN_SHARD_TIMES"),
        modes: read_modes(),
        nextest: read_variable("NEXTEST").map(|_| read_nextest()),
    })
}

/// Refuses the variable that `ARRAIGN_VARIANT` replaces: without an effect, it would silently run another agent.
fn refuse_replaced_variable() -> Result<(), String> {
    match read_variable("ARRAIGN_AGENT") {
        None => Ok(()),
        Some(name) => Err(format!(
            "ARRAIGN_AGENT is no longer read: each agent is a variant of its name, set ARRAIGN_VARIANT={name}"
        )),
    }
}

/// Returns the variables that decide whom the trials ask, and how their answers are judged. A replay is the default and needs none.
fn read_modes() -> Vec<(&'static str, String)> {
    let modes =
        ["ARRAIGN_AGENT_MODE", "ARRAIGN_JUDGE", "ARRAIGN_PASS_THRESHOLD", "ARRAIGN_REPEAT"].into_iter();
    let set = modes.filter_map(|name| Some((name, read_variable(name)?)));
    set.filter(|(_, value)| value != "replay").collect()
}

/// Returns the value of a variable. An empty value counts as unset, because CI configurations cannot always unset one.
pub(super) fn read_variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

pub(super) fn read_path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns a warning for each `ARRAIGN_` variable that this version does not read. A name within two edits of a known one is
/// an error: `ARRAIGN_TEIR=smoke` would silently run everything.
fn check_unknown_variables() -> Result<Vec<String>, String> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = names.filter(|name| name.starts_with("ARRAIGN_") && !KNOWN.contains(&name.as_str()));
    unknown.filter(|name| name != "ARRAIGN_CONFORMANCE_DIR").map(|name| check_unknown(&name)).collect()
}

fn check_unknown(name: &str) -> Result<String, String> {
    let measured = KNOWN.iter().map(|known| (strsim::damerau_levenshtein(name, known), known));
    // The nearest one: `ARRAIGN_REPROT` is two edits from `ARRAIGN_REPEAT`, and one from `ARRAIGN_REPORT`.
    match measured.filter(|(edits, _)| *edits <= 2).min_by_key(|(edits, _)| *edits) {
        Some((_, known)) => Err(format!("unknown variable {name}: did you mean {known}?")),
        None => Ok(format!("unknown variable {name}: this version does not read it")),
    }
}

/// Reads a variable whose value is one of these words. `None` if the variable is not set.
pub(super) fn read_choice<T: Copy>(name: &str, choices: &[(&str, T)]) -> Result<Option<T>, String> {
    let Some(text) = read_variable(name) else { return Ok(None) };
    if let Some((_, value)) = choices.iter().find(|(word, _)| *word == text) {
        return Ok(Some(*value));
    }
    let words: Vec<String> = choices.iter().map(|(word, _)| format!("`{word}`")).collect();
    let (last, others) = words.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    Err(format!("{name} is `{text}`: expected {} or {last}", others.join(", ")))
}

fn read_switch(name: &str) -> Result<bool, String> {
    match read_variable(name).as_deref() {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        _ => Ok(read_choice(name, &[("1", true), ("0", false)])?.unwrap_or(false)),
    }
}

fn split_words(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn parse_report_format(word: &str) -> Result<ReportFormat, String> {
    let deserializer = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(word);
    serde::Deserialize::deserialize(deserializer).map_err(|_| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.format.name()).collect();
        format!("ARRAIGN_REPORT: unknown format `{word}`: expected one or more of {}", names.join(", "))
    })
}

/// Reads the run's id and the number of the attempt.
///
/// A stress run of nextest repeats all attempts in each round, counted from 0. Its attempts are numbered through, so that
/// the verdicts of a round do not overwrite those of the round before.
fn read_nextest() -> Nextest {
    let round = read_number("NEXTEST_STRESS_CURRENT").unwrap_or(0);
    let earlier_attempts = round.saturating_mul(read_number("NEXTEST_TOTAL_ATTEMPTS").unwrap_or(1));
    // A process without nextest's id is a run of its own.
    Nextest {
        run_id: env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| own_run_id()),
        attempt: earlier_attempts.saturating_add(read_number("NEXTEST_ATTEMPT").unwrap_or(1)),
        slot: read_number("NEXTEST_TEST_GLOBAL_SLOT"),
    }
}

fn read_number(name: &str) -> Option<u32> {
    env::var(name).ok()?.parse().ok()
}

/// Whether the process runs in continuous integration, where no person watches the terminal. The rule is insta's.
pub fn is_ci() -> bool {
    match env::var("CI").as_deref() {
        Ok("false" | "0" | "") => false,
        Ok(_) => true,
        Err(_) => env::var_os("TF_BUILD").is_some(),
    }
}

/// Returns an id for a run without a runner's id: the start time in UTC and the process id, `2026-11-22T03-20-03Z-7`. The
/// name of a folder on Windows has no colon.
pub(super) fn own_run_id() -> String {
    let started = render_utc(SystemTime::now()).replace(':', "-");
    format!("{started}Z-{}", std::process::id())
}

/// Returns the name of this program's test target, which is the file name without cargo's hash of 16 digits. Other
/// programs are not in a folder `deps`.
pub(super) fn own_target() -> Option<String> {
    let program = env::current_exe().ok()?;
    let is_target = program.parent()?.ends_with("deps");
    let (name, hash) = program.file_stem()?.to_str()?.rsplit_once('-')?;
    (is_target && hash.len() == 16).then(|| name.to_owned())
}

/// Returns `target/arraign` in the target folder that contains this program (`target/<profile>/deps/<program>`), or else in
/// the package's folder.
pub(super) fn default_out(base: &Path) -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    let deps = program.ancestors().find(|folder| folder.ends_with("deps"));
    let target = deps.and_then(Path::parent).and_then(Path::parent).map(Path::to_owned);
    target.unwrap_or_else(|| base.join("target")).join("arraign")
}
