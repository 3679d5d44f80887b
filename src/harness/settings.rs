//! What the environment says. Runners pass no unknown flags, so these settings are variables.

use std::env;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::case::Tier;
use crate::judge::JudgeMode;
use crate::suite::ReportFormat;
use crate::yaml::did_you_mean;

/// The variables that this version reads.
const KNOWN: &[&str] = &[
    #[cfg(feature = "live")]
    "ARRAIGN_AGENT",
    #[cfg(feature = "live")]
    "ARRAIGN_AGENT_MODE",
    "ARRAIGN_JUDGE",
    "ARRAIGN_COMPARE",
    "ARRAIGN_OUT",
    "ARRAIGN_OUTPUT_JSON",
    "ARRAIGN_REPORT",
    "ARRAIGN_SCHEMA",
    "ARRAIGN_TAGS",
    "ARRAIGN_TIER",
    "ARRAIGN_VERBOSE",
];

/// What the environment says.
#[derive(Debug)]
pub(super) struct Settings {
    /// The tier to run; `None` runs every case.
    pub(super) tier: Option<Tier>,
    /// Run only cases that have one of these tags; empty runs all.
    pub(super) tags: Vec<String>,
    /// Reports to render at the end.
    pub(super) reports: Vec<ReportFormat>,
    /// What becomes of the judge.
    pub(super) judge: JudgeMode,
    /// The run that reports compare this one with.
    pub(super) compare: Option<String>,
    /// Where verdicts go.
    pub(super) out: Option<PathBuf>,
    /// Where the summary goes, as JSON.
    pub(super) output_json: Option<PathBuf>,
    /// Where the schema for editors goes: then nothing is run.
    pub(super) schema: Option<PathBuf>,
    /// Say what became of each case, passed or not.
    pub(super) verbose: bool,
    /// GitHub's runner reads the output.
    pub(super) github: bool,
    /// What ran this process.
    pub(super) nextest: Option<Nextest>,
}

/// What nextest says about the process that it started.
#[derive(Debug)]
pub(super) struct Nextest {
    /// One for all processes of a run.
    pub(super) run_id: String,
    /// Counts from 1.
    pub(super) attempt: u32,
}

/// Reads the environment. The error is a sentence for the user.
pub(super) fn read_environment() -> Result<Settings, String> {
    let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let path = |name: &str| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    Ok(Settings {
        tier: text("ARRAIGN_TIER").map(|tier| parse_tier(&tier)).transpose()?.flatten(),
        tags: text("ARRAIGN_TAGS").map(|tags| split_words(&tags)).unwrap_or_default(),
        reports: text("ARRAIGN_REPORT")
            .map(|formats| parse_report_formats(&formats))
            .transpose()?
            .unwrap_or_default(),
        judge: text("ARRAIGN_JUDGE").map_or(Ok(JudgeMode::Replay), |mode| parse_judge_mode(&mode))?,
        compare: text("ARRAIGN_COMPARE"),
        out: path("ARRAIGN_OUT"),
        output_json: path("ARRAIGN_OUTPUT_JSON"),
        schema: path("ARRAIGN_SCHEMA"),
        verbose: text("ARRAIGN_VERBOSE")
            .map(|text| parse_switch("ARRAIGN_VERBOSE", &text))
            .transpose()?
            .unwrap_or(false),
        github: text("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
        nextest: text("NEXTEST").map(|_| read_nextest()),
    })
}

/// A remark on each variable of ours that nobody reads: `ARRAIGN_TEIR=smoke` would run everything.
pub(super) fn unknown_variables() -> Vec<String> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = names.filter(|name| name.starts_with("ARRAIGN_") && !KNOWN.contains(&name.as_str()));
    let remark = |name: String| match did_you_mean(&name, KNOWN) {
        Some(help) => format!("the variable {name} is not read by this version; {help}"),
        None => format!("the variable {name} is not read by this version"),
    };
    unknown.filter(|name| name != "ARRAIGN_CONFORMANCE_DIR").map(remark).collect()
}

/// `full` runs everything, as no tier does.
fn parse_tier(text: &str) -> Result<Option<Tier>, String> {
    match text {
        "smoke" => Ok(Some(Tier::Smoke)),
        "full" => Ok(None),
        other => Err(format!("ARRAIGN_TIER is `{other}`: it is `smoke` or `full`")),
    }
}

fn parse_judge_mode(text: &str) -> Result<JudgeMode, String> {
    let wrong = || format!("ARRAIGN_JUDGE is `{text}`: it is `replay`, `record`, `live` or `off`");
    JudgeMode::find_by_name(text).ok_or_else(wrong)
}

fn parse_switch(name: &str, text: &str) -> Result<bool, String> {
    match text {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        other => Err(format!("{name} is `{other}`: it is `1` or `0`")),
    }
}

fn split_words(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn parse_report_formats(text: &str) -> Result<Vec<ReportFormat>, String> {
    split_words(text).iter().map(|word| parse_report_format(word)).collect()
}

fn parse_report_format(word: &str) -> Result<ReportFormat, String> {
    let deserializer = serde::de::value::StrDeserializer::<serde::de::value::Error>::new(word);
    serde::Deserialize::deserialize(deserializer)
        .map_err(|_| format!("ARRAIGN_REPORT: `{word}` is none of json, jsonl, sarif, junit, markdown, html"))
}

/// The rounds of a stress run are attempts, too: each has as many as the first.
fn read_nextest() -> Nextest {
    let number = |name: &str| env::var(name).ok().and_then(|number| number.parse::<u32>().ok());
    let round = number("NEXTEST_STRESS_CURRENT").unwrap_or(0);
    let before = round.saturating_mul(number("NEXTEST_TOTAL_ATTEMPTS").unwrap_or(1));
    Nextest {
        run_id: env::var("NEXTEST_RUN_ID").unwrap_or_else(|_| own_run_id()),
        attempt: before.saturating_add(number("NEXTEST_ATTEMPT").unwrap_or(1)),
    }
}

/// Nobody looks at the terminal, and nobody is asked: as insta tells it.
#[cfg(any(feature = "live", feature = "judge", feature = "snapshots"))]
pub(super) fn is_ci() -> bool {
    match env::var("CI").as_deref() {
        Ok("false" | "0" | "") => false,
        Ok(_) => true,
        Err(_) => env::var_os("TF_BUILD").is_some(),
    }
}

/// An id for a run that no runner has named: when it began, and its process.
pub(super) fn own_run_id() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    format!("{seconds}-{}", std::process::id())
}

/// The name of the test target that this program is: cargo puts a hash behind it.
pub(super) fn own_target() -> Option<String> {
    let program = env::current_exe().ok()?;
    let is_target = program.parent()?.ends_with("deps");
    let (name, hash) = program.file_stem()?.to_str()?.rsplit_once('-')?;
    (is_target && hash.len() == 16).then(|| name.to_owned())
}

/// `target/arraign`: the target folder is the one that this very program was built into, if it was.
pub(super) fn default_out(base: &Path) -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    let deps = program.ancestors().find(|folder| folder.ends_with("deps"));
    let target = deps.and_then(Path::parent).and_then(Path::parent).map(Path::to_owned);
    target.unwrap_or_else(|| base.join("target")).join("arraign")
}
