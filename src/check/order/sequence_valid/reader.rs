//! Reads one rule: its type from the table, then its keys. All errors are recorded.

use super::aliases::Aliases;
use super::operand::{Operand, Operands};
use super::{RULES, Rule, RuleKind};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, did_you_mean, nearest};

/// The keys of one rule, as its type asks for them.
pub(super) struct RuleReader<'n> {
    node: Node<'n>,
    aliases: &'n Aliases,
    pub(super) fields: Fields<'n>,
}

impl<'n> RuleReader<'n> {
    /// Reads the rule at `node`; its name is that of its entry in the table.
    pub(super) fn read(
        node: Node<'n>,
        aliases: &'n Aliases,
    ) -> Result<(&'static str, Box<dyn Rule>), LoadErrors> {
        let fields = Fields::of(node.without(&["type"]), "a rule")?;
        let kind = kind_of(node)?;
        let mut reader = Self { node, aliases, fields };
        let rule = (kind.read)(&mut reader);
        reader.fields.finish_some(rule.map(|rule| (kind.name, rule)))
    }

    /// Reads the required tool under `key`.
    pub(super) fn tool(&mut self, key: &'static str) -> Option<Operand> {
        let node = self.node(key)?;
        self.fields.take(Operand::read(node, self.aliases))
    }

    /// Reads the tools under `key`: at least one.
    pub(super) fn tools(&mut self, key: &'static str) -> Option<Operands> {
        let node = self.node(key)?;
        self.fields.take(Operands::read(key, node, self.aliases))
    }

    /// Returns which of two keys is given, or the first if neither is. Both at once are an error.
    pub(super) fn either(&mut self, keys: [&'static str; 2]) -> &'static str {
        match keys.map(|key| self.fields.node(key)) {
            [Some(_), Some(second)] => {
                self.fields
                    .errors
                    .push(second.error(format!("give `{}` or `{}`, not both", keys[0], keys[1])));
                keys[0]
            }
            [None, Some(_)] => keys[1],
            _ => keys[0],
        }
    }

    /// A number of calls under `key`, from 1.
    pub(super) fn window(&mut self, key: &'static str) -> Option<usize> {
        let node = self.node(key)?;
        self.fields.take(window(node, key))
    }

    /// Returns the required value under `key`.
    pub(super) fn node(&mut self, key: &'static str) -> Option<Node<'n>> {
        let found = self.fields.node(key);
        if found.is_none() {
            self.fields.missing(&[key], self.node.error(format!("`{key}` is missing")));
        }
        found
    }

    /// Creates an error at `pointer` inside the rule.
    pub(super) fn error(&self, pointer: &str, problem: impl Into<String>) -> LoadError {
        self.node.pointer(pointer).unwrap_or(self.node).error(problem)
    }
}

/// Reads a number of calls, from 1.
pub(super) fn window(node: Node<'_>, key: &str) -> Result<usize, LoadError> {
    match node.decode::<usize>() {
        Ok(0) => Err(node.error(format!("`{key}: 0` leaves no call to look at")).help("give 1 or more")),
        Ok(calls) => Ok(calls),
        Err(_) => Err(node.error(format!("`{key}` is a number of calls, 1 or more"))),
    }
}

fn kind_of(node: Node<'_>) -> Result<&'static RuleKind, LoadError> {
    let names: Vec<&str> = RULES.iter().map(|kind| kind.name).collect();
    let Some(value) = node.get("type") else {
        let missing = node.error("`type` is missing").help_if(did_you_mean("", &names));
        return Err(find_misspelt(node, "type").unwrap_or(missing));
    };
    let name: String = value.decode()?;
    let known = RULES.iter().find(|kind| kind.name == name);
    known.ok_or_else(|| {
        value.error(format!("no type of rule is called `{name}`")).help_if(did_you_mean(&name, &names))
    })
}

/// Finds a key of `node` that looks like a typo of `key`.
fn find_misspelt(node: Node<'_>, key: &str) -> Option<LoadError> {
    let mut keys = node.entries()?.map(|(key, _)| key);
    let slip = keys.find(|slip| nearest(&slip.name, [key]).is_some())?;
    let problem = format!("unknown key `{}`", slip.name);
    Some(LoadError::new(node.key_place(&slip.name), problem).help(format!("did you mean `{key}`?")))
}
