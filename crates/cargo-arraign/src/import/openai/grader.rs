//! Evals of the hosted service: `testing_criteria` with graders, and rows with `item` and `sample`.

use arraign::__internals::case::{TemplatePart, split_placeholders};
use arraign::__internals::yaml::{Document, Node};
use arraign::json::{Json, json};
use arraign::trace::{CallsUnrecorded, Role, Trace};

use crate::import::draft::{CaseDraft, ImportInput, SuiteDraft, build_check, parse_documents};
use crate::import::keys::{Keys, list_entries, read_scalar};

const OF_AN_EVAL: &[(&[&str], &str)] = &[
    (&["data_source_config"], "a case has no schema of its row"),
    (&["metadata"], "they apply to the whole file: use `tags` of a case"),
];

/// Imports an eval: each row of `data_source`, or of the file with the same name and `.jsonl`, with each grader.
pub(super) fn import_eval(mut eval: Keys<'_>, input: &ImportInput, draft: &mut SuiteDraft) {
    eval.skip(&["object", "id", "created_at"]);
    if let Some(name) = eval.take_text(&["name"]) {
        draft.set_suite_key("suite", name);
    }
    let graders = list_entries(eval.take(&["testing_criteria"]));
    let inline = eval.take(&["data_source"]).and_then(|node| node.pointer("/source/content"));
    let name = input.source.name().rsplit('/').next().unwrap_or_default();
    let beside = format!("{}.jsonl", name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    // Rows inside the eval come first. Where it has none, they are in the file with the same stem.
    match (inline, read_rows(&beside, draft)) {
        (Some(rows), _) => {
            for row in list_entries(Some(rows)) {
                import_row(row, &graders, draft);
            }
        }
        (None, Ok(documents)) => {
            for row in documents.iter().flat_map(|document| list_entries(Some(document.root()))) {
                import_row(row, &graders, draft);
            }
        }
        (None, Err(why)) => {
            let why = format!("no rows: put them into `{beside}` beside this file ({why})");
            draft.unsupported.add_key(eval.node(), "data_source", why);
        }
    }
    eval.reject_rest(OF_AN_EVAL, &mut draft.unsupported);
}

fn read_rows(name: &str, draft: &SuiteDraft) -> Result<Vec<Document>, String> {
    let path = draft.source_dir.find_files(name)?.into_iter().next().ok_or("no such file")?;
    parse_documents(&draft.source_dir.read_source(&path)?).map_err(|errors| errors.to_string())
}

fn import_row(row: Node<'_>, graders: &[Node<'_>], draft: &mut SuiteDraft) {
    let Some(item) = row.get("item") else {
        return draft.unsupported.add_key(row, "item", "expected a row with `item`");
    };
    let asked =
        ["input", "question", "prompt", "query"].iter().find_map(|key| item.get(key).and_then(read_scalar));
    // Rows have columns of any name: without a known one, the first names the case.
    let first = item.entries().into_iter().flatten().find_map(|(_, value)| read_scalar(value));
    let id = draft.ids.derive_id(&asked.clone().or(first).unwrap_or_default());
    let mut case = CaseDraft::new(&id);
    case.set("input", asked.clone());
    let message = row.pointer("/sample/choices/0/message/content");
    if let Some(answer) = row.pointer("/sample/output_text").or(message).and_then(read_scalar) {
        case.set("trace", Some(draft.add_trace(&id, &build_trace(asked.as_deref(), &answer))));
    }
    let mut lost = Vec::new();
    for grader in graders {
        let (checks, remark) = match convert_grader(*grader, item) {
            Ok((check, remark)) => (vec![check], remark),
            Err(why) => (Vec::new(), Some(why)),
        };
        if checks.is_empty() {
            lost.push(format!("`{}`", read_type(*grader)));
        }
        if let Some(why) = remark {
            draft.unsupported.add_key(*grader, read_type(*grader), why);
        }
        case.add_checks(checks);
    }
    if !lost.is_empty() {
        let why = format!("carried in part, without these graders: {}", lost.join(", "));
        draft.unsupported.add_key(row, "testing_criteria", why);
    }
    draft.add_case(row.place(), case.finish());
}

fn build_trace(asked: Option<&str>, answer: &str) -> Trace {
    let mut trace = Trace { calls_unrecorded: Some(CallsUnrecorded::ByFormat), ..Trace::default() };
    if let Some(asked) = asked {
        trace.push_message(Role::User, asked);
    }
    trace.push_message(Role::Assistant, answer);
    trace.settle_answer();
    trace
}

fn read_type(grader: Node<'_>) -> &str {
    grader.get("type").and_then(Node::as_str).unwrap_or("testing_criteria")
}

fn read_text(grader: Node<'_>, key: &str) -> String {
    grader.get(key).and_then(read_scalar).unwrap_or_default()
}

/// Converts a grader to a check, with a remark if the two differ.
fn convert_grader(grader: Node<'_>, item: Node<'_>) -> Result<(Json, Option<&'static str>), &'static str> {
    let kind = read_type(grader);
    match kind {
        "string_check" | "text_similarity" => {}
        "score_model" | "label_model" => {
            return Err("a model grades the answer: ask a judge (`agent_check`)");
        }
        "python" => return Err("the grader runs code: write a check in Rust (`Harness::check`)"),
        _ => return Err("arraign has no such check"),
    }
    // Spaces inside of the braces are allowed, so the template is compared without them.
    let is_answer = read_text(grader, "input").trim_matches(['{', '}', ' ']) == "sample.output_text";
    if !is_answer {
        return Err("only a grader with the input `{{sample.output_text}}` is carried");
    }
    let reference =
        fill_item(&read_text(grader, "reference"), item).ok_or("its reference is no text of the item")?;
    if kind == "text_similarity" {
        let least = grader
            .get("pass_threshold")
            .map(Node::to_json)
            .filter(Json::is_number)
            .ok_or("missing `pass_threshold`")?;
        return convert_similarity(&read_text(grader, "evaluation_metric"), &reference, &least);
    }
    let exact = json!({"value": reference, "case_sensitive": true});
    match read_text(grader, "operation").as_str() {
        "eq" => Ok((build_check("equals", exact), None)),
        "ne" => Ok((build_check("none_of", vec![build_check("equals", exact)]), None)),
        "like" | "ilike" if reference.is_empty() => Err("every answer contains an empty text"),
        "like" => Ok((build_check("contains", exact), None)),
        "ilike" => Ok((build_check("contains", json!({"value": reference})), None)),
        _ => Err("expected `operation`: `eq`, `ne`, `like` or `ilike`"),
    }
}

fn convert_similarity(
    metric: &str,
    reference: &str,
    least: &Json,
) -> Result<(Json, Option<&'static str>), &'static str> {
    let words = metric.strip_prefix("rouge_").and_then(|size| size.parse::<u8>().ok());
    let words = words
        .ok_or("arraign does not compute this score: use `similarity`, or ask a judge (`agent_check`)")?;
    let settings = json!({"to": reference, "min_rouge": least, "words": words});
    Ok((
        build_check("similarity", settings),
        Some("carried as `similarity`, which may split words in another way"),
    ))
}

/// Fills `{{item.a.b}}` into a reference. `None` if another variable is in it.
fn fill_item(text: &str, item: Node<'_>) -> Option<String> {
    let parts = split_placeholders(text).map(|part| match part {
        TemplatePart::Text(text) => Some(text.to_owned()),
        TemplatePart::Placeholder { name, .. } => {
            let path = name.strip_prefix("item.")?.replace('.', "/");
            item.pointer(&format!("/{path}")).and_then(read_scalar)
        }
        TemplatePart::Unclosed(_) => None,
    });
    parts.collect()
}
