//! `cargo arraign run`.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use arraign::__internals::case::Tier;
use arraign::__internals::harness::{
    CaseOverrides, CaseSelection, parse_repeat, parse_threshold, run_program,
};
use arraign::__internals::suite::CASE_EXTENSIONS;
use arraign::__internals::verdict::quoted;
use arraign::Harness;
use clap::Args;

use crate::error::{CliError, CliResult};
use crate::file_options::FileOptions;

/// Run the cases of a folder, without a test target.
///
/// Trial names, flags, environment variables and exit codes are those of a test target. Checks and agents in Rust
/// need a test target.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The folder of the cases, or one of its files.
    #[arg(default_value = "evals")]
    dir: PathBuf,
    /// Run only the cases of this tier: `smoke` or `full`. Default: `ARRAIGN_TIER`, or all.
    #[arg(long, value_name = "TIER", value_parser = parse_tier)]
    tier: Option<Tier>,
    /// Run only cases with one of these tags, separated by commas. Default: `ARRAIGN_TAGS`, or all.
    #[arg(long = "tag", value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,
    /// Run these variants of the agents, separated by commas, or `all`. Default: `ARRAIGN_VARIANT`, or `baseline`.
    #[arg(long = "variant", value_name = "NAMES", value_delimiter = ',')]
    variants: Vec<String>,
    /// The score from 0 to 1 at which golden rows pass, and the mean that gates require, in place of what the files say. Default:
    /// `ARRAIGN_PASS_THRESHOLD`, or the files.
    #[arg(long, value_name = "SCORE", value_parser = parse_threshold)]
    pass_threshold: Option<f64>,
    /// The number of runs of each case with an agent, in place of its `repeat`. Default: `ARRAIGN_REPEAT`, or the files.
    #[arg(long, value_name = "RUNS", value_parser = parse_repeat)]
    repeat: Option<u32>,
    /// Let agents with a recorded model run in a replay, and the programs of `exec`.
    #[cfg(feature = "live")]
    #[arg(long)]
    allow_exec: bool,
    /// Keep the scratch folders of workspaces. The verdicts have their paths.
    #[cfg(feature = "live")]
    #[arg(long)]
    keep_workspace: bool,
    /// The number of agents that run at the same time. Default: `agent_limits` of arraign.yaml, or 16.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "COUNT")]
    agents_at_once: Option<usize>,
    /// The number of agents that begin in a minute. Default: `agent_limits` of arraign.yaml, or any.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "COUNT")]
    agents_per_minute: Option<u32>,
    /// What all agents may cost together, in US dollars. Default: `agent_limits` of arraign.yaml, or anything.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "USD")]
    agent_budget: Option<f64>,
    /// The number of jobs that share the two limits above. Default: `agent_limits` of arraign.yaml, or the shards of
    /// `ARRAIGN_SHARD`.
    #[cfg(feature = "live")]
    #[arg(long, value_name = "JOBS")]
    agent_limits_of: Option<u32>,
    #[command(flatten)]
    files: FileOptions,
    /// Filters and flags of libtest: `--list`, `--exact NAME`, `--skip TEXT`, ...; `-- --help` shows them.
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

impl Run {
    pub(crate) fn run(self) -> CliResult {
        let (folder, file) = split_case_file(&self.dir);
        require_folder(&folder)?;
        let here = env::current_dir()?;
        let dir = folder.to_string_lossy();
        // The usual folder is left out of the command, which a reader copies.
        let dir = if dir == "evals" { String::new() } else { format!(" {}", quoted(&dir)) };
        let consent = if self.allows_exec() { " --allow-exec" } else { "" };
        let threshold = self.pass_threshold.map(|score| format!(" --pass-threshold {score}"));
        let repeat = self.repeat.map(|runs| format!(" --repeat {runs}"));
        let overridden: String = threshold.into_iter().chain(repeat).collect();
        let rerun = format!("cargo arraign run{dir}{consent}{overridden} --");
        let harness = self.allow_agents(Harness::new(&folder).at(here).rerun(rerun));
        let overrides = CaseOverrides { pass_threshold: self.pass_threshold, repeat: self.repeat };
        let Self { tier, tags, variants, .. } = self;
        let selection = CaseSelection { tier, tags, variants, overrides, file };
        Ok(run_program(self.files.apply_to(harness), self.arguments, selection))
    }
}

#[cfg(feature = "live")]
impl Run {
    fn allows_exec(&self) -> bool {
        self.allow_exec
    }

    fn allow_agents(&self, mut harness: Harness) -> Harness {
        if let Some(count) = self.agents_at_once {
            harness = harness.agents_at_once(count);
        }
        if let Some(count) = self.agents_per_minute {
            harness = harness.agents_per_minute(count);
        }
        if let Some(usd) = self.agent_budget {
            harness = harness.agent_budget(usd);
        }
        if let Some(jobs) = self.agent_limits_of {
            harness = harness.agent_limits_of(jobs);
        }
        if self.keep_workspace {
            harness = harness.keep_workspaces();
        }
        if self.allow_exec { harness.allow_exec() } else { harness }
    }
}

#[cfg(not(feature = "live"))]
#[expect(clippy::unused_self, reason = "the same signatures as with agents")]
impl Run {
    fn allows_exec(&self) -> bool {
        false
    }

    fn allow_agents(&self, harness: Harness) -> Harness {
        harness
    }
}

fn parse_tier(text: &str) -> Result<Tier, String> {
    match text {
        "smoke" => Ok(Tier::Smoke),
        "full" => Ok(Tier::Full),
        _ => Err("expected `smoke` or `full`".to_owned()),
    }
}

/// Returns the folder of cases, and the file in it if `path` leads to one. The folder is the nearest one above the file with
/// an `arraign.yaml`, else the one called `evals`, else the file's own.
fn split_case_file(path: &Path) -> (PathBuf, Option<PathBuf>) {
    let is_of_cases = path.extension().is_some_and(|end| CASE_EXTENSIONS.iter().any(|known| end == *known))
        && path.is_file();
    if !is_of_cases {
        return (path.to_owned(), None);
    }
    let folders = || path.ancestors().skip(1);
    let with_settings = folders().find(|folder| folder.join("arraign.yaml").is_file());
    let usual = || folders().find(|folder| folder.file_name().is_some_and(|name| name == "evals"));
    let folder = with_settings.or_else(usual).or_else(|| path.parent()).unwrap_or(path);
    let file = path.strip_prefix(folder).unwrap_or(path).to_owned();
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    (folder.to_owned(), Some(file))
}

/// Checks that the folder exists.
pub(crate) fn require_folder(dir: &Path) -> Result<(), CliError> {
    if dir.is_dir() {
        return Ok(());
    }
    let dir = dir.display();
    Err(CliError::new(format!("no folder `{dir}`: name the folder of the cases")))
}
