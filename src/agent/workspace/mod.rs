//! The workspace of a run: a copy of a template in a scratch folder, and what the agent did to it.
//!
//! ```text
//! scratch/workspace   the copy: the agent's working folder
//! scratch/base        the files as they were before the agent began, to count lines
//! scratch/home        the agent's home
//! ```

pub(super) mod error;
mod ignored;
pub(super) mod room;
mod scratch;
mod tree;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::error::WorkspaceError;
use self::ignored::IgnoreRules;
pub use self::room::Room;
use self::scratch::ScratchFolder;
pub(in crate::agent) use self::scratch::remove_all;
use self::tree::{CopyRules, copy_tree, follow_inside, hash_tree, make_link, measure_tree, read_content};
use super::command::run_process;
use super::{AgentEnvironment, AgentProblem};
use crate::case::{AgentHome, CommandLine, HiddenFiles, WorkspaceSettings, WorkspaceTemplate};
use crate::json;
use crate::source::{fingerprint_bytes, git_command};
use crate::suite::kept_file;
use crate::workspace::{
    ChangedFile, FileContent, FileEntry, FileTree, MAX_KEPT_TEXT, RunFolders, RunWorkspace, WorkspaceFacts,
    WorkspaceNeeds, count_lines, find_at_or_above,
};

/// The largest file whose lines are counted: 64 MiB. A larger one counts as one line.
const MAX_COUNTED: u64 = 64 << 20;

/// Reads an environment variable.
type ReadVariable = fn(&str) -> Option<OsString>;

/// The workspace that each run of a case gets.
#[derive(Clone)]
pub struct WorkspacePlan {
    /// The settings of the case.
    pub settings: Arc<WorkspaceSettings>,
    /// What the checks of the case read.
    pub needs: WorkspaceNeeds,
    /// Whether the scratch folders stay.
    pub is_kept: bool,
}

impl WorkspacePlan {
    /// An empty folder for the session of an agent whose case has no workspace. The home is that of the user.
    pub(super) fn scratch() -> Self {
        let settings = Arc::new(WorkspaceSettings::empty(AgentHome::Keep));
        Self { settings, needs: WorkspaceNeeds::default(), is_kept: false }
    }
}

/// A workspace that is ready for its run.
pub(super) struct PreparedWorkspace {
    scratch: ScratchFolder,
    before: FileTree,
    rules: IgnoreRules,
    notes: Vec<String>,
}

impl PreparedWorkspace {
    /// Makes the workspace of a run: the copy, its `setup`, and the hashes of what is there then.
    pub(super) async fn make(
        plan: &WorkspacePlan,
        environment: &AgentEnvironment,
    ) -> Result<Self, AgentProblem> {
        let WorkspacePlan { settings, is_kept, .. } = plan.clone();
        let variable = environment.variable;
        let own = Arc::clone(&settings);
        let made = run_blocking(move || make_scratch(&own, is_kept, variable)).await?;
        let (scratch, mut notes) = made.map_err(AgentProblem::NoWorkspace)?;
        let room = find_room(scratch.path(), &settings);
        run_setup(&settings, environment, &room).await.map_err(AgentProblem::NoWorkspace)?;
        let copy_limit = settings.copy_limit;
        run_blocking(move || {
            let folder = scratch.path().join("workspace");
            let size = measure_tree(&folder);
            if size > copy_limit {
                let problem = WorkspaceError::GrownTooLarge { size, limit: copy_limit };
                return Err(AgentProblem::NoWorkspace(problem));
            }
            let before = hash_tree(&folder);
            let rules = IgnoreRules::read(&folder, before.keys().map(String::as_str));
            let ignored = rules.find_ignored(before.keys().map(String::as_str));
            let leaves_out = |path: &str, _: &fs::Metadata| {
                path.rsplit('/').next() == Some(".git") || ignored.contains(path)
            };
            let copy = CopyRules { leaves_out: &leaves_out, ..CopyRules::EVERYTHING };
            copy_tree(&folder, &scratch.path().join("base"), &copy).map_err(AgentProblem::NoWorkspace)?;
            notes.extend(settings.describe_home());
            Ok(Self { scratch, before, rules, notes })
        })
        .await?
    }

    /// Returns the folders for the processes of the run.
    pub(super) fn find_room(&self, settings: &WorkspaceSettings) -> Room {
        find_room(self.scratch.path(), settings)
    }

    /// Collects what the agent did. The error is a problem of the agent, such as more changes than the limit allows.
    pub(super) async fn collect(self, plan: &WorkspacePlan) -> Result<RunWorkspace, AgentProblem> {
        let plan = plan.clone();
        run_blocking(move || self.collect_facts(&plan)).await?
    }

    fn collect_facts(self, plan: &WorkspacePlan) -> Result<RunWorkspace, AgentProblem> {
        let Self { scratch, before, rules, mut notes } = self;
        let WorkspacePlan { settings, needs, is_kept } = plan;
        let folder = scratch.path().join("workspace");
        // Before anything is hashed: a full disk takes long to read.
        let size = measure_tree(&folder);
        let most = settings.copy_limit.saturating_add(settings.changes_limit);
        if size > most {
            let problem = format!("the workspace has {size} bytes, and `limits` allow {most}");
            return Err(AgentProblem::ChangedTooMuch(problem));
        }
        if !fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_dir()) {
            notes.push("the agent removed the workspace, or put something else in its place".to_owned());
        }
        let after = hash_tree(&folder);
        let paths = || before.keys().chain(after.keys()).map(String::as_str);
        let ignored = rules.find_ignored(paths());
        for (path, entry) in &after {
            if let FileEntry::Link { target, leaves: true } = entry {
                notes.push(format!(
                    "the link `{path}` leads out of the workspace, to `{target}`, and was not followed"
                ));
            }
        }
        for HiddenFiles { target, .. } in &settings.hidden {
            if after.contains_key(target) || after.keys().any(|path| path.starts_with(&format!("{target}/")))
            {
                notes.push(format!("the agent's `{target}` is replaced by the hidden files"));
            }
        }
        let room = find_room(scratch.path(), settings);
        let mut contents = BTreeMap::new();
        let mut changed = 0_u64;
        let base = scratch.path().join("base");
        let mut facts = WorkspaceFacts::compare(before, &after, |change| {
            if let Some(FileEntry::File { size, .. }) = &change.after {
                changed = changed.saturating_add(*size);
            }
            if find_at_or_above(&ignored, &change.path).is_some() {
                change.omitted = Some("`.gitignore` ignores it".to_owned());
                return;
            }
            let new = folder.join(&change.path);
            describe_lines(change, &base.join(&change.path), &new);
            let Some(FileEntry::File { .. }) = &change.after else { return };
            let content = read_text(&new, &room);
            if let FileContent::Omitted(why) = &content {
                change.omitted = Some(why.clone());
            }
            contents.insert(change.path.clone(), content);
        });
        if changed > settings.changes_limit {
            let limit = settings.changes_limit;
            let problem =
                format!("the changed files have {changed} bytes, and `limits: {{changes}}` allows {limit}");
            return Err(AgentProblem::ChangedTooMuch(problem));
        }
        for wanted in needs.contents.iter().filter(|wanted| after.contains_key(*wanted)) {
            if !contents.contains_key(wanted) {
                contents.insert(wanted.clone(), read_wanted(&folder, wanted, &room));
            }
        }
        facts.ignored = ignored;
        facts.notes = notes.iter().map(|note| room.rewrite(note)).collect();
        facts.contents = contents;
        let folders = RunFolders {
            workspace: folder,
            home: scratch.path().join("home"),
            is_kept: *is_kept,
            guard: Arc::new(scratch),
        };
        Ok(RunWorkspace { facts: Arc::new(facts), folders: Some(folders), recorded: None })
    }
}

/// Counts the lines of a change.
fn describe_lines(change: &mut ChangedFile, old: &Path, new: &Path) {
    let read = |path: &Path| match fs::symlink_metadata(path) {
        Ok(_) => read_content(path, MAX_COUNTED),
        Err(_) => Some(Vec::new()),
    };
    match (read(old), read(new)) {
        (Some(old), Some(new)) => {
            let count = count_lines(&old, &new);
            (change.added, change.removed, change.binary) = (count.added, count.removed, count.is_binary);
        }
        _ => change.binary = true,
    }
}

/// Reads a file for the evidence.
fn read_text(path: &Path, room: &Room) -> FileContent {
    let limit = u64::try_from(MAX_KEPT_TEXT).unwrap_or(u64::MAX);
    match read_content(path, limit).map(String::from_utf8) {
        Some(Ok(text)) => FileContent::Text(room.rewrite(&text)),
        Some(Err(_)) => FileContent::Omitted("it is no UTF-8 text".to_owned()),
        None => FileContent::Omitted("it is larger than 1 MiB, or cannot be read".to_owned()),
    }
}

/// Reads a file that a check names. A link is followed inside of the workspace.
fn read_wanted(folder: &Path, wanted: &str, room: &Room) -> FileContent {
    let Some(real) = follow_inside(folder, wanted) else {
        return FileContent::Omitted("it is no file of the workspace".to_owned());
    };
    read_text(&real, room)
}

fn find_room(scratch: &Path, settings: &WorkspaceSettings) -> Room {
    Room::new(scratch.join("workspace"), &scratch.join("home"), settings.home == AgentHome::Keep)
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AgentProblem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|died| AgentProblem::Panicked(died.to_string()))
}

/// Makes the folders of a run, and copies the template.
fn make_scratch(
    settings: &WorkspaceSettings,
    is_kept: bool,
    variable: ReadVariable,
) -> Result<(ScratchFolder, Vec<String>), WorkspaceError> {
    let scratch =
        ScratchFolder::create(is_kept).map_err(WorkspaceError::named("no scratch folder".to_owned()))?;
    let home = scratch.path().join("home");
    let workspace = scratch.path().join("workspace");
    for folder in [&home.join("tmp"), &workspace] {
        fs::create_dir_all(folder).map_err(WorkspaceError::at(folder))?;
    }
    let mut notes = Vec::new();
    match &settings.from {
        None => {}
        Some(WorkspaceTemplate::Folder(folder)) => {
            let from = folder.find().map_err(WorkspaceError::part("`from`"))?;
            if !from.is_dir() {
                let problem = WorkspaceError::NoFolder(folder.name.clone());
                return Err(WorkspaceError::part("`from`")(problem));
            }
            let rules = CopyRules { limit: settings.copy_limit, refuses_case: true, ..CopyRules::EVERYTHING };
            notes = copy_tree(&from, &workspace, &rules)
                .map_err(WorkspaceError::part(format!("`from`: `{}`", folder.name)))?;
        }
        Some(WorkspaceTemplate::Git { repository, reference }) => {
            let repository = repository.find().map_err(WorkspaceError::part("`from`"))?;
            export_commit(&repository, reference, scratch.path(), variable)
                .map_err(WorkspaceError::part(format!("`from`: `{reference}`")))?;
        }
    }
    if let AgentHome::Links(parts) = &settings.home {
        let real = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from);
        let real = real.ok_or(WorkspaceError::NoHome)?;
        for part in parts {
            let at = home.join(part);
            let made = fs::create_dir_all(at.parent().unwrap_or(&home))
                .and_then(|()| make_link(&real.join(part), &at));
            made.map_err(WorkspaceError::named(format!("`home: {{keep}}`: `{part}`")))?;
        }
    }
    Ok((scratch, notes))
}

/// Writes the files of a commit into the workspace. The repository's own index and configuration are left alone, and neither
/// the user's nor the system's settings of git are read.
fn export_commit(
    repository: &Path,
    reference: &str,
    scratch: &Path,
    variable: ReadVariable,
) -> Result<(), WorkspaceError> {
    // From the top of the repository: all files are meant, not those below the folder that was named.
    let top = run_git(repository, None, &["rev-parse", "--show-toplevel"], variable)?;
    let top = Path::new(top.trim_end_matches(['\r', '\n']));
    let index = scratch.join("index");
    let prefix = format!("--prefix={}/", scratch.join("workspace").display());
    run_git(top, Some(&index), &["read-tree", reference], variable)?;
    run_git(top, Some(&index), &["checkout-index", "--all", "--force", &prefix], variable).map(drop)
}

/// Runs git in a folder, without the user's and the system's settings, and returns its output.
fn run_git(
    folder: &Path,
    index: Option<&Path>,
    arguments: &[&str],
    variable: ReadVariable,
) -> Result<String, WorkspaceError> {
    let mut command = git_command(folder);
    command.args(arguments).env_clear();
    let inherited = ["PATH", "SystemRoot"].into_iter();
    command.envs(inherited.filter_map(|name| Some((name, variable(name)?))));
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    command.env("GIT_CONFIG_GLOBAL", nothing).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0");
    command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
    let output = command.output().map_err(|error| WorkspaceError::Git(format!("git: {error}")))?;
    if !output.status.success() {
        return Err(WorkspaceError::Git(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

async fn run_setup(
    settings: &WorkspaceSettings,
    environment: &AgentEnvironment,
    room: &Room,
) -> Result<(), WorkspaceError> {
    let environment = AgentEnvironment { room: Some(room.clone()), ..environment.clone() };
    for words in &settings.setup {
        let mut words = words.iter().cloned();
        let line = CommandLine {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            ..CommandLine::default()
        };
        let (ended, stderr) = run_process(&line, None, Vec::new(), settings.setup_limit, &environment).await;
        if let Err(problem) = ended {
            let stderr = if stderr.is_empty() { stderr } else { format!("\nits standard error:\n{stderr}") };
            let problem = format!("{problem}{stderr}");
            return Err(WorkspaceError::Setup { program: line.program, problem });
        }
    }
    Ok(())
}

/// Returns the fingerprint of what a workspace begins with.
pub fn fingerprint_workspace(
    settings: &WorkspaceSettings,
    variable: ReadVariable,
) -> Result<String, WorkspaceError> {
    let mut text = settings.define().to_canonical().to_string();
    match &settings.from {
        None => {}
        Some(WorkspaceTemplate::Folder(folder)) => {
            let tree = hash_tree(&folder.find()?);
            text += &json::to_string(&tree).unwrap_or_default();
        }
        Some(WorkspaceTemplate::Git { repository, reference }) => {
            let tree = format!("{reference}^{{tree}}");
            text +=
                &run_git(&repository.find()?, None, &["rev-parse", "--verify", "--quiet", &tree], variable)
                    .map_err(|_| WorkspaceError::NoCommit(reference.clone()))?;
        }
    }
    Ok(fingerprint_bytes(text.as_bytes()))
}

/// A copy of a workspace for one program.
pub(super) struct WorkspaceCopy {
    pub(super) room: Room,
    _scratch: ScratchFolder,
    /// The home of a run that is there.
    _run: Option<RunFolders>,
}

impl WorkspaceCopy {
    /// Makes a copy of the workspace as the agent left it, with the hidden files. A recorded one is built anew, from the template
    /// and the recorded changes. The error is a message, and says whether the recording lacks something.
    pub(super) async fn make(
        settings: &WorkspaceSettings,
        workspace: &RunWorkspace,
        environment: &AgentEnvironment,
    ) -> Result<Self, WorkspaceError> {
        let copy = match (&workspace.folders, &workspace.recorded) {
            (Some(folders), _) => Self::copy_run(settings, folders)?,
            (None, Some(recorded)) => {
                Self::rebuild(settings, &workspace.facts, recorded, environment).await?
            }
            (None, None) => {
                return Err(WorkspaceError::NotRecorded("nothing is recorded of the workspace".to_owned()));
            }
        };
        for HiddenFiles { target, source } in &settings.hidden {
            let from = source.find().map_err(WorkspaceError::part("`hidden`"))?;
            put_hidden(&from, &copy.room.workspace, target)
                .map_err(WorkspaceError::part(format!("`hidden`: `{target}`")))?;
        }
        Ok(copy)
    }

    fn copy_run(settings: &WorkspaceSettings, folders: &RunFolders) -> Result<Self, WorkspaceError> {
        let scratch =
            ScratchFolder::create(false).map_err(WorkspaceError::named("no scratch folder".to_owned()))?;
        let workspace = scratch.path().join("workspace");
        if folders.workspace.is_dir() {
            copy_tree(&folders.workspace, &workspace, &CopyRules::EVERYTHING)?;
        } else {
            fs::create_dir_all(&workspace).map_err(WorkspaceError::at(&workspace))?;
        }
        let room = Room::new(workspace, &folders.home, settings.home == AgentHome::Keep);
        Ok(Self { room, _scratch: scratch, _run: Some(folders.clone()) })
    }

    async fn rebuild(
        settings: &WorkspaceSettings,
        facts: &WorkspaceFacts,
        recorded: &Path,
        environment: &AgentEnvironment,
    ) -> Result<Self, WorkspaceError> {
        let (scratch, _) = make_scratch(settings, false, environment.variable)?;
        let room = find_room(scratch.path(), settings);
        run_setup(settings, environment, &room).await?;
        let today = hash_tree(&room.workspace);
        if let Some(path) = find_difference(&today, &facts.before) {
            return Err(WorkspaceError::NotRecorded(format!(
                "the template of the workspace is not the one of the recording: `{path}` differs"
            )));
        }
        for change in &facts.changes {
            if facts.find_ignored(&change.path).is_some() {
                continue;
            }
            let at = room.workspace.join(&change.path);
            let restored = match &change.after {
                None => fs::remove_file(&at),
                Some(FileEntry::File { executable, .. }) if change.omitted.is_none() => {
                    restore_file(&kept_file(recorded, &change.path), &at, *executable, &room)
                }
                Some(FileEntry::Link { leaves: true, .. }) => Ok(()),
                Some(FileEntry::Link { target, .. }) => {
                    make_folder_of(&at).and_then(|()| make_link(Path::new(target), &at))
                }
                Some(_) => {
                    let why = change.omitted.as_deref().unwrap_or("it is no file");
                    return Err(WorkspaceError::NotRecorded(format!(
                        "`{}` is not in the recording: {why}",
                        change.path
                    )));
                }
            };
            restored.map_err(WorkspaceError::named(format!("`{}`", change.path)))?;
        }
        Ok(Self { room, _scratch: scratch, _run: None })
    }
}

fn find_difference<'t>(one: &'t FileTree, other: &'t FileTree) -> Option<&'t String> {
    one.keys().chain(other.keys()).find(|path| one.get(*path) != other.get(*path))
}

fn make_folder_of(path: &Path) -> std::io::Result<()> {
    // What the agent replaced by a folder, or by a file, is in the way.
    if let Ok(metadata) = fs::symlink_metadata(path) {
        if metadata.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn restore_file(kept: &Path, at: &Path, is_executable: bool, room: &Room) -> std::io::Result<()> {
    make_folder_of(at)?;
    let text = fs::read_to_string(kept)?;
    fs::write(at, room.find_names().restore(&text))?;
    set_executable(at, is_executable)
}

#[cfg(unix)]
fn set_executable(path: &Path, is_executable: bool) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = fs::metadata(path)?.permissions().mode();
    let mode = if is_executable { mode | 0o111 } else { mode & !0o111 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as on Unix")]
fn set_executable(_path: &Path, _is_executable: bool) -> std::io::Result<()> {
    Ok(())
}

/// Puts hidden files in place of what the agent left there.
fn put_hidden(from: &Path, workspace: &Path, target: &str) -> Result<(), WorkspaceError> {
    // A folder on the way may be a link of the agent's, which would lead the files out.
    let mut folder = workspace.to_owned();
    for part in Path::new(target).parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        if fs::symlink_metadata(&folder).is_ok_and(|metadata| !metadata.is_dir()) {
            fs::remove_file(&folder).map_err(WorkspaceError::at(&folder))?;
        }
    }
    let at = workspace.join(target);
    make_folder_of(&at).map_err(WorkspaceError::at(&at))?;
    if from.is_dir() {
        copy_tree(from, &at, &CopyRules::EVERYTHING).map(drop)
    } else {
        fs::copy(from, &at).map(drop).map_err(WorkspaceError::at(from))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A xorshift generator: the same seed gives the same trees.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 >> 16).unwrap_or_default() % limit
        }

        /// Lines that often repeat, so that the smallest difference is not the obvious one.
        fn write_text(&mut self) -> Vec<u8> {
            let lines = (0..self.below(40)).map(|_| match self.below(8) {
                0 => String::new(),
                1 => "}".to_owned(),
                _ => format!("line {}", self.below(6)),
            });
            let mut text = lines.collect::<Vec<_>>().join("\n").into_bytes();
            if self.below(3) > 0 {
                text.push(b'\n');
            }
            if self.below(12) == 0 {
                text.push(0);
            }
            text
        }
    }

    fn write(root: &Path, path: &str, bytes: &[u8]) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// The files of a tree and, of most of them, what became of them.
    fn make_trees(random: &mut Random, old: &Path, new: &Path) {
        for number in 0..random.below(7) {
            let path = format!("{}f{number}", ["", "a/", "a/b/"][random.below(3)]);
            let text = random.write_text();
            match random.below(7) {
                0 => write(old, &path, &text),
                1 => write(new, &path, &text),
                2 => {
                    write(old, &path, &text);
                    std::os::unix::fs::symlink("one", new.join(format!("link{number}"))).expect("a link");
                    write(new, &path, &text);
                }
                3 => {
                    write(old, &path, &text);
                    write(new, &path, &text);
                    let mode = fs::Permissions::from_mode(0o755);
                    fs::set_permissions(new.join(&path), mode).expect("a mode");
                }
                4 => {
                    write(old, &path, &text);
                    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
                    let kept =
                        lines.iter().filter(|_| random.below(4) > 0).copied().collect::<Vec<_>>().concat();
                    write(new, &path, &kept);
                }
                _ => {
                    write(old, &path, &text);
                    write(new, &path, &random.write_text());
                }
            }
        }
    }

    /// The changed files by git: their paths, and the numbers of lines (`-` for a file that is no text).
    fn ask_git(root: &Path) -> BTreeMap<String, (String, String)> {
        let mut command = std::process::Command::new("git");
        command.current_dir(root).args(["-c", "core.quotePath=false", "diff", "--no-index", "--no-renames"]);
        command.args(["--minimal", "--numstat", "old", "new"]);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().expect("git runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let lines = text.lines().map(|line| {
            let mut parts = line.split('\t');
            let [added, removed, path] = [(); 3].map(|()| parts.next().expect("three columns").to_owned());
            // `{old => new}/a/f1`, `/dev/null => new/f1` or `old/f1 => /dev/null`.
            let path = path.replace("{old => new}/", "").replace("/dev/null => new/", "");
            let path = path.replace(" => /dev/null", "");
            let path = path.strip_prefix("old/").or(path.strip_prefix("new/")).unwrap_or(&path).to_owned();
            (path, (added, removed))
        });
        lines.collect()
    }

    #[test]
    fn changes_have_the_figures_of_git() {
        let mut changes = 0;
        for seed in 1..=200 {
            let mut random = Random(seed * 7919);
            let root = tempfile::tempdir().expect("a folder");
            let old = root.path().join("old");
            let new = root.path().join("new");
            for folder in [&old, &new] {
                fs::create_dir(folder).expect("a folder");
            }
            make_trees(&mut random, &old, &new);
            let facts = WorkspaceFacts::compare(hash_tree(&old), &hash_tree(&new), |change| {
                let paths = (old.join(&change.path), new.join(&change.path));
                describe_lines(change, &paths.0, &paths.1);
            });
            let ours: BTreeMap<String, (String, String)> = facts
                .changes
                .iter()
                .map(|change| {
                    let count = |lines: u64| if change.binary { "-".to_owned() } else { lines.to_string() };
                    (change.path.clone(), (count(change.added), count(change.removed)))
                })
                .collect();
            assert_eq!(ours, ask_git(root.path()), "seed {seed}");
            changes += ours.len();
        }
        assert!(changes > 300, "{changes}");
    }

    #[test]
    fn the_paths_of_the_scratch_folders_are_replaced_in_every_spelling_and_put_back() {
        let room = Room::new("/tmp/arraign-x/workspace".into(), Path::new("/tmp/arraign-x/home"), false);
        let text = r#"/tmp/arraign-x/workspace/a "\/tmp\/arraign-x\/home" /other"#;
        assert_eq!(room.rewrite(text), r#"/workspace/a "/home" /other"#);
        let restored = room.find_names().restore("/workspace/a my/workspace /workspaces '/workspace'");
        assert_eq!(
            restored,
            "/tmp/arraign-x/workspace/a my/workspace /workspaces '/tmp/arraign-x/workspace'"
        );
    }
}
