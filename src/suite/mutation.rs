//! `mutate:` the changes of its runs that a case need not notice.
//!
//! ```yaml
//! mutate:
//!   ignore: [get_order.*, duplicate, {mutant: [swap get_order, omit log], reason: nobody depends on them}]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::{IgnoredMutations, MUTATION_SORTS, MutationSort};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Build, Checked, MappingOr, OneOrMany, Placed, did_you_mean, nearest, read_all};

/// Changes of the run that are not reported.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenMutate {
    /// Kinds of mutants, tools and arguments: `duplicate`, `get_order`, `get_order.*`, `duplicate get_order`, and `*` for
    /// every mutant.
    #[serde(default)]
    ignore: OneOrMany<Checked<IgnoredEntry>>,
}

/// Mutants, with or without the reason.
type IgnoredEntry = MappingOr<ExplainedMutants, Placed<String>>;

/// Mutants and the reason why they are ignored.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct ExplainedMutants {
    /// The mutants: one, or several.
    mutant: OneOrMany<Placed<String>>,
    /// Why the run may vary in this way.
    reason: Option<String>,
}

impl WrittenMutate {
    /// Returns all ignored mutations.
    pub(super) fn into_ignored(self) -> Vec<IgnoredMutations> {
        self.ignore.0.into_iter().flat_map(|entry| entry.0).collect()
    }
}

impl Build for IgnoredEntry {
    type Built = Vec<IgnoredMutations>;

    fn build(written: Placed<Self>) -> Result<Self::Built, LoadErrors> {
        match &*written {
            MappingOr::Short(mutant) => Ok(vec![parse_mutant(mutant, None)?]),
            MappingOr::Mapping(ExplainedMutants { mutant, .. }) if mutant.0.is_empty() => {
                let error = written.error("`mutant` is empty");
                Err(error.help("write `{mutant: ..., reason: ...}`").into())
            }
            MappingOr::Mapping(ExplainedMutants { mutant, reason }) => {
                read_all(mutant.0.iter().map(|mutant| parse_mutant(mutant, reason.clone())))
            }
        }
    }
}

/// Parses `SORT`, `TOOL`, `TOOL.ARGUMENT`, a sort and one of these, or `*` for every mutant.
fn parse_mutant(written: &Placed<String>, reason: Option<String>) -> Result<IgnoredMutations, LoadError> {
    let words: Vec<&str> = written.split_whitespace().collect();
    let (sort, subject) = match words.as_slice() {
        ["*"] => (None, None),
        [word] => match MutationSort::find_by_name(word) {
            Some(sort) => (Some(sort), None),
            None => (None, Some(*word)),
        },
        [sort, subject] => match MutationSort::find_by_name(sort) {
            Some(sort) => (Some(sort), Some(*subject)),
            None => return Err(refuse_sort(written, sort)),
        },
        _ => return Err(written.error("expected a sort of mutant, a tool, or both").help(FORMS)),
    };
    // A slip in the name of a sort would otherwise be the name of a tool that nobody calls.
    if let (None, Some(word)) = (sort, subject)
        && let Some(near) = nearest(word, MUTATION_SORTS.iter().map(|(_, name)| *name))
    {
        return Err(written.error(format!("unknown sort `{word}`")).help(format!("did you mean `{near}`?")));
    }
    let subject = subject.map(ToolPattern::of_name).transpose();
    let subject = subject.map_err(|problem| written.error(problem))?;
    Ok(IgnoredMutations { place: written.place().clone(), text: (**written).clone(), sort, subject, reason })
}

const FORMS: &str = "write `duplicate`, `get_order`, `get_order.*`, `duplicate get_order`, or `\"*\"`";

fn refuse_sort(written: &Placed<String>, sort: &str) -> LoadError {
    let names: Vec<&str> = MUTATION_SORTS.iter().map(|(_, name)| *name).collect();
    let help = did_you_mean(sort, &names).unwrap_or_else(|| FORMS.to_owned());
    written.error(format!("unknown sort `{sort}`")).help(help)
}
