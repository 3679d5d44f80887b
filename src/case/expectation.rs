//! The checks of a case, with their settings in its file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::check::{Check, CheckKind, CheckScope, Scope};
use crate::pattern::ToolPattern;
use crate::place::{LoadErrors, Location, Place};
use crate::score::Effect;
use crate::yaml::{Document, Node, Tree, Value};

/// A check with its settings and their place.
#[derive(Clone)]
pub struct Expectation {
    /// The name of the check.
    pub check: &'static str,
    /// The place of the check.
    pub place: Place,
    /// The effect of a violation on the case.
    pub effect: Effect,
    /// The turn of the conversation, from 1. `None` for the whole run.
    pub turn: Option<usize>,
    /// Whether the check reads tool calls.
    pub(crate) scope: CheckScope,
    /// Whether the check names tools in a way that depends on their servers.
    pub needs_servers: bool,
    proof: FallibilityProof,
    settings: CheckSettings,
    run: Arc<dyn Check>,
}

/// The location of a check's settings in their file.
#[derive(Clone)]
pub struct CheckSettings {
    document: Arc<Document>,
    path: String,
}

impl CheckSettings {
    /// Refers to the value at the JSON pointer `path` of `document`.
    pub fn new(document: &Arc<Document>, path: impl Into<String>) -> Self {
        Self { document: Arc::clone(document), path: path.into() }
    }

    /// Returns the settings.
    pub fn node(&self) -> Option<Node<'_>> {
        self.document.root().pointer(&self.path)
    }

    /// Returns the settings below `pointer`.
    pub fn at(&self, pointer: &str) -> Self {
        Self::new(&self.document, format!("{}{pointer}", self.path))
    }

    /// Returns the place of the value at `pointer` inside the settings.
    pub fn place_at(&self, pointer: &str) -> Option<Place> {
        Some(self.node()?.pointer(pointer)?.place())
    }

    /// Returns the location of the value at `pointer` inside the settings, or of the nearest value above it.
    pub fn locate(&self, pointer: &str) -> Option<Location> {
        let settings = self.node()?;
        let mut pointer = pointer;
        loop {
            // The empty pointer is the whole value, which is no better place than none.
            if let Some(node) = settings.pointer(pointer).filter(|_| !pointer.is_empty()) {
                return Some(node.place().locate());
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }
}

impl Expectation {
    /// Parses the settings of `kind`.
    pub fn read(
        kind: &CheckKind,
        place: Place,
        settings: CheckSettings,
        node: Node<'_>,
        scope: &Scope<'_>,
    ) -> Result<Self, LoadErrors> {
        let run: Arc<dyn Check> = (kind.read)(node, scope)?.into();
        Ok(Self {
            proof: FallibilityProof::search(run.as_ref(), (kind.only_reports)(node)),
            check: kind.name,
            place,
            effect: Effect::Fail,
            turn: None,
            scope: kind.scope,
            // A combination names the tools of its checks, each of which says itself what it needs.
            needs_servers: kind.scope != CheckScope::Nothing
                && run.tools().into_iter().any(ToolPattern::needs_server),
            settings,
            run,
        })
    }

    /// Adds a check that no setting of the case gives. Everything about it points at `place`.
    pub(crate) fn of_check(kind: &CheckKind, place: Place, run: Arc<dyn Check>) -> Self {
        let root = Tree { span: place.span(), value: Value::Null };
        let document = Arc::new(Document { source: Arc::clone(place.source()), root });
        Self {
            proof: FallibilityProof::search(run.as_ref(), false),
            check: kind.name,
            place,
            effect: Effect::Fail,
            turn: None,
            scope: kind.scope,
            needs_servers: run.tools().into_iter().any(ToolPattern::needs_server),
            settings: CheckSettings::new(&document, ""),
            run,
        }
    }

    /// Sets the effect of a violation on the case.
    pub fn with_effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// Whether a violation fails the case.
    pub(super) fn decides(&self) -> bool {
        matches!(self.effect, Effect::Fail | Effect::Gate)
    }

    /// Whether it is proven that the check accepts every run.
    pub fn is_vacuous(&self) -> bool {
        self.proof != FallibilityProof::None
    }

    /// Whether the settings ask for a report only.
    pub fn only_reports(&self) -> bool {
        self.proof == FallibilityProof::ReportOnly
    }

    /// Whether the check should decide the case but can never fail.
    pub fn is_idle(&self) -> bool {
        self.proof == FallibilityProof::Vacuous && self.decides()
    }

    /// Returns the check.
    pub fn check(&self) -> &dyn Check {
        self.run.as_ref()
    }

    /// Returns the settings in the case's file.
    pub fn settings(&self) -> &CheckSettings {
        &self.settings
    }

    /// Returns the location of the setting at `pointer` in the case's file.
    pub fn locate(&self, pointer: &str) -> Location {
        self.settings.locate(pointer).unwrap_or_else(|| self.place.locate())
    }
}

/// The proof whether a check can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FallibilityProof {
    /// No proof: the check can fail, or it is not known.
    None,
    /// The check accepts every run.
    Vacuous,
    /// The check accepts every run, and its settings ask for a report only.
    ReportOnly,
}

impl FallibilityProof {
    /// A check that panics counts as one that may fail: its trial reports the panic.
    fn search(check: &dyn Check, only_reports: bool) -> Self {
        match catch_unwind(AssertUnwindSafe(|| check.is_vacuous())) {
            Ok(true) if only_reports => Self::ReportOnly,
            Ok(true) => Self::Vacuous,
            Ok(false) | Err(_) => Self::None,
        }
    }
}
