//! The page around the data.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value};
use serde::Serialize;

use super::charts::{Bar, Bin, Charts, Count};
use crate::report::Run;
use crate::report::plain::{json, one_line};

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
pub(super) struct Data {
    pub(super) rows: String,
    pub(super) compared: String,
    pub(super) verdicts: String,
    pub(super) left_out: usize,
}

/// What the template knows.
#[derive(Serialize)]
struct Page {
    policy: &'static str,
    style: Value,
    script: Value,
    run: RunShown,
    charts: ChartsShown,
    rules: Value,
    rows: Value,
    compared: Value,
    verdicts: Value,
    left_out: usize,
}

#[derive(Serialize)]
struct RunShown {
    id: String,
    started: String,
    /// For people.
    started_words: String,
    arraign: &'static str,
}

#[derive(Serialize)]
struct ChartsShown {
    heading: String,
    green: bool,
    took: String,
    counts: Vec<Count>,
    whole: Bar,
    bins: Vec<Bin>,
    checks: Vec<Bar>,
    more_checks: usize,
    files: Vec<Bar>,
    more_files: usize,
}

/// The page. That its template renders is for tests to say; should it not, the page says why.
pub(super) fn page(run: &Run, charts: &Charts, data: Data) -> String {
    let page = Page {
        policy: POLICY.trim_end(),
        style: safe(STYLE.to_owned()),
        script: safe(SCRIPT.to_owned()),
        run: of_run(run),
        charts: of_charts(charts),
        rules: safe(json(&run.rules)),
        rows: safe(data.rows),
        compared: safe(data.compared),
        verdicts: safe(data.verdicts),
        left_out: data.left_out,
    };
    let mut environment = Environment::empty();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let rendered = environment.render_str(TEMPLATE, Serde(&page));
    rendered.unwrap_or_else(|error| format!("the page cannot be rendered: {error}\n"))
}

/// Not escaped: markup of our own, or JSON in which nothing is markup.
fn safe(text: String) -> Value {
    Value::from_safe_string(text)
}

fn of_run(run: &Run) -> RunShown {
    let started = run.started_utc();
    RunShown {
        id: one_line(&run.id),
        started_words: started.replace('T', " "),
        started,
        arraign: env!("CARGO_PKG_VERSION"),
    }
}

fn of_charts(charts: &Charts) -> ChartsShown {
    let ((checks, more_checks), (files, more_files)) = (charts.checks(), charts.files());
    ChartsShown {
        heading: charts.heading(),
        green: charts.is_green(),
        took: charts.took(),
        counts: charts.counts(),
        whole: charts.whole(),
        bins: charts.bins(),
        checks,
        more_checks,
        files,
        more_files,
    }
}
