//! The page around the data.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value};
use serde::Serialize;

use super::charts::{ChartBar, HtmlCharts, ScoreBin, StandingCount};
use crate::report::RunInfo;
use crate::report::plain::{escape_line, render_safe_json};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("style/page.css"), include_str!("style/case.css"));
/// Its parts, in the order in which they use each other.
const SCRIPT: &str = concat!(
    include_str!("script/elements.js"),
    include_str!("script/data.js"),
    include_str!("script/list.js"),
    include_str!("script/compare.js"),
    include_str!("script/timeline.js"),
    include_str!("script/scores.js"),
    include_str!("script/changes.js"),
    include_str!("script/case.js"),
    include_str!("script/start.js"),
);
/// What the browser lets run and load: this script and this style, by their hashes, and nothing else. A test holds it
/// equal to them, and `just bless` rewrites it.
const POLICY: &str = include_str!("policy.txt");

/// What the script shows: JSON that is harmless within a page.
pub(super) struct PageData {
    pub(super) rows: String,
    pub(super) compared: String,
    pub(super) verdicts: String,
    pub(super) left_out: usize,
}

/// What the template knows.
#[derive(Serialize)]
struct HtmlPage {
    policy: &'static str,
    style: Value,
    script: Value,
    run: PageRun,
    charts: PageCharts,
    rules: Value,
    rows: Value,
    compared: Value,
    verdicts: Value,
    left_out: usize,
}

#[derive(Serialize)]
struct PageRun {
    id: String,
    started: String,
    /// For people.
    started_words: String,
    arraign: &'static str,
}

#[derive(Serialize)]
struct PageCharts {
    heading: String,
    green: bool,
    took: String,
    counts: Vec<StandingCount>,
    whole: ChartBar,
    bins: Vec<ScoreBin>,
    checks: Vec<ChartBar>,
    more_checks: usize,
    files: Vec<ChartBar>,
    more_files: usize,
}

/// The page. That its template renders is for tests to say; should it not, the page says why.
pub(super) fn render_page(run: &RunInfo, charts: &HtmlCharts, data: PageData) -> String {
    let page = HtmlPage {
        policy: POLICY.trim_end(),
        style: mark_safe(STYLE.to_owned()),
        script: mark_safe(SCRIPT.to_owned()),
        run: build_page_run(run),
        charts: build_page_charts(charts),
        rules: mark_safe(render_safe_json(&run.rules)),
        rows: mark_safe(data.rows),
        compared: mark_safe(data.compared),
        verdicts: mark_safe(data.verdicts),
        left_out: data.left_out,
    };
    let mut environment = Environment::empty();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let rendered = environment.render_str(TEMPLATE, Serde(&page));
    rendered.unwrap_or_else(|error| format!("the page cannot be rendered: {error}\n"))
}

/// Not escaped: markup of our own, or JSON in which nothing is markup.
fn mark_safe(text: String) -> Value {
    Value::from_safe_string(text)
}

fn build_page_run(run: &RunInfo) -> PageRun {
    let started = run.started_utc();
    PageRun {
        id: escape_line(&run.id),
        started_words: started.replace('T', " "),
        started,
        arraign: env!("CARGO_PKG_VERSION"),
    }
}

fn build_page_charts(charts: &HtmlCharts) -> PageCharts {
    let ((checks, more_checks), (files, more_files)) = (charts.draw_broken_checks(), charts.draw_files());
    PageCharts {
        heading: charts.render_heading(),
        green: charts.is_green(),
        took: charts.render_total_duration(),
        counts: charts.count_standings(),
        whole: charts.draw_all_cases(),
        bins: charts.draw_score_bins(),
        checks,
        more_checks,
        files,
        more_files,
    }
}
