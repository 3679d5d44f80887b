//! Where the constraints come from: a policy file, or one of the inline forms.

use std::sync::Arc;

use super::ArgsValidSettings;
use super::policy::{self, Policy};
use crate::check::Scope;
use crate::check::json_schema::Home;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Node, list_keys, nearest};

/// The setting that holds the constraints.
pub(super) enum Source<'n> {
    /// A policy, or the file with it.
    Policy(Node<'n>),
    /// Tools and their JSON Schemas.
    Schemas(Node<'n>),
    /// One tool and its arguments.
    Tool(Node<'n>, Node<'n>),
}

impl<'n> Source<'n> {
    /// Finds the setting that is given: exactly one must be. `node` is the mapping of the settings.
    pub(super) fn find(settings: &'n ArgsValidSettings, node: Node<'_>) -> Result<Self, LoadErrors> {
        let ArgsValidSettings { policy, schema, tool, constraints, .. } = settings;
        match (policy, schema, tool, constraints) {
            (Some(policy), None, None, None) => Ok(Self::Policy(policy.node())),
            (None, Some(schema), None, None) => Ok(Self::Schemas(schema.node())),
            (None, None, Some(tool), Some(constraints)) => Ok(Self::Tool(tool.node(), constraints.node())),
            (None, None, Some(tool), None) => {
                let error = tool.node().error("`constraints` is missing: `tool` alone checks nothing");
                Err(drop_explained(error, node, &["constraints"]))
            }
            (None, None, None, Some(constraints)) => {
                let error = constraints.node().error("`tool` is missing: whose arguments are these?");
                Err(drop_explained(error, node, &["tool"]))
            }
            (None, None, None, None) => {
                let error = node
                    .error("there is nothing to check arguments against")
                    .help("give a `policy`, a `schema`, or a `tool` with its `constraints`");
                Err(drop_explained(error, node, &["policy", "schema", "tool", "constraints"]))
            }
            _ => {
                let error = node.error("the constraints are given more than once");
                Err(error.help("give one of `policy`, `schema`, and `tool` with `constraints`").into())
            }
        }
    }

    /// Reads the policy that the setting holds.
    pub(super) fn read_policy(
        self,
        node: Node<'_>,
        scope: &Scope<'_>,
        formats: bool,
    ) -> Result<Arc<Policy>, LoadErrors> {
        let home = Home::settings(node, formats);
        match self {
            Self::Policy(policy) if policy.entries().is_some() => {
                Policy::read(&home, policy, "/policy").map(Arc::new)
            }
            Self::Policy(path) => policy::file(path, scope, formats),
            Self::Schemas(schema) => Policy::of_schemas(&home, schema, "/schema").map(Arc::new),
            Self::Tool(tool, arguments) => {
                Policy::of_tool(&home, tool, arguments, "/constraints").map(Arc::new)
            }
        }
    }
}

/// Returns the error that one of `keys` is missing, unless an unknown key is misspelt for it: that one is reported.
fn drop_explained(error: LoadError, node: Node<'_>, keys: &[&str]) -> LoadErrors {
    let known = list_keys::<ArgsValidSettings>();
    let written = node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    let mut unknown = written.filter(|key| !known.contains(key));
    let is_explained = unknown.any(|key| nearest(key, keys.iter().copied()).is_some());
    if is_explained { LoadErrors::new() } else { error.into() }
}
