//! `near_miss`: a name of a tool that no run calls, although its run calls a tool with nearly this name.
//!
//! A ban of such a name forbids nothing, and a requirement of it fails. Nearly is: another spelling, one edit, one prefix,
//! or another server. The same holds for globs. Only the runs of the case itself count: another case may call the tool by
//! its right name. A name that differs by an edit is no slip if another case calls it, as a tool beside its neighbour.
//!
//! The same is reported of arguments: an expectation names one that no call of the tool has, and a call has one of nearly
//! this name.

use std::collections::BTreeSet;

use super::LintRemark;
use crate::case::{Case, Expectation};
use crate::json::JsonText;
use crate::pattern::{ToolPattern, find_near_calls, normal_name};
use crate::place::Location;
use crate::suite::RecordedEvidence;
use crate::trace::{Call, OfferedTool, ToolServer};
use crate::yaml::{Node, nearest};

/// Shorter names differ by one edit from too many others.
const MIN_EDITED_CHARS: usize = 5;

/// The characters that hosts put between the name of a server and the name of a tool.
const SEPARATORS: [char; 6] = ['_', '-', '.', '/', ':', ' '];

/// The names of all cases that are nearly the name of a called tool, and the tools that all runs call.
#[derive(Default)]
pub(super) struct NearMisses {
    slips: Vec<NameSlip>,
    arguments: Vec<LintRemark>,
    called: BTreeSet<CalledTool>,
}

/// A name that is nearly the name of a called tool.
struct NameSlip {
    at: Location,
    check: &'static str,
    tool: ToolPattern,
    near: String,
    /// Whether the called name is the named one in another spelling, or behind a prefix.
    is_spelling: bool,
}

/// A tool that a run calls: its name, its server, and its written name.
type CalledTool = (String, ToolServer, Option<String>);

impl NearMisses {
    pub(super) fn add_case(&mut self, case: &Case, recorded: &RecordedEvidence) {
        let calls: Vec<&Call> = recorded.runs.iter().flat_map(|run| &run.trace.calls).collect();
        for call in &calls {
            self.called.insert((call.name.clone(), call.server.clone(), call.written.clone()));
        }
        let offered: Vec<Call> =
            recorded.runs.iter().flat_map(|run| run.trace.offered.iter().map(OfferedTool::to_call)).collect();
        let named = case.list_named_tools();
        let is_other =
            |call: &Call| named.iter().any(|name| *name == call.name || *name == call.written_name());
        for expectation in &case.expectations {
            self.arguments.extend(find_argument_slips(expectation, &calls));
            let tools = expectation.check().tools();
            for tool in &tools {
                let is_offered = offered.iter().any(|call| tool.matches(call));
                // The case or the trace may say that the two are different tools. A slip in a name is one all the same.
                let is_distinct = |call: &Call| {
                    (is_other(call) || is_offered && offered.iter().any(|other| other.name == call.name))
                        && !find_near_calls(&[tool], &[call]).is_empty()
                };
                self.slips.extend(find_slip(expectation, tool, &tools, &calls, &is_distinct));
            }
        }
    }

    pub(super) fn into_remarks(self) -> impl Iterator<Item = LintRemark> {
        let Self { slips, called, arguments } = self;
        let mut seen = BTreeSet::new();
        let missed = slips.into_iter().filter(move |slip| {
            slip.is_spelling || !called.iter().any(|tool| slip.tool.matches(&call_of(tool)))
        });
        let arguments = arguments.into_iter();
        let missed = missed.map(|slip| {
            let message = format!(
                "`{}` names `{}`, which its run does not call; it calls `{}`",
                slip.check, slip.tool, slip.near
            );
            LintRemark {
                lint: "near_miss",
                at: slip.at,
                message,
                help: "write the name as the trace has it, or remove it",
            }
        });
        // The cases of a dataset share one line of YAML, and would each repeat the remark.
        missed.chain(arguments).filter(move |remark| {
            let LintRemark { at, message, .. } = remark;
            seen.insert((at.file.clone(), at.line, at.column, message.clone()))
        })
    }
}

fn call_of((name, server, written): &CalledTool) -> Call {
    let call = Call::new(name.as_str(), crate::trace::Arguments::none(), 1);
    Call { server: server.clone(), written: written.clone(), ..call }
}

/// The called tool that `tool` nearly names, if no call is meant. A call that another name of the check means is not such a tool.
fn find_slip(
    expectation: &Expectation,
    tool: &ToolPattern,
    tools: &[&ToolPattern],
    calls: &[&Call],
    is_distinct: &dyn Fn(&Call) -> bool,
) -> Option<NameSlip> {
    if calls.iter().any(|call| tool.may_match(call)) {
        return None;
    }
    let mut unnamed = calls.iter().filter(|call| !tools.iter().any(|other| other.may_match(call)));
    let near = unnamed.find(|call| is_near(tool, call) && !is_distinct(call))?;
    Some(NameSlip {
        at: locate_name(expectation, tool.as_str()),
        check: expectation.check,
        tool: tool.clone(),
        near: describe_tool(near),
        is_spelling: !find_near_calls(&[tool], &[near]).is_empty() || has_same_ending(tool, near),
    })
}

/// Whether one of the names is the other behind a prefix, or both are one name on two servers.
fn has_same_ending(tool: &ToolPattern, call: &Call) -> bool {
    let own = tool.tool();
    let called = call.name.as_str();
    own == called || has_prefix(own, called) || has_prefix(called, own)
}

/// Finds arguments in the settings that no call of the tool has, although one has an argument of nearly this name.
fn find_argument_slips(expectation: &Expectation, calls: &[&Call]) -> Vec<LintRemark> {
    let mut remarks = Vec::new();
    if let Some(node) = expectation.settings().node() {
        add_argument_slips(expectation.check, node, calls, &mut remarks);
    }
    remarks
}

/// The keys under which a call in the settings says its tool.
const TOOL_KEYS: [&str; 3] = ["tool", "call", "name"];

fn add_argument_slips(check: &str, node: Node<'_>, calls: &[&Call], remarks: &mut Vec<LintRemark>) {
    let tool = TOOL_KEYS.iter().find_map(|key| ToolPattern::new(node.get(key)?.as_str()?).ok());
    let arguments = node.get("args").and_then(Node::entries);
    for (tool, entries) in tool.iter().zip(arguments) {
        let own: Vec<&Call> = calls.iter().copied().filter(|call| tool.matches(call)).collect();
        let passed = own.iter().filter_map(|call| call.arguments.json()?.as_object());
        let passed: BTreeSet<&str> = passed.flat_map(|passed| passed.keys().map(JsonText::as_str)).collect();
        let written: Vec<&str> = node
            .get("args")
            .and_then(Node::entries)
            .into_iter()
            .flatten()
            .map(|(key, _)| key.name.as_str())
            .collect();
        for (key, _) in entries.filter(|(key, _)| !passed.contains(key.name.as_str())) {
            let name = key.name.as_str();
            let unwritten = passed.iter().copied().filter(|passed| !written.contains(passed));
            let Some(near) = nearest(name, unwritten) else { continue };
            remarks.push(LintRemark {
                lint: "near_miss",
                at: node.get("args").map_or_else(|| node.place(), |args| args.key_place(name)).locate(),
                message: format!(
                    "`{check}` names the argument `{name}`, which no call of `{tool}` has; one has `{near}`"
                ),
                help: "write the name as the trace has it, or remove it",
            });
        }
    }
    for (_, value) in node.entries().into_iter().flatten() {
        add_argument_slips(check, value, calls, remarks);
    }
    for element in node.list().into_iter().flatten() {
        add_argument_slips(check, element, calls, remarks);
    }
}

/// `get_order`, or `shop:get_order` where the server is known.
fn describe_tool(call: &Call) -> String {
    match call.server.name() {
        Some(server) => format!("{server}:{}", call.name),
        None => call.name.clone(),
    }
}

fn is_near(tool: &ToolPattern, call: &Call) -> bool {
    let own = tool.tool();
    if tool.exact().is_none() {
        return [call.name.as_str(), call.written_name()].into_iter().any(|called| is_near_glob(own, called));
    }
    // One of another server has the same name.
    own == call.name
        || [call.name.as_str(), call.written_name()].into_iter().any(|called| {
            normal_name(own) == normal_name(called)
                || has_prefix(own, called)
                || has_prefix(called, own)
                || is_one_edit_away(own, called)
        })
}

/// Whether a glob matches the name in another case, with a prefix, or after one edit of its literal characters.
fn is_near_glob(glob: &str, called: &str) -> bool {
    let literals = glob.chars().filter(|c| !"*?[]{},!".contains(*c)).count();
    let is_plain = !glob.contains(['[', '{']);
    let prefixed = SEPARATORS.iter().map(|separator| format!("?*{separator}{glob}"));
    // An edit in a class or in alternatives would need a parser of globs. They are compared as they are.
    let places = glob.char_indices().filter(|_| is_plain && literals >= MIN_EDITED_CHARS);
    let edited = places.filter(|(_, c)| !"*?".contains(*c)).flat_map(|(at, c)| {
        let before = &glob[..at];
        let after = &glob[at + c.len_utf8()..];
        [format!("{before}?{after}"), format!("{before}{after}"), format!("{before}?{c}{after}")]
    });
    let is_match = |glob: &str, name: &str| {
        let call = Call::new(name, crate::trace::Arguments::none(), 1);
        ToolPattern::new(glob).is_ok_and(|pattern| pattern.matches(&call))
    };
    is_match(glob, called)
        || is_match(&glob.to_lowercase(), &called.to_lowercase())
        || prefixed.chain(edited).any(|glob| is_match(&glob, called))
}

/// Whether `long` is `short` behind a prefix.
fn has_prefix(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|prefix| prefix.ends_with(SEPARATORS) && prefix.len() > 1)
}

/// Whether one character more, less or other, or two that are swapped, make one name of the other.
fn is_one_edit_away(one: &str, other: &str) -> bool {
    if one.len().min(other.len()) < MIN_EDITED_CHARS {
        return false;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // What is left between the common beginning and the common end.
    let begin = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let one = &one[begin..];
    let other = &other[begin..];
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&one[..one.len() - end], &other[..other.len() - end]) {
        (one, other) if one.len() <= 1 && other.len() <= 1 => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

/// The place of the name in the settings of the check, or of the check itself if the name is in another file.
pub(super) fn locate_name(expectation: &Expectation, name: &str) -> Location {
    let found = expectation.settings().node().and_then(|node| find_text(node, name));
    found.map_or_else(|| expectation.place.locate(), |node| node.place().locate())
}

fn find_text<'n>(node: Node<'n>, text: &str) -> Option<Node<'n>> {
    if node.as_str() == Some(text) {
        return Some(node);
    }
    let in_list = node.list().into_iter().flatten().find_map(|node| find_text(node, text));
    in_list.or_else(|| {
        let mut entries = node.entries().into_iter().flatten();
        // The name of a tool may be a key as well as a value.
        entries.find_map(|(key, value)| if key.name == text { Some(value) } else { find_text(value, text) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Arguments;

    fn is_near_name(tool: &str, called: &str) -> bool {
        is_near(&ToolPattern::new(tool).expect(tool), &Call::new(called, Arguments::none(), 1))
    }

    #[test]
    fn names_are_near_by_spelling_one_edit_one_prefix_or_one_server() {
        for (tool, called) in [
            ("get_order", "GetOrder"),
            ("get_ordr", "get_order"),
            ("get_orders", "get_order"),
            ("get_odrer", "get_order"),
            ("get_order", "shop_get_order"),
            ("shop-get_order", "get_order"),
            ("crm:get_order", "get_order"),
            ("get_ordr*", "get_order_list"),
            ("*_Order", "get_order"),
            ("get_*", "shop_get_order"),
            ("crm:get_*", "get_order"),
        ] {
            assert!(is_near_name(tool, called), "{tool} {called}");
        }
        for (tool, called) in [
            ("get_order", "get_quote"),
            ("order", "reorder"),
            ("put", "get"),
            ("cat", "car"),
            ("get_order", "get_customer_order_list"),
            ("get_*", "set_order"),
            ("delete_*", "get_order"),
        ] {
            assert!(!is_near_name(tool, called), "{tool} {called}");
        }
    }
}
