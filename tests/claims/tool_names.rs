//! One conversation in the formats of many hosts, held against the same names of tools: the same verdicts.
//!
//! Real programs wrote the files while they held the same conversation with the same model and the same server `shop`. The
//! hosts join the server and the name of a tool in different ways, and some formats do not record the server.

use std::path::Path;

use arraign::reader::read;
use arraign::trace::{ToolServer, Trace};
use arraign::{Harness, Status, evaluate};

use Status::{Fail, Pass, Undecided};

/// The files, and whether they record the server.
const FILES: &[(&str, bool)] = &[
    ("claude-code/stream-json.shop-mcp.jsonl", true),
    ("claude-code/transcript.shop-mcp.jsonl", true),
    ("codex/exec-json.shop-mcp.jsonl", true),
    ("codex/rollout.shop-mcp.jsonl", true),
    ("gemini-cli/gemini_cli.session.jsonl", true),
    ("gemini-cli/gemini_cli.stream-json.jsonl", true),
    ("atif/claude_code.shop-mcp.trajectory.json", true),
    ("mcp/tee_log.claude_code.jsonl", true),
    ("openai-chat/messages.json", false),
    ("openai-responses/input_items.json", false),
    ("anthropic/messages.json", false),
    ("otel/maf.otlp.jsonl", false),
];

/// A case, and its verdicts: where the server of a tool is recorded, and where it is not.
type Row = (&'static str, Status, Status);

/// Where the server is not recorded, a name with a server means the tool, and a glob over the tools of a server leaves the
/// answer open, if it depends on it.
const ROWS: &[Row] = &[
    ("metric: required_tools\ntools: [get_order]", Pass, Pass),
    ("metric: required_tools\ntools: ['shop:get_order', mcp__shop__get_shipping_quote]", Pass, Pass),
    ("metric: required_tools\ntools: ['crm:get_order']", Fail, Pass),
    ("metric: required_tools\ntools: ['get_*']", Pass, Pass),
    ("metric: required_tools\ntools: ['shop:*']", Pass, Undecided),
    ("metric: required_tools\ntools: [cancel_order]", Fail, Fail),
    ("metric: forbidden_tools\ntools: [get_order]", Fail, Fail),
    ("metric: forbidden_tools\ntools: ['shop:get_order']", Fail, Fail),
    ("metric: forbidden_tools\ntools: [mcp__shop__get_order]", Fail, Fail),
    ("metric: forbidden_tools\ntools: ['*get_order']", Fail, Fail),
    ("metric: forbidden_tools\ntools: ['crm:*']", Pass, Undecided),
    ("metric: forbidden_tools\ntools: ['crm:*', get_order]", Fail, Fail),
    ("metric: forbidden_tools\ntools: [GetOrder]\nnames: normalised", Fail, Fail),
    ("metric: tool_blocklist\nblocklist: ['{get,put}_order']", Fail, Fail),
    ("metric: tool_blocklist\nblocklist: ['shop:*']", Fail, Undecided),
    ("metric: tool_blocklist\nblocklist: ['SHOP:GET_ORDER']\ncase_sensitive: false", Fail, Fail),
    ("metric: tool_sequence\ntools: [get_order, 'shop:get_shipping_quote']", Pass, Pass),
    (
        "metric: sequence_valid\nsame_turn: allow\nrules: [{type: before, first: get_order, then: get_shipping_quote}]",
        Pass,
        Pass,
    ),
    (
        "metric: sequence_valid\nrules: [{type: never_after, trigger: get_order, forbidden: 'shop:get_*'}]",
        Fail,
        Undecided,
    ),
    ("metric: sequence_valid\nrules: [{type: count, tool: 'shop:get_shipping_quote', max: 1}]", Fail, Fail),
    ("metric: sequence_valid\nrules: [{type: allowlist, tools: ['shop:*']}]", Pass, Undecided),
    ("metric: sequence_valid\nrules: [{type: blocklist, pattern: _order}]", Fail, Fail),
    ("metric: args_valid\nschema: {get_order: {required: [nope]}}", Fail, Fail),
    (
        "metric: args_valid\nschema: {'shop:get_order': {required: [order_id]}}\nstrict: true\ntools: ['*_order']",
        Pass,
        Pass,
    ),
    ("metric: args_valid\npolicy: {tools: {deny: [mcp__shop__get_order]}}", Fail, Fail),
    ("metric: args_valid\npolicy: {tools: {allow: ['shop:*']}}", Pass, Undecided),
    ("metric: tool_input\ntool: 'shop:get_shipping_quote'\ntype: contains\nvalue: postnord", Pass, Pass),
    ("eval: {tool_constraints: {forbidden_tools: ['shop:get_order']}}", Fail, Fail),
    ("eval: {tool_sequence: {allow: [[get_order, get_shipping_quote, 'get_*']]}}", Pass, Pass),
    ("expected: {forbidden_tools: [Get-Order]}", Fail, Fail),
    ("metric: tool_accuracy\ntools: [get_order, 'shop:get_shipping_quote']", Pass, Pass),
    ("metric: correctness\nexpected_tools: ['shop:get_order', 'get_shipping_*']", Pass, Pass),
    (
        "metric: sequence_correctness\nmode: unordered\ntool_sequence: ['get_*', get_order, 'get_*']",
        Pass,
        Pass,
    ),
];

fn read_fixture(name: &str) -> Trace {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/arraign-trace/tests/reader");
    let text = std::fs::read_to_string(folder.join(name)).expect(name);
    let mut recording = read(&text, None).expect(name);
    recording.runs.remove(0)
}

fn judge(case: &str, trace: &Trace) -> Status {
    let suite = Harness::new("evals").parse(case).unwrap_or_else(|errors| panic!("{case}: {errors}"));
    evaluate(&suite.cases[0], trace).status
}

#[test]
fn a_tool_has_one_identity_in_the_formats_of_all_hosts() {
    for (file, _) in FILES {
        let names = ["get_order", "get_shipping_quote", "get_shipping_quote"];
        assert_eq!(read_fixture(file).tool_names(), names, "{file}");
    }
    for (file, is_recorded) in FILES {
        let shop = if *is_recorded { ToolServer::Named("shop".to_owned()) } else { ToolServer::NotRecorded };
        assert!(read_fixture(file).calls.iter().all(|call| call.server == shop), "{file}");
    }
}

#[test]
fn the_same_names_get_the_same_verdicts_in_the_formats_of_all_hosts() {
    for (file, is_recorded) in FILES {
        let trace = read_fixture(file);
        for (case, recorded, unrecorded) in ROWS {
            let expected = if *is_recorded { recorded } else { unrecorded };
            assert_eq!(judge(case, &trace), *expected, "{file}: {case}");
        }
    }
}

#[test]
fn a_name_that_looks_like_a_regular_expression_is_refused_by_every_check() {
    for case in [
        "metric: required_tools\ntools: [/order/]",
        "metric: forbidden_tools\ntools: [/order/]",
        "metric: forbidden_tools\ntools: [/order/]\nnames: normalised",
        "metric: tool_blocklist\nblocklist: [/order/]",
        "metric: tool_sequence\ntools: [/order/]",
        "metric: sequence_correctness\ntool_sequence: [/order/]",
        "metric: correctness\nexpected_tools: [/order/]",
        "metric: tool_accuracy\ntools: [/order/]",
        "metric: tool_input\ntool: /order/\ntype: contains\nvalue: x",
        "metric: args_valid\nschema: {/order/: {required: [x]}}",
        "metric: sequence_valid\nrules: [{type: require, tool: /order/}]",
    ] {
        let errors = Harness::new("evals").parse(case).map(drop).expect_err(case);
        assert!(errors.to_string().contains("looks like a regular expression"), "{case}: {errors}");
    }
}
