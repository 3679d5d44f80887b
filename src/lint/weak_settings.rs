//! `odd_name`, `literal_matcher`, `allowed_by_pass_rate`, `unasserted_format`: settings that load, and that often mean something
//! else than their writer thinks.

use super::LintRemark;
use crate::case::{Case, Expectation};
use crate::check::arguments::{ORDINARY_WORDS, is_matcher};
use crate::pattern::ToolPattern;
use crate::place::Location;
use crate::score::Effect;
use crate::source::Files;
use crate::yaml::Node;

/// The checks that forbid a tool, and are read as a rule for every run.
const BANS: [&str; 3] = ["forbidden_tools", "not_called", "tool_blocklist"];

/// The checks with a JSON Schema, each with the settings that may name a file of schemas.
const SCHEMA_CHECKS: [(&str, &[&str]); 4] = [
    ("args_valid", &["policy", "schema"]),
    ("json_schema", &["schema", "file"]),
    ("tool_output_valid", &["schema", "file"]),
    ("tool_input", &["schema"]),
];

/// Returns the remarks about the settings of a case, whose file is in `folder`.
pub(super) fn find_remarks(case: &Case, folder: &std::path::Path, files: &Files) -> Vec<LintRemark> {
    let mut remarks = Vec::new();
    for expectation in &case.expectations {
        remarks.extend(
            expectation.check().tools().into_iter().filter_map(|tool| find_odd_name(expectation, tool)),
        );
        remarks.extend(find_allowed_ban(case, expectation));
        if let Some(node) = expectation.settings().node() {
            add_literal_matchers(node, false, &mut remarks);
            remarks.extend(find_unasserted_format(expectation, node, folder, files));
        }
    }
    remarks
}

/// Reports a name with characters of a regular expression or of a list in one text.
fn find_odd_name(expectation: &Expectation, tool: &ToolPattern) -> Option<LintRemark> {
    let text = tool.as_str();
    // Commas between braces separate the alternatives of a glob.
    let mut depth = 0_i32;
    let has_comma = text.chars().any(|c| {
        depth += i32::from(matches!(c, '{' | '[')) - i32::from(matches!(c, '}' | ']'));
        c == ',' && depth == 0
    });
    let said = if text.starts_with('^') || text.ends_with('$') || text.contains('|') {
        "a regular expression"
    } else if has_comma {
        "several names"
    } else {
        return None;
    };
    Some(LintRemark {
        lint: "odd_name",
        at: super::near_miss::locate_name(expectation, text),
        message: format!("`{text}` looks like {said}, and is taken as the name of one tool"),
        help: "names of tools are globs, such as `*order` or `{get,put}_order`, and several names are a list",
    })
}

/// Reports a ban that a pass rate allows some runs to break.
fn find_allowed_ban(case: &Case, expectation: &Expectation) -> Option<LintRemark> {
    let variance = case.variance.as_ref()?;
    let is_ban = BANS.contains(&expectation.check) && expectation.effect == Effect::Fail;
    (is_ban && variance.variance.allows_failures()).then(|| LintRemark {
        lint: "allowed_by_pass_rate",
        at: expectation.place.locate(),
        message: format!(
            "this `{}` need not hold in every run: `pass_rate` allows some runs to fail",
            expectation.check
        ),
        help: "`expected.forbidden_tools` holds in every run; or say `pass_rate: 1`",
    })
}

/// Reports mappings among arguments that are compared as values, although they have a word of a matcher.
fn add_literal_matchers(node: Node<'_>, in_arguments: bool, remarks: &mut Vec<LintRemark>) {
    let keys = || node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    let has_others = !is_matcher(node);
    let word = keys().find(|key| ORDINARY_WORDS.contains(key));
    if let Some(word) = word.filter(|_| in_arguments && has_others) {
        remarks.push(LintRemark {
            lint: "literal_matcher",
            at: node.key_place(word).locate(),
            message: format!(
                "`{word}` beside other keys is no matcher: the whole mapping is compared as it is"
            ),
            help: "if that is meant, write `equals: {...}`; if not, take the other keys out",
        });
    }
    for (key, value) in node.entries().into_iter().flatten() {
        // What is under these keys is compared as it is, or is no value.
        if in_arguments && !has_others && ["equals", "schema"].contains(&key.name.as_str()) {
            continue;
        }
        let is_below = key.name == "args";
        if in_arguments || is_below {
            // The names of arguments are no words of matchers.
            let values: Vec<Node<'_>> = if is_below && !in_arguments {
                value.entries().into_iter().flatten().map(|(_, value)| value).collect()
            } else {
                vec![value]
            };
            for value in values {
                add_literal_matchers(value, true, remarks);
            }
        } else {
            add_literal_matchers(value, false, remarks);
        }
    }
    for element in node.list().into_iter().flatten() {
        add_literal_matchers(element, in_arguments, remarks);
    }
}

/// Reports the first `format` of a schema whose check does not ask for formats.
fn find_unasserted_format(
    expectation: &Expectation,
    node: Node<'_>,
    folder: &std::path::Path,
    files: &Files,
) -> Option<LintRemark> {
    let (_, sources) = SCHEMA_CHECKS.iter().find(|(check, _)| *check == expectation.check)?;
    let asserts =
        |key: &str| node.get(key).is_some_and(|node| node.decode::<bool>().is_ok_and(|wanted| wanted));
    if asserts("formats") {
        return None;
    }
    let in_file = || {
        let texts = sources.iter().filter_map(|key| node.get(key).unwrap_or(node).as_str());
        texts.into_iter().find_map(|text| {
            let path = files.resolve(folder, text).ok()?;
            let document = files.document(&path).ok()?;
            find_format(document.root())
        })
    };
    let (at, format) = find_format(node).or_else(in_file)?;
    Some(LintRemark {
        lint: "unasserted_format",
        at,
        message: format!("`format: {format}` is an annotation here: no value breaks it"),
        help: "say `formats: true` beside the schema, or use a `pattern`",
    })
}

fn find_format(node: Node<'_>) -> Option<(Location, String)> {
    for (key, value) in node.entries().into_iter().flatten() {
        // What is under these keys are values, which may have any key.
        if ["enum", "const", "default", "examples", "example"].contains(&key.name.as_str()) {
            continue;
        }
        if let Some(format) = value.as_str().filter(|_| key.name == "format") {
            return Some((node.key_place("format").locate(), format.to_owned()));
        }
        if let Some(found) = find_format(value) {
            return Some(found);
        }
    }
    node.list().into_iter().flatten().find_map(find_format)
}
