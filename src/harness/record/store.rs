//! Verdict files: one a trial, written whole.
//!
//! `<out>/<run id>/<trial name>.json`; later attempts of a retried trial lie in `attempt-<n>/` beside it. The verdicts of
//! further harnesses, which may have trials of the same names, lie in a folder `<harness>/` each. How they all began is
//! said in `@began/<harness>.json`; what they spend on a judge, in `@began/<harness>.spent.jsonl`.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{MANIFESTS, RunManifest};
use crate::source::{Folder, Ledger, write_whole};
use crate::suite::escape_component;
use crate::verdict::Verdict;

/// File systems take 255 bytes; what follows a name, and what a temporary name adds, must fit as well.
const LONGEST_STEM: usize = 200;

/// The harness of a package with one: its verdicts need no folder of their own.
const USUAL_HARNESS: &str = "evals";

thread_local! {
    /// Each thread writes one verdict after the other from the same buffer.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Where the verdicts of this run go.
#[derive(Debug)]
pub(in crate::harness) struct Store {
    out: PathBuf,
    run: PathBuf,
    harness: String,
    folder: Folder,
}

impl Store {
    pub(in crate::harness) fn new(out: &Path, run_id: &str, attempt: u32, harness: &str) -> Self {
        let run = out.join(escape_folder(run_id));
        let first = if harness == USUAL_HARNESS { run.clone() } else { run.join(escape_folder(harness)) };
        let folder = if attempt > 1 { first.join(format!("attempt-{attempt}")) } else { first };
        Self { out: out.to_owned(), run, harness: harness.to_owned(), folder: Folder::at(folder) }
    }

    /// The folder of all runs: where reports lie.
    pub(in crate::harness) fn out_folder(&self) -> &Path {
        &self.out
    }

    /// The folder of this run.
    pub(in crate::harness) fn run_folder(&self) -> &Path {
        &self.run
    }

    /// Says how the run began. What another process has said of it stays. Where this cannot be written, no verdict can
    /// be either: the error is the sentence that says so.
    pub(in crate::harness) fn write_manifest(
        &self,
        beginning: impl FnOnce() -> RunManifest,
    ) -> Result<(), String> {
        let folder = self.run.join(MANIFESTS);
        let path = folder.join(format!("{}.json", escape_folder(&self.harness)));
        if path.exists() {
            return Ok(());
        }
        let json = serde_json::to_vec(&beginning()).map_err(io::Error::from);
        let written = json.and_then(|json| {
            fs::create_dir_all(&folder)?;
            write_whole(&path, &json)
        });
        written.map_err(|error| self.unwritable_error(&error))
    }

    /// Why no verdict can be written, and what to do.
    pub(in crate::harness) fn unwritable_error(&self, error: &io::Error) -> String {
        let folder = self.folder.path().display();
        format!("the verdicts cannot be written below {folder}: {error}; set ARRAIGN_OUT to another folder")
    }

    /// What the processes of this run spend on the judge.
    pub(in crate::harness) fn judge_ledger(&self) -> Ledger {
        let name = format!("{}.spent.jsonl", escape_folder(&self.harness));
        Ledger::at(self.run.join(MANIFESTS).join(name))
    }

    /// Writes a verdict, as one of this harness.
    pub(in crate::harness) fn write_verdict(&self, verdict: &mut Verdict) -> io::Result<()> {
        verdict.harness.clone_from(&self.harness);
        let mut json = BUFFER.take();
        json.clear();
        serde_json::to_writer(&mut json, verdict)?;
        json.push(b'\n');
        let written = self.folder.write(&format!("{}.json", file_stem(&verdict.name)), &json);
        BUFFER.set(json);
        written
    }
}

/// Whatever somebody set as an id, or called a folder: one name, below its folder.
fn escape_folder(text: &str) -> String {
    match text {
        "." => "%2E".to_owned(),
        text => file_stem(&escape_component(text).replace("..", "%2E%2E")),
    }
}

/// Returns the file name for a trial, without its extension. Long names are cut and end in their hash.
fn file_stem(name: &str) -> String {
    let name = escape_reserved(name);
    if name.len() <= LONGEST_STEM {
        return name;
    }
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

/// FNV-1a: the same on every machine and in every version, as shards and merges need it.
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
