//! EvalView: test cases with `expected`, `thresholds` and `checks`, one per document.

use std::fs;
use std::path::Path;

use arraign::__internals::place::{LoadError, LoadErrors, Place, Source};
use arraign::__internals::yaml::{Document, Node};
use arraign::json::{Json, JsonMap, json};

use super::draft::{CaseDraft, EvalviewProject, ImportInput, ImportedFiles, SuiteDraft, find_load_error};
use super::keys::{Keys, is_empty_node, list_entries, prune_empty};
use super::pattern::translate_python;
use super::source_dir::has_extension;
use super::unsupported::UnsupportedList;
use crate::yaml_writer::render_document;

const RUNNING: &str = "a case does not say how to reach the agent: it uses a recorded trace";
const LABEL: &str = "a case has no labels other than `tags`";

const OF_A_TEST: &[(&[&str], &str)] = &[
    (&["adapter", "endpoint", "adapter_config", "tools", "model"], RUNNING),
    (&["generated", "source_file"], LABEL),
    (&["gate"], "every failed case fails the run"),
];

const OF_EXPECTED: &[(&[&str], &str)] = &[
    (&["metrics"], "arraign has no named metrics: use `max_cost` and `max_latency` in `thresholds`"),
    (&["hallucination", "safety"], "arraign has no counterpart for these settings: see `checks`"),
];

/// The number of golden runs that are read.
const MAX_GOLDENS: usize = 1000;

/// Reads the folder `.evalview` that is nearest above the file at `path`.
pub(super) fn read_project(path: &Path) -> EvalviewProject {
    let Ok(path) = path.canonicalize() else { return EvalviewProject::default() };
    let folders = path.ancestors().skip(1).map(|folder| folder.join(".evalview"));
    let Some(folder) = folders.into_iter().find(|folder| folder.is_dir()) else {
        return EvalviewProject::default();
    };
    let entries = fs::read_dir(folder.join("golden")).into_iter().flatten().flatten();
    let mut goldens: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_golden = name.ends_with(".golden.json") && entry.file_type().ok()?.is_file();
            Some((name, is_golden.then(|| fs::read_to_string(entry.path()).ok())??))
        })
        .take(MAX_GOLDENS)
        .collect();
    goldens.sort();
    let config = fs::read_to_string(folder.join("config.yaml")).unwrap_or_default();
    // A configuration that cannot be read is reported where it is imported itself.
    let documents = Document::parse(&Source::new("config.yaml", config)).unwrap_or_default();
    let fail_on = documents.first().and_then(|document| document.root().pointer("/ci/fail_on"));
    let fail_on = fail_on.filter(|node| !is_empty_node(*node)).map(Node::to_json);
    EvalviewProject { goldens, fail_on }
}

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    if has_extension(Path::new(input.source.name()), &["toml"]) {
        let place = Place::of_file(input.source.name());
        return Err(LoadError::new(place, "a test case in TOML is not imported")
            .help("write it as YAML, which EvalView reads as well")
            .into());
    }
    let mut draft = SuiteDraft::new(input, "evalview");
    let documents = input.parse_documents()?;
    // EvalView's configuration has settings for all tests and no test. It lies among them.
    if let [document] = documents.as_slice()
        && is_configuration(document.root())
    {
        return Ok(import_configuration(document.root(), input, draft));
    }
    for document in documents {
        for node in document.root().one_or_many() {
            if node.get("input").is_none() && node.get("turns").is_none() {
                let error = node.error("expected an EvalView test case with `input` or `turns`");
                return Err(error.into());
            }
            import_test(node, &input.project, &mut draft);
        }
    }
    Ok(draft.finish())
}

/// The keys of `.evalview/config.yaml`, one of which at least a configuration has.
const CONFIGURATION: &[&str] = &[
    "adapter",
    "agents",
    "ci",
    "diff",
    "endpoint",
    "judge",
    "retry",
    "scoring",
    "tool_categories",
    "weights",
];

/// The keys of a test, of which a configuration has none.
const TEST: &[&str] = &["expected", "input", "name", "turns"];

/// The weights that both tools know.
const WEIGHTS: &[&str] = &["output_quality", "sequence_correctness", "tool_accuracy"];

fn is_configuration(root: Node<'_>) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| root.get(key).is_some());
    has(CONFIGURATION) && !has(TEST)
}

/// Writes what holds for all tests to `arraign.yaml`, whose settings hold for all files of the folder.
fn import_configuration(root: Node<'_>, input: &ImportInput, mut draft: SuiteDraft) -> ImportedFiles {
    let mut settings = JsonMap::new();
    if let Some(mut keys) = Keys::new(root) {
        let mut weights = keys.take(&["weights"]);
        if let Some(mut scoring) = keys.take(&["scoring"]).and_then(Keys::new) {
            weights = scoring.take(&["weights"]).or(weights);
            scoring.reject_all("arraign scores with the weights alone", &mut draft.unsupported);
        }
        let weights = weights.and_then(|node| convert_weights(node, &mut draft.unsupported));
        settings.extend(weights.map(|weights| ("weights".to_owned(), weights)));
        keys.copy_keys(&["tool_categories"], &mut settings);
        if let Some(mut ci) = keys.take(&["ci"]).and_then(Keys::new) {
            let fail_on = ci.take(&["fail_on"]).filter(|node| !is_empty_node(*node));
            // In its place below `.evalview`, the tests beside it find it themselves.
            if let Some(node) = fail_on.filter(|_| input.project.fail_on.is_none()) {
                let results = node.to_json();
                let why = format!(
                    "write it into the suites whose cases have a `baseline`: `defaults: {{baseline_fail_on: {results}}}`"
                );
                draft.unsupported.add_key(node, "fail_on", why);
            }
            ci.reject_all("a difference fails a case or does not", &mut draft.unsupported);
        }
        let judge = "name the `model` of the judge in arraign.yaml: its prompts differ, so its opinions are asked for again";
        keys.reject_rest(
            &[
                (&["judge"], judge),
                (&["adapter", "endpoint", "model", "agents", "retry", "timeout", "headers"], RUNNING),
            ],
            &mut draft.unsupported,
        );
    }
    let written = (!settings.is_empty()).then(|| ("arraign.yaml".to_owned(), render_document(&settings)));
    let files = written.into_iter().collect();
    ImportedFiles { files, is_configuration: true, ..draft.finish() }
}

/// Returns the weights without those that arraign does not score.
fn convert_weights(node: Node<'_>, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut weights = JsonMap::new();
    keys.copy_keys(WEIGHTS, &mut weights);
    // EvalView reads only these three, and ignores any other.
    keys.reject_all("EvalView scores nothing of this name, and arraign neither", unsupported);
    (!weights.is_empty()).then(|| weights.into())
}

fn import_test(node: Node<'_>, project: &EvalviewProject, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else { return };
    let name = keys.take_text(&["name"]).unwrap_or_default();
    add_categories(&mut keys, draft);
    let id = draft.ids.claim_id(&name);
    let stem = name_golden(&name);
    let golden = project.goldens.iter().find(|(file, _)| *file == format!("{stem}.golden.json"));
    let baseline = golden.map(|(file, text)| draft.add_baseline(file, text));
    if let Some(fail_on) = project.fail_on.as_ref().filter(|_| baseline.is_some()) {
        draft.set_default("baseline_fail_on", fail_on.clone());
    }
    let unsupported = &mut draft.unsupported;
    for (file, _) in project.goldens.iter().filter(|(file, _)| file.starts_with(&format!("{stem}.variant_")))
    {
        let why =
            "a case has one `baseline`: a second test with this golden run is compared with the variant";
        unsupported.add(node.place(), format!("the golden run `{file}`"), why);
    }
    let mut case = CaseDraft::new(&id);
    case.set("description", keys.take_text(&["description"]));
    case.set("input", keys.take(&["input"]).map(Node::to_json));
    case.set("metadata", take_labels(&mut keys));
    case.set("tags", keys.take(&["tags"]).filter(|node| !is_empty_node(*node)).map(Node::to_json));
    let mut checks = JsonMap::new();
    let expected = keys.take(&["expected"]).and_then(|node| convert_expected(node, &mut checks, unsupported));
    // The sequence's mode is written in another block than the sequence, and means nothing without one.
    let in_order = expected.as_ref().is_some_and(has_sequence);
    case.set("expected", expected);
    let turns =
        list_entries(keys.take(&["turns"])).into_iter().filter_map(|node| convert_turn(node, unsupported));
    let turns: Vec<Json> = turns.collect();
    case.set("turns", (!turns.is_empty()).then_some(turns));
    case.set("baseline", baseline);
    case.set("thresholds", keys.take(&["thresholds"]).and_then(prune_empty));
    case.set("weights", keys.take(&["weights"]).and_then(prune_empty));
    // `expected` may have added some of these checks already. What the block switches off stays off.
    if let Some(mut block) = keys.take(&["checks"]).and_then(Keys::new) {
        for key in ["hallucination", "safety", "pii"] {
            if let Some(node) = block.take(&[key]) {
                checks.insert(key.to_owned(), node.to_json());
            }
        }
        block.reject_rest(&[], unsupported);
    }
    // `false` switches a check off, which is the default here.
    checks.retain(|_, wanted| *wanted == Json::Bool(true));
    case.set("checks", (!checks.is_empty()).then_some(checks));
    case.set("mocks", take_mocks(&mut keys, unsupported));
    case.set("adapter_config", take_sequence_mode(&mut keys, in_order, unsupported));
    keys.reject_rest(OF_A_TEST, unsupported);
    draft.add_case(node.place(), case.finish());
}

/// Returns the name of the file in which `EvalView` keeps the golden run of a test, without its ending.
fn name_golden(test: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    test.chars().map(|c| if is_kept(c) { c } else { '_' }).collect()
}

/// Takes the labels of a test, which no check reads.
fn take_labels(keys: &mut Keys<'_>) -> Option<Json> {
    let mut labels = JsonMap::new();
    if let Some(Json::Object(own)) = keys.take(&["meta"]).map(Node::to_json) {
        labels.extend(own);
    }
    keys.copy_keys(&["suite_type", "difficulty"], &mut labels);
    (!labels.is_empty()).then(|| labels.into())
}

/// Converts the mocks of tools. Answers of a model and of HTTP servers are recorded, and not written by hand.
fn take_mocks(keys: &mut Keys<'_>, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut block = Keys::new(keys.take(&["mocks"])?)?;
    let mut tools: JsonMap = JsonMap::new();
    for node in list_entries(block.take(&["tool_mocks"])) {
        let Some(mut mock) = Keys::new(node) else { continue };
        let Some(tool) = mock.take_text(&["tool"]) else { continue };
        let mut answer = JsonMap::new();
        if let Some(when) = mock.take(&["match_params"]).filter(|node| !is_empty_node(*node)) {
            answer.insert("when".to_owned(), when.to_json());
        }
        let returned = mock.take(&["returns"]).map_or(Json::Null, Node::to_json);
        match mock.take_text(&["error"]) {
            Some(error) => {
                answer.insert("return".to_owned(), error.into());
                answer.insert("failed".to_owned(), true.into());
            }
            None => {
                answer.insert("return".to_owned(), returned);
            }
        }
        mock.skip(&["latency_ms"]);
        mock.reject_rest(&[], unsupported);
        if let Json::Array(answers) = tools.get_or_insert_with(tool, || Json::Array(Vec::new())) {
            answers.push(answer.into());
        }
    }
    block.skip(&["seed", "strict"]);
    let recorded = "arraign records what a model and servers answer: see `agent.model`";
    block.reject_rest(&[(&["response_mocks", "http_mocks"], recorded)], unsupported);
    (!tools.is_empty()).then(|| json!({"tools": tools}))
}

/// Moves the tool categories of a test to the suite: in arraign they hold for all cases of a file.
fn add_categories(keys: &mut Keys<'_>, draft: &mut SuiteDraft) {
    let Some(node) = keys.take(&["tool_categories"]).filter(|node| !is_empty_node(*node)) else { return };
    let Json::Object(own) = node.to_json() else { return };
    for (name, tools) in own {
        // The same category with the same tools is added once and is no conflict.
        if draft.add_category(&name, &tools) {
            continue;
        }
        let why =
            "another test of the file gives this category other tools: import the two from separate files";
        draft.unsupported.add_key(node, &name, why);
    }
}

fn has_sequence(expected: &Json) -> bool {
    expected.get("tool_sequence").or_else(|| expected.get("sequence")).is_some()
}

/// Takes the comparison of sequences, the only key of `adapter_config` that concerns the case.
fn take_sequence_mode(
    keys: &mut Keys<'_>,
    in_order: bool,
    unsupported: &mut UnsupportedList,
) -> Option<Json> {
    let mut settings = Keys::new(keys.take(&["adapter_config"])?)?;
    let node = settings.node();
    let mode = settings.take_text(&["sequence_mode"]);
    if mode.is_some() && !in_order {
        unsupported.add_key(node, "sequence_mode", "the test expects no sequence");
    }
    settings.reject_all(RUNNING, unsupported);
    let mode = mode.filter(|_| in_order)?;
    Some(Json::Object(JsonMap::from_iter([("sequence_mode".to_owned(), mode.into())])))
}

/// Converts the block, and adds to `checks` what is a separate check in arraign.
fn convert_expected(node: Node<'_>, checks: &mut JsonMap, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut block = JsonMap::new();
    keys.copy_keys(&["tools", "tool_categories", "tool_sequence", "sequence", "forbidden_tools"], &mut block);
    if let Some(output) = keys.take(&["output"]).and_then(|node| convert_output(node, checks, unsupported)) {
        block.insert("output".to_owned(), output);
    }
    // Only the switch is imported. The keys stay among the others and are reported, because their settings are lost.
    for key in ["hallucination", "safety"] {
        let wanted = node.get(key).and_then(|node| node.get("check")).map(Node::to_json);
        if wanted == Some(Json::Bool(true)) {
            checks.insert(key.to_owned(), true.into());
        }
    }
    keys.reject_rest(OF_EXPECTED, unsupported);
    Some(block.into())
}

fn convert_output(node: Node<'_>, checks: &mut JsonMap, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut block = JsonMap::new();
    keys.copy_keys(&["contains", "not_contains", "json_schema"], &mut block);
    if let Some(patterns) = keys.take(&["regex_patterns"]).filter(|node| !is_empty_node(*node)) {
        let kept =
            list_entries(Some(patterns)).into_iter().filter_map(|node| convert_pattern(node, unsupported));
        let kept: Vec<Json> = kept.collect();
        if !kept.is_empty() {
            block.insert("regex_patterns".to_owned(), kept.into());
        }
    }
    if let Some(node) = keys.node().get("json_schema").filter(|node| !is_empty_node(*node)) {
        unsupported.add_key(node, "json_schema", WHOLE_ANSWER);
    }
    if keys.take(&["no_pii"]).map(Node::to_json) == Some(Json::Bool(true)) {
        checks.insert("pii".to_owned(), true.into());
    }
    let judge = "only a judge can decide whether an answer is uncertain enough: write an `agent_check`";
    keys.reject_rest(&[(&["must_acknowledge_uncertainty"], judge)], unsupported);
    (!block.is_empty()).then_some(block.into())
}

/// The remark on a schema of the answer.
const WHOLE_ANSWER: &str = "carried for the answer as a whole: EvalView takes the first JSON object in it; for JSON in a fenced block, write `expect: [{json_schema: {schema: ..., json: fenced}}]`";

/// Converts a pattern of Python, in which a dot matches a line break, too. A pattern that does not load is left out, with its
/// line.
fn convert_pattern(node: Node<'_>, unsupported: &mut UnsupportedList) -> Option<Json> {
    let text = node.as_str()?;
    let pattern = translate_python(text);
    if let Some(problem) = find_load_error(&[json!({"regex": {"pattern": pattern, "flags": "i"}})]) {
        unsupported.add_key(
            node,
            "regex_patterns",
            format!("left out, because it would not load: {problem}"),
        );
        return None;
    }
    Some(pattern.into())
}

/// Converts a turn.
fn convert_turn(node: Node<'_>, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut turn = JsonMap::from_iter([("query".to_owned(), keys.take_text(&["query"])?.into())]);
    let mut checks = JsonMap::new();
    if let Some(block) =
        keys.take(&["expected"]).and_then(|node| convert_expected(node, &mut checks, unsupported))
    {
        turn.insert("expected".to_owned(), block);
    }
    // A turn has no checks of its own in a case, so the switch is named and not applied to all turns.
    for check in checks.keys() {
        unsupported.add_key(
            node,
            check,
            "this check applies to the whole run: add it to the `checks` of the case",
        );
    }
    keys.reject_rest(&[(&["context"], "the trace records what the agent received")], unsupported);
    Some(turn.into())
}
