//! The comparison as a page for a browser, without a script: the sentences, the cost beside the share that passed, the figures, and
//! what changed on each side.

use std::fmt::Write as _;

use super::markdown::{list_rows, render_figures_table};
use super::{ComparisonReport, SideComparison, VariantFigures};
use crate::report::markup::{escape_attribute, escape_markup};

/// The largest number of changes that are listed for each side.
const MAX_ROWS: usize = 2_000;

/// The size of the plot, and of the area between its axes, in pixels.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 696.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 326.0;
/// The distance between two labels above each other, in pixels.
const LINE: f64 = 16.0;
/// The number of steps that an axis has at most.
const MAX_STEPS: f64 = 6.0;

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>arraign: comparison</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { background: Canvas; color: CanvasText; max-width: 1200px; margin: 24px auto; padding: 0 16px; }
main { overflow-x: auto; }
table { border-collapse: collapse; margin: 16px 0; }
th, td { text-align: left; padding: 6px 10px; border-bottom: 1px solid light-dark(#ddd, #444); vertical-align: top; }
code { font: inherit; overflow-wrap: break-word; }
.quiet { color: light-dark(#666, #aaa); }
svg { max-width: 100%; height: auto; }
svg text { fill: currentColor; font-size: 13px; }
svg .axis, svg .range { stroke: currentColor; stroke-width: 1; }
svg .grid { stroke: light-dark(#ddd, #444); stroke-width: 1; }
svg .range { stroke: light-dark(#0969da, #58a6ff); }
svg circle { fill: light-dark(#0969da, #58a6ff); }
</style>
";

impl ComparisonReport {
    /// Renders the page.
    pub fn render_html(&self) -> String {
        let mut page = format!("{HEAD}<main tabindex=\"0\">\n<h1>Comparison</h1>\n");
        for sentence in self.render_sentences() {
            let _ = writeln!(page, "<p>{}</p>", escape_markup(&sentence));
        }
        page += &draw_plot(&self.variants);
        page += &render_figures_table(self, usize::MAX);
        for comparison in &self.comparisons {
            page += &render_changes(comparison);
        }
        page + "</main>\n</html>\n"
    }
}

fn render_changes(comparison: &SideComparison) -> String {
    let [before, after] = [&comparison.before, &comparison.after].map(|name| escape_attribute(name));
    let headline = comparison.render_headline();
    let mut text = format!("<h2>{after} compared with {before}</h2>\n<p>{headline}</p>\n");
    let rows = list_rows(comparison);
    if rows.is_empty() {
        return text;
    }
    text += "<table>\n<tr><th>change</th><th>case</th><th>ended</th></tr>\n";
    rows.iter().take(MAX_ROWS).for_each(|row| text += row);
    text += "</table>\n";
    if rows.len() > MAX_ROWS {
        let _ =
            writeln!(text, "<p>... and {} more; the JSON form lists all of them</p>", rows.len() - MAX_ROWS);
    }
    text
}

/// A side with a known cost.
struct PlotPoint<'v> {
    side: &'v VariantFigures,
    cost: f64,
    passed: f64,
}

/// Draws the cost of one run of a case to the right and the share that passed upwards, with its interval. Empty if fewer than two
/// sides have both; a side without a cost is named below.
fn draw_plot(sides: &[VariantFigures]) -> String {
    let points: Vec<PlotPoint<'_>> = sides
        .iter()
        .filter_map(|side| Some(PlotPoint { side, cost: side.cost_per_case?, passed: side.passed? }))
        .collect();
    let most = points.iter().map(|point| point.cost).fold(0.0, f64::max);
    if points.len() < 2 || most <= 0.0 {
        return String::new();
    }
    let step = find_step(most);
    let right = (most / step).ceil() * step;
    let to_x = |cost: f64| LEFT + cost / right * (RIGHT - LEFT);
    let to_y = |share: f64| BOTTOM - share * (BOTTOM - TOP);
    let told: Vec<String> = points.iter().map(describe_point).collect();
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
        escape_attribute(&format!("Cost of a run and share that passed: {}", told.join("; ")))
    );
    // Writing to a string cannot fail.
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let y = to_y(share);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>",
            LEFT - 8.0,
            y + 4.0,
            share * 100.0
        );
    }
    let mut cost = 0.0;
    let mut ticks = 0.0;
    while cost <= right + step / 2.0 {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">${}</text>",
            to_x(cost),
            BOTTOM + 20.0,
            render_tick(cost, step)
        );
        // Multiplied, and not added up, so that rounding errors do not grow.
        ticks += 1.0;
        cost = ticks * step;
    }
    let _ = writeln!(
        svg,
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{BOTTOM}\" y2=\"{BOTTOM}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">cost of one run of a case, in US dollars</text>",
        f64::midpoint(LEFT, RIGHT),
        HEIGHT - 10.0
    );
    for (point, label_y) in points.iter().zip(spread_labels(&points, &to_y)) {
        let x = to_x(point.cost);
        let y = to_y(point.passed);
        if let Some([lower, upper]) = point.side.interval {
            let _ = write!(
                svg,
                "<line class=\"range\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
                to_y(lower),
                to_y(upper)
            );
        }
        // A label stays inside of the plot.
        let is_right = x > f64::midpoint(LEFT, RIGHT);
        let (label_x, anchor) = if is_right { (x - 9.0, "end") } else { (x + 9.0, "start") };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"><title>{}</title></circle>\
             <text x=\"{label_x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape_attribute(&describe_point(point)),
            label_y + 4.0,
            escape_attribute(&point.side.name)
        );
    }
    svg += "</svg>\n";
    let unknown: Vec<String> = sides
        .iter()
        .filter(|side| side.cost_per_case.is_none() || side.passed.is_none())
        .map(|side| escape_attribute(&side.name))
        .collect();
    if !unknown.is_empty() {
        let _ = writeln!(
            svg,
            "<p class=\"quiet\">Not drawn, because a figure is not known: {}</p>",
            unknown.join(", ")
        );
    }
    format!("<h2>Cost and share that passed</h2>\n{svg}")
}

fn describe_point(point: &PlotPoint<'_>) -> String {
    format!("{} ${} {:.1} %", point.side.name, point.cost, point.passed * 100.0)
}

/// Returns the height of each label: that of its point, moved down where it would cover another one, and up where it would leave the
/// plot.
fn spread_labels(points: &[PlotPoint<'_>], to_y: &impl Fn(f64) -> f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|one, other| points[*other].passed.total_cmp(&points[*one].passed));
    let mut heights = vec![0.0; points.len()];
    let mut next = TOP;
    for index in &order {
        heights[*index] = to_y(points[*index].passed).max(next);
        next = heights[*index] + LINE;
    }
    let mut last = BOTTOM;
    for index in order.iter().rev() {
        heights[*index] = heights[*index].min(last);
        last = heights[*index] - LINE;
    }
    heights
}

/// Returns the distance of the marks of an axis up to `most`: 1, 2 or 5 times a power of ten.
fn find_step(most: f64) -> f64 {
    let power = 10_f64.powf((most / MAX_STEPS).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    // At least one fits, because ten powers are more than a sixth of `most`.
    steps.into_iter().find(|step| most / step <= MAX_STEPS).unwrap_or(most)
}

/// Renders a mark with the decimals of the distance between marks.
fn render_tick(value: f64, step: f64) -> String {
    let decimals = (0..12).find(|decimals| {
        let scaled = step * 10_f64.powi(*decimals);
        (scaled - scaled.round()).abs() < 1e-6
    });
    let decimals = usize::try_from(decimals.unwrap_or(12)).unwrap_or_default();
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(name: &str, cost: Option<f64>, passed: Option<f64>) -> VariantFigures {
        let mut side = VariantFigures::new(name, std::iter::empty(), 0.95);
        side.cost_per_case = cost;
        side.passed = passed;
        side.interval = passed.map(|passed| [passed - 0.02, passed + 0.02]);
        side
    }

    #[test]
    fn the_marks_of_an_axis_are_round() {
        for (most, step) in
            [(0.01, 0.002), (0.012, 0.002), (1.0, 0.2), (6.0, 1.0), (6.1, 2.0), (700.0, 200.0)]
        {
            assert!((find_step(most) - step).abs() < step * 1e-9, "{most}: {}", find_step(most));
        }
        assert_eq!(render_tick(0.004, 0.002), "0.004");
        assert_eq!(render_tick(400.0, 200.0), "400");
    }

    #[test]
    fn a_plot_needs_two_sides_with_a_cost_and_names_the_others() {
        let baseline = side("baseline", Some(0.01), Some(0.95));
        assert_eq!(draw_plot(&[baseline.clone(), side("a", None, Some(0.9))]), "");
        assert_eq!(draw_plot(&[side("a", Some(0.0), Some(0.9)), side("b", Some(0.0), Some(0.9))]), "");
        let plot = draw_plot(&[baseline, side("<b>", Some(0.002), Some(0.9)), side("own", None, Some(1.0))]);
        assert!(plot.contains("aria-label=\"Cost of a run and share that passed: baseline $0.01 95.0 %; &lt;b&gt; $0.002 90.0 %\""), "{plot}");
        assert!(plot.contains("Not drawn, because a figure is not known: own</p>"), "{plot}");
        // The dearest side is at the right end of the axis, and its label to its left.
        assert!(plot.contains("<circle cx=\"696.0\" cy=\"31.5\" r=\"5\">"), "{plot}");
        assert!(plot.contains("text-anchor=\"end\">baseline</text>"), "{plot}");
        assert!(plot.contains("text-anchor=\"start\">&lt;b&gt;</text>"), "{plot}");
    }

    #[test]
    fn labels_of_equal_shares_do_not_cover_each_other_and_stay_in_the_plot() {
        let sides: Vec<VariantFigures> =
            (0..6).map(|n| side(&n.to_string(), Some(0.01), Some(f64::from(n % 2)))).collect();
        let points: Vec<PlotPoint<'_>> = sides
            .iter()
            .map(|side| PlotPoint { side, cost: 0.01, passed: side.passed.expect("a share") })
            .collect();
        let mut heights = spread_labels(&points, &|share| BOTTOM - share * (BOTTOM - TOP));
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= LINE), "{heights:?}");
        assert!(heights[0] >= TOP && heights[5] <= BOTTOM, "{heights:?}");
    }
}
