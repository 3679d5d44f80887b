//! Checks: pure functions from evidence to an outcome, and the table of those that are built in.
//!
//! A new check is one file here, its entry in [`BUILTIN`], and its cases under `tests/check/`. A user's own check
//! is the same thing registered by `Harness::check`.

mod answer;
pub(crate) mod arguments;
mod budgets;
mod calls;
mod combined;
mod figures;
pub(crate) mod json_schema;
mod judged;
mod order;
pub(crate) mod support;
mod tables;
mod trajectory;
#[cfg_attr(not(feature = "verification"), path = "without_verification.rs")]
mod verification;
mod workspace;
pub(crate) mod world;

use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use smol_str::SmolStr;

use crate::evidence::{AskProgram, Evidence, ProgramReplies, ProgramRequest, Question};
use crate::outcome::{CannotDecide, Outcome, Score};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::source::Files;
use crate::trace::Call;
use crate::workspace::WorkspaceNeeds;
use crate::yaml::{Document, Node, Placed, nearest};

pub(crate) use calls::args_valid::PLAIN_NOTES;
pub(crate) use order::sequence_correctness::Mode as SequenceMode;
pub(crate) use order::sequence_valid::SameTurn;
pub(crate) use support::answer::AnswerScope;
pub(crate) use support::demands::accepts_counterexample;
pub use support::demands::{About, Clause};
pub use support::demands::{Demand, DemandedPart};
pub(crate) use support::messages::find_attempted_tool;
pub(crate) use support::settled::{
    CheckScope, EvidenceNeeds, advise_on_calls, explain_bad_end, is_in_reverse, require_settled,
};
pub use tables::Tables;
pub use tables::criteria::Criteria;
pub(crate) use tables::criteria::{BUILTIN_CRITERIA, Criterion};
pub use tables::failed_when::FailedWhen;
pub(crate) use tables::failed_when::WrittenFailures;
pub use tables::input_match::InputMatch;
pub use tables::judge::JudgeSettings;
#[cfg(feature = "schema")]
pub(crate) use tables::judge::WrittenJudge;
#[cfg(feature = "schema")]
pub(crate) use tables::prices::ModelPrice;
pub use tables::prices::Prices;
#[cfg(feature = "schema")]
pub(crate) use tables::readers::WrittenReaders;
pub use tables::readers::{ReaderFailures, load_shipped_readers};
pub(crate) use tables::readers::{declare_in, find_reader};
pub use tables::shipped::{SHIPPED_READERS, ShippedReaders};
pub use tables::weights::Weights;
pub(crate) use tables::weights::WrittenWeights;
pub(crate) use verification::VerificationSettings;
use verification::find_edits;
pub use world::{
    InitialState, MockAnswer, MockContent, MockTool, ProgramCall, ScriptRun, ScriptedAnswer, ServedAnswer,
    ToolScript,
};

/// A pure function of the evidence. Its settings are its struct.
pub trait Check: Send + Sync {
    /// Holds the evidence against the settings.
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide>;

    /// Evidence that this check refuses; `None` if no such evidence is known.
    fn counterexample(&self) -> Option<Evidence<'static>>;

    /// Whether the check refuses the evidence: the result of [`Check::check`] without the reasons. A check that builds many
    /// violations may override it with a faster test.
    fn refuses(&self, evidence: &Evidence<'_>) -> bool {
        self.check(evidence).is_ok_and(|outcome| !outcome.violations.is_empty())
    }

    /// Whether it is proven that the check rejects no evidence at all, so that it tests nothing. `false` is no proof of
    /// the opposite. A case of which nothing can fail is an error at load, unless it says `allow_vacuous: true`.
    fn is_vacuous(&self) -> bool {
        false
    }

    /// The lowest score that the check can have, whatever the run is.
    fn lowest_score(&self) -> Score {
        Score::ZERO
    }

    /// The highest score that the check can have in a run without calls for which `is_banned` is true.
    fn highest_score(&self, is_banned: &dyn Fn(&ToolPattern) -> bool) -> Score {
        let _ = is_banned;
        Score::FULL
    }

    /// The parts that every accepted run has.
    fn demands(&self) -> Vec<Demand<'_>> {
        Vec::new()
    }

    /// Whether the check rejects every run with a call of this tool on this server, whatever its arguments are.
    fn bans_call(&self, call: &Call) -> bool {
        let _ = call;
        false
    }

    /// Whether the check rejects every answer that contains this text, in exactly this letter case or in any.
    fn bans_text(&self, text: &str, is_exact: bool) -> bool {
        let _ = (text, is_exact);
        false
    }

    /// Whether `outcome`, which this check found, stands whatever else the agent called. Where a trace may lack calls, any
    /// other outcome is undecided. A forbidden call that was seen stays one, and so does a required call; most rules can
    /// be broken or mended by a further call, and keep this answer.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        let _ = outcome;
        false
    }

    /// Whether the check says how the run must end. A case with such a check is judged as usual, whatever the end is.
    #[doc(hidden)]
    fn judges_end(&self) -> bool {
        false
    }

    /// Whether the check looks at what a verifier gave the run.
    #[doc(hidden)]
    fn reads_reward(&self) -> bool {
        false
    }

    /// Returns the questions that a judge must answer before this check can. Most checks need no judge.
    fn questions(&self) -> Vec<Question> {
        Vec::new()
    }

    /// The programs that are to run before this check can answer.
    #[doc(hidden)]
    fn programs(&self) -> Vec<ProgramRequest> {
        Vec::new()
    }

    /// Asks the programs that answer calls of mock tools what they answer to the calls of the run, as far as that is not known
    /// yet.
    #[doc(hidden)]
    fn ask_programs(&self, _evidence: &Evidence<'_>, _ask: AskProgram<'_>, _replies: &mut ProgramReplies) {}

    /// What the check reads of the run's workspace.
    #[doc(hidden)]
    fn workspace_needs(&self) -> WorkspaceNeeds {
        WorkspaceNeeds::default()
    }

    /// The parts of the state behind mock tools that the check looks at, as the tokens of JSON pointers.
    #[doc(hidden)]
    fn watched_state(&self) -> Vec<Vec<SmolStr>> {
        Vec::new()
    }

    /// The tools that its settings name. Where a name depends on the server of a tool, and the trace does not record the
    /// server, an outcome that is not settled ([`Check::is_settled`]) is undecided.
    fn tools(&self) -> Vec<&ToolPattern> {
        Vec::new()
    }

    /// Remarks about the settings, for the verdict and for `cargo arraign lint`: a setting that means something else than
    /// its writer is likely to expect.
    fn notes(&self) -> Vec<CheckNote> {
        Vec::new()
    }

    /// Returns the parts of the check that only some runs exercise. `cargo arraign lint` lists the parts that no run
    /// exercises.
    fn clauses(&self) -> Vec<Clause> {
        Vec::new()
    }
}

/// A remark about a setting of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckNote {
    /// The JSON pointer to the setting.
    pub at: String,
    /// The remark.
    pub text: String,
}

/// Settings of which a check is built, where the check itself is another type.
pub trait BuildCheck: CheckSettings + DeserializeOwned {
    /// Builds the check. Returns every error that only several settings together, or the tables of the suite, show.
    fn build(settings: Placed<Self>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors>;
}

/// The function that writes the JSON Schema of a kind's settings.
#[cfg(feature = "schema")]
pub(crate) type SettingsSchema = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

/// The settings of a check. With the feature `schema` these are the types that derive `JsonSchema`; without it, all
/// types.
#[cfg(feature = "schema")]
pub trait CheckSettings: schemars::JsonSchema {}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> CheckSettings for T {}

/// The settings of a check. With the feature `schema` these are the types that derive `JsonSchema`; without it, all
/// types.
#[cfg(not(feature = "schema"))]
pub trait CheckSettings {}

#[cfg(not(feature = "schema"))]
impl<T> CheckSettings for T {}

/// Reads the settings of one kind of check.
pub type Read = fn(Node<'_>, &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors>;

/// A check's entry in the table.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CheckKind {
    /// The name of the check, in `expect:`, as a `metric:` and in every report.
    pub name: &'static str,
    /// The question that the check answers, in a few words.
    pub summary: &'static str,
    /// Settings to check.
    pub read: Read,
    /// The setting that a bare value fills: `- tool_blocklist: [rm]`.
    pub shorthand: Option<&'static str>,
    /// Common keys of a case that this check takes as settings as well.
    pub case_keys: &'static [&'static str],
    /// The part of a run that it looks at. A trace that does not record all of that part leaves it undecided, unless its
    /// answer stands whatever else the agent did ([`Check::is_settled`]).
    pub(crate) scope: CheckScope,
    /// Whether its setting `checks` is a list of further checks, as under `expect`.
    pub(crate) holds_checks: bool,
    /// Whether these settings ask for a report only: then it is no mistake that nothing can break them.
    pub only_reports: fn(Node<'_>) -> bool,
    /// The JSON Schema of its settings; `None` for a kind that does not describe them.
    #[cfg(feature = "schema")]
    pub(crate) schema: Option<SettingsSchema>,
}

impl CheckKind {
    /// A kind whose check is its settings: plain serde.
    pub const fn of<T: Check + CheckSettings + DeserializeOwned + 'static>(
        name: &'static str,
        summary: &'static str,
    ) -> Self {
        Self::with::<T>(name, summary, |node, _scope| Ok(Box::new(node.decode_all::<T>()?)))
    }

    /// A kind that builds its check from its settings.
    pub const fn built<S: BuildCheck>(name: &'static str, summary: &'static str) -> Self {
        Self::with::<S>(name, summary, |node, scope| {
            S::build(Placed::new(node.decode_all()?, node.place()), scope)
        })
    }

    /// A kind that builds its check from its settings, which `S` describes.
    pub const fn with<S: CheckSettings>(name: &'static str, summary: &'static str, read: Read) -> Self {
        let kind = Self::undescribed(name, summary, read);
        #[cfg(feature = "schema")]
        let kind = Self { schema: Some(<S as schemars::JsonSchema>::json_schema), ..kind };
        kind
    }

    /// A kind that does not describe its settings: editors know its name only.
    pub const fn undescribed(name: &'static str, summary: &'static str, read: Read) -> Self {
        Self {
            name,
            summary,
            read,
            shorthand: None,
            case_keys: &[],
            scope: CheckScope::Calls,
            holds_checks: false,
            only_reports: |_| false,
            #[cfg(feature = "schema")]
            schema: None,
        }
    }

    /// The setting that a bare value fills.
    pub const fn shorthand(mut self, setting: &'static str) -> Self {
        self.shorthand = Some(setting);
        self
    }

    /// Marks a check that looks at no tool call: only at the answer, or at a judge's opinion of it.
    pub const fn without_calls(mut self) -> Self {
        self.scope = CheckScope::Answer;
        self
    }

    /// Marks a check that looks at the tokens, the cost or the duration alone.
    pub(crate) const fn of_figures(mut self) -> Self {
        self.scope = CheckScope::Figures;
        self
    }

    /// Marks a check that looks at how the run ended.
    pub(crate) const fn of_the_end(mut self) -> Self {
        self.scope = CheckScope::Nothing;
        self
    }

    /// Declares that the setting `checks` is a list of further checks.
    pub(crate) const fn holding_checks(mut self) -> Self {
        self.holds_checks = true;
        self.scope = CheckScope::Nothing;
        self.shorthand("checks")
    }

    /// Sets the function that says whether settings ask for a report only.
    pub const fn only_reports(mut self, only_reports: fn(Node<'_>) -> bool) -> Self {
        self.only_reports = only_reports;
        self
    }

    /// Common keys of a case that are settings of this kind too.
    pub const fn case_keys(mut self, keys: &'static [&'static str]) -> Self {
        self.case_keys = keys;
        self
    }
}

/// The built-in checks, by name.
pub const BUILTIN: &[CheckKind] = &[
    judged::agent_check::KIND,
    combined::all_of::KIND,
    combined::any_of::KIND,
    calls::args_valid::KIND,
    trajectory::call::KIND,
    trajectory::calls::KIND,
    workspace::changes::KIND,
    answer::completeness::KIND,
    answer::contains::KIND,
    calls::correctness::KIND,
    figures::cost_at_most::KIND,
    figures::duration_at_most::KIND,
    trajectory::effects::KIND,
    figures::ended::KIND,
    answer::ends_with::KIND,
    answer::equals::KIND,
    judged::exec::KIND,
    answer::extract::KIND,
    workspace::file::KIND,
    workspace::files::KIND,
    answer::forbidden_substrings::KIND,
    calls::forbidden_tools::KIND,
    answer::grounded::KIND,
    calls::groundedness::KIND,
    answer::json_schema::KIND,
    answer::jsonpath::KIND,
    answer::jsonpath_exists::KIND,
    answer::jsonpath_not_exists::KIND,
    budgets::no_failed_calls::KIND,
    answer::no_pii::KIND,
    budgets::no_repeated_calls::KIND,
    combined::none_of::KIND,
    trajectory::not_called::KIND,
    answer::not_contains::KIND,
    world::not_injected::KIND,
    answer::not_regex::KIND,
    judged::output_quality::KIND,
    answer::refusal::KIND,
    answer::regex::KIND,
    calls::required_tools::KIND,
    budgets::retries_at_most::KIND,
    figures::reward::KIND,
    judged::safe::KIND,
    order::sequence_correctness::KIND,
    order::sequence_valid::KIND,
    answer::similarity::KIND,
    answer::starts_with::KIND,
    world::state::KIND,
    budgets::tokens_at_most::KIND,
    calls::tool_accuracy::KIND,
    calls::tool_blocklist::KIND,
    trajectory::tool_called::KIND,
    budgets::tool_calls_at_most::KIND,
    calls::tool_collision_detect::KIND,
    calls::tool_input::KIND,
    calls::tool_output_valid::KIND,
    order::tool_sequence::KIND,
    verification::KIND,
];

/// All kinds of one harness: the built-in ones and the user's.
#[derive(Debug, Clone)]
pub struct Registry {
    kinds: Vec<CheckKind>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { kinds: BUILTIN.to_vec() }
    }
}

impl Registry {
    /// Adds a user's kind. A name that is taken is refused: one name means one check.
    pub fn register(&mut self, kind: CheckKind) -> Result<(), String> {
        if self.kinds.iter().any(|known| known.name == kind.name) {
            return Err(format!("a check named `{}` exists already", kind.name));
        }
        self.kinds.push(kind);
        Ok(())
    }

    /// Iterates over all kinds: the built-in ones by name, then the user's.
    pub fn iter(&self) -> impl Iterator<Item = &CheckKind> {
        self.kinds.iter()
    }

    /// Returns the user's kinds.
    pub fn list_own(&self) -> &[CheckKind] {
        &self.kinds[BUILTIN.len()..]
    }

    /// The kind called `name`.
    pub fn find(&self, name: &str) -> Option<&CheckKind> {
        self.kinds.iter().find(|kind| kind.name == name)
    }

    /// Returns the help for a name that is not known.
    pub fn help(&self, name: &str) -> String {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name).collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("a check of your own is registered with `Harness::check::<YourCheck>(\"{name}\")`")
            }
        }
    }
}

/// Everything that code may request while it reads settings.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'s> {
    /// The kinds of this harness.
    pub kinds: &'s Registry,
    /// The files of this package.
    pub files: &'s Files,
    /// The folder of the file that is being read: paths are relative to it.
    pub folder: &'s Path,
    /// The tables of the suite: aliases, tool categories, prices.
    pub tables: &'s Tables,
    /// The mock tools of the case that is being read.
    #[doc(hidden)]
    pub script: ScriptInScope<'s>,
}

/// The mock tools of a case, as its checks see them.
#[derive(Debug, Clone, Copy, Default)]
pub enum ScriptInScope<'s> {
    /// The case has none, or no case is being read.
    #[default]
    Absent,
    /// They have a mistake, which is reported already.
    Broken,
    /// These.
    Known(&'s Arc<ToolScript>),
}

impl Scope<'_> {
    /// The document that `node` names by a path relative to its file.
    pub fn document(&self, node: Node<'_>) -> Result<Arc<Document>, LoadErrors> {
        let path = self.path(node)?;
        self.files.document(&path).map_err(|errors| self.blame(node, &path, errors))
    }

    /// The path that `node` names.
    pub fn path(&self, node: Node<'_>) -> Result<std::path::PathBuf, LoadError> {
        self.find_path(&node.decode()?)
    }

    /// Returns the path that a setting names.
    pub fn find_path(&self, name: &Placed<String>) -> Result<std::path::PathBuf, LoadError> {
        self.files.resolve(self.folder, name).map_err(|error| name.error(error.to_string()))
    }

    /// A file that cannot be opened is a mistake where it is named; one that is wrong inside is a mistake there.
    pub(crate) fn blame(&self, node: Node<'_>, path: &Path, errors: LoadErrors) -> LoadErrors {
        let unread = errors.iter().any(|error| error.place.locate().text.is_empty());
        match errors.iter().next() {
            Some(first) if unread => {
                let error = node.error(format!("{}: {}", self.files.name(path), first.problem));
                let is_missing = !self.files.exists(path);
                let near = is_missing.then(|| self.files.find_near_file(path, self.folder)).flatten();
                error.help_if(first.help.clone().or(near.map(|near| near.to_string()))).into()
            }
            _ => errors,
        }
    }
}
