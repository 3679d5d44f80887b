//! `mutate:` the changes of its runs that a case need not notice.
//!
//! ```yaml
//! mutate:
//!   ignore: [get_order.*, duplicate, {mutant: swap get_order, reason: both are reads}]
//! ```

use crate::case::{IgnoredMutations, MUTATION_SORTS, MutationSort};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, did_you_mean, nearest};

/// Parses `mutate` of a case.
pub(super) fn parse_mutate(case: &mut Fields<'_>) -> Vec<IgnoredMutations> {
    let ignored = case.parse("mutate", parse_settings);
    ignored.unwrap_or_default()
}

fn parse_settings(node: Node<'_>) -> Result<Vec<IgnoredMutations>, LoadErrors> {
    let mut fields = Fields::of(node, "`mutate`")?;
    let entries = fields.node("ignore").map(Node::one_or_many).unwrap_or_default();
    let mut ignored = Vec::with_capacity(entries.len());
    for entry in entries {
        ignored.extend(fields.take(parse_entry(entry)));
    }
    fields.finish(ignored)
}

fn parse_entry(node: Node<'_>) -> Result<IgnoredMutations, LoadErrors> {
    if node.entries().is_none() {
        return Ok(parse_mutant(node, None)?);
    }
    let mut fields = Fields::of(node, "an entry of `ignore`")?;
    let reason = fields.optional::<String>("reason");
    let mutant = fields.node("mutant");
    if mutant.is_none() {
        fields.missing(
            &["mutant"],
            node.error("`mutant` is missing").help("write `{mutant: ..., reason: ...}`"),
        );
    }
    let ignored = mutant.and_then(|node| fields.take(parse_mutant(node, reason)));
    fields.finish_some(ignored)
}

/// Parses `SORT`, `TOOL`, `TOOL.ARGUMENT`, or a sort and one of these.
fn parse_mutant(node: Node<'_>, reason: Option<String>) -> Result<IgnoredMutations, LoadError> {
    let text: String = node.decode()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let (sort, subject) = match words.as_slice() {
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
    let subject = subject.map(ToolPattern::new).transpose().map_err(|problem| node.error(problem))?;
    Ok(IgnoredMutations { place: node.place(), text, sort, subject, reason })
}

const FORMS: &str = "write `duplicate`, `get_order`, `get_order.*`, or `duplicate get_order`";

fn refuse_sort(node: Node<'_>, sort: &str) -> LoadError {
    let names: Vec<&str> = MUTATION_SORTS.iter().map(|(_, name)| *name).collect();
    let help = did_you_mean(sort, &names).unwrap_or_else(|| FORMS.to_owned());
    node.error(format!("unknown sort `{sort}`")).help(help)
}
