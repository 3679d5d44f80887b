//! The template of the page, filled with the charts and the embedded data.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};

use super::attack::AttackSection;
use super::charts::{HtmlCharts, draw_bar, list_counts};
use super::figures::RunFigureTotals;
use super::mutation::MutationSection;
use crate::report::RunInfo;
use crate::report::plain::{escape_line, render_safe_json};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("style/page.css"), include_str!("style/case.css"));
/// The script's files, each after the files that it uses.
const SCRIPT: &str = concat!(
    include_str!("script/elements.js"),
    include_str!("script/data.js"),
    include_str!("script/groups.js"),
    include_str!("script/list.js"),
    include_str!("script/compare.js"),
    include_str!("script/beside.js"),
    include_str!("script/waterfall.js"),
    include_str!("script/csv.js"),
    include_str!("script/timeline.js"),
    include_str!("script/scores.js"),
    include_str!("script/changes.js"),
    include_str!("script/case.js"),
    include_str!("script/start.js"),
);
/// The content security policy: it allows this script and this style, by their hashes, and nothing else. A test
/// compares the hashes; `just bless` rewrites them.
const POLICY: &str = include_str!("policy.txt");

/// The embedded data: JSON that is safe inside a page.
pub(super) struct PageData {
    pub(super) rows: String,
    pub(super) compared: String,
    pub(super) verdicts: String,
    pub(super) earlier: String,
    pub(super) left_out: usize,
    pub(super) mutation: Option<MutationSection>,
    pub(super) attack: Option<AttackSection>,
}

/// Renders the page. If the template fails, which tests rule out, the page is the error message.
pub(super) fn render_page(
    run: &RunInfo,
    charts: &HtmlCharts,
    figures: &RunFigureTotals<'_>,
    data: PageData,
) -> String {
    let page = context! {
        policy => POLICY.trim_end(),
        style => mark_safe(STYLE.to_owned()),
        script => mark_safe(SCRIPT.to_owned()),
        run => describe_run(run),
        charts => describe_charts(charts, figures),
        rules => mark_safe(render_safe_json(&run.rules)),
        rows => mark_safe(data.rows),
        compared => mark_safe(data.compared),
        verdicts => mark_safe(data.verdicts),
        earlier => mark_safe(data.earlier),
        left_out => data.left_out,
        mutation => Serde(data.mutation),
        attack => Serde(data.attack),
    };
    let mut environment = Environment::empty();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let rendered = environment.render_str(TEMPLATE, page);
    rendered.unwrap_or_else(|error| format!("the page cannot be rendered: {error}\n"))
}

/// Marks text that needs no escaping: our own markup, or JSON without markup characters.
fn mark_safe(text: String) -> Value {
    Value::from_safe_string(text)
}

fn describe_run(run: &RunInfo) -> Value {
    let started = run.started_utc();
    context! {
        id => escape_line(&run.id),
        started_words => started.replace('T', " "),
        started => started,
        arraign => env!("CARGO_PKG_VERSION"),
    }
}

fn describe_charts(charts: &HtmlCharts, figures: &RunFigureTotals<'_>) -> Value {
    let ((checks, more_checks), (files, more_files)) = (charts.draw_broken_checks(), charts.draw_files());
    context! {
        heading => charts.render_heading(),
        green => charts.is_green(),
        figures => Serde(figures.list_figures()),
        pinned => figures.describe_pinned(),
        counts => Serde(list_counts(charts.totals)),
        whole => Serde(draw_bar("all cases", charts.totals)),
        bins => Serde(charts.draw_score_bins()),
        checks => Serde(checks),
        more_checks => more_checks,
        files => Serde(files),
        more_files => more_files,
    }
}
