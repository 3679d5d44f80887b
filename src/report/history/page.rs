//! A history as a page for a browser: one row for each trial, without a script.

use std::fmt::Write as _;

use super::{CaseHistory, HistoryReport, PastResult, Trend};
use crate::outcome::{count_noun, count_to_f64};
use crate::report::markup::{escape_attribute, escape_markup};

/// The width of one result in a sparkline, in pixels.
const STEP: f64 = 5.0;
/// The height of a sparkline, in pixels.
const HEIGHT: f64 = 18.0;

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>arraign: history</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 1200px; margin: 24px auto; padding: 0 16px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 6px 10px; border-bottom: 1px solid light-dark(#ddd, #444); white-space: nowrap; }
td.name { white-space: normal; overflow-wrap: anywhere; }
small { color: light-dark(#666, #aaa); }
.pass { fill: light-dark(#1a7f37, #3fb950); }
.fail { fill: light-dark(#cf222e, #f85149); }
.error { fill: light-dark(#8250df, #a371f7); }
.undecided { fill: light-dark(#8a5a00, #e3b04b); }
polyline { fill: none; stroke: light-dark(#0969da, #58a6ff); stroke-width: 1.5; }
</style>
";

/// Renders the page.
pub fn render_page(report: &HistoryReport) -> String {
    let HistoryReport { lines, torn, runs, cases, .. } = report;
    let torn =
        if *torn == 0 { String::new() } else { format!(", {} left out", count_noun(*torn, "torn line")) };
    let mut page = format!(
        "{HEAD}<h1>History</h1>\n<p>{}, {}, {}{torn}</p>\n<table>\n<tr><th>trial</th><th>last runs</th>\
         <th>passed</th><th>flips</th><th>last change</th><th>cost</th><th>duration</th></tr>\n",
        count_noun(cases.len(), "trial"),
        count_noun(*runs, "run"),
        count_noun(*lines, "line")
    );
    for case in cases {
        page += &render_row(case);
    }
    page + "</table>\n</html>\n"
}

fn render_row(case: &CaseHistory) -> String {
    let decided = case.passed + case.failed;
    let interval = case.interval.map_or_else(String::new, |interval| {
        format!(" <small>{} to {}</small>", render_percent(interval.lower), render_percent(interval.upper))
    });
    let flips = case
        .flip_rate
        .map_or_else(|| "-".to_owned(), |rate| format!("{} ({})", case.flips, render_percent(rate)));
    let change = case.last_change.as_ref().map_or_else(
        || "-".to_owned(),
        |change| {
            let commit: String = change.commit.chars().take(10).collect();
            let edited = if change.case_changed { ", with the case" } else { "" };
            format!(
                "{} to {} <small>{} {}{edited}</small>",
                change.from.as_str(),
                change.to.as_str(),
                escape_markup(change.time.get(..10).unwrap_or_default()),
                escape_markup(&commit)
            )
        },
    );
    let costs = draw_line(case.recent.iter().map(|result| result.cost_usd));
    let times = draw_line(case.recent.iter().map(|result| result.duration_ms));
    format!(
        "<tr><td class=\"name\">{}</td><td>{}</td><td>{} of {decided}{interval}</td><td>{flips}</td><td>{change}</td>\
         <td>{costs} {}</td><td>{times} {}</td></tr>\n",
        escape_markup(&case.trial),
        draw_results(case),
        case.passed,
        render_trend(case.cost_usd),
        render_trend(case.duration_ms)
    )
}

fn render_percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Renders the change of a figure: `+12 %`.
fn render_trend(trend: Option<Trend>) -> String {
    let change = trend.and_then(|trend| trend.change);
    change.map_or_else(|| "-".to_owned(), |change| format!("{:+.0} %", change * 100.0))
}

/// Draws each result as a bar: a pass is low, all else is high.
fn draw_results(case: &CaseHistory) -> String {
    let width = STEP * count_to_f64(case.recent.len());
    let label = escape_attribute(&case.render_strip(usize::MAX));
    let mut svg = format!("<svg width=\"{width}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{label}\">");
    for (at, result) in case.recent.iter().enumerate() {
        let height = if result.verdict == PastResult::Pass { HEIGHT / 3.0 } else { HEIGHT };
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{height}\"><title>{} {}</title></rect>",
            result.verdict.as_str(),
            STEP * count_to_f64(at),
            HEIGHT - height,
            STEP - 1.0,
            escape_markup(&result.time),
            result.verdict.as_str()
        );
    }
    svg + "</svg>"
}

/// Draws a figure over the runs, from 0 to its largest value. Empty with fewer than two values.
fn draw_line(values: impl Iterator<Item = Option<f64>>) -> String {
    let values: Vec<f64> = values.flatten().collect();
    let most = values.iter().copied().fold(0.0, f64::max);
    if values.len() < 2 || most <= 0.0 {
        return String::new();
    }
    let points: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            format!("{:.1},{:.1}", STEP * count_to_f64(at), HEIGHT - value / most * (HEIGHT - 2.0) - 1.0)
        })
        .collect();
    let width = STEP * count_to_f64(values.len());
    format!(
        "<svg width=\"{width}\" height=\"{HEIGHT}\" aria-hidden=\"true\"><polyline points=\"{}\"/></svg>",
        points.join(" ")
    )
}
