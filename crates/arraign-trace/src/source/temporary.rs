//! The names under which files are written before they are renamed.
//!
//! A process that is killed leaves such a file behind. It is part of nothing: no folder lists it.

use std::path::{Path, PathBuf};

/// The extension of temporary names.
const EXTENSION: &str = "tmp";

/// The largest part of the file's own name in its temporary name, in characters. The temporary name must not exceed the
/// limit of the file system either.
const MAX_NAME_CHARS: usize = 100;

/// Returns the temporary path for the file at `path`: `.NAME.PROCESS-NUMBER.tmp`, in the same folder.
#[doc(hidden)]
pub fn temporary_path(path: &Path, process: u32, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let short: String = name.chars().take(MAX_NAME_CHARS).collect();
    path.with_file_name(format!(".{short}.{process}-{number}.{EXTENSION}"))
}

/// Whether `path` has a name as [`temporary_path`] makes it.
#[doc(hidden)]
pub fn is_temporary(path: &Path) -> bool {
    find_writer(path).is_some()
}

/// Returns the process that writes the file at `path`, if the name is one that [`temporary_path`] makes.
#[doc(hidden)]
pub fn find_writer(path: &Path) -> Option<u32> {
    let name = path.file_name().and_then(|name| name.to_str())?;
    let inner = name.strip_prefix('.')?.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    let (process, number) = inner.rsplit_once('.')?.1.split_once('-')?;
    if is_number(number) && is_number(process) { process.parse().ok() } else { None }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_name_is_known_and_no_other() {
        for name in ["a.json", "x", &"long".repeat(60), ".hidden"] {
            let path = temporary_path(&Path::new("traces").join(name), 4711, 0);
            assert!(is_temporary(&path), "{}", path.display());
            assert!(path.starts_with("traces") && path.as_os_str().len() < 140, "{}", path.display());
        }
        for name in [
            "a.json",
            ".a.tmp",
            ".a.json.4711.tmp",
            "a.json.4711-0.tmp",
            ".a.4711-x.tmp",
            ".4711-0.tmp",
            "tmp",
            "",
        ] {
            assert!(!is_temporary(Path::new(name)), "{name}");
        }
    }
}
