//! Google ADK: eval sets (`*.evalset.json`, `*.test.json`), and the criteria of `test_config.json` beside them.
//!
//! A conversation of an eval set is what the agent should do, recorded once: it becomes the trace, and what the
//! criteria compare becomes checks.

mod criteria;
mod recorded;

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;

use self::criteria::Criteria;
use self::recorded::Conversation;
use super::draft::{Case, Draft, Given, Imported};
use super::lost::{Keys, list};

/// The file of criteria that ADK looks for beside an eval set.
pub(super) const CRITERIA: &str = "test_config.json";

const OF_A_CASE: &[(&[&str], &str)] = &[
    (
        &["session_input", "sessionInput", "initial_session"],
        "how a session begins is the agent's: its run is in the trace",
    ),
    (
        &["conversation_scenario", "conversationScenario"],
        "no user is simulated here: record a conversation, and name it as the case's `trace`",
    ),
    (&["final_session_state", "finalSessionState"], "the state of a session is in no trace"),
];

pub(super) fn import(given: &Given) -> Result<Imported, LoadErrors> {
    let mut draft = Draft::new(given, "adk");
    let criteria = Criteria::of(given, &mut draft.lost)?;
    for document in given.documents()? {
        let root = document.root();
        if root.list().is_some() {
            older(root, &criteria, &mut draft)?;
            continue;
        }
        let is_set = root.get("eval_cases").or_else(|| root.get("evalCases")).is_some();
        let Some(set) = Keys::of(root).filter(|_| is_set) else {
            return Err(root.error("an ADK eval set has `eval_cases`").into());
        };
        eval_set(set, &criteria, &mut draft);
    }
    Ok(draft.finish())
}

fn eval_set(mut set: Keys<'_>, criteria: &Criteria, draft: &mut Draft) {
    let id = set.text(&["eval_set_id", "evalSetId"]);
    if let Some(name) = set.text(&["name"]).or(id) {
        draft.head("suite", name);
    }
    if let Some(description) = set.text(&["description"]) {
        draft.head("description", description);
    }
    for node in list(set.take(&["eval_cases", "evalCases"])) {
        case(node, criteria, draft);
    }
    set.skip(&["creation_timestamp", "creationTimestamp"]);
    set.lose_rest(&[], &mut draft.lost);
}

/// The form before eval sets had a schema: a list of cases with their `data`, or the turns of one case.
fn older(root: Node<'_>, criteria: &Criteria, draft: &mut Draft) -> Result<(), LoadErrors> {
    let entries = root.one_or_many();
    if let Some(odd) = entries.iter().find(|node| node.get("data").is_none() && node.get("query").is_none()) {
        return Err(odd
            .error("an older eval set of ADK lists cases with `data`, or turns with `query`")
            .into());
    }
    if entries.iter().all(|node| node.get("data").is_some()) {
        for node in entries {
            case(node, criteria, draft);
        }
    } else {
        let id = draft.ids.own("conversation");
        converse(Case::new(&id), &id, root, &entries, criteria, draft);
    }
    Ok(())
}

fn case(node: Node<'_>, criteria: &Criteria, draft: &mut Draft) {
    let Some(mut keys) = Keys::of(node) else {
        return draft.lost.key(node, "eval_cases", "an eval case is a mapping");
    };
    let id = keys.text(&["eval_id", "evalId", "name"]).unwrap_or_default();
    let id = draft.ids.own(&id);
    let mut case = Case::new(&id);
    let turns = list(keys.take(&["conversation", "data"]));
    let rubrics = list(keys.take(&["rubrics"]));
    keys.skip(&["creation_timestamp", "creationTimestamp"]);
    keys.lose_rest(OF_A_CASE, &mut draft.lost);
    case.expect(rubrics.into_iter().filter_map(criteria::rubric).collect());
    converse(case, &id, node, &turns, criteria, draft);
}

/// Writes a case with its conversation and what is compared with it.
fn converse(
    mut case: Case,
    id: &str,
    node: Node<'_>,
    turns: &[Node<'_>],
    criteria: &Criteria,
    draft: &mut Draft,
) {
    let conversation = Conversation::read(turns, &mut draft.lost);
    case.put("input", conversation.trace.input.clone());
    if !turns.is_empty() {
        case.put("trace", Some(draft.trace(id, &conversation.trace)));
    }
    case.expect(criteria.checks(&conversation, node, &mut draft.lost));
    draft.case(node.place(), case.finish());
}
