//! The workspace of a case: the folder that its agent gets to itself.

use std::path::PathBuf;
use std::time::Duration;

use crate::json::{Json, json};
use crate::place::Place;

/// The largest copy of a template, unless the case sets another limit: 1 GiB.
pub const DEFAULT_COPY_LIMIT: u64 = 1 << 30;

/// The largest sum of changed files, unless the case sets another limit: 100 MiB.
pub const DEFAULT_CHANGES_LIMIT: u64 = 100 << 20;

/// The time limit of each command of `setup`, unless the case sets another.
pub const DEFAULT_SETUP_LIMIT: Duration = Duration::from_mins(5);

/// The folder that an agent gets to itself, anew for each run.
#[derive(Debug, Clone)]
pub struct WorkspaceSettings {
    /// The place of the key.
    pub place: Place,
    /// What the folder begins with. `None`: nothing.
    pub from: Option<WorkspaceTemplate>,
    /// The commands that run in the folder before the agent: each a program with its arguments.
    pub setup: Vec<Vec<String>>,
    /// The files that are put in after the agent has ended.
    pub hidden: Vec<HiddenFiles>,
    /// The home of the agent.
    pub home: AgentHome,
    /// The largest copy, in bytes.
    pub copy_limit: u64,
    /// The largest sum of changed files, in bytes.
    pub changes_limit: u64,
    /// The time limit of each command of `setup`.
    pub setup_limit: Duration,
}

/// What a workspace begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkspaceTemplate {
    /// A copy of a folder.
    Folder(LocalFolder),
    /// The files of a commit.
    Git {
        /// A folder of the repository.
        repository: LocalFolder,
        /// The name of the commit.
        reference: String,
    },
}

/// A folder of the package, as a case names it, and where it may be: beside the case's file, or else in the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalFolder {
    /// The name.
    pub name: String,
    /// The paths that the name may mean, the first of which that exists is meant; and each as people know it.
    pub candidates: Vec<(PathBuf, String)>,
}

/// None of the paths that a name may mean exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` does not exist: there is no {}", .tried.join(", and no "))]
pub struct MissingFolder {
    /// The name.
    pub name: String,
    /// The paths as people know them.
    pub tried: Vec<String>,
}

impl LocalFolder {
    /// Returns the path that the name means.
    pub fn find(&self) -> Result<PathBuf, MissingFolder> {
        let found = self.candidates.iter().find(|(path, _)| path.exists());
        found.map(|(path, _)| path.clone()).ok_or_else(|| MissingFolder {
            name: self.name.clone(),
            tried: self.candidates.iter().map(|(_, name)| format!("`{name}`")).collect(),
        })
    }
}

/// Files that an agent does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenFiles {
    /// Where they are put: a path in the workspace.
    pub target: String,
    /// The file or folder of the package.
    pub source: LocalFolder,
}

/// The home of an agent in a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AgentHome {
    /// An empty folder.
    #[default]
    Empty,
    /// The home of the user.
    Keep,
    /// An empty folder with links to these parts of the user's home.
    Links(Vec<String>),
}

impl WorkspaceSettings {
    /// An empty folder, with this home.
    pub fn empty(home: AgentHome) -> Self {
        Self {
            place: Place::of_file(""),
            from: None,
            setup: Vec::new(),
            hidden: Vec::new(),
            home,
            copy_limit: DEFAULT_COPY_LIMIT,
            changes_limit: DEFAULT_CHANGES_LIMIT,
            setup_limit: DEFAULT_SETUP_LIMIT,
        }
    }

    /// Returns the settings that decide what the agent finds, as JSON: a recording is stale if they change.
    pub fn define(&self) -> Json {
        let from = match &self.from {
            None => Json::Null,
            Some(WorkspaceTemplate::Folder(folder)) => folder.name.as_str().into(),
            Some(WorkspaceTemplate::Git { repository, reference }) => {
                json!({"git": repository.name.as_str(), "ref": reference.as_str()})
            }
        };
        let setup: Json = self
            .setup
            .iter()
            .map(|words| words.iter().map(|word| Json::from(word.as_str())).collect::<Json>())
            .collect();
        let home: Json = match &self.home {
            AgentHome::Empty => "empty".into(),
            AgentHome::Keep => "keep".into(),
            AgentHome::Links(parts) => parts.iter().map(|part| Json::from(part.as_str())).collect(),
        };
        json!({"from": from, "setup": setup, "home": home})
    }

    /// Lists the folders of the package that the workspace is made of: nothing below them is a case.
    pub fn list_folders(&self) -> impl Iterator<Item = PathBuf> {
        let from = self.from.iter().filter_map(|template| match template {
            WorkspaceTemplate::Folder(folder) => Some(folder),
            // The repository is that of the cases themselves.
            WorkspaceTemplate::Git { .. } => None,
        });
        let folders = from.chain(self.hidden.iter().map(|hidden| &hidden.source));
        folders.filter_map(|folder| folder.find().ok())
    }

    /// Returns a sentence about the home for people. `None` if it is empty.
    pub fn describe_home(&self) -> Option<String> {
        match &self.home {
            AgentHome::Empty => None,
            AgentHome::Keep => Some("the agent had the user's home (`home: keep`)".to_owned()),
            AgentHome::Links(parts) => {
                Some(format!("the agent's home had links to the user's {}", parts.join(", ")))
            }
        }
    }
}
