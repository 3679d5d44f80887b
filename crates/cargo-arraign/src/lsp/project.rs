//! The folder of cases that contains a file, and the package that contains the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arraign::__internals::attack::AttackPack;
use arraign::__internals::case::{Day, Quarantine, QuarantineEntry, Variant};
use arraign::__internals::check::{CheckKind, Registry, Tables};
use arraign::__internals::source::Files;
use arraign::__internals::suite::{
    CASE_EXTENSIONS, Library, QuarantinableNames, Workspace, build_file_name, is_support, load_quarantine,
    workspace,
};
use arraign::json::{self, Json};
use arraign::{CannotDecide, Check, Evidence, LoadErrors, Outcome, Suite};

use crate::editor::{SCHEMA, SCHEMA_BELOW_CASES};

/// The usual name of the folder of cases.
const USUAL_FOLDER: &str = "evals";

/// A folder of cases.
#[derive(Debug)]
pub(super) struct EvalProject {
    /// The package's folder, to which the names of files are relative.
    pub(super) base: PathBuf,
    /// The folder of cases.
    pub(super) root: PathBuf,
    /// Whether the folder has an `arraign.yaml` or the usual name, so that a run reads all files in it as cases.
    is_certain: bool,
    /// The checks: the built-in ones, and the names of the project's own.
    kinds: Registry,
}

impl EvalProject {
    /// Finds the folder of the file at `path`: the nearest with an `arraign.yaml`, else the nearest called `evals`, else the
    /// file's own.
    pub(super) fn find(path: &Path) -> Self {
        let own = path.parent().unwrap_or(path);
        let configured = own.ancestors().find(|folder| folder.join("arraign.yaml").is_file());
        let usual = own.ancestors().find(|folder| folder.ends_with(USUAL_FOLDER));
        let certain = configured.or(usual);
        let root = certain.unwrap_or(own);
        let above = root.parent().unwrap_or(root);
        let base = above.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).unwrap_or(above);
        Self {
            base: base.to_owned(),
            root: root.to_owned(),
            is_certain: certain.is_some(),
            kinds: find_kinds(root),
        }
    }

    /// Whether the file at `path` contains cases or a pack of attacks.
    pub(super) fn reads(&self, path: &Path, text: &str) -> bool {
        self.has_cases_in(path) || self.is_pack(path, text)
    }

    /// Whether the file at `path` is a pack of attacks. No file is one in a place where a run reads it as cases.
    fn is_pack(&self, path: &Path, text: &str) -> bool {
        has_case_extension(path)
            && !(self.is_certain && self.has_cases_in(path))
            && AttackPack::is_written_in(text)
    }

    fn has_cases_in(&self, path: &Path) -> bool {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        has_case_extension(path)
            && below != Path::new("arraign.yaml")
            && below != Path::new("quarantine.yaml")
            && !below.ancestors().filter(|part| part.file_name().is_some()).any(is_support)
    }

    /// Reads `text` as the file at `path`, and returns its cases. `None` for a pack of attacks.
    pub(super) fn parse(&self, path: &Path, text: &str) -> Result<Option<Suite>, LoadErrors> {
        if self.is_pack(path, text) {
            return AttackPack::parse(Path::new(&self.name(path)), text).map(|_| None);
        }
        let files = self.open_files();
        let Workspace { tables, .. } = workspace(&files, &self.kinds)?;
        Suite::parse(path, text, Library { kinds: &self.kinds, files: &files, tables: &tables }).map(Some)
    }

    /// Returns what follows the id of a case in the names of the files of its variants. That of the baseline is empty.
    pub(super) fn list_variant_suffixes(&self) -> Vec<String> {
        let mut suffixes = vec![String::new()];
        if let Ok(workspace) = workspace(&self.open_files(), &self.kinds) {
            suffixes.extend(workspace.variants.iter().map(Variant::suffix));
            suffixes.extend(workspace.agents.iter().map(|agent| Variant::of_agent(&agent.name).suffix()));
        }
        suffixes.sort();
        suffixes.dedup();
        suffixes
    }

    /// Returns the mistakes of `quarantine.yaml`. An entry that means a case of the file at `path` is compared with its cases.
    pub(super) fn check_quarantine(&self, path: &Path, suite: Option<&Suite>) -> LoadErrors {
        let files = self.open_files();
        // A mistake of `arraign.yaml` is reported with the cases.
        let days = workspace(&files, &self.kinds).ok().and_then(|workspace| workspace.quarantine_days);
        let quarantine = match load_quarantine(&files, Day::of_time(SystemTime::now()), days) {
            Ok(quarantine) => quarantine,
            Err(errors) => return errors,
        };
        let Some(suite) = suite else { return LoadErrors::new() };
        let prefix = self.trial_prefix(path);
        let mut names = QuarantinableNames::default();
        names.add_suite(suite, &prefix);
        let is_own = |entry: &QuarantineEntry| {
            entry.case.strip_prefix(&prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let entries = quarantine.entries.into_iter().filter(is_own).collect();
        // The names of agents in Rust, which are variants, are not known here.
        names.check_entries(&Quarantine { entries }, |_| true)
    }

    /// Reads `text` without what `arraign.yaml` says, which may have mistakes of its own.
    pub(super) fn parse_alone(&self, path: &Path, text: &str) -> Option<Suite> {
        let files = self.open_files();
        let tables = Tables::default();
        Suite::parse(path, text, Library { kinds: &self.kinds, files: &files, tables: &tables }).ok()
    }

    /// The files of the project. Nothing is cached: another program may write them.
    pub(super) fn open_files(&self) -> Files {
        Files::new(&self.base, &self.root)
    }

    /// The name of the file at `path` in messages and verdicts.
    pub(super) fn name(&self, path: &Path) -> String {
        self.open_files().name(path)
    }

    /// The path of a file that a message or verdict names. A verdict of several packages names files from the root of the
    /// repository.
    pub(super) fn find_named(&self, name: &str) -> Option<PathBuf> {
        self.base.ancestors().map(|folder| folder.join(name)).find(|path| path.exists())
    }

    /// The prefix of the names of the trials in the file at `path`.
    pub(super) fn trial_prefix(&self, path: &Path) -> String {
        build_file_name(path.strip_prefix(&self.root).unwrap_or(path))
    }

    /// The check called `name`.
    pub(super) fn find_kind(&self, name: &str) -> Option<&CheckKind> {
        self.kinds.find(name)
    }
}

fn has_case_extension(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    CASE_EXTENSIONS.contains(&&*extension)
}

/// A check of the project, of which only the name is known here.
struct UnknownCheck;

impl Check for UnknownCheck {
    fn check(&self, _evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        Err(CannotDecide::missing("the language server does not run checks in Rust"))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        None
    }

    fn is_vacuous(&self) -> bool {
        false
    }
}

/// Returns the built-in checks, and those of the schema below or above the folder of cases: `ARRAIGN_SCHEMA` writes it with the checks
/// that the project registers in Rust.
fn find_kinds(root: &Path) -> Registry {
    let mut kinds = Registry::default();
    let paths =
        root.ancestors().flat_map(|folder| [SCHEMA_BELOW_CASES, SCHEMA].map(|name| folder.join(name)));
    let schema = paths.into_iter().find_map(|path| fs::read_to_string(path).ok());
    let schema: Json = schema.and_then(|text| json::from_str(&text).ok()).unwrap_or_default();
    for name in list_metrics(&schema) {
        if kinds.find(&name).is_none() {
            // A kind has a name for ever. There are few of them, and an editor starts few servers.
            let name: &'static str = name.leak();
            let kind =
                CheckKind::undescribed(name, "a check of this project", |_, _| Ok(Box::new(UnknownCheck)));
            // The name is free.
            let _ = kinds.register(kind);
        }
    }
    kinds
}

/// Returns the values of `metric` in a schema of cases.
fn list_metrics(schema: &Json) -> Vec<String> {
    match schema {
        Json::Object(fields) => {
            let own =
                fields.get("metric").and_then(|metric| metric.get("const").or_else(|| metric.get("enum")));
            let own = own.map(|own| own.as_array().map_or_else(|| vec![own.clone()], <[Json]>::to_vec));
            let names = own.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned));
            names.chain(fields.values().flat_map(list_metrics)).collect()
        }
        Json::Array(values) => values.iter().flat_map(list_metrics).collect(),
        _ => Vec::new(),
    }
}
