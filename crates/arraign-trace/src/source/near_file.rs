//! The file that a path probably means, if it leads to none.

use std::fmt;
use std::path::{Path, PathBuf};

use super::FileOpener;
use crate::suggest::{has_other_encoding, nearest};

/// The existing file that the path of a missing one probably means. Its sentence says what to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearFile {
    /// The path to write: relative to the folder that the missing path is relative to.
    pub name: String,
    /// The difference between both paths.
    pub difference: NameDifference,
}

/// How the path of a missing file differs from that of an existing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameDifference {
    /// `\` in place of `/`, on a system where `\` is a character like any other.
    Backslash,
    /// The names look the same, and an accent is a part of its letter in one of them.
    Encoding,
    /// A few letters.
    Letters,
}

impl fmt::Display for NearFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.difference {
            NameDifference::Backslash => {
                write!(
                    f,
                    "write `{name}`: only Windows separates folders with `\\`, and `/` works everywhere"
                )
            }
            NameDifference::Encoding => write!(
                f,
                "`{name}` looks the same, but one of the names has a letter and its accent as one character, the \
                 other as two (Unicode NFC and NFD): copy the name from a list of the folder, or rename the file"
            ),
            NameDifference::Letters => write!(f, "did you mean `{name}`?"),
        }
    }
}

impl FileOpener {
    /// Finds the file that the path of a missing file probably means. The user has written the path in a file of `folder`.
    pub fn find_near_file(&self, missing: &Path, folder: &Path) -> Option<NearFile> {
        let found =
            |path: &Path, difference| Some(NearFile { name: render_relative(path, folder)?, difference });
        if let Some(path) = self.replace_backslashes(missing) {
            return found(&path, NameDifference::Backslash);
        }
        // The first part of the path that does not exist has the mistake, and the rest must exist below the near name.
        let existing = missing.ancestors().skip(1).find(|folder| folder.is_dir())?;
        let mut rest = missing.strip_prefix(existing).ok()?.components();
        let wanted = rest.next()?.as_os_str().to_str()?;
        let entries = self.list(existing);
        let rest = rest.as_path();
        let is_last = rest.as_os_str().is_empty();
        let beside = |name: &str| {
            // An empty rest would end the path with a separator, as that of a folder.
            let path = if is_last { existing.join(name) } else { existing.join(name).join(rest) };
            path.is_file().then_some(path)
        };
        let names = || entries.iter().filter_map(|entry| entry.file_name()?.to_str());
        if let Some(same) = names().find(|name| has_other_encoding(name, wanted)) {
            return found(&beside(same)?, NameDifference::Encoding);
        }
        if !is_last {
            return found(&beside(nearest(wanted, names())?)?, NameDifference::Letters);
        }
        // A file may have another extension. It tells nothing about how near the names are.
        let stems = names().filter_map(|name| Path::new(name).file_stem()?.to_str());
        let near = nearest(Path::new(wanted).file_stem()?.to_str()?, stems)?;
        let near = entries.iter().find(|path| path.file_stem().is_some_and(|stem| stem == near))?;
        found(near, NameDifference::Letters)
    }

    /// Returns the path with `/` in place of `\`, if it leads to a file that may be read.
    fn replace_backslashes(&self, missing: &Path) -> Option<PathBuf> {
        let below = missing.strip_prefix(&self.base).ok()?.to_str().filter(|below| below.contains('\\'))?;
        let path = self.resolve(&self.base, &below.replace('\\', "/")).ok()?;
        path.is_file().then_some(path)
    }
}

/// Renders the path that leads from `folder` to `path`, with `/` between its parts. `None` if both are on
/// different drives.
fn render_relative(path: &Path, folder: &Path) -> Option<String> {
    let shared = folder.ancestors().find(|above| path.starts_with(above))?;
    let ups = folder.strip_prefix(shared).ok()?.components().map(|_| "..".into());
    let rest = path.strip_prefix(shared).ok()?;
    let parts = ups.chain(rest.components().map(|part| part.as_os_str().to_string_lossy()));
    Some(parts.collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn find(existing: &str, missing: &str) -> Option<NearFile> {
        find_from("", existing, missing)
    }

    /// The path of `missing` is written in a file of `folder`.
    fn find_from(folder: &str, existing: &str, missing: &str) -> Option<NearFile> {
        let below = folder;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join("evals");
        let file = root.join(existing);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "x").expect("a file");
        let written_in = if below.is_empty() { root.clone() } else { root.join(below) };
        FileOpener::new(&root, &root).find_near_file(&root.join(missing), &written_in)
    }

    #[test]
    fn the_name_is_the_path_to_write() {
        for (folder, name) in [
            ("", "shop/traces/refund.json"),
            ("shop", "traces/refund.json"),
            ("shop/traces", "refund.json"),
            ("shop/cases", "../traces/refund.json"),
            ("bank/deep", "../../shop/traces/refund.json"),
        ] {
            let near = find_from(folder, "shop/traces/refund.json", "shop/traces/refnud.json");
            assert_eq!(near.map(|near| near.name).as_deref(), Some(name), "{folder}");
        }
    }

    #[test]
    fn a_name_with_a_slip_finds_its_file_in_each_part_of_the_path() {
        let near = |difference| Some(NearFile { name: "traces/refund.json".to_owned(), difference });
        for missing in
            ["traces/refnud.json", "trace/refund.json", "traces/refund.jsonl", "Traces/refund.json"]
        {
            assert_eq!(find("traces/refund.json", missing), near(NameDifference::Letters), "{missing}");
        }
        for missing in
            ["traces/other.json", "trace/other.json", "elsewhere/refund.json", "refund/traces.json"]
        {
            assert_eq!(find("traces/refund.json", missing), None, "{missing}");
        }
    }

    #[test]
    #[cfg(not(windows))]
    fn a_backslash_is_the_mistake_only_where_the_file_exists() {
        let near = Some(NearFile { name: "traces/a.json".to_owned(), difference: NameDifference::Backslash });
        for missing in ["traces\\a.json", ".\\traces\\a.json", "traces\\deep\\..\\a.json"] {
            assert_eq!(find("traces/a.json", missing), near, "{missing}");
        }
        assert_eq!(find("traces/a.json", "..\\evals\\traces\\a.json"), near);
        assert_eq!(find("a.json", "..\\..\\..\\..\\..\\..\\etc\\passwd"), None);
    }

    #[test]
    fn a_name_in_the_other_normal_form_is_found() {
        let found = find("traces/cafe\u{301}.json", "traces/caf\u{e9}.json").expect("a file");
        assert_eq!(found.difference, NameDifference::Encoding);
        assert_eq!(
            find("caf\u{e9}/a.json", "cafe\u{301}/a.json").map(|near| near.difference),
            Some(NameDifference::Encoding)
        );
    }
}
