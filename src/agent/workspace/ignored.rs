//! The files that the `.gitignore` files of a folder ignore.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A root for patterns and paths alike: only paths below it are compared.
const ROOT: &str = "/w";

/// The rules of a folder as they were at one time: what an agent does to them later changes nothing.
pub(super) struct IgnoreRules {
    /// By the folder of each `.gitignore`; empty for the root.
    by_folder: BTreeMap<String, Gitignore>,
}

impl IgnoreRules {
    /// Reads the `.gitignore` files among `paths`, which are those of the folder `root`.
    pub(super) fn read<'p>(root: &Path, paths: impl Iterator<Item = &'p str>) -> Self {
        let mut by_folder = BTreeMap::new();
        for path in paths.filter(|path| *path == ".gitignore" || path.ends_with("/.gitignore")) {
            let Some(text) = super::tree::read_content(&root.join(path), 1 << 20) else { continue };
            let folder = path.strip_suffix(".gitignore").unwrap_or_default().trim_end_matches('/');
            let mut builder = GitignoreBuilder::new(Path::new(ROOT).join(folder));
            for line in String::from_utf8_lossy(&text).lines() {
                // Git skips a pattern that it cannot read.
                let _ = builder.add_line(None, line);
            }
            if let Ok(rules) = builder.build() {
                by_folder.insert(folder.to_owned(), rules);
            }
        }
        Self { by_folder }
    }

    /// Returns the topmost ignored paths at or above `paths`.
    pub(super) fn find_ignored<'p>(&self, paths: impl Iterator<Item = &'p str>) -> BTreeSet<String> {
        let mut ignored = BTreeSet::new();
        if self.by_folder.is_empty() {
            return ignored;
        }
        for path in paths {
            let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
            for end in ends {
                let part = &path[..end];
                if ignored.contains(part) {
                    break;
                }
                if self.ignores(part, end < path.len()) {
                    ignored.insert(part.to_owned());
                    break;
                }
            }
        }
        ignored
    }

    /// Whether the nearest `.gitignore` with a word on this path ignores it.
    fn ignores(&self, path: &str, is_folder: bool) -> bool {
        let full: PathBuf = Path::new(ROOT).join(path);
        let mut folder = path;
        while let Some(at) = folder.rfind('/') {
            folder = &folder[..at];
            match self.by_folder.get(folder).map(|rules| rules.matched(&full, is_folder)) {
                Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                _ => {}
            }
        }
        self.by_folder.get("").is_some_and(|rules| rules.matched(&full, is_folder).is_ignore())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_rule_decides_and_an_ignored_folder_hides_all_below() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sub")).expect("a folder");
        std::fs::write(folder.path().join(".gitignore"), "target/\n*.log\n/only-here\n").expect("rules");
        std::fs::write(folder.path().join("sub/.gitignore"), "!keep.log\n").expect("rules");
        let files = [".gitignore", "sub/.gitignore"];
        let rules = IgnoreRules::read(folder.path(), files.into_iter());
        let paths = [
            "target/a/b",
            "a.log",
            "sub/keep.log",
            "sub/other.log",
            "only-here",
            "sub/only-here",
            "src/target/x",
            "x",
        ];
        let ignored: Vec<String> = rules.find_ignored(paths.into_iter()).into_iter().collect();
        assert_eq!(ignored, ["a.log", "only-here", "src/target", "sub/other.log", "target"]);
    }
}
