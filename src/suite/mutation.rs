//! `mutate:` the changes of its runs that a case need not notice.
//!
//! ```yaml
//! mutate:
//!   ignore: [get_order.*, duplicate, {mutant: [swap get_order, omit log], reason: nobody depends on them}]
//! ```

use crate::case::{IgnoredMutations, MUTATION_SORTS, MutationSort};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, did_you_mean, nearest};

/// Parses `mutate` of a case.
pub(super) fn parse_mutate(node: Node<'_>) -> Result<Vec<IgnoredMutations>, LoadErrors> {
    let mut fields = Fields::of(node, "`mutate`")?;
    let entries = fields.node("ignore").map(Node::one_or_many).unwrap_or_default();
    let ignored = entries.into_iter().filter_map(|entry| fields.take(parse_entry(entry)));
    let ignored = ignored.flatten().collect();
    fields.finish(ignored)
}

fn parse_entry(node: Node<'_>) -> Result<Vec<IgnoredMutations>, LoadErrors> {
    if node.entries().is_none() {
        return Ok(vec![parse_mutant(node, None)?]);
    }
    let mut fields = Fields::of(node, "an entry of `ignore`")?;
    let reason = fields.optional::<String>("reason");
    let mutants = fields.node("mutant").map(Node::one_or_many).unwrap_or_default();
    if mutants.is_empty() {
        fields.missing(
            &["mutant"],
            node.error("`mutant` is missing").help("write `{mutant: ..., reason: ...}`"),
        );
    }
    let ignored = mutants.into_iter().filter_map(|node| fields.take(parse_mutant(node, reason.clone())));
    let ignored = ignored.collect();
    fields.finish(ignored)
}

/// Parses `SORT`, `TOOL`, `TOOL.ARGUMENT`, a sort and one of these, or `*` for every mutant.
fn parse_mutant(node: Node<'_>, reason: Option<String>) -> Result<IgnoredMutations, LoadError> {
    let text: String = node.decode()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let (sort, subject) = match words.as_slice() {
        ["*"] => (None, None),
        [word] => match MutationSort::find_by_name(word) {
            Some(sort) => (Some(sort), None),
            None => (None, Some(*word)),
        },
        [sort, subject] => match MutationSort::find_by_name(sort) {
            Some(sort) => (Some(sort), Some(*subject)),
            None => return Err(refuse_sort(node, sort)),
        },
        _ => return Err(node.error("expected a sort of mutant, a tool, or both").help(FORMS)),
    };
    // A slip in the name of a sort would otherwise be the name of a tool that nobody calls.
    if let (None, Some(word)) = (sort, subject)
        && let Some(near) = nearest(word, MUTATION_SORTS.iter().map(|(_, name)| *name))
    {
        return Err(node.error(format!("unknown sort `{word}`")).help(format!("did you mean `{near}`?")));
    }
    let subject = subject.map(ToolPattern::of_name).transpose().map_err(|problem| node.error(problem))?;
    Ok(IgnoredMutations { place: node.place(), text, sort, subject, reason })
}

const FORMS: &str = "write `duplicate`, `get_order`, `get_order.*`, `duplicate get_order`, or `\"*\"`";

fn refuse_sort(node: Node<'_>, sort: &str) -> LoadError {
    let names: Vec<&str> = MUTATION_SORTS.iter().map(|(_, name)| *name).collect();
    let help = did_you_mean(sort, &names).unwrap_or_else(|| FORMS.to_owned());
    node.error(format!("unknown sort `{sort}`")).help(help)
}
