//! A zipped log: `header.json`, and a member for each sample, which is unpacked when it is wanted.
//!
//! Newer logs are packed with Zstandard, in one frame or several, older ones with Deflate. The names of the members are
//! compared, and never used as paths; together they are never unpacked past a limit.

use std::io::{BufRead, BufReader, Read, Seek};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use ruzstd::decoding::StreamingDecoder;
use zip::{CompressionMethod, ZipArchive};

use crate::json::{JsonObject, parse_borrowed};
use crate::reader::build::offered_tools::OfferedTools;
use crate::reader::error::{DecodeError, TraceError, TraceProblem};
use crate::reader::formats::inspect::{READER, sample};
use crate::reader::json::input::{At, Input};
use crate::reader::settle_run;
use crate::source::read_error::RAISE_LIMIT;
use crate::trace::Trace;

/// The members with the head of a log. The second one is that of a log that is not finished.
const HEADS: [&str; 2] = ["header.json", "_journal/start.json"];

/// A zipped log.
pub(crate) struct Archive<R> {
    zip: ZipArchive<R>,
    model: Option<String>,
    /// The head, which may list the tools that the solver was given.
    head: (At, String),
    samples: Vec<ZippedSample>,
    /// The number of bytes that may still be unpacked.
    left: u64,
    limit: u64,
}

/// A sample that is still packed.
#[derive(Debug, Clone)]
struct ZippedSample {
    member: usize,
    name: String,
    id: String,
    epoch: u64,
}

impl ZippedSample {
    /// A member that is called as samples are: `samples/<id>_epoch_<epoch>.json`.
    fn of(member: usize, name: &str) -> Option<Self> {
        let (id, epoch) = name.strip_prefix("samples/")?.strip_suffix(".json")?.rsplit_once("_epoch_")?;
        Some(Self { member, name: name.to_owned(), id: id.to_owned(), epoch: epoch.parse().ok()? })
    }

    /// Returns the id of the run: see [`sample::id`].
    fn run(&self) -> String {
        if self.epoch > 1 { format!("{}/{}", self.id, self.epoch) } else { self.id.clone() }
    }
}

impl<R: Read + Seek> Archive<R> {
    /// Opens a log, of which at most `limit` bytes are unpacked.
    pub(crate) fn open(file: R, limit: u64) -> Result<Self, TraceError> {
        let zip =
            ZipArchive::new(file).map_err(|error| wrong(&format!("this is no zip archive: {error}")))?;
        let names: Vec<String> = zip.file_names().map(|name| name.unwrap_or_default().into_owned()).collect();
        let mut samples: Vec<ZippedSample> =
            names.iter().enumerate().filter_map(|(member, name)| ZippedSample::of(member, name)).collect();
        // As Inspect orders them: a number is written with zeros before it.
        samples.sort_by_cached_key(|sample| (sample.epoch, padded(&sample.id)));
        let mut archive =
            Self { zip, model: None, head: (At::Whole, String::new()), samples, left: limit, limit };
        let head = HEADS.iter().find_map(|head| names.iter().position(|name| name == head));
        let head = head.ok_or_else(|| wrong(&format!("there is no `{}` in the archive", HEADS[0])))?;
        let name = &names[head];
        archive.head.1 = archive.unpack_member(head, name)?;
        archive.model = read_member(name, &archive.head.1, |mut head| {
            let eval = head.object(&["eval"])?;
            eval.map_or(Ok(None), |mut eval| eval.string(&["model"]))
        })?;
        Ok(archive)
    }

    /// The ids of the runs.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.samples.iter().map(ZippedSample::run).collect()
    }

    /// The run at `place`.
    pub(crate) fn run(&mut self, place: usize) -> Result<Trace, TraceError> {
        let ZippedSample { member, name, .. } = self.samples[place].clone();
        let model = self.model.clone();
        let text = self.unpack_member(member, &name)?;
        let mut run = read_member(&name, &text, |sample| sample::read(sample, model))?;
        settle_run(&mut run);
        run.note_results(false);
        let texts = [std::mem::take(&mut self.head), (At::Whole, text)];
        let is_alone = self.samples.len() == 1;
        if let Ok(input) = Input::of_texts(&texts) {
            OfferedTools::of(&input.records).note(std::slice::from_mut(&mut run), is_alone);
        }
        let [head, _] = texts;
        self.head = head;
        Ok(run)
    }

    fn unpack_member(&mut self, member: usize, name: &str) -> Result<String, TraceError> {
        self.unpack(member).map_err(|problem| wrong(&format!("{name}: {problem}")))
    }

    fn unpack(&mut self, member: usize) -> Result<String, String> {
        let packed = self.zip.by_index_raw(member).map_err(|error| error.to_string())?;
        if packed.encrypted() {
            return Err("it is encrypted".to_owned());
        }
        // The size in the archive is not trusted. Unpacking stops one byte above what is left, which proves that the
        // limit was passed without holding more than the limit in memory.
        let method = packed.compression();
        let sum = packed.crc32();
        let most = self.left.saturating_add(1);
        let bytes = match method {
            CompressionMethod::Stored => at_most(most, packed),
            CompressionMethod::DEFLATE => at_most(most, DeflateDecoder::new(packed)),
            CompressionMethod::ZSTD => frames(most, BufReader::new(packed)),
            other => Err(format!("it is packed by a method that is not read: {other}")),
        }?;
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| {
            format!("the log is unpacked to over the limit of {} bytes; {RAISE_LIMIT}", self.limit)
        })?;
        // The zip library checks sums only where it unpacks itself, and here the member was read raw.
        let mut found = Crc::new();
        found.update(&bytes);
        if found.sum() != sum {
            return Err("its checksum is another: the archive is damaged".to_owned());
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }
}

fn at_most(most: u64, source: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    source.take(most).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Large members are written as several frames of Zstandard, one after the other.
fn frames(most: u64, mut source: impl BufRead) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    // The limit counts over all frames, or many small ones would get around it.
    while !source.fill_buf().map_err(|error| error.to_string())?.is_empty() && (bytes.len() as u64) < most {
        let frame = StreamingDecoder::new(&mut source).map_err(|error| error.to_string())?;
        bytes.append(&mut at_most(most - bytes.len() as u64, frame)?);
    }
    Ok(bytes)
}

fn padded(id: &str) -> String {
    if id.bytes().all(|byte| byte.is_ascii_digit()) { format!("{id:0>20}") } else { id.to_owned() }
}

/// Reads the text of a member with `look`.
fn read_member<T>(
    name: &str,
    text: &str,
    look: impl FnOnce(JsonObject) -> Result<T, DecodeError>,
) -> Result<T, TraceError> {
    let value = parse_borrowed(text).map_err(|error| wrong(&format!("{name}: {error}")))?;
    let read = JsonObject::of(value, "a member").and_then(look);
    read.map_err(|mistake| wrong(&format!("{name}: {mistake}")))
}

fn wrong(problem: &str) -> TraceError {
    TraceProblem::Wrong { format: READER.name, line: None, problem: problem.to_owned() }.into()
}
