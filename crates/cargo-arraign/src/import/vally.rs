//! Vally: the `eval.yaml` of a skill or a server, with `stimuli` and their graders.
//!
//! Keys and graders are those of its reference for version 0.14.

use std::collections::BTreeMap;

use arraign::__internals::pattern::is_glob;
use arraign::__internals::place::{LoadErrors, Place};
use arraign::__internals::yaml::{Node, Value};
use arraign::json::{Json, JsonMap, json};

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft, build_check, find_load_error};
use super::keys::{Keys, list_entries, read_scalar};
use super::pattern;
use super::question::{build_question, build_run_question};
use super::source_dir::check_inside;
use super::unsupported::UnsupportedList;

const RUNNING: &str = "a case does not say how to run the agent: it uses a recorded trace, or an `agent`";

const OF_A_FILE: &[(&[&str], &str)] = &[
    (&["config", "defaults"], RUNNING),
    (&["scoring"], "arraign computes no score over all graders: each must hold"),
    (&["version", "type"], "a suite has no such label"),
];

const OF_A_STIMULUS: &[(&[&str], &str)] = &[
    (&["rubric"], "write each criterion as an `agent_check`"),
    (&["turns", "prompts"], "record the run with all its turns, and check them with `turns`"),
];

const OF_AN_ENVIRONMENT: &[(&[&str], &str)] = &[(&["skills", "mcp_servers", "agents", "plugins"], RUNNING)];

const OF_CONSTRAINTS: &[(&[&str], &str)] =
    &[(&["max_turns"], "arraign counts calls, not answers of the model: use `tool_calls_at_most`")];

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "vally");
    for document in input.parse_documents()? {
        let root = document.root();
        let Some(mut file) = Keys::new(root).filter(|_| root.get("stimuli").is_some()) else {
            return Err(root.error("expected an `eval.yaml` of Vally, with `stimuli`").into());
        };
        if let Some(name) = file.take_text(&["name"]) {
            draft.set_suite_key("suite", name);
        }
        file.skip(&["description"]);
        let shared = file.take(&["environment"]);
        let tags = file.take(&["tags"]);
        let graders = list_entries(file.take(&["graders"]));
        for node in list_entries(file.take(&["stimuli"])) {
            import_stimulus(node, &Shared { environment: shared, tags, graders: &graders }, &mut draft);
        }
        file.reject_rest(OF_A_FILE, &mut draft.unsupported);
    }
    Ok(draft.finish())
}

/// What a file says for all its stimuli.
struct Shared<'n> {
    environment: Option<Node<'n>>,
    tags: Option<Node<'n>>,
    graders: &'n [Node<'n>],
}

fn import_stimulus(node: Node<'_>, shared: &Shared<'_>, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else {
        return draft.unsupported.add_key(node, "stimuli", "expected a mapping");
    };
    let asked = keys.take_text(&["prompt"]).map(|text| text.trim_end().to_owned());
    let id = match keys.take_text(&["name"]) {
        Some(name) => draft.ids.claim_id(&name),
        None => draft.ids.derive_id(asked.as_deref().unwrap_or_default()),
    };
    let mut case = CaseDraft::new(&id);
    case.set("description", keys.take_text(&["description"]));
    case.set("input", asked);
    set_labels(&mut case, [shared.tags, keys.take(&["tags"])]);
    for grader in list_entries(keys.take(&["graders"])).into_iter().chain(shared.graders.iter().copied()) {
        case.add_checks(convert_grader(grader, &mut draft.unsupported));
    }
    if let Some(constraints) = keys.take(&["constraints"]).and_then(Keys::new) {
        case.add_checks(convert_constraints(constraints, &mut draft.unsupported));
    }
    let workspace =
        take_environments([shared.environment, keys.take(&["environment"])], &node.place(), &id, draft);
    if case.looks_at_files() || !workspace.is_empty() {
        if !workspace.contains_key("from") {
            let why = "a copy of no folder: name the folder that the agent works in with `from`";
            draft.unsupported.add(node.place(), "`workspace`", why);
        }
        case.set("workspace", Some(workspace));
    }
    keys.reject_rest(OF_A_STIMULUS, &mut draft.unsupported);
    draft.add_case(node.place(), case.finish());
}

/// Takes the files and commands with which the agent begins. Files of a later environment replace those of an earlier one.
fn take_environments(all: [Option<Node<'_>>; 2], place: &Place, id: &str, draft: &mut SuiteDraft) -> JsonMap {
    let mut files = BTreeMap::new();
    let mut setup: Vec<Json> = Vec::new();
    for node in all.into_iter().flatten() {
        // The name of an environment stands for settings of the program that runs the agent.
        let Some(mut environment) = Keys::new(node) else { continue };
        for file in list_entries(environment.take(&["files"])) {
            if let Err(why) = read_file(file, draft, &mut files) {
                draft.unsupported.add_key(file, "files", why);
            }
        }
        let commands = list_entries(environment.take(&["commands"])).into_iter().filter_map(read_scalar);
        setup.extend(commands.map(|command| json!(["sh", "-c", command])));
        environment.reject_rest(OF_AN_ENVIRONMENT, &mut draft.unsupported);
    }
    let mut workspace = JsonMap::new();
    if !files.is_empty() {
        match draft.add_fixture(id, files) {
            Ok(from) => {
                workspace.insert("from".to_owned(), from.into());
            }
            Err(why) => draft.unsupported.add(place.clone(), "`files`", why),
        }
    }
    if !setup.is_empty() {
        workspace.insert("setup".to_owned(), Json::Array(setup));
    }
    workspace
}

/// Reads `{src, dest}`.
fn read_file(
    node: Node<'_>,
    draft: &SuiteDraft,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), String> {
    let source = node.get("src").and_then(Node::as_str).ok_or("missing `src`")?;
    let target = check_inside(node.get("dest").and_then(Node::as_str).unwrap_or(source))?;
    if is_glob(source) {
        return Err(
            "a glob of files is not carried: put them into a folder, and name it with `from`".to_owned()
        );
    }
    files.insert(target, draft.source_dir.read_bytes(source)?);
    Ok(())
}

/// Sets the tags: a list becomes `tags`, and a mapping of labels `metadata`.
fn set_labels(case: &mut CaseDraft, all: [Option<Node<'_>>; 2]) {
    let mut labels = JsonMap::new();
    let mut tags = Vec::new();
    for node in all.into_iter().flatten() {
        match node.value() {
            Value::Map(_) => {
                labels.extend(
                    node.entries()
                        .into_iter()
                        .flatten()
                        .map(|(key, value)| (key.name.to_string(), value.to_json())),
                );
            }
            _ => tags.extend(list_entries(Some(node)).into_iter().filter_map(read_scalar)),
        }
    }
    case.set("tags", (!tags.is_empty()).then_some(tags));
    case.set("metadata", (!labels.is_empty()).then_some(labels));
}

/// Converts a grader. One that is not carried is listed with its line.
fn convert_grader(node: Node<'_>, unsupported: &mut UnsupportedList) -> Vec<Json> {
    let Some(mut keys) = Keys::new(node) else {
        unsupported.add_key(node, "graders", "expected a mapping");
        return Vec::new();
    };
    let kind = keys.take_text(&["type"]).unwrap_or_default();
    keys.skip(&["name"]);
    let config = keys.take(&["config"]);
    keys.reject_rest(
        &[(&["weight"], "arraign computes no score over all graders: each must hold")],
        unsupported,
    );
    let mut config = config.and_then(Keys::new);
    let converted = convert_kind(&kind, config.as_mut(), unsupported).and_then(|checks| {
        find_load_error(&checks).map_or(Ok(checks), |problem| {
            Err(format!("left out, because a case with it would not load: {problem}"))
        })
    });
    match converted {
        Ok(checks) => {
            if let Some(rest) = config {
                let timeout: &[&str] = if kind == "run-command" { &[] } else { &["timeout"] };
                rest.reject_rest(&[(timeout, RUNNING)], unsupported);
            }
            checks
        }
        Err(why) => {
            unsupported.add_key(node, &kind, why);
            Vec::new()
        }
    }
}

/// Converts a grader of this kind. The error says why it is not carried.
fn convert_kind(
    kind: &str,
    config: Option<&mut Keys<'_>>,
    unsupported: &mut UnsupportedList,
) -> Result<Vec<Json>, String> {
    match kind {
        // An error that ended the run is its end; a model that says nothing has not completed it.
        "completed" => return Ok(vec![build_check("ended", "well"), build_check("regex", "[^]")]),
        "exit-success" => return Ok(vec![build_check("regex", "[^]")]),
        "error-count" => {
            return Err("write `ended: well` for the run, or `no_failed_calls` for its calls".to_owned());
        }
        "turn-count" => {
            return Err("arraign counts calls, not answers of the model: use `tool_calls_at_most`".to_owned());
        }
        "pairwise" | "panel" => {
            return Err(
                "one question to one judge is an `agent_check`; runs are compared by `cargo arraign compare`"
                    .to_owned(),
            );
        }
        "program" => return Err("write it as `exec`, which reads the run from standard input".to_owned()),
        _ => {}
    }
    let Some(keys) = config else { return Err("missing `config`".to_owned()) };
    match kind {
        "output-contains" | "output-not-contains" => convert_text(kind, keys),
        "output-matches" | "output-not-matches" => convert_pattern(kind, keys),
        "tool-calls" => convert_calls(keys, unsupported),
        "skill-invocation" => Ok(convert_skills(keys, unsupported)),
        "tool-call-count" if keys.node().get("tools").is_some() => {
            Err("only the number of all calls is carried: write a rule `count` of `sequence_valid`"
                .to_owned())
        }
        "tool-call-count" => take_limit("tool_calls_at_most", keys),
        "token-budget" => take_limit("tokens_at_most", keys),
        "wall-time" => take_limit("duration_at_most", keys),
        "file-exists" => convert_path("exists", keys),
        "file-not-exists" => convert_path("absent", keys),
        "file-contains" | "file-matches" | "file-not-contains" | "file-not-matches" => {
            convert_file(kind, keys)
        }
        "run-command" => convert_command(keys),
        "prompt" => convert_question(keys),
        _ => Err("arraign has no such grader".to_owned()),
    }
}

fn take_required(keys: &mut Keys<'_>, name: &str) -> Result<String, String> {
    keys.take_text(&[name]).ok_or_else(|| format!("missing `{name}`"))
}

fn take_limit(check: &str, keys: &mut Keys<'_>) -> Result<Vec<Json>, String> {
    let most = keys.take(&["max"]).ok_or("missing `max`")?;
    Ok(vec![build_check(check, most.to_json())])
}

/// Whether a grader is about what must not be: by its name, or by `negate`.
fn is_negated(kind: &str, keys: &mut Keys<'_>) -> bool {
    let negate = keys.take(&["negate"]).map(Node::to_json) == Some(Json::Bool(true));
    kind.contains("-not-") != negate
}

fn convert_text(kind: &str, keys: &mut Keys<'_>) -> Result<Vec<Json>, String> {
    let check = if is_negated(kind, keys) { "not_contains" } else { "contains" };
    let text = take_required(keys, "substring")?;
    let is_exact = keys.take(&["case_sensitive"]).map(Node::to_json) == Some(Json::Bool(true));
    Ok(vec![build_check(check, json!({"value": text, "case_sensitive": is_exact}))])
}

fn convert_pattern(kind: &str, keys: &mut Keys<'_>) -> Result<Vec<Json>, String> {
    let check = if is_negated(kind, keys) { "not_regex" } else { "regex" };
    let (source, flags) = split_flags(&take_required(keys, "pattern")?);
    Ok(vec![build_check(check, pattern::build_settings(&source, &flags))])
}

/// Splits the flags off a pattern that begins with them: `(?i)yes`. Vally reads them so, and JavaScript does not.
fn split_flags(source: &str) -> (String, String) {
    let found = source.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    match found.filter(|(flags, _)| !flags.is_empty() && flags.chars().all(|flag| "ims".contains(flag))) {
        Some((flags, rest)) => (rest.to_owned(), flags.to_owned()),
        None => (source.to_owned(), String::new()),
    }
}

/// Renders a pattern as a setting that takes one text: with its flags, it stands between slashes.
fn render_pattern(source: &str) -> String {
    let (pattern, flags) = split_flags(source);
    if flags.is_empty() && !pattern.starts_with('/') {
        return pattern;
    }
    let mut escaped = String::with_capacity(pattern.len());
    let mut is_escaped = false;
    for c in pattern.chars() {
        if c == '/' && !is_escaped {
            escaped.push('\\');
        }
        escaped.push(c);
        is_escaped = c == '\\' && !is_escaped;
    }
    format!("/{escaped}/{flags}")
}

/// Converts the tools that must be called, must not be called, and follow each other, to rules.
fn convert_calls(keys: &mut Keys<'_>, unsupported: &mut UnsupportedList) -> Result<Vec<Json>, String> {
    let mut rules = Vec::new();
    let mut aliases = JsonMap::new();
    for (key, bound) in [("required", "min"), ("disallowed", "max")] {
        for node in list_entries(keys.take(&[key])) {
            match convert_match(node, bound, &mut aliases) {
                Ok((rule, remark)) => {
                    rules.push(rule);
                    if let Some(remark) = remark {
                        unsupported.add_key(node, key, remark);
                    }
                }
                Err(why) => unsupported.add_key(node, key, why),
            }
        }
    }
    let mut checks = Vec::new();
    if !rules.is_empty() {
        let mut settings = JsonMap::from_iter([("rules".to_owned(), Json::Array(rules))]);
        if !aliases.is_empty() {
            settings.insert("aliases".to_owned(), aliases.into());
        }
        checks.push(build_check("sequence_valid", settings));
    }
    if let Some(node) = keys.take(&["sequence"]) {
        let names: Option<Vec<String>> =
            list_entries(Some(node)).into_iter().map(|node| read_names(name_of(node)?)?.single()).collect();
        match names {
            Some(names) => checks.push(build_check("tool_sequence", json!(names))),
            None => unsupported.add_key(node, "sequence", "only names of tools are carried"),
        }
    }
    if checks.is_empty() { Err("none of its tools is carried".to_owned()) } else { Ok(checks) }
}

/// Returns the name of an entry that says nothing else.
fn name_of(node: Node<'_>) -> Option<&str> {
    node.as_str()
        .or_else(|| node.get("name").filter(|_| node.entries().is_some_and(|all| all.count() == 1))?.as_str())
}

/// The tools that a pattern over names means.
struct ToolNames {
    globs: Vec<String>,
    /// Whether the pattern ignored letter case, which names of tools do not.
    ignored_case: bool,
}

impl ToolNames {
    fn single(self) -> Option<String> {
        <[String; 1]>::try_from(self.globs).ok().map(|[name]| name)
    }
}

/// Translates a pattern over the names of tools, which matches any part of a name: a text, or a choice of texts.
fn read_names(source: &str) -> Option<ToolNames> {
    let (pattern, flags) = split_flags(source);
    let is_start = pattern.starts_with('^');
    let is_end = pattern.ends_with('$');
    let inner = pattern.strip_prefix('^').unwrap_or(&pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let group = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    // Without a group, the choice `^a|b$` is anchored at one end of each.
    if group.is_none() && inner.contains('|') && (is_start || is_end) {
        return None;
    }
    let choices = group.map_or(inner, |group| group.strip_prefix("?:").unwrap_or(group));
    let globs = choices.split('|').map(|choice| {
        let name = translate_plain(choice)?;
        Some(format!("{}{name}{}", if is_start { "" } else { "*" }, if is_end { "" } else { "*" }))
    });
    Some(ToolNames { globs: globs.collect::<Option<_>>()?, ignored_case: flags.contains('i') })
}

/// Translates a pattern that is a text to a glob: a dot stands for any character, and one behind a backslash for itself.
fn translate_plain(pattern: &str) -> Option<String> {
    let mut glob = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => glob.push(chars.next().filter(|c| "._-/:".contains(*c))?),
            '.' => glob.push('?'),
            c if c.is_ascii_alphanumeric() || "_-/:".contains(c) => glob.push(c),
            _ => return None,
        }
    }
    (!glob.is_empty()).then_some(glob)
}

/// Converts an entry of `required` or `disallowed` to a rule about the number of such calls, and to a remark on it.
fn convert_match(
    node: Node<'_>,
    bound: &str,
    aliases: &mut JsonMap,
) -> Result<(Json, Option<&'static str>), &'static str> {
    let mut keys = Keys::new(node);
    let name = keys.as_mut().map_or_else(|| read_scalar(node), |keys| keys.take_text(&["name"]));
    let names = name.as_deref().and_then(read_names);
    let names = names.ok_or("the pattern of the name is carried if it is a text or a choice of texts: write a rule of `sequence_valid`")?;
    let mut arguments = JsonMap::new();
    let mut least = json!(1);
    if let Some(keys) = &mut keys {
        for key in ["command", "path"] {
            if let Some(source) = keys.take_text(&[key]) {
                arguments.insert(key.to_owned(), render_pattern(&source).into());
            }
        }
        for (key, value) in keys.take(&["args"]).and_then(Node::entries).into_iter().flatten() {
            let source = read_scalar(value).ok_or("a pattern over an argument is a text")?;
            arguments.insert(key.name.to_string(), render_pattern(&source).into());
        }
        if let Some(node) = keys.take(&["min_count"]) {
            least = node.to_json();
        }
        if !keys.is_empty() {
            return Err("only `name`, `command`, `path`, `args` and `min_count` are carried");
        }
    }
    // A requirement in one spelling is stricter, and a prohibition is weaker.
    if names.ignored_case && bound == "max" {
        return Err("a prohibition in any letter case is not carried: list the spellings in a `blocklist`");
    }
    let remark = names.ignored_case.then_some("carried with the letter case of the name");
    let tool = match names.globs.as_slice() {
        [name] => name.clone(),
        many => {
            let plain = many.join("_or_").replace(['*', '?'], "");
            let numbered = (2..).map(|number| format!("{plain}_{number}"));
            let is_free =
                |name: &String| aliases.get(name.as_str()).is_none_or(|known| *known == json!(many));
            let alias = [plain.clone()].into_iter().chain(numbered).find(is_free).unwrap_or(plain);
            aliases.insert(alias.clone(), json!(many));
            alias
        }
    };
    let tool =
        if arguments.is_empty() { tool.into() } else { json!({"tool": tool, "args_match": arguments}) };
    let count = if bound == "min" { least } else { json!(0) };
    Ok((json!({"type": "count", "tool": tool, bound: count}), remark))
}

/// The names of the tool that loads a skill, and its argument.
const SKILL_TOOL: [&str; 2] = ["skill", "Skill"];

/// Converts the skills that must be loaded, and those that must not.
fn convert_skills(keys: &mut Keys<'_>, unsupported: &mut UnsupportedList) -> Vec<Json> {
    let mut rules = Vec::new();
    let node = keys.node();
    for (key, bound, count) in [("required", "min", 1), ("disallowed", "max", 0)] {
        for skill in list_entries(keys.take(&[key])).into_iter().filter_map(read_scalar) {
            let tool = json!({"tool": "skill_tool", "args_match": {"skill": pattern::match_whole(&skill)}});
            rules.push(json!({"type": "count", "tool": tool, bound: count}));
        }
    }
    unsupported.add_key(node, "skill-invocation", "carried as calls of the tool `skill` or `Skill`: read the trace of your agent for how it loads a skill");
    vec![build_check("sequence_valid", json!({"aliases": {"skill_tool": SKILL_TOOL}, "rules": rules}))]
}

fn convert_path(setting: &str, keys: &mut Keys<'_>) -> Result<Vec<Json>, String> {
    let path = take_required(keys, "path")?;
    Ok(vec![build_check("files", JsonMap::from_iter([(setting.to_owned(), json!([path]))]))])
}

fn convert_file(kind: &str, keys: &mut Keys<'_>) -> Result<Vec<Json>, String> {
    let is_negated = is_negated(kind, keys);
    let path = take_required(keys, "path")?;
    if path.contains(['*', '?', '[', '{']) {
        return Err("a glob of files is not carried: write a check `file` for each of them".to_owned());
    }
    let mut settings = JsonMap::from_iter([("path".to_owned(), path.into())]);
    if kind.ends_with("contains") {
        let text = keys.take_text(&["substring", "value", "content", "text"]).ok_or("missing `substring`")?;
        settings.insert("contains".to_owned(), text.into());
    } else {
        settings.insert("regex".to_owned(), render_pattern(&take_required(keys, "pattern")?).into());
    }
    let check = build_check("file", settings);
    Ok(vec![if is_negated { build_check("none_of", json!([check])) } else { check }])
}

/// Converts a command whose exit code decides.
fn convert_command(keys: &mut Keys<'_>) -> Result<Vec<Json>, String> {
    let program = take_required(keys, "command")?;
    let command = match keys.take(&["args"]) {
        Some(node) => [program]
            .into_iter()
            .chain(list_entries(Some(node)).into_iter().filter_map(read_scalar))
            .collect(),
        None => vec!["sh".to_owned(), "-c".to_owned(), program],
    };
    let output = ["stdout_contains", "stderr_contains", "stdout_matches", "stdout_not_matches"];
    if output.iter().any(|key| keys.node().get(key).is_some()) {
        return Err(
            "only the exit code is carried: make the command fail where its output is wrong".to_owned()
        );
    }
    let exit = keys.take(&["expected_exit_code"]).map_or(json!(0), Node::to_json);
    let mut settings = JsonMap::from_iter([
        ("command".to_owned(), json!(command)),
        ("in".to_owned(), "workspace".into()),
        ("exit".to_owned(), exit),
    ]);
    for (theirs, ours) in [("sub_path", "cwd"), ("timeout", "timeout")] {
        if let Some(text) = keys.take_text(&[theirs]) {
            settings.insert(ours.to_owned(), text.into());
        }
    }
    Ok(vec![build_check("exec", settings)])
}

fn convert_question(keys: &mut Keys<'_>) -> Result<Vec<Json>, String> {
    let prompt = keys.take_text(&["prompt", "rubric"]).ok_or("missing `prompt`")?;
    keys.skip(&["model", "scoring", "threshold"]);
    let about_run = keys.take(&["evidence"]).is_some();
    Ok(vec![if about_run {
        build_run_question("prompt", &prompt)
    } else {
        build_question("prompt", &prompt)
    }])
}

/// Converts the bounds of a stimulus that are about the run.
fn convert_constraints(mut keys: Keys<'_>, unsupported: &mut UnsupportedList) -> Vec<Json> {
    let mut checks = Vec::new();
    for (key, check) in [
        ("max_tokens", "tokens_at_most"),
        ("max_duration", "duration_at_most"),
        ("max_tool_calls", "tool_calls_at_most"),
    ] {
        checks.extend(keys.take(&[key]).map(|node| build_check(check, node.to_json())));
    }
    for (key, check) in [("expect_tools", "required_tools"), ("reject_tools", "forbidden_tools")] {
        let Some(node) = keys.take(&[key]) else { continue };
        let names: Option<Vec<String>> =
            list_entries(Some(node)).into_iter().map(|node| read_names(node.as_str()?)?.single()).collect();
        match names {
            Some(names) if !names.is_empty() => checks.push(build_check(check, json!(names))),
            _ => unsupported.add_key(node, key, "only names of tools are carried"),
        }
    }
    keys.reject_rest(OF_CONSTRAINTS, unsupported);
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_over_names_is_a_list_of_globs() {
        let read = |source: &str| read_names(source).map(|names| (names.globs.join(" "), names.ignored_case));
        assert_eq!(read("^create$"), Some(("create".to_owned(), false)));
        assert_eq!(read("create"), Some(("*create*".to_owned(), false)));
        assert_eq!(read("(?i)^(bash|powershell)$"), Some(("bash powershell".to_owned(), true)));
        assert_eq!(read("^(?:functions\\.bash|shell)$"), Some(("functions.bash shell".to_owned(), false)));
        assert_eq!(read("^a.b$"), Some(("a?b".to_owned(), false)));
        for other in ["^a|b$", "a+", "[ab]", "", "^(a|b)c$"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn flags_of_a_pattern_stand_behind_it() {
        assert_eq!(render_pattern("(?i)a/b\\/c"), "/a\\/b\\/c/i");
        assert_eq!(render_pattern("/v2/"), "/\\/v2\\//");
        assert_eq!(render_pattern("a/b"), "a/b");
        assert_eq!(render_pattern("(?:a)"), "(?:a)");
    }
}
