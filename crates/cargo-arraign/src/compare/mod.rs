//! `cargo arraign compare BEFORE AFTER...`.

mod shards;
mod text;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::earlier_run;
use arraign::__internals::harness::runs::{find_newest, is_run, list_runs};
use arraign::__internals::report::comparison::{ComparedRun, ComparisonReport, ComparisonSettings};
use arraign::__internals::report::{EarlierRun, plain};
use arraign::__internals::score::paired::{Measure, PairedSettings, plan_comparison};
use arraign::__internals::verdict::quoted;
use clap::{Args, ValueEnum};

use self::shards::{is_part, read_sides};
use self::text::{render_plan, render_text};
use crate::error::{CliError, CliResult, FAILED, exit_after_write, print_to_stderr};
use crate::out::locate_out_folder;

/// Compare runs, or variants of one run: worse, better, no worse or undecided.
///
/// A run is the folder of its logs or a folder with one run, a `report.json` or `report.jsonl`, or an id: the name of the run's folder in
/// `target/arraign`. Without names, compares the last run with the last one before it that shares trials. Trials that judged the
/// same trace in both runs are compared one by one; runs of an agent that was asked again are compared as samples. Exits with 101
/// if a trial regressed on the same trace, or if a side is worse; with `--margin`, also if that is undecided.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The earlier run, then one or more later runs. Default: the newest run, and the last one before it that has a trial of it.
    /// With `--variants`: the run with the variants, by default the newest.
    #[arg(value_name = "RUN")]
    runs: Vec<String>,
    /// Compare these variants of one run, separated by commas, with the first of them. One name: all others with it. No name: all
    /// others with `baseline`.
    #[arg(long, value_name = "NAME,...", num_args = 0..=1, default_missing_value = "", value_delimiter = ',')]
    variants: Option<Vec<String>>,
    /// What is compared of each case.
    #[arg(long, value_enum, default_value_t)]
    measure: CompareMeasure,
    /// Accept a drop of this size, between 0 and 1: `0.05` is five points. Then `no worse` is a result, and `undecided` exits with 101.
    #[arg(long, value_name = "SHARE", value_parser = parse_margin)]
    margin: Option<f64>,
    /// Exit with 0 if the result is undecided.
    #[arg(long, requires = "margin")]
    allow_undecided: bool,
    /// The confidence of the intervals, and 1 minus the level of the tests.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = parse_confidence)]
    confidence: f64,
    /// Count the cases with the same value of this key in their `metadata` as one observation.
    #[arg(long, value_name = "metadata.KEY", value_parser = parse_cluster)]
    cluster: Option<String>,
    /// Compare nothing: print how many cases a comparison with this margin needs.
    #[arg(long, requires = "margin", conflicts_with_all = ["runs", "variants"])]
    plan: bool,
    /// The run whose cases are as hard as those of the plan. Default: cases that pass in 80 % of their runs, some always and some rarely.
    #[arg(long, value_name = "RUN", requires = "plan")]
    from: Option<String>,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    format: CompareFormat,
    /// The folder with the runs. Default: `ARRAIGN_OUT`, or `target/arraign`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum CompareFormat {
    /// Text for the terminal.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// Markdown for GitHub.
    Markdown,
    /// One page for a browser, with the cost beside the share that passed.
    Html,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum CompareMeasure {
    /// The share of its runs that passed.
    #[default]
    Passed,
    /// The mean score of its runs.
    Score,
}

impl Compare {
    pub(crate) fn run(mut self) -> CliResult {
        let folder = self.out.clone().unwrap_or_else(locate_out_folder);
        for name in self.runs.iter_mut().chain(&mut self.from) {
            if let Some(run) = find_only_run(name)? {
                *name = run;
            }
        }
        if let Some(margin) = self.margin.filter(|_| self.plan) {
            return self.print_plan(margin, &folder);
        }
        let settings = self.collect_settings();
        let report = if let Some(names) = &self.variants {
            let names: Vec<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
            let run = match read_sides(&self.runs, &folder)?.as_mut_slice() {
                [] => read_run(&find_newest(&folder)?)?,
                [run] => std::mem::take(run),
                _ => return Err(CliError::new("`--variants` compares variants of one run: name one run")),
            };
            note_incomplete(&run);
            ComparisonReport::compare_variants(borrow_run(&run), &names, &settings)
        } else {
            let (before, after) = self.read_runs(&folder)?;
            std::iter::once(&before).chain(&after).for_each(note_incomplete);
            let after: Vec<ComparedRun<'_>> = after.iter().map(borrow_run).collect();
            ComparisonReport::compare_runs(borrow_run(&before), &after, &settings)
        };
        let report = report.map_err(|error| CliError::new(error.to_string()))?;
        let text = match self.format {
            CompareFormat::Text => render_text(&report),
            CompareFormat::Json => plain::render_safe_json(&report) + "\n",
            CompareFormat::Markdown => report.render_markdown().trim_start().to_owned(),
            CompareFormat::Html => report.render_html(),
        };
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        Ok(if report.fails(self.allow_undecided) { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }

    fn print_plan(&self, margin: f64, folder: &Path) -> CliResult {
        let run = self.from.as_deref().map(|run| read_named(run, folder)).transpose()?;
        let cases = run.as_ref().map(|run| run.trials.list_planned_cases()).unwrap_or_default();
        if let (Some(run), true) = (&run, cases.is_empty()) {
            return Err(CliError::new(format!("no case of `{}` has a result", run.name)));
        }
        let plan = plan_comparison(&cases, margin, self.confidence);
        let text = match self.format {
            CompareFormat::Json => plain::render_safe_json(&plan) + "\n",
            CompareFormat::Text | CompareFormat::Markdown => render_plan(&plan),
            CompareFormat::Html => {
                return Err(CliError::new("a plan has no HTML form: use `--format markdown`"));
            }
        };
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        Ok(ExitCode::SUCCESS)
    }

    fn collect_settings(&self) -> ComparisonSettings {
        let measure = match self.measure {
            CompareMeasure::Passed => Measure::Passed,
            CompareMeasure::Score => Measure::Score,
        };
        ComparisonSettings {
            paired: PairedSettings {
                measure,
                confidence: self.confidence,
                margin: self.margin,
                has_clusters: self.cluster.is_some(),
            },
            cluster: self.cluster.clone(),
        }
    }

    /// Reads the earlier run and the later ones.
    fn read_runs(&self, folder: &Path) -> Result<(EarlierRun, Vec<EarlierRun>), CliError> {
        refuse_twice(&self.runs, folder)?;
        let mut sides = read_sides(&self.runs, folder)?.into_iter();
        let Some(before) = sides.next() else {
            let after = read_run(&find_newest(folder)?)?;
            // Without a name, the last run of the same trials is the one to compare with.
            return Ok((find_previous(folder, &after)?, vec![after]));
        };
        let mut after: Vec<EarlierRun> = sides.collect();
        if after.is_empty() {
            after.push(self.read_newest(folder)?);
        }
        Ok((before, after))
    }

    /// Reads the newest run, with which the only named run is compared.
    fn read_newest(&self, folder: &Path) -> Result<EarlierRun, CliError> {
        let out = folder.display();
        let newest = list_runs(folder)?.into_iter().next();
        let why = match &newest {
            None => format!("`{out}` has no run to compare it with"),
            Some(newest) => {
                let newest = newest.display().to_string();
                let names: Vec<String> = self.runs.iter().cloned().chain([newest]).collect();
                if refuse_twice(&names, folder).is_ok() {
                    return read_run(Path::new(&names[names.len() - 1]));
                }
                format!("it is the newest run of `{out}`, and a run is not compared with itself")
            }
        };
        let named = self.runs.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(" ");
        Err(CliError::new(format!(
            "`{}` is one run: {why}\n\
             name the earlier run, then the later one: cargo arraign compare BEFORE {named}\n\
             to compare the variants of one run: cargo arraign compare {named} --variants",
            self.runs.join(" ")
        )))
    }
}

/// Finds the run in a folder of runs, such as `ARRAIGN_OUT=runs/one` leaves. `None` for any other name. Several runs are an
/// error that lists them.
fn find_only_run(name: &str) -> Result<Option<String>, CliError> {
    let folder = Path::new(name);
    if !folder.is_dir() || is_run(folder) {
        return Ok(None);
    }
    match list_runs(folder)?.as_slice() {
        [] => Ok(None),
        [run] => Ok(Some(run.to_string_lossy().into_owned())),
        [newest, rest @ ..] => Err(CliError::new(format!(
            "`{name}` is a folder of {} runs: name one of them; the newest is `{}`",
            rest.len() + 1,
            newest.display()
        ))),
    }
}

/// Refuses a run that is named twice: compared with itself, it would look as if nothing had changed.
fn refuse_twice(names: &[String], out: &Path) -> Result<(), CliError> {
    let mut known = Vec::new();
    for name in names {
        let paths = [PathBuf::from(name), out.join(name)];
        let Some(path) = paths.iter().find_map(|path| path.canonicalize().ok()) else { continue };
        if known.contains(&path) {
            return Err(CliError::new(format!("`{name}` is named twice: a run is not compared with itself")));
        }
        known.push(path);
    }
    Ok(())
}

/// Says that verdicts of a run are lost.
fn note_incomplete(run: &EarlierRun) {
    if run.lost > 0 {
        let is = if run.lost == 1 { "is" } else { "are" };
        let lost = format!("{} {is}", plain::count_noun(run.lost, "verdict"));
        print_to_stderr(&format!("`{}` is incomplete: {lost} lost", run.name));
    }
}

fn borrow_run(run: &EarlierRun) -> ComparedRun<'_> {
    ComparedRun { name: &run.name, trials: &run.trials, is_incomplete: run.lost > 0 }
}

/// Returns the last run that started before `after` and has a trial of it.
fn find_previous(folder: &Path, after: &EarlierRun) -> Result<EarlierRun, CliError> {
    let runs = list_runs(folder)?;
    let earlier = runs.iter().skip_while(|run| !run.ends_with(&after.name)).skip(1);
    // A run of other targets or filters has no trial of it and would compare as if all had been removed.
    for run in earlier {
        // Nobody has named it, so a part of a run is passed over.
        if is_part(run) {
            continue;
        }
        let before = read_run(run)?;
        if before.trials.shares_trial(&after.trials) {
            return Ok(before);
        }
    }
    let folder = folder.display();
    let name = &after.name;
    Err(CliError::new(format!(
        "no run in `{folder}` before `{name}` has a trial of it; name the earlier run"
    )))
}

fn read_named(which: &str, folder: &Path) -> Result<EarlierRun, CliError> {
    earlier_run(which, Path::new(""), folder).map_err(CliError::new)
}

/// Reads the run in a folder, which must be whole.
fn read_run(folder: &Path) -> Result<EarlierRun, CliError> {
    let name = folder.to_string_lossy().into_owned();
    let mut sides = read_sides(&[name], folder)?;
    sides.pop().ok_or_else(|| CliError::new("no run"))
}

/// Parses a share between 0 and 1, such as `0.05`. The limits themselves are no share that decides anything.
fn parse_share(text: &str, example: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| format!("expected a number between 0 and 1, such as {example}"))
}

fn parse_margin(text: &str) -> Result<f64, String> {
    parse_share(text, "0.05 for five points")
}

fn parse_confidence(text: &str) -> Result<f64, String> {
    parse_share(text, "0.95")
}

fn parse_cluster(text: &str) -> Result<String, String> {
    let key = text.strip_prefix("metadata.").filter(|key| !key.is_empty());
    key.map(str::to_owned).ok_or_else(|| "expected `metadata.` and a key of the cases' `metadata`".to_owned())
}
