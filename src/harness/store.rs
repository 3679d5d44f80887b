//! Verdict files: one a trial, written whole.
//!
//! `<out>/<run id>/<trial name>.json`; later attempts of a retried trial lie in `attempt-<n>/` below that.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::source::write_whole;
use crate::suite::escape_component;
use crate::verdict::Verdict;

/// File systems take 255 bytes; what follows a name, and what a temporary name adds, must fit as well.
const LONGEST_STEM: usize = 200;

thread_local! {
    /// Each thread writes one verdict after the other from the same buffer.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Where the verdicts of this run go.
#[derive(Debug)]
pub(super) struct Store {
    out: PathBuf,
    folder: PathBuf,
    made: OnceLock<()>,
}

impl Store {
    pub(super) fn new(out: &std::path::Path, run_id: &str, attempt: u32) -> Self {
        // The id may be anything that somebody set: it stays one folder below `out`.
        let run = out.join(file_stem(&escape_component(run_id).replace("..", "%2E%2E")));
        let folder = if attempt > 1 { run.join(format!("attempt-{attempt}")) } else { run };
        Self { out: out.to_owned(), folder, made: OnceLock::new() }
    }

    /// The folder of all runs: where reports lie.
    pub(super) fn out(&self) -> &std::path::Path {
        &self.out
    }

    /// Whether a trial of this run left a verdict.
    pub(super) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Reads a verdict of this run back.
    pub(super) fn read(&self, name: &str) -> io::Result<Verdict> {
        Ok(serde_json::from_slice(&fs::read(self.path(name))?)?)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}.json", file_stem(name)))
    }

    /// The folder of this run.
    pub(super) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// Writes a verdict.
    pub(super) fn write(&self, verdict: &Verdict) -> io::Result<()> {
        if self.made.get().is_none() {
            fs::create_dir_all(&self.folder)?;
            let _ = self.made.set(());
        }
        let mut json = BUFFER.take();
        json.clear();
        serde_json::to_writer(&mut json, verdict)?;
        json.push(b'\n');
        let written = write_whole(&self.path(&verdict.name), &json);
        BUFFER.set(json);
        written
    }
}

/// A trial's name as a file's: colons are letters on some systems only, and long names end in their hash.
fn file_stem(name: &str) -> String {
    let name = if cfg!(windows) { name.replace(':', "%3A") } else { name.to_owned() };
    if name.len() <= LONGEST_STEM {
        return name;
    }
    let end = (0..=LONGEST_STEM).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    format!("{}~{:016x}", &name[..end], fnv1a(&name))
}

/// FNV-1a: the same on every machine and in every version, as shards and merges need it.
fn fnv1a(text: &str) -> u64 {
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
        assert_eq!(file_stem("a::b"), if cfg!(windows) { "a%3A%3Ab" } else { "a::b" });
    }
}
