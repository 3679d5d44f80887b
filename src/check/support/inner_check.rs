//! A check among another check's settings: `{contains: refund}`. It is read by its own kind, from the registry.

use std::fmt;
use std::sync::Arc;

use crate::check::support::answer::beginning;
use crate::check::support::settled::{CheckScope, EvidenceNeeds, require_settled};
use crate::check::{Check, CheckKind, Clause, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Document, Key, Node, Tree, Value, did_you_mean};

/// One check, and where it stands.
pub(crate) struct Nested {
    /// The name of the check, with its setting if that is a text.
    label: String,
    check: Box<dyn Check>,
    needs: EvidenceNeeds,
    /// The JSON pointer to its settings.
    at: String,
    /// The setting that a bare value fills, which has no place of its own.
    filled: Option<&'static str>,
}

impl Nested {
    /// Reads the mapping `entry` at the pointer `at`: one check with its settings. Its name is among `names`, if these are
    /// given.
    pub(crate) fn read(
        entry: Node<'_>,
        names: Option<&[&str]>,
        at: &str,
        scope: &Scope<'_>,
    ) -> Result<Self, LoadErrors> {
        let given: Vec<_> = entry.entries().into_iter().flatten().collect();
        let [(key, settings)] = given.as_slice() else {
            let error = entry.error("an entry is one check with its setting, such as `contains: refund`");
            let all = names.map(|names| format!("the checks are `{}`", names.join("`, `")));
            return Err(error.help_if(all).into());
        };
        let kind =
            scope.kinds.find(&key.name).filter(|kind| names.is_none_or(|names| names.contains(&kind.name)));
        let Some(kind) = kind else {
            return Err(describe_unknown(entry, &key.name, names, scope).into());
        };
        // `contains: refund` is short for `contains: {text: refund}`: the value fills the check's main setting,
        // unless it is written out.
        let filled = kind.shorthand.filter(|setting| settings.get(setting).is_none());
        // A mapping is the settings themselves, where no setting can be a mapping.
        let filled = filled.filter(|_| names.is_some() || settings.entries().is_none());
        let main = kind.shorthand.and_then(|setting| settings.get(setting)).unwrap_or(*settings);
        let said = main.as_str().map_or_else(String::new, |text| format!(" {}", beginning(text)));
        let check = read_settings(kind, *settings, filled, scope)?;
        let servers =
            kind.scope != CheckScope::Nothing && check.tools().into_iter().any(ToolPattern::needs_server);
        Ok(Self {
            label: format!("{}{said}", kind.name),
            check,
            needs: EvidenceNeeds { scope: kind.scope, servers, names_both_ways: true },
            at: format!("{at}/{}", kind.name),
            filled,
        })
    }

    /// The check itself.
    pub(crate) fn check(&self) -> &dyn Check {
        self.check.as_ref()
    }

    /// Runs the check. If the run may lack calls that could change the outcome, the outcome is undecided.
    pub(crate) fn evaluate(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let answer = self.check.check(evidence);
        require_settled(self.check.as_ref(), self.needs, evidence, answer)
    }

    /// Makes the place of a violation one in the settings around this check.
    pub(crate) fn locate(&self, violation: Violation) -> Violation {
        let at = self.locate_pointer(&violation.at);
        violation.at(at)
    }

    /// Lists the clauses, with places in the settings around this check.
    pub(crate) fn clauses(&self) -> Vec<Clause> {
        let clauses = self.check.clauses().into_iter();
        clauses.map(|clause| Clause { at: self.locate_pointer(&clause.at), ..clause }).collect()
    }

    fn locate_pointer(&self, pointer: &str) -> String {
        let filled = self.filled.map(|setting| format!("/{setting}"));
        let inside = filled.and_then(|filled| pointer.strip_prefix(&filled)).unwrap_or(pointer);
        format!("{}{inside}", self.at)
    }

    /// Runs the check, whatever the run may lack.
    pub(crate) fn ask(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        self.check.check(evidence)
    }
}

impl fmt::Display for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

fn describe_unknown(entry: Node<'_>, name: &str, names: Option<&[&str]>, scope: &Scope<'_>) -> LoadError {
    if let Some(names) = names {
        let error = entry.error(format!("`{name}` is no check that can stand here"));
        return error.help_if(did_you_mean(name, names));
    }
    let error = LoadError::new(entry.key_place(name), format!("unknown check `{name}`"));
    error.help(scope.kinds.help(name))
}

/// Reads the settings; a bare value fills the setting `filled`.
fn read_settings(
    kind: &CheckKind,
    settings: Node<'_>,
    filled: Option<&str>,
    scope: &Scope<'_>,
) -> Result<Box<dyn Check>, LoadErrors> {
    let Some(setting) = filled else { return (kind.read)(settings, scope) };
    // A bare value is put under the setting that it fills, so that a check reads one form only. The places stay those
    // of the value.
    let value = settings.tree().clone();
    let span = value.span;
    let root = Tree { span, value: Value::Map(vec![(Key { span, name: setting.into() }, value)]) };
    (kind.read)(Document { source: Arc::clone(settings.source()), root }.root(), scope)
}
