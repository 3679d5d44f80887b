//! Google ADK: eval sets (`*.evalset.json`, `*.test.json`), and the criteria of `test_config.json` beside them.
//!
//! An eval set contains a recorded conversation that shows what the agent should do. The conversation becomes the trace,
//! and the criteria become checks.

mod criteria;
mod recorded;

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;

use self::criteria::Criteria;
use self::recorded::Conversation;
use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft};
use super::keys::{Keys, list_entries};

/// The name of the file of criteria beside an eval set.
pub(super) const CRITERIA: &str = "test_config.json";

const OF_A_CASE: &[(&[&str], &str)] = &[
    (
        &["session_input", "sessionInput", "initial_session"],
        "a case does not set up a session: it uses a recorded trace",
    ),
    (
        &["conversation_scenario", "conversationScenario"],
        "arraign does not simulate users: record a conversation and use it as `trace`",
    ),
    (&["final_session_state", "finalSessionState"], "traces do not contain the state of a session"),
];

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "adk");
    let criteria = Criteria::load(input, &mut draft.unsupported)?;
    for document in input.parse_documents()? {
        let root = document.root();
        // The older form is a list of cases without a head.
        if root.list().is_some() {
            import_older_set(root, &criteria, &mut draft)?;
            continue;
        }
        let is_set = root.get("eval_cases").or_else(|| root.get("evalCases")).is_some();
        let Some(set) = Keys::new(root).filter(|_| is_set) else {
            return Err(root.error("expected an ADK eval set with `eval_cases`").into());
        };
        import_eval_set(set, &criteria, &mut draft);
    }
    Ok(draft.finish())
}

fn import_eval_set(mut set: Keys<'_>, criteria: &Criteria, draft: &mut SuiteDraft) {
    let id = set.take_text(&["eval_set_id", "evalSetId"]);
    if let Some(name) = set.take_text(&["name"]).or(id) {
        draft.set_suite_key("suite", name);
    }
    if let Some(description) = set.take_text(&["description"]) {
        draft.set_suite_key("description", description);
    }
    for node in list_entries(set.take(&["eval_cases", "evalCases"])) {
        import_case(node, criteria, draft);
    }
    set.skip(&["creation_timestamp", "creationTimestamp"]);
    set.reject_rest(&[], &mut draft.unsupported);
}

/// Imports the form from before eval sets had a schema: a list of cases with `data`, or the turns of one case.
fn import_older_set(root: Node<'_>, criteria: &Criteria, draft: &mut SuiteDraft) -> Result<(), LoadErrors> {
    let entries = root.one_or_many();
    if let Some(odd) = entries.iter().find(|node| node.get("data").is_none() && node.get("query").is_none()) {
        return Err(odd
            .error("expected an older ADK eval set: a list of cases with `data`, or of turns with `query`")
            .into());
    }
    // A file has one of the two forms. A list of turns is a single case without an id.
    if entries.iter().all(|node| node.get("data").is_some()) {
        for node in entries {
            import_case(node, criteria, draft);
        }
    } else {
        let id = draft.ids.claim_id("conversation");
        add_conversation(CaseDraft::new(&id), &id, root, &entries, criteria, draft);
    }
    Ok(())
}

fn import_case(node: Node<'_>, criteria: &Criteria, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else {
        return draft.unsupported.add_key(node, "eval_cases", "expected a mapping");
    };
    let id = keys.take_text(&["eval_id", "evalId", "name"]).unwrap_or_default();
    let id = draft.ids.claim_id(&id);
    let mut case = CaseDraft::new(&id);
    let turns = list_entries(keys.take(&["conversation", "data"]));
    let rubrics = list_entries(keys.take(&["rubrics"]));
    keys.skip(&["creation_timestamp", "creationTimestamp"]);
    keys.reject_rest(OF_A_CASE, &mut draft.unsupported);
    case.add_checks(rubrics.into_iter().filter_map(criteria::convert_rubric).collect());
    add_conversation(case, &id, node, &turns, criteria, draft);
}

/// The note on a case with its own conversation as the trace.
const ITSELF: &str = "each trace is the expected conversation, which agrees with itself: nothing is tested until runs of the agent replace the traces";

/// Adds a case with its conversation and checks.
fn add_conversation(
    mut case: CaseDraft,
    id: &str,
    node: Node<'_>,
    turns: &[Node<'_>],
    criteria: &Criteria,
    draft: &mut SuiteDraft,
) {
    let conversation = Conversation::parse(turns, &mut draft.unsupported);
    case.set("input", conversation.trace.input.clone());
    if !turns.is_empty() {
        draft.note = Some(ITSELF);
        case.set("trace", Some(draft.add_trace(id, &conversation.trace)));
    }
    case.add_checks(criteria.build_checks(&conversation, node, &mut draft.unsupported));
    draft.add_case(node.place(), case.finish());
}
