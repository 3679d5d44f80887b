//! What each path of a declared reader selects in a trace, and what is left.

use std::fmt::Write as _;

use arraign::__internals::report::plain::escape_line;
use arraign::Trace;
use arraign::reader::{ReaderSurvey, SurveyedPath};

use super::timeline::{TimelineLength, render_timeline};

/// The largest length of an example.
const EXAMPLE: usize = 60;

/// Renders what the paths of declared readers select. Where one recognizes the file, those that do not are one line.
pub(super) fn render_surveys(surveys: &[ReaderSurvey], length: TimelineLength) -> String {
    // If no reader recognises the file, its author wants to see why for each of them.
    let is_known = surveys.iter().any(|survey| survey.objection.is_none());
    let shown = surveys.iter().map(|survey| {
        let heading = render_heading(survey);
        let paths =
            if is_known && survey.objection.is_some() { String::new() } else { render_paths(survey, length) };
        heading + &paths
    });
    shown.collect::<Vec<_>>().join("\n")
}

fn render_heading(survey: &ReaderSurvey) -> String {
    match &survey.objection {
        None => format!("{}: recognizes the file\n", survey.format),
        Some(objection) => {
            format!("{}: does not recognize the file: {}\n", survey.format, escape_line(objection))
        }
    }
}

fn render_paths(survey: &ReaderSurvey, length: TimelineLength) -> String {
    let mut out = String::new();
    let key = survey.paths.paths.iter().map(|path| path.key.len()).max().unwrap_or_default();
    for path in &survey.paths.paths {
        let _ = writeln!(out, "  {:key$}  {}", path.key, describe_path(path));
    }
    match &survey.runs {
        Err(error) => {
            let _ = writeln!(out, "  {error}");
        }
        Ok(runs) => {
            for (index, run) in runs.iter().enumerate() {
                let _ = write!(
                    out,
                    "\nrun {} of {}\n{}",
                    index + 1,
                    runs.len(),
                    render_timeline(run, length).text
                );
                out.push_str(&render_left(run));
            }
        }
    }
    out
}

/// Renders what no path selected, and could be a call.
fn render_left(run: &Trace) -> String {
    if run.unread.is_empty() {
        return "  left       nothing that could be a call\n".to_owned();
    }
    let parts = run.unread.iter().map(|part| format!("  left       {}\n", escape_line(&part.to_string())));
    parts.collect()
}

fn describe_path(path: &SurveyedPath) -> String {
    let shown = escape_line(&path.path);
    match (&path.example, path.values) {
        (Some(example), values) => {
            let mut example: String = example.chars().take(EXAMPLE + 1).collect();
            if example.chars().count() > EXAMPLE {
                example.pop();
                example.push('…');
            }
            let plural = if values == 1 { "" } else { "s" };
            format!("{shown}: {values} value{plural}, such as {}", escape_line(&example))
        }
        (None, _) => format!("{shown}: selects nothing"),
    }
}
