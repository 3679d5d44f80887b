//! Tasks of `coder_eval`: a prompt, a sandbox with its files, and `success_criteria`.
//!
//! A task with a `dataset` becomes a case for each row. Criteria about files, commands and calls become checks; the sandbox
//! becomes a workspace.

use std::collections::BTreeMap;

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::{Document, Node};
use arraign::json::{Json, JsonMap, json};

use super::draft::{
    CaseDraft, ImportInput, ImportedFiles, SuiteDraft, build_check, find_load_error, parse_documents,
};
use super::keys::{Keys, list_entries, read_scalar};
use super::pattern::{self, PythonFlags};
use super::question::{build_question, build_run_question};
use super::source_dir::check_inside;
use super::statement::forbid_in_file;

const AGENT: &str = "name the `agent` of the cases: what it may use is its own setting";

const OF_A_TASK: &[(&[&str], &str)] = &[
    (&["agent"], AGENT),
    (&["post_run"], "commands after the run decide nothing"),
    (&["reference"], "the files of a reference are not carried: name them in `hidden` of the workspace"),
    (&["simulation"], "arraign has no simulated user: write the texts as `turns`"),
];

const OF_A_SANDBOX: &[(&[&str], &str)] = &[
    (
        &["driver", "docker", "limits", "network"],
        "a workspace isolates runs from each other, not the machine from the agent",
    ),
    (&["python", "node"], "install the packages in `setup` of the workspace"),
    (&["ignore_patterns"], "folders of version control and of builds are not copied"),
    (&["record_cli"], "arraign does not record programs: check the calls of the agent"),
];

const OF_LIMITS: &[(&[&str], &str)] = &[
    (
        &["max_turns", "expected_turns", "turn_timeout"],
        "arraign does not count turns of the model: see `tool_calls_at_most` and `timeout`",
    ),
    (
        &[
            "max_input_tokens",
            "max_output_tokens",
            "max_total_tokens",
            "count_cached_input",
            "count_cache_creation",
        ],
        "say `tokens_at_most`, which counts cached tokens, too",
    ),
    (&["stop_early", "stop_early_gate_threshold"], "a run is judged when it has ended"),
];

const OF_A_CRITERION: &[(&[&str], &str)] = &[
    (&["suite_thresholds"], "each case is a trial of its own: see `gate` for a share of them"),
    (&["stop_when", "stop_early"], "a run is judged when it has ended"),
];

/// The share of a criterion that suffices, unless it says otherwise.
const DEFAULT_THRESHOLD: f64 = 0.9;

/// A row of the dataset, by the names of its fields. Without a dataset, there is one row without fields.
#[derive(Default)]
struct Row {
    id: Option<String>,
    fields: BTreeMap<String, String>,
}

impl Row {
    /// Puts the fields of the row into a text.
    fn fill(&self, text: &str) -> String {
        self.fields
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{row.{name}}}"), value))
    }
}

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "coder-eval");
    for document in input.parse_documents()? {
        let root = document.root();
        let is_task = root.get("task_id").is_some() && root.get("success_criteria").is_some();
        if Keys::new(root).is_none() || !is_task {
            return Err(root
                .error("expected a task of coder_eval, with `task_id` and `success_criteria`")
                .into());
        }
        let rows =
            root.get("dataset").map_or_else(|| vec![Row::default()], |node| read_rows(node, &mut draft));
        for row in rows {
            import_task(root, &row, &mut draft);
        }
    }
    Ok(draft.finish())
}

/// Reads the rows of a dataset: those in the file, or those of files of JSON Lines.
fn read_rows(node: Node<'_>, draft: &mut SuiteDraft) -> Vec<Row> {
    let Some(mut keys) = Keys::new(node) else { return Vec::new() };
    let id_field = keys.take_text(&["id_field"]).unwrap_or_else(|| "id".to_owned());
    let mut values: Vec<Json> = list_entries(keys.take(&["rows"])).into_iter().map(Node::to_json).collect();
    for path in list_entries(keys.take(&["paths"])) {
        match read_row_file(path.as_str().unwrap_or_default(), draft) {
            Ok(rows) => values.extend(rows),
            Err(why) => draft.unsupported.add_key(path, "paths", why),
        }
    }
    keys.skip(&["stratify_field", "sample_seed"]);
    let sample = "all rows are carried: a filter of the run chooses among them";
    keys.reject_rest(&[(&["sample_per_stratum", "split_field"], sample)], &mut draft.unsupported);
    let rows = values.iter().filter_map(Json::as_object).map(|fields| Row {
        id: fields.get(id_field.as_str()).map(show_field),
        fields: fields.iter().map(|(name, value)| (name.to_string(), show_field(value))).collect(),
    });
    rows.collect()
}

fn read_row_file(name: &str, draft: &SuiteDraft) -> Result<Vec<Json>, String> {
    let path = draft.source_dir.find_files(name)?.into_iter().next().ok_or("no such file")?;
    let source = draft.source_dir.read_source(&path)?;
    let documents = parse_documents(&source).map_err(|errors| errors.to_string())?;
    Ok(documents.iter().map(Document::root).map(Node::to_json).collect())
}

fn show_field(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn import_task(root: Node<'_>, row: &Row, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(root) else { return };
    let task = keys.take_text(&["task_id"]).unwrap_or_default();
    let id = draft.ids.claim_id(&row.id.as_ref().map_or_else(|| task.clone(), |row| format!("{task}/{row}")));
    let mut case = CaseDraft::new(&id);
    let description = keys.take_text(&["description"]).map(|text| text.trim().to_owned());
    case.set("description", description.filter(|text| !text.is_empty()));
    let prompt = keys.take_text(&["initial_prompt"]);
    let prompt = prompt.or_else(|| read_prompt_file(&mut keys, draft));
    case.set("input", prompt.map(|prompt| row.fill(prompt.trim())));
    case.set("tags", keys.take(&["tags"]).map(Node::to_json));
    if keys.take(&["skip"]).map(Node::to_json) == Some(json!(true)) {
        case.set("ignore", Some("the task says `skip`"));
    }
    take_limits(&mut keys, &mut case, draft);
    let mut workspace = JsonMap::new();
    take_sandbox(&mut keys, &id, &mut workspace, draft);
    take_setup(&mut keys, &mut workspace, draft);
    let mut lost = Vec::new();
    for node in list_entries(keys.take(&["success_criteria"])) {
        case.add_checks(convert_criterion(node, row, draft, &mut lost));
    }
    if !lost.is_empty() {
        let why = format!("carried in part, without these criteria: {}", lost.join(", "));
        draft.unsupported.add(root.place(), format!("the case `{id}`"), why);
    }
    case.set("workspace", Some(workspace));
    keys.skip(&["dataset"]);
    keys.reject_rest(OF_A_TASK, &mut draft.unsupported);
    draft.add_case(root.place(), case.finish());
}

fn read_prompt_file(keys: &mut Keys<'_>, draft: &mut SuiteDraft) -> Option<String> {
    let node = keys.take(&["initial_prompt_file"])?;
    let name = node.as_str().unwrap_or_default();
    let found =
        draft.source_dir.find_files(name).and_then(|found| found.into_iter().next().ok_or_else(String::new));
    match found.and_then(|path| draft.source_dir.read_source(&path)) {
        Ok(source) => Some(source.text().to_owned()),
        Err(why) => {
            draft.unsupported.add_key(node, "initial_prompt_file", why);
            None
        }
    }
}

fn take_limits(keys: &mut Keys<'_>, case: &mut CaseDraft, draft: &mut SuiteDraft) {
    let Some(mut limits) = keys.take(&["run_limits"]).and_then(Keys::new) else { return };
    if let Some(seconds) = limits.take_text(&["task_timeout"]) {
        case.set("timeout", Some(format!("{seconds}s")));
    }
    if let Some(dollars) = limits.take(&["max_usd"]) {
        case.add_checks(vec![build_check("cost_at_most", dollars.to_json())]);
    }
    limits.reject_rest(OF_LIMITS, &mut draft.unsupported);
}

/// Takes the files that the sandbox begins with. Later sources replace files of earlier ones.
fn take_sandbox(keys: &mut Keys<'_>, id: &str, workspace: &mut JsonMap, draft: &mut SuiteDraft) {
    let Some(mut sandbox) = keys.take(&["sandbox"]).and_then(Keys::new) else { return };
    let mut files = BTreeMap::new();
    for node in list_entries(sandbox.take(&["template_sources"])) {
        if let Err(why) = read_template(node, draft, &mut files) {
            draft.unsupported.add_key(node, "template_sources", why);
        }
    }
    if !files.is_empty() {
        match draft.add_fixture(id, files) {
            Ok(from) => {
                workspace.insert("from".to_owned(), from.into());
            }
            Err(why) => draft.unsupported.add_key(sandbox.node(), "template_sources", why),
        }
    }
    if sandbox.node().get("driver").and_then(Node::as_str) == Some("tempdir") {
        sandbox.skip(&["driver"]);
    }
    sandbox.reject_rest(OF_A_SANDBOX, &mut draft.unsupported);
}

fn read_template(
    node: Node<'_>,
    draft: &SuiteDraft,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), String> {
    let mut source = Keys::new(node).ok_or("expected a mapping")?;
    match source.take_text(&["type"]).unwrap_or_default().as_str() {
        "starter_files" => {
            let mut refused = Ok(());
            for file in list_entries(source.take(&["files"])) {
                let path = file.get("path").and_then(Node::as_str).unwrap_or_default();
                let content = file.get("content").and_then(read_scalar).unwrap_or_default();
                // A file that is refused does not keep the others away.
                match check_inside(path) {
                    Ok(path) => {
                        files.insert(path, content.into_bytes());
                    }
                    Err(why) => refused = refused.and(Err(why)),
                }
            }
            refused
        }
        "template_dir" => {
            let mount = source.take_text(&["mount_point"]).unwrap_or_else(|| ".".to_owned());
            let mount = if mount == "." { String::new() } else { check_inside(&mount)? + "/" };
            let folder = source.take_text(&["path"]).ok_or("missing `path`")?;
            let found = draft.source_dir.read_folder(&folder)?;
            files.extend(found.into_iter().map(|(path, content)| (format!("{mount}{path}"), content)));
            Ok(())
        }
        "repo" => Err("clone the repository, and name it with `from: {git: FOLDER, ref: COMMIT}`".to_owned()),
        other => Err(format!("unknown source `{other}`")),
    }
}

/// Takes the commands before the run. A shell runs them, as in `coder_eval`.
fn take_setup(keys: &mut Keys<'_>, workspace: &mut JsonMap, draft: &mut SuiteDraft) {
    let mut setup = Vec::new();
    for node in list_entries(keys.take(&["pre_run"])) {
        let Some(mut written) = Keys::new(node) else { continue };
        let Some(command) = written.take_text(&["command"]) else { continue };
        if let Err(why) = refuse_folders(&command) {
            draft.unsupported.add_key(node, "pre_run", why);
            continue;
        }
        let may_fail = written.take(&["fail_on_error"]).map(Node::to_json) == Some(json!(false));
        let command = if may_fail { format!("{{ {command}\n}} || true") } else { command };
        written.skip(&["timeout"]);
        written.reject_rest(&[], &mut draft.unsupported);
        setup.push(json!(["sh", "-c", command]));
    }
    if !setup.is_empty() {
        workspace.insert("setup".to_owned(), Json::Array(setup));
    }
}

/// Refuses commands that read folders which a workspace does not have.
fn refuse_folders(command: &str) -> Result<(), String> {
    let names = ["$TASK_DIR", "${TASK_DIR", "$REFERENCE_DIR", "${REFERENCE_DIR", "%TASK_DIR%"];
    match names.iter().find(|name| command.contains(*name)) {
        Some(name) => Err(format!(
            "`{}` is not in the workspace: name the files in `hidden`, and change the command",
            name.trim_matches(['$', '{', '%'])
        )),
        None => Ok(()),
    }
}

/// A criterion that is being converted.
struct Criterion<'n, 'r> {
    keys: Keys<'n>,
    row: &'r Row,
}

impl Criterion<'_, '_> {
    fn text(&mut self, name: &str) -> Option<String> {
        Some(self.row.fill(&self.keys.take_text(&[name])?))
    }

    fn required(&mut self, name: &str) -> Result<String, String> {
        self.text(name).ok_or_else(|| format!("missing `{name}`"))
    }

    fn texts(&mut self, name: &str) -> Vec<String> {
        let entries = list_entries(self.keys.take(&[name]));
        entries.into_iter().filter_map(read_scalar).map(|text| self.row.fill(&text)).collect()
    }

    fn number(&mut self, name: &str) -> Option<u64> {
        self.keys.take(&[name])?.to_json().as_u64()
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        self.keys.take(&[name])?.to_json().as_bool()
    }
}

/// Converts a criterion. The type of one that is not carried is added to `lost`.
fn convert_criterion(node: Node<'_>, row: &Row, draft: &mut SuiteDraft, lost: &mut Vec<String>) -> Vec<Json> {
    let Some(keys) = Keys::new(node) else {
        draft.unsupported.add_key(node, "success_criteria", "expected a mapping");
        return Vec::new();
    };
    let mut criterion = Criterion { keys, row };
    let kind = criterion.text("type").unwrap_or_default();
    criterion.keys.skip(&["description"]);
    let weight = criterion.keys.take(&["weight"]).and_then(|node| node.to_json().as_f64());
    if weight == Some(0.0) {
        let why = "left out, because a weight of 0 decides nothing";
        draft.unsupported.add_key(node, &kind, why);
        return Vec::new();
    }
    let threshold = criterion.keys.take(&["pass_threshold"]).and_then(|node| node.to_json().as_f64());
    let threshold = threshold.unwrap_or(DEFAULT_THRESHOLD);
    let converted = convert_kind(&kind, &mut criterion, threshold, draft);
    match converted.and_then(|checks| match find_load_error(&checks) {
        None => Ok(checks),
        Some(problem) => Err(format!("left out, because a case with it would not load: {problem}")),
    }) {
        Ok(checks) => {
            criterion.keys.reject_rest(OF_A_CRITERION, &mut draft.unsupported);
            checks
        }
        Err(why) => {
            draft.unsupported.add_key(node, &kind, why);
            lost.push(format!("`{kind}`"));
            Vec::new()
        }
    }
}

type Converted = Result<Vec<Json>, String>;

fn convert_kind(
    kind: &str,
    criterion: &mut Criterion<'_, '_>,
    threshold: f64,
    draft: &mut SuiteDraft,
) -> Converted {
    match kind {
        "file_exists" => Ok(vec![build_check("files", json!({"exists": [criterion.required("path")?]}))]),
        "file_contains" | "file_check" => convert_file(criterion, threshold, draft),
        "file_matches_regex" => {
            let path = criterion.required("path")?;
            convert_pattern(&path, criterion)
        }
        "json_check" => convert_json(criterion, draft),
        "classification_match" => convert_label(criterion),
        "run_command" => convert_command(criterion),
        "command_executed" => convert_calls(criterion, threshold),
        "commands_efficiency" => convert_efficiency(criterion, threshold),
        "skill_triggered" => convert_skill(criterion),
        "llm_judge" => convert_judge(criterion),
        "agent_judge" => Err("a judge that uses tools is an `exec` in the workspace".to_owned()),
        "reference_comparison" => {
            Err("arraign does not compare the form of programs: write an `exec`".to_owned())
        }
        "cli_called" => Err("arraign does not record programs: check the calls of the agent".to_owned()),
        _ => Err("arraign has no such criterion: write an `exec`".to_owned()),
    }
}

/// Converts texts and patterns of a file. `coder_eval` counts the share of them that holds; here, each must hold.
fn convert_file(criterion: &mut Criterion<'_, '_>, threshold: f64, draft: &mut SuiteDraft) -> Converted {
    let node = criterion.keys.node();
    let path = criterion.required("path")?;
    let (includes, excludes) = (criterion.texts("includes"), criterion.texts("excludes"));
    let patterns = list_entries(criterion.keys.take(&["patterns"]));
    let count = includes.len().max(excludes.len()).max(patterns.len());
    #[expect(clippy::cast_precision_loss, reason = "a file has few texts")]
    let may_miss_one = count > 1 && 1.0 - 1.0 / count as f64 >= threshold;
    if may_miss_one {
        let why = format!("each text must hold: of {count}, a share of {threshold} need not be all");
        draft.unsupported.add_key(node, "pass_threshold", why);
    }
    let mut settings = json!({"path": path.as_str()});
    if !includes.is_empty() {
        settings["contains"] = json!(includes);
    }
    let mut checks = vec![build_check("file", settings)];
    for text in &excludes {
        checks.push(forbid_in_file(&path, "contains", &json!([text.as_str()])).remove(1));
    }
    for node in patterns {
        let keys = Keys::new(node).ok_or("expected a mapping in `patterns`")?;
        let mut own = Criterion { keys, row: criterion.row };
        checks.extend(convert_pattern(&path, &mut own)?);
    }
    Ok(checks)
}

/// Converts a pattern of Python that a file matches, or does not match.
fn convert_pattern(path: &str, criterion: &mut Criterion<'_, '_>) -> Converted {
    let written = criterion.required("pattern")?;
    let flags = criterion.number("flags").unwrap_or(0);
    let letters: String = [(2, 'i'), (8, 'm'), (16, 's')]
        .iter()
        .filter(|(bit, _)| flags & bit != 0)
        .map(|(_, letter)| letter)
        .collect();
    // `re.UNICODE` is what texts have anyway.
    if flags & !(2 | 8 | 16 | 32) != 0 {
        return Err(format!("the flags {flags} of Python have no counterpart"));
    }
    let python = PythonFlags { dot_all: false, multi_line: flags & 8 != 0 };
    let translated = pattern::translate_python_with(&written, python);
    let regex = json!(pattern::write_inline(&translated, &letters));
    if criterion.flag("must_match") == Some(false) {
        return Ok(forbid_in_file(path, "regex", &regex));
    }
    let mut settings = json!({"path": path});
    settings["regex"] = regex;
    Ok(vec![build_check("file", settings)])
}

/// Converts assertions about the values of a JSON file whose expressions are plain paths.
fn convert_json(criterion: &mut Criterion<'_, '_>, draft: &mut SuiteDraft) -> Converted {
    let node = criterion.keys.node();
    let path = criterion.required("path")?;
    if criterion.keys.take(&["json_schema"]).is_some() {
        draft.unsupported.add_key(
            node,
            "json_schema",
            "the schema is a file of the sandbox: write it into `json_schema` of `file`",
        );
    }
    let mut values = JsonMap::new();
    let mut is_told = false;
    for node in list_entries(criterion.keys.take(&["assertions"])) {
        let mut keys = Keys::new(node).ok_or("expected a mapping in `assertions`")?;
        let expression = criterion.row.fill(&keys.take_text(&["expression"]).unwrap_or_default());
        let operator = keys.take_text(&["operator"]).unwrap_or_else(|| "equals".to_owned());
        let expected = keys.take(&["expected"]).map_or(Json::Null, Node::to_json);
        match translate_expression(&expression) {
            Some(selector) if operator == "equals" => {
                let expected = match expected.as_str() {
                    Some(text) => json!(criterion.row.fill(text)),
                    None => expected,
                };
                values.insert(selector, expected);
            }
            _ => {
                is_told = true;
                let why = format!(
                    "`{operator}` on `{expression}` is not carried: `file` compares the values of plain paths"
                );
                draft.unsupported.add_key(node, "assertions", why);
            }
        }
    }
    if values.is_empty() {
        let why = if is_told {
            "none of its assertions is carried"
        } else {
            "say which value the file has, in `json` of `file`"
        };
        return Err(why.to_owned());
    }
    Ok(vec![build_check("file", json!({"path": path, "json": Json::Object(values)}))])
}

/// Translates names and indices of `JMESPath`, such as `items[0].name`, to a `JSONPath`.
fn translate_expression(expression: &str) -> Option<String> {
    let plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut path = "$".to_owned();
    for step in expression.split('.') {
        let (name, indices) = step.split_at(step.find('[').unwrap_or(step.len()));
        let is_index = |index: &str| !index.is_empty() && index.chars().all(|c| c.is_ascii_digit());
        let are_indices =
            indices.is_empty() || indices.strip_prefix('[')?.strip_suffix(']')?.split("][").all(is_index);
        if !plain(name) || !are_indices {
            return None;
        }
        path.extend([".", name, indices]);
    }
    Some(path)
}

/// Converts a file that holds a label and nothing else.
fn convert_label(criterion: &mut Criterion<'_, '_>) -> Converted {
    let (path, label) = (criterion.required("path")?, criterion.required("expected_label")?);
    criterion.keys.skip(&["allowed_labels"]);
    let flags = if criterion.flag("case_sensitive") == Some(true) { "" } else { "(?i)" };
    let regex = format!(r"{flags}^\s*{}\s*$", pattern::escape_literal(label.trim()));
    Ok(vec![build_check("file", json!({"path": path, "regex": regex}))])
}

/// Converts a command that runs in the workspace when the agent has ended.
fn convert_command(criterion: &mut Criterion<'_, '_>) -> Converted {
    let command = criterion.required("command")?;
    refuse_folders(&command)?;
    if criterion.flag("score_from_stdout") == Some(true) {
        return Err(
            "a score on standard output is not carried: an `exec` reports `{\"pass\": true, \"score\": 0.8}`"
                .to_owned(),
        );
    }
    let exit = criterion.number("expected_exit_code").unwrap_or(0);
    let timeout = criterion.number("timeout").unwrap_or(30);
    let how = criterion.text("stdout_match").unwrap_or_else(|| "exact".to_owned());
    let (script, exit) = match criterion.text("expected_stdout") {
        None => (command, exit),
        Some(_) if how == "regex" => {
            return Err("a pattern over standard output is not carried: write it into the command".to_owned());
        }
        Some(expected) => {
            let expected = format!("'{}'", expected.trim().replace('\'', r"'\''"));
            let test = if how == "contains" {
                format!("case \"$output\" in *{expected}*) ;; *) echo \"$output\"; exit 1 ;; esac")
            } else {
                format!("[ \"$output\" = {expected} ] || {{ echo \"$output\"; exit 1; }}")
            };
            (format!("output=$({command}\n)\n[ $? = {exit} ] || exit 1\n{test}"), 0)
        }
    };
    let settings = json!({"command": ["sh", "-c", script], "in": "workspace", "exit": exit, "timeout": format!("{timeout}s")});
    Ok(vec![build_check("exec", settings)])
}

/// Converts the number of calls of a tool. `coder_eval` looks for a pattern in the command of `Bash`.
fn convert_calls(criterion: &mut Criterion<'_, '_>, threshold: f64) -> Converted {
    let tool = criterion.text("tool_name");
    let mut call = json!({"tool": tool.as_deref().unwrap_or("*")});
    if criterion.keys.node().get("exclude_pattern").is_some() {
        return Err("calls cannot be left out by a pattern: write what is wanted into one pattern".to_owned());
    }
    if let Some(pattern) = criterion.text("command_pattern") {
        if tool.as_deref() != Some("Bash") {
            return Err("a pattern is carried for `tool_name: Bash` alone, where it is one over the command"
                .to_owned());
        }
        // Patterns of arguments have the dialect of Rust, which differs from Python's in the end of the text alone.
        call["args_match"] = json!({"command": format!("(?s){}", pattern.replace(r"\Z", r"\z"))});
    }
    if criterion.flag("require_success") == Some(true) {
        call["status"] = json!("ok");
    }
    let least = criterion.number("min_count").unwrap_or(1);
    let most = criterion.number("max_count");
    if least == 0 && most.is_none() {
        return Err("any number of calls is accepted".to_owned());
    }
    // With an upper bound, `coder_eval` knows no share.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers of calls are small, and not negative"
    )]
    let least = if most.is_none() { (least as f64 * threshold - 1e-9).ceil() as u64 } else { least };
    let mut rule = json!({"type": "count", "tool": call, "min": least});
    if let Some(most) = most {
        rule["max"] = json!(most);
    }
    Ok(vec![build_check("sequence_valid", json!({"rules": [rule]}))])
}

/// Converts a budget of calls, of which the score is the share that the budget is of the calls.
fn convert_efficiency(criterion: &mut Criterion<'_, '_>, threshold: f64) -> Converted {
    let budget = criterion.number("expected_commands").ok_or("missing `expected_commands`")?;
    if threshold <= 0.0 {
        return Err("any number of calls is accepted".to_owned());
    }
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers of calls are small, and not negative"
    )]
    let most = (budget as f64 / threshold + 1e-9).floor() as u64;
    Ok(vec![build_check("tool_calls_at_most", json!(most))])
}

/// Converts whether a skill was used: by its tool, or by reading its files.
fn convert_skill(criterion: &mut Criterion<'_, '_>) -> Converted {
    let skill = criterion.required("skill_name")?;
    let expected = criterion.text("expected_skill").unwrap_or_default();
    let name = pattern::escape_literal(&skill);
    let folder = format!(r"skills[\\/]+{name}[\\/]");
    let used = |call: Json| {
        build_check("sequence_valid", json!({"rules": [{"type": "count", "tool": call, "min": 1}]}))
    };
    let signs = json!([
        used(json!({"tool": "Skill", "args_match": {"skill": format!("^(?:.*:)?{name}$")}})),
        used(json!({"tool": "Read", "args_match": {"file_path": folder.as_str()}})),
        used(json!({"tool": "Bash", "args_match": {"command": folder.as_str()}})),
    ]);
    Ok(vec![build_check(if expected == skill { "any_of" } else { "none_of" }, signs)])
}

fn convert_judge(criterion: &mut Criterion<'_, '_>) -> Converted {
    let prompt = criterion.required("prompt")?;
    let looks_at_files =
        !criterion.texts("files").is_empty() || criterion.flag("include_reference") == Some(true);
    if looks_at_files {
        return Err("a judge sees the answer and the calls, and no files".to_owned());
    }
    let sees_calls =
        criterion.flag("include_tool_calls") == Some(true) || criterion.flag("include_dialog") == Some(true);
    criterion.keys.skip(&[
        "include_agent_output",
        "model",
        "temperature",
        "max_tokens",
        "max_file_chars",
        "max_dialog_chars",
    ]);
    Ok(vec![if sees_calls {
        build_run_question("rubric", &prompt)
    } else {
        build_question("rubric", &prompt)
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_expressions_of_jmespath_are_paths() {
        assert_eq!(translate_expression("metadata.version").as_deref(), Some("$.metadata.version"));
        assert_eq!(translate_expression("items[0][1].name").as_deref(), Some("$.items[0][1].name"));
        for other in
            ["length(results)", "items[?active].name", "a || b", "items[*]", "a-b", "", "a.", "items[-1]"]
        {
            assert_eq!(translate_expression(other), None, "{other}");
        }
    }

    #[test]
    fn a_row_fills_texts() {
        let fields = BTreeMap::from([("a".to_owned(), "x".to_owned())]);
        let row = Row { id: None, fields };
        assert_eq!(row.fill("${row.a} ${row.b} $row.a"), "x ${row.b} $row.a");
    }
}
