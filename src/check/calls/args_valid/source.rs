//! Where the constraints come from: a policy file, or one of the inline forms.

use std::sync::Arc;

use super::policy::{self, Policy};
use crate::check::Scope;
use crate::check::json_schema::Home;
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

/// The setting that holds the constraints.
pub(super) enum Source<'n> {
    /// A policy file.
    File(Node<'n>),
    /// A policy in the settings.
    Inline(Node<'n>),
    /// Tools and their JSON Schemas.
    Schemas(Node<'n>),
    /// One tool and its arguments.
    Tool(Node<'n>, Node<'n>),
}

impl<'n> Source<'n> {
    /// The setting that is given: exactly one must be.
    pub(super) fn read(fields: &mut Fields<'n>, node: Node<'n>) -> Option<Self> {
        let policy = fields.node("policy");
        let schema = fields.node("schema");
        let tool = fields.node("tool");
        let constraints = fields.node("constraints");
        match (policy, schema, tool, constraints) {
            (Some(policy), None, None, None) if policy.entries().is_some() => Some(Self::Inline(policy)),
            (Some(policy), None, None, None) => Some(Self::File(policy)),
            (None, Some(schema), None, None) => Some(Self::Schemas(schema)),
            (None, None, Some(tool), Some(constraints)) => Some(Self::Tool(tool, constraints)),
            given => {
                refuse(fields, node, given);
                None
            }
        }
    }

    /// The policy that it holds.
    pub(super) fn policy(
        self,
        node: Node<'n>,
        scope: &Scope<'_>,
        formats: bool,
    ) -> Result<Arc<Policy>, LoadErrors> {
        let home = Home::settings(node, formats);
        match self {
            Self::File(path) => policy::file(path, scope, formats),
            Self::Inline(policy) => Policy::read(&home, policy, "/policy").map(Arc::new),
            Self::Schemas(schema) => Policy::of_schemas(&home, schema, "/schema").map(Arc::new),
            Self::Tool(tool, arguments) => {
                Policy::of_tool(&home, tool, arguments, "/constraints").map(Arc::new)
            }
        }
    }
}

type Given<'n> = (Option<Node<'n>>, Option<Node<'n>>, Option<Node<'n>>, Option<Node<'n>>);

/// Says what is wrong with settings that hold none of the sources, half of one, or several.
fn refuse(fields: &mut Fields<'_>, node: Node<'_>, given: Given<'_>) {
    match given {
        (None, None, Some(tool), None) => {
            let error = tool.error("`constraints` is missing: `tool` alone checks nothing");
            fields.missing(&["constraints"], error);
        }
        (None, None, None, Some(constraints)) => {
            fields.missing(&["tool"], constraints.error("`tool` is missing: whose arguments are these?"));
        }
        (None, None, None, None) => {
            let error = node
                .error("there is nothing to check arguments against")
                .help("give a `policy`, a `schema`, or a `tool` with its `constraints`");
            fields.missing(&["policy", "schema", "tool", "constraints"], error);
        }
        _ => {
            let error = node.error("the constraints are given more than once");
            fields.errors.push(error.help("give one of `policy`, `schema`, and `tool` with `constraints`"));
        }
    }
}
