//! Writes one verdict file for each trial.
//!
//! A file is `<out>/<run id>/<trial name>.json`, or `attempt-<n>/<trial name>.json` for later attempts of a retried trial.
//! Other harnesses than `evals` have a folder `<harness>/` below the run's, because two harnesses may have trials of the same
//! name. The manifests are `@manifests/<harness>.json`; `@manifests/<harness>.spent.jsonl` lists what a judge has cost.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{MANIFESTS, RunManifest};
use crate::source::{Folder, Ledger, write_whole};
use crate::suite::escape_component;
use crate::verdict::Verdict;

/// The longest name of a file, without its extension. File systems allow 255 bytes, and the hash of a long name, the
/// extension, and the additions of a temporary name must fit, too.
const LONGEST_STEM: usize = 200;

/// The usual name of a package's only harness. Its verdicts are in the run's folder itself.
const USUAL_HARNESS: &str = "evals";

thread_local! {
    /// The buffer in which a thread serializes its verdicts, one after the other.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The folder of this run, with its verdicts and manifests.
#[derive(Debug)]
pub(in crate::harness) struct Store {
    out: PathBuf,
    run: PathBuf,
    harness: String,
    folder: Folder,
}

impl Store {
    /// The store of the run `run_id` below `out`. No folder is created before the first file.
    pub(in crate::harness) fn new(out: &Path, run_id: &str, attempt: u32, harness: &str) -> Self {
        let run = out.join(escape_folder(run_id));
        let first = if harness == USUAL_HARNESS { run.clone() } else { run.join(escape_folder(harness)) };
        let folder = if attempt > 1 { first.join(format!("attempt-{attempt}")) } else { first };
        Self { out: out.to_owned(), run, harness: harness.to_owned(), folder: Folder::at(folder) }
    }

    /// The folder of all runs and of their reports.
    pub(in crate::harness) fn out_folder(&self) -> &Path {
        &self.out
    }

    /// The folder of this run.
    pub(in crate::harness) fn run_folder(&self) -> &Path {
        &self.run
    }

    /// Writes the manifest that `describe` returns, unless another process of the run has written one.
    ///
    /// If the manifest cannot be written, the verdicts could not be either, so the error is about those.
    pub(in crate::harness) fn write_manifest(
        &self,
        describe: impl FnOnce() -> RunManifest,
    ) -> Result<(), String> {
        let folder = self.run.join(MANIFESTS);
        let path = folder.join(format!("{}.json", escape_folder(&self.harness)));
        if path.exists() {
            return Ok(());
        }
        let json = serde_json::to_vec(&describe()).map_err(io::Error::from);
        let written = json.and_then(|json| {
            fs::create_dir_all(&folder)?;
            write_whole(&path, &json)
        });
        written.map_err(|error| self.unwritable_error(&error))
    }

    /// Renders the error of a verdict that cannot be written.
    pub(in crate::harness) fn unwritable_error(&self, error: &io::Error) -> String {
        let folder = self.folder.path().display();
        format!("cannot write verdicts below `{folder}`: {error}; set ARRAIGN_OUT to another folder")
    }

    /// The file in which all processes of this run record what they spend on the judge.
    pub(in crate::harness) fn judge_ledger(&self) -> Ledger {
        let name = format!("{}.spent.jsonl", escape_folder(&self.harness));
        Ledger::at(self.run.join(MANIFESTS).join(name))
    }

    /// Writes a verdict of this harness.
    pub(in crate::harness) fn write_verdict(&self, verdict: &mut Verdict) -> io::Result<()> {
        verdict.harness.clone_from(&self.harness);
        // Taking the buffer leaves an empty one behind; if serialization fails, the buffer is simply lost.
        let mut json = BUFFER.take();
        json.clear();
        serde_json::to_writer(&mut json, verdict)?;
        json.push(b'\n');
        let written = self.folder.write_file(&format!("{}.json", file_stem(&verdict.name)), &json);
        BUFFER.set(json);
        written
    }
}

/// Returns one folder name for an arbitrary id, which must not lead out of the folder above (`..`, `a/b`).
fn escape_folder(text: &str) -> String {
    match text {
        "." => "%2E".to_owned(),
        text => file_stem(&escape_component(text).replace("..", "%2E%2E")),
    }
}

/// Returns the file name for a trial, without its extension. A long name is cut and ends with the hash of the whole name.
fn file_stem(name: &str) -> String {
    let name = escape_reserved(name);
    if name.len() <= LONGEST_STEM {
        return name;
    }
    // The limit is in bytes, so the cut moves back to the start of a character.
    let end = (0..=LONGEST_STEM).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    format!("{}~{:016x}", &name[..end], hash_fnv1a(&name))
}

/// Replaces the characters that Windows or an artifact store refuses in file names, so that a folder of verdicts can be
/// copied and uploaded anywhere.
///
/// A trial's name has a `%` only before two hexadecimal digits, so `%%` for `::` and `%x3A` for a single colon keep
/// different names apart, on file systems that ignore case as well.
fn escape_reserved(name: &str) -> String {
    const RESERVED: &[char] = &['"', '*', ':', '<', '>', '?', '\\', '|'];
    let mut escaped = String::with_capacity(name.len());
    for c in name.replace("::", "%%").chars() {
        if c.is_ascii_control() || RESERVED.contains(&c) {
            escaped.extend(format!("%x{:02X}", u32::from(c)).chars());
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Hashes `text` with FNV-1a, which gives the same value on every machine and in every version: the shards of one run, on
/// several machines, must use the same file names.
fn hash_fnv1a(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_apart() {
        let (one, other) = ("é".repeat(300) + "1", "é".repeat(300) + "2");
        assert_ne!(file_stem(&one), file_stem(&other));
        assert!(file_stem(&one).len() <= 220);
        assert_eq!(file_stem("a::b"), "a%%b");
    }

    #[test]
    fn a_file_name_holds_nothing_that_windows_or_an_artifact_store_refuses() {
        assert_eq!(
            file_stem("s::a \"b\" <c> d|e? *\r\n"),
            "s%%a %x22b%x22 %x3Cc%x3E d%x7Ce%x3F %x2A%x0D%x0A"
        );
        assert_ne!(file_stem("x::a::b"), file_stem("x::a%3A%3Ab"));
    }
}
