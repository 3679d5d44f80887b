//! `criteria`: what the criteria of golden rows mean, by name.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::check::support::reading::require_entries;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Document, Key, Node, Tree, Value};

/// The names that have a meaning in every golden row.
pub(crate) const BUILTIN_CRITERIA: &[&str] = &["grounded", "tool_called"];

/// The criteria of a project, each with its checks.
#[derive(Debug, Clone, Default)]
pub struct Criteria(Vec<Criterion>);

/// A criterion: a name for some checks.
#[derive(Debug, Clone)]
pub(crate) struct Criterion {
    pub(crate) name: SmolStr,
    pub(crate) place: Place,
    /// The settings of `all_of`, with the checks as they are written.
    pub(crate) settings: Arc<Document>,
}

impl Criteria {
    /// Returns these criteria with those at `node`. A criterion of the same name is replaced.
    pub(crate) fn extended(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        let entries = require_entries(node, "`criteria` is a mapping of names to lists of checks")?;
        let mut errors = LoadErrors::new();
        let mut criteria = self.clone();
        for (key, checks) in entries {
            let place = Place::new(node.source(), key.span);
            if BUILTIN_CRITERIA.contains(&key.name.as_str()) {
                let problem = format!("`{}` has a meaning in every golden row", key.name);
                errors.push(LoadError::new(place, problem).help("choose another name"));
                continue;
            }
            if checks.list().is_none_or(|mut checks| checks.next().is_none()) {
                let error =
                    checks.error(format!("the criterion `{}` is a list of checks, and not empty", key.name));
                errors.push(error.help("write it as in `expect`: `[{tool_called: get_order}]`"));
                continue;
            }
            let tree = checks.tree().clone();
            let span = tree.span;
            let root =
                Tree { span, value: Value::Map(vec![(Key { span: key.span, name: "checks".into() }, tree)]) };
            let settings = Arc::new(Document { source: Arc::clone(node.source()), root });
            criteria.0.retain(|known| known.name != key.name);
            criteria.0.push(Criterion { name: key.name.clone(), place, settings });
        }
        errors.or(criteria)
    }

    /// The criterion called `name`.
    pub(crate) fn find(&self, name: &str) -> Option<&Criterion> {
        self.0.iter().find(|criterion| criterion.name == name)
    }

    /// Iterates over the criteria.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Criterion> {
        self.0.iter()
    }
}
