//! The folders that a process runs in.

use std::path::{Path, PathBuf};

use crate::workspace::PathNames;

/// The folders that a process runs in, in place of the package and the user's home.
#[derive(Debug, Clone)]
pub struct Room {
    /// The working folder.
    pub(in crate::agent) workspace: PathBuf,
    /// The home. `None`: the home of the user.
    pub(in crate::agent) home: Option<PathBuf>,
    /// The folder for temporary files.
    pub(in crate::agent) temporary: PathBuf,
}

impl Room {
    pub(super) fn new(workspace: PathBuf, home: &Path, keeps_home: bool) -> Self {
        Self { workspace, temporary: home.join("tmp"), home: (!keeps_home).then(|| home.to_owned()) }
    }

    /// Lists the variables that say where the process is.
    pub(in crate::agent) fn list_variables(&self) -> Vec<(&'static str, PathBuf)> {
        let mut variables = vec![("PWD", self.workspace.clone())];
        let temporary = if cfg!(windows) { &["TEMP", "TMP"][..] } else { &["TMPDIR"][..] };
        variables.extend(temporary.iter().map(|name| (*name, self.temporary.clone())));
        let Some(home) = &self.home else { return variables };
        variables.push(("HOME", home.clone()));
        let below: &[(&str, &str)] = if cfg!(windows) {
            &[("USERPROFILE", ""), ("APPDATA", "AppData/Roaming"), ("LOCALAPPDATA", "AppData/Local")]
        } else {
            &[
                ("XDG_CONFIG_HOME", ".config"),
                ("XDG_DATA_HOME", ".local/share"),
                ("XDG_STATE_HOME", ".local/state"),
                ("XDG_CACHE_HOME", ".cache"),
            ]
        };
        variables.extend(below.iter().map(|(name, folder)| (*name, home.join(folder))));
        variables
    }

    /// Replaces the paths of the scratch folders in a text by those that are the same in each run.
    pub(in crate::agent) fn rewrite(&self, text: &str) -> String {
        self.find_names().rewrite(text)
    }

    /// Returns the names of the folders in traces and recordings.
    pub(in crate::agent) fn find_names(&self) -> PathNames {
        PathNames::new(&self.workspace, self.home.as_deref())
    }
}
