//! Cases of `claude plugin eval`: a folder with `prompt.md`, `case.yaml` or both, and graders in `graders/*.md` or `graders:`.

use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::{LoadErrors, Place, Source};
use arraign::__internals::yaml::{Document, Node};
use arraign::json::{Json, JsonMap, json};

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft, build_check, find_load_error};
use super::keys::{Keys, list_entries};
use super::pattern;
use super::question::{build_question, build_run_question};
use super::source_dir::has_extension;
use super::statement::forbid_in_file;

const RUNNING: &str = "a case does not say how to run the plugin: it uses a recorded trace";

const OF_A_CASE: &[(&[&str], &str)] = &[
    (&["max_turns", "timeout_seconds", "allowed_tools", "model", "env", "execution"], RUNNING),
    (
        &["context"],
        "the script that makes the files is not carried: run it once, and name its folder with `from`",
    ),
    (&["runs"], "record several runs, or set `repeat`"),
];

const OF_A_GRADER: &[(&[&str], &str)] = &[
    (&["weight"], "arraign computes no score over all graders: each must hold"),
    (&["arm"], "a case is about the runs with the plugin"),
];

/// A Markdown file with settings in its first lines.
struct Markdown {
    settings: Option<Document>,
    body: String,
    place: Place,
}

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "plugin");
    let is_prompt = has_extension(Path::new(input.source.name()), &["md"]);
    let prompt = if is_prompt { Some(Arc::clone(&input.source)) } else { read_sibling(&draft, "prompt.md") };
    let case = if is_prompt { read_sibling(&draft, "case.yaml") } else { Some(Arc::clone(&input.source)) };
    let prompt = prompt.map(|source| parse_markdown(&source)).transpose()?;
    let case =
        case.map(|source| Document::parse(&source)).transpose()?.and_then(|all| all.into_iter().next());
    let mut graders = Vec::new();
    for path in draft.source_dir.find_files("graders/*.md").unwrap_or_default() {
        if let Ok(source) = draft.source_dir.read_source(&path) {
            graders.push(parse_markdown(&source)?);
        }
    }
    let root = case.as_ref().map(Document::root);
    let listed = list_entries(root.and_then(|root| root.get("graders")));
    // A case without graders would become one that checks nothing.
    if graders.is_empty() && listed.is_empty() {
        let place = prompt
            .as_ref()
            .map_or_else(|| Place::of_file(input.source.name()), |prompt| prompt.place.clone());
        let place = root.map_or(place, Node::place);
        return Err(arraign::__internals::place::LoadError::new(
            place,
            "expected a case of `claude plugin eval` with graders",
        )
        .into());
    }
    write_case(prompt.as_ref(), root, &graders, &listed, &mut draft);
    Ok(draft.finish())
}

fn read_sibling(draft: &SuiteDraft, name: &str) -> Option<Arc<Source>> {
    let path = draft.source_dir.find_files(name).ok()?.into_iter().next()?;
    draft.source_dir.read_source(&path).ok()
}

/// Parses the settings between the two lines of `---` at the start of the file.
fn parse_markdown(source: &Arc<Source>) -> Result<Markdown, LoadErrors> {
    let text = source.text();
    let place = Place::of_file(source.name());
    let Some(rest) = text.strip_prefix("---\n") else {
        return Ok(Markdown { settings: None, body: text.trim().to_owned(), place });
    };
    let end = rest.find("\n---").map_or(rest.len(), |end| end + 1);
    let body = rest[end..].strip_prefix("---").unwrap_or_default();
    let settings = Document::parse_range(source, 4..4 + end)?.into_iter().next();
    let place = settings.as_ref().map_or(place, |settings| settings.root().place());
    Ok(Markdown { settings, body: body.trim().to_owned(), place })
}

fn write_case(
    prompt: Option<&Markdown>,
    case: Option<Node<'_>>,
    graders: &[Markdown],
    listed: &[Node<'_>],
    draft: &mut SuiteDraft,
) {
    let asked = prompt.map(|prompt| prompt.body.clone()).filter(|body| !body.is_empty());
    // The prompt's own file is preferred to the text inside of the case.
    let asked = asked.or_else(|| Some(case?.pointer("/execution/prompt")?.as_str()?.trim().to_owned()));
    let settings = [prompt.and_then(|prompt| prompt.settings.as_ref()).map(Document::root), case];
    // Settings may stand above the prompt or in the case: each key is taken from the first that has it.
    let mut all: Vec<Keys<'_>> = settings.into_iter().flatten().filter_map(Keys::new).collect();
    let name = all.iter_mut().find_map(|keys| keys.take_text(&["name"]));
    let id = draft.ids.derive_id(name.as_deref().or(asked.as_deref()).unwrap_or_default());
    let mut written = CaseDraft::new(&id);
    written.set("description", all.iter_mut().find_map(|keys| keys.take_text(&["description"])));
    written.set("input", asked);
    written.set("tags", all.iter_mut().find_map(|keys| keys.take(&["tags"])).map(Node::to_json));
    let place = prompt.map(|prompt| prompt.place.clone()).or(case.map(Node::place));
    for mut keys in all {
        keys.skip(&["schema_version", "name", "graders"]);
        keys.reject_rest(OF_A_CASE, &mut draft.unsupported);
    }
    let Some(place) = place else { return };
    let mut lost = Vec::new();
    for grader in graders {
        let Some(settings) = &grader.settings else {
            draft.unsupported.add(grader.place.clone(), "grader", "it has no settings");
            continue;
        };
        written.add_checks(convert_grader(settings.root(), &grader.body, draft, &mut lost));
    }
    for node in listed {
        written.add_checks(convert_grader(*node, "", draft, &mut lost));
    }
    if !lost.is_empty() {
        let why = format!("carried in part, without these graders: {}", lost.join(", "));
        draft.unsupported.add(place.clone(), "`graders`", why);
    }
    // Files are those of a workspace, in which the run is to be recorded.
    if written.looks_at_files() {
        written.set("workspace", Some(json!({})));
        let why = "a copy of no folder: name the folder that the agent works in with `from`";
        draft.unsupported.add(place.clone(), "`workspace`", why);
    }
    draft.add_case(place, written.finish());
}

/// Converts a grader. `body` is its text below the settings: the rubric, or the pattern of a `regex` without one. The name of a
/// grader that is not carried is added to `lost`.
fn convert_grader(node: Node<'_>, body: &str, draft: &mut SuiteDraft, lost: &mut Vec<String>) -> Vec<Json> {
    let Some(mut keys) = Keys::new(node) else {
        draft.unsupported.add_key(node, "graders", "expected a mapping");
        return Vec::new();
    };
    let kind = keys.take_text(&["type"]).unwrap_or_default();
    match convert_loadable(&kind, &mut keys, body, draft) {
        Ok(checks) => {
            // A weight of 1 is the default and loses nothing; any other one is reported with the rest.
            if keys.node().get("weight").map(Node::to_json) == Some(json!(1)) {
                keys.skip(&["weight"]);
            }
            keys.skip(&["name", "pattern", "criteria"]);
            keys.reject_rest(OF_A_GRADER, &mut draft.unsupported);
            checks
        }
        Err(why) => {
            draft.unsupported.add_key(node, &kind, why);
            lost.push(format!("`{kind}`"));
            Vec::new()
        }
    }
}

/// Converts a grader of this kind to checks with which a case loads.
fn convert_loadable(
    kind: &str,
    keys: &mut Keys<'_>,
    body: &str,
    draft: &mut SuiteDraft,
) -> Result<Vec<Json>, String> {
    let checks = match kind {
        "regex" => convert_regex(keys, body),
        "tool_used" => convert_tool_used(keys, draft),
        "tool_order" => convert_order(keys),
        "llm" => convert_rubric(keys, body),
        "file_exists" => convert_file(keys),
        "baseline" => Err("a baseline of the files is not carried: `changes` says what may change"),
        _ => Err("arraign has no such grader"),
    }?;
    match find_load_error(&checks) {
        None => Ok(checks),
        Some(problem) => Err(format!("left out, because a case with it would not load: {problem}")),
    }
}

type ConvertedGrader = Result<Vec<Json>, &'static str>;

/// Requires that the agent left a file, or that it left none.
fn convert_file(keys: &mut Keys<'_>) -> ConvertedGrader {
    let path = keys.take_text(&["path"]).ok_or("missing `path`")?;
    match keys.take(&["exists"]).map(Node::to_json) {
        None | Some(Json::Bool(true)) => Ok(vec![build_check("files", json!({"exists": [path]}))]),
        Some(Json::Bool(false)) => Ok(vec![build_check("files", json!({"absent": [path]}))]),
        Some(_) => Err("expected `true` or `false` as `exists`"),
    }
}

/// Looks for a pattern in a file that the agent left.
fn convert_file_regex(target: Node<'_>, keys: &mut Keys<'_>, body: &str) -> ConvertedGrader {
    let path = target.get("path").and_then(Node::as_str).ok_or("missing `path` of the file")?;
    let source = keys.take_text(&["pattern"]).unwrap_or_else(|| body.to_owned());
    if source.is_empty() {
        return Err("missing `pattern`");
    }
    let regex = json!(pattern::write_inline(&source, &keys.take_text(&["flags"]).unwrap_or_default()));
    match keys.take_text(&["match"]).as_deref() {
        None | Some("contains") => Ok(vec![build_check("file", json!({"path": path, "regex": regex}))]),
        Some("not_contains") => Ok(forbid_in_file(path, "regex", &regex)),
        Some(_) => Err("arraign does not count matches: write the repetition into the pattern"),
    }
}

fn convert_regex(keys: &mut Keys<'_>, body: &str) -> ConvertedGrader {
    if let Some(target) = keys.take(&["target"]) {
        if target.get("source").and_then(Node::as_str) == Some("file") {
            return convert_file_regex(target, keys, body);
        }
        if target.as_str() != Some("last_message") {
            return Err(
                "a pattern is only looked for in the last message or in a file: check the calls instead",
            );
        }
    }
    let source = keys.take_text(&["pattern"]).unwrap_or_else(|| body.to_owned());
    if source.is_empty() {
        return Err("missing `pattern`");
    }
    let settings = pattern::build_settings(&source, &keys.take_text(&["flags"]).unwrap_or_default());
    match keys.take_text(&["match"]).as_deref() {
        None | Some("contains") => Ok(vec![build_check("regex", settings)]),
        Some("not_contains") => Ok(vec![build_check("not_regex", settings)]),
        Some(_) => Err("arraign does not count matches: write the repetition into the pattern"),
    }
}

fn convert_tool_used(keys: &mut Keys<'_>, draft: &mut SuiteDraft) -> ConvertedGrader {
    let name = keys.take_text(&["tool"]).ok_or("missing `tool`")?;
    let mut tool = Json::from(name.as_str());
    if let Some(node) = keys.take(&["input_match"]) {
        let (argument, whole) = node.as_str().and_then(read_argument_pattern).ok_or(
            "`input_match` is a pattern over the JSON of the input: only `\"ARGUMENT\":\\s*\"PATTERN\"` is carried",
        )?;
        let why = format!("carried as a pattern over the argument `{argument}`");
        draft.unsupported.add_key(node, "input_match", why);
        tool = json!({"tool": name, "args_match": {argument: whole}});
    }
    let [least, most] = ["min", "max"].map(|key| keys.take(&[key]).and_then(|node| node.to_json().as_u64()));
    // At least one call is asked for, unless `min` says otherwise; with `max: 0` alone, no call is asked for.
    let least = least.unwrap_or(u64::from(most != Some(0)));
    let mut count = JsonMap::from_iter([
        ("type".to_owned(), "count".into()),
        ("tool".to_owned(), tool),
        ("min".to_owned(), least.into()),
    ]);
    count.extend(most.map(|most| ("max".to_owned(), most.into())));
    if least == 0 && most.is_none() {
        return Err("any number of calls is accepted");
    }
    Ok(vec![build_rules(&[count.into()])])
}

/// Reads `"skill"\s*:\s*"NAME"`: the argument, and a pattern over its value.
fn read_argument_pattern(source: &str) -> Option<(String, String)> {
    let (argument, rest) = source.strip_prefix('"')?.split_once('"')?;
    let separators = [r"\s*:\s*", r":\s*", ":", ": "];
    let value = separators.iter().find_map(|separator| rest.strip_prefix(separator)?.strip_prefix('"'))?;
    let is_name = argument.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    // Without the closing quote, the pattern is one of the beginning only.
    let (value, end) = value.strip_suffix('"').map_or((value, ""), |value| (value, "$"));
    let is_plain = !value.replace("[^\"]", "").contains('"') && !value.contains(r"\\");
    (is_name && is_plain).then(|| (argument.to_owned(), format!("^(?:{value}){end}")))
}

/// Requires that both tools are called, and that the first call of one comes before the first call of the other.
fn convert_order(keys: &mut Keys<'_>) -> ConvertedGrader {
    let [first, then] = ["before", "after"].map(|key| keys.take(&[key]).and_then(read_tool));
    let (first, then) = first.zip(then).ok_or("only names of tools are carried, without `input_match`")?;
    Ok(vec![build_rules(&[
        json!({"type": "require", "tool": first}),
        json!({"type": "require", "tool": then}),
        json!({"type": "before", "first": first, "then": then}),
    ])])
}

fn read_tool(node: Node<'_>) -> Option<String> {
    let name = match node.get("tool") {
        Some(tool) if node.get("input_match").is_none() => tool,
        Some(_) => return None,
        None => node,
    };
    name.as_str().map(str::to_owned)
}

fn convert_rubric(keys: &mut Keys<'_>, body: &str) -> ConvertedGrader {
    let focus = keys.take(&["focus"]).map(Node::to_json).unwrap_or(json!("last_message"));
    let criteria = keys.take_text(&["criteria"]).unwrap_or_default();
    let rubric = if body.is_empty() { criteria.as_str() } else { body };
    if rubric.is_empty() {
        return Err("missing rubric");
    }
    match focus.as_str() {
        Some("last_message") => Ok(vec![build_question("rubric", rubric)]),
        Some("trace") => Ok(vec![build_run_question("rubric", rubric)]),
        _ => Err("traces do not contain files: ask about the answer or the calls"),
    }
}

fn build_rules(rules: &[Json]) -> Json {
    build_check("sequence_valid", json!({"rules": rules}))
}
