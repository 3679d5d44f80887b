//! A check among another check's settings: `{contains: refund}`. It is read by its own kind, from the registry.

use std::fmt;
use std::sync::Arc;

use crate::check::support::answer_text::beginning;
use crate::check::{Check, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit};
use crate::place::LoadErrors;
use crate::yaml::{Document, Key, Node, Tree, Value, did_you_mean};

/// One check, and where it stands.
pub(crate) struct Nested {
    /// Its name, with its setting where that is a text.
    label: String,
    check: Box<dyn Check>,
}

impl Nested {
    /// Reads the mapping `entry`: one check, whose name is among `names`, and its settings.
    pub(crate) fn read(entry: Node<'_>, names: &[&str], scope: &Scope<'_>) -> Result<Self, LoadErrors> {
        let given: Vec<_> = entry.entries().into_iter().flatten().collect();
        let [(key, settings)] = given.as_slice() else {
            let error = entry.error("an entry is one check with its setting, such as `contains: refund`");
            return Err(error.help(format!("the checks are `{}`", names.join("`, `"))).into());
        };
        let kind = scope.kinds.find(&key.name).filter(|kind| names.contains(&kind.name));
        let Some(kind) = kind else {
            let error = entry.error(format!("`{}` is no check that can stand here", key.name));
            return Err(error.help_if(did_you_mean(&key.name, names)).into());
        };
        let filled = kind.shorthand.filter(|setting| settings.get(setting).is_none());
        let main = kind.shorthand.and_then(|setting| settings.get(setting)).unwrap_or(*settings);
        let said = main.as_str().map_or_else(String::new, |text| format!(" {}", beginning(text)));
        Ok(Self {
            label: format!("{}{said}", kind.name),
            check: read_settings(kind, *settings, filled, scope)?,
        })
    }

    /// Asks it.
    pub(crate) fn ask(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        self.check.check(evidence)
    }
}

impl fmt::Display for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

/// Reads the settings; a bare value fills the setting `filled`.
fn read_settings(
    kind: &Kind,
    settings: Node<'_>,
    filled: Option<&str>,
    scope: &Scope<'_>,
) -> Result<Box<dyn Check>, LoadErrors> {
    let Some(setting) = filled else { return (kind.read)(settings, scope) };
    let value = settings.tree().clone();
    let span = value.span;
    let root = Tree { span, value: Value::Map(vec![(Key { span, name: setting.into() }, value)]) };
    (kind.read)(Document { source: Arc::clone(settings.source()), root }.root(), scope)
}
