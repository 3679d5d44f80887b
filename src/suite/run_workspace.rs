//! `workspace:` the folder that the agent of a case gets to itself.
//!
//! ```yaml
//! workspace:
//!   from: fixtures/shop
//!   setup: [[npm, ci]]
//!   hidden: {tests/oracle: fixtures/oracle}
//!   home: {keep: [.cargo, .rustup]}
//! ```

use std::path::{Component, Path};

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::{
    AgentHome, DEFAULT_CHANGES_LIMIT, DEFAULT_COPY_LIMIT, DEFAULT_SETUP_LIMIT, HiddenFiles, LocalFolder,
    WorkspaceSettings, WorkspaceTemplate,
};
use crate::check::Scope;
use crate::place::{LoadError, LoadErrors};

use crate::yaml::{FileSize, MappingOr, OrderedMap, Placed, TimeLimit};

/// The folder that the agent gets to itself.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "workspace")]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenWorkspace {
    /// The folder that is copied for each run, or `{git: FOLDER, ref: COMMIT}` for the files of a commit. Relative to this file, or
    /// else to the package. Default: an empty folder.
    from: Option<MappingOr<GitTemplate, Placed<String>>>,
    /// Commands that run in the copy before the agent, each a list of a program and its arguments. There is no shell.
    #[serde(default)]
    setup: Vec<Placed<Vec<String>>>,
    /// Files that the agent does not see: the path in the copy, and the file or folder that is put there after the agent has
    /// ended.
    #[serde(default)]
    hidden: OrderedMap<Placed<String>, Placed<String>>,
    /// The home of the agent: `empty`, `keep` (the home of the user), or `{keep: [.cargo, .rustup]}` (links to these parts of
    /// it). Default: `empty`.
    home: Option<MappingOr<KeptHome, HomeWord>>,
    /// The most that the workspace may hold.
    #[serde(default)]
    limits: WrittenLimits,
}

/// The files of a commit.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct GitTemplate {
    /// A folder of the repository.
    git: Placed<String>,
    /// The commit: a hash, a tag or a branch. Default: `HEAD`.
    #[serde(default, rename = "ref")]
    reference: Option<Placed<String>>,
}

/// The home of the agent, in a word.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
enum HomeWord {
    /// An empty folder.
    Empty,
    /// The home of the user.
    Keep,
}

/// The parts of the user's home that the agent sees.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct KeptHome {
    /// Files and folders of the user's home.
    keep: Vec<Placed<String>>,
}

/// The limits of a workspace.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct WrittenLimits {
    /// The largest copy, such as `200 MB`. Default: `1 GiB`.
    copy: Option<FileSize>,
    /// The largest sum of changed files. Default: `100 MiB`.
    changes: Option<FileSize>,
    /// The time limit of each command of `setup`. Default: 5 minutes.
    setup: Option<TimeLimit>,
}

impl WrittenWorkspace {
    /// Builds the settings of the workspace of a case.
    pub(super) fn build(written: Placed<Self>, scope: &Scope<'_>) -> Result<WorkspaceSettings, LoadErrors> {
        let place = written.place().clone();
        let Self { from, setup, hidden, home, limits } = written.into_value();
        let mut errors = LoadErrors::new();
        let from = match from {
            None => None,
            Some(MappingOr::Short(name)) => errors.take(locate(&name, scope)).map(WorkspaceTemplate::Folder),
            Some(MappingOr::Mapping(GitTemplate { git, reference })) => {
                let repository = errors.take(locate(&git, scope));
                let reference = reference.map_or(Ok("HEAD".to_owned()), check_reference);
                let reference = errors.take(reference);
                repository
                    .zip(reference)
                    .map(|(repository, reference)| WorkspaceTemplate::Git { repository, reference })
            }
        };
        for words in setup.iter().filter(|words| words.first().is_none_or(String::is_empty)) {
            errors.push(words.error("a command of `setup` is a list of a program and its arguments"));
        }
        let mut hidden_files = Vec::new();
        for (target, source) in hidden.0 {
            if !is_inside(&target) {
                errors.push(target.error(format!("`{}` is not a path inside the workspace", *target)));
            }
            if let Some(source) = errors.take(locate(&source, scope)) {
                hidden_files.push(HiddenFiles { target: target.into_value(), source });
            }
        }
        let home = match home {
            None | Some(MappingOr::Short(HomeWord::Empty)) => AgentHome::Empty,
            Some(MappingOr::Short(HomeWord::Keep)) => AgentHome::Keep,
            Some(MappingOr::Mapping(KeptHome { keep })) => {
                for part in keep.iter().filter(|part| !is_inside(part)) {
                    errors.push(part.error(format!("`{}` is not a path inside the home", **part)));
                }
                AgentHome::Links(keep.into_iter().map(Placed::into_value).collect())
            }
        };
        errors.or(WorkspaceSettings {
            place,
            from,
            setup: setup.into_iter().map(Placed::into_value).collect(),
            hidden: hidden_files,
            home,
            copy_limit: limits.copy.map_or(DEFAULT_COPY_LIMIT, |FileSize(bytes)| bytes),
            changes_limit: limits.changes.map_or(DEFAULT_CHANGES_LIMIT, |FileSize(bytes)| bytes),
            setup_limit: limits.setup.map_or(DEFAULT_SETUP_LIMIT, |TimeLimit(limit)| limit),
        })
    }
}

/// Git would read a name that begins with `-` as a flag.
fn check_reference(reference: Placed<String>) -> Result<String, LoadError> {
    if reference.is_empty() || reference.starts_with('-') {
        return Err(reference.error(format!("`{}` is not the name of a commit", *reference)));
    }
    Ok(reference.into_value())
}

/// Whether a path has no part that leads out of its folder.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Finds the paths that a name may mean. They must be inside of the package.
fn locate(name: &Placed<String>, scope: &Scope<'_>) -> Result<LocalFolder, LoadError> {
    let base = scope.files.base();
    let candidates: Vec<_> = [scope.folder, base]
        .into_iter()
        .filter_map(|folder| join_inside(folder, name, base))
        .map(|path| (path.clone(), scope.files.name(&path)))
        .collect();
    let is_relative = !name.is_empty() && Path::new(name.as_str()).is_relative();
    if candidates.is_empty() || !is_relative {
        let error = name.error(format!("`{}` is not a path inside the package", **name));
        return Err(error.help("a path is relative to this file, or else to the package"));
    }
    Ok(LocalFolder { name: (**name).clone(), candidates })
}

/// Joins a relative path without looking at files. `None` if it leads out of the package.
fn join_inside(folder: &Path, name: &str, base: &Path) -> Option<std::path::PathBuf> {
    let mut path = folder.to_owned();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    path.starts_with(base).then_some(path)
}
