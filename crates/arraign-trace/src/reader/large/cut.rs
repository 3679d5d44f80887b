//! The split of a file into its runs, as detected from its beginning.

use std::io::{BufRead, Seek, SeekFrom};

use crate::reader::build::offered_tools::OfferedTools;
use crate::reader::build::unshown_calls::note_unshown_calls;
use crate::reader::error::TraceError;
use crate::reader::json::input::{At, Input, find_excess_value};
use crate::reader::large::pieces::{
    Found, Head, Pieces, SplitError, Survey, SurveyedRun, keep, mistake, survey,
};
use crate::reader::{
    Claimants, Reader, ReaderSet, Recording, has_no_call, is_bare_talk, is_unread, read_by, surest,
};
use crate::trace::Trace;

/// The reader of a file, and how it is split into pieces.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) reader: Reader,
    pub(crate) pieces: Pieces,
    /// The user names the reader.
    is_named: bool,
    /// The beginning of the file is a mere list of who said what.
    is_bare: bool,
    lines: bool,
    offset: u64,
}

impl Cut {
    /// Detects how a file is split. `None` if it must be read whole, because of its format or to report its error.
    pub(crate) fn of(
        file: &mut (impl BufRead + Seek),
        named: Option<Reader>,
        readers: &ReaderSet,
    ) -> Result<Option<Self>, TraceError> {
        file.rewind()?;
        let Some(head) = Head::read(file)? else { return Ok(None) };
        let Ok(mut input) = Input::parse(&head.text) else { return Ok(None) };
        // A file is split only if its beginning leaves no doubt about the reader. Whenever another reader might win on
        // the whole file, or a declared reader claims it, the file is read whole, which gives the same runs at a
        // higher cost.
        let (reader, is_bare) = match named {
            Some(reader) if (reader.detect)(&input).is_ok() => (reader, false),
            Some(_) => return Ok(None),
            None if readers.claim(&mut input) => return Ok(None),
            None => match surest(&input) {
                Ok(Claimants { readers, certainty }) if readers.len() == 1 => {
                    (*readers[0], is_bare_talk(certainty, &input))
                }
                _ => return Ok(None),
            },
        };
        let pieces = reader.cuts.pieces(&input);
        let Head { lines, offset, .. } = head;
        let is_named = named.is_some();
        Ok(pieces.map(|pieces| Self { reader, pieces, is_named, is_bare, lines, offset }))
    }

    /// Calls `found` for each run of the file, and returns what else the survey found.
    pub(crate) fn survey(
        &self,
        file: &mut (impl BufRead + Seek),
        found: impl FnMut(SurveyedRun),
    ) -> Result<Survey, SplitError> {
        file.seek(SeekFrom::Start(self.offset))?;
        survey(file, self.lines, self.pieces, self.offset, found)
    }

    /// Builds the runs in `batch`, and no others, from a file that was surveyed.
    pub(crate) fn read(
        &self,
        file: &mut (impl BufRead + Seek),
        batch: &[Found],
        survey: Survey,
    ) -> Result<Result<Recording, TraceError>, SplitError> {
        let mut kept = keep(file, self.lines, self.pieces, batch)?;
        // A single JSON document has no line of its own. Its places are written as for a file that was read whole.
        if let ([(at @ At::Line(_), _)], 1) = (kept.as_mut_slice(), survey.records) {
            *at = At::Whole;
        }
        // A record with too many values is an error with a place in the file, which reading it whole gives.
        if kept.iter().any(|(_, text)| find_excess_value(text).is_some()) {
            return Err(SplitError::Unsuited);
        }
        let input = Input::of_texts(&kept).map_err(|_| SplitError::Broken)?;
        let is_declined = self.is_named && (self.reader.detect)(&input).is_err();
        // The reader sees the wanted pieces as if they were the file. It cannot tell that other runs were left out.
        let source = input.source;
        let is_bare = self.is_bare
            && (self.reader.detect)(&input).is_ok_and(|certainty| is_bare_talk(certainty, &input));
        let offers = (survey.runs == 1).then(|| OfferedTools::of(&input.records));
        let mut recording = read_by(&self.reader, input);
        if let (Ok(recording), true) = (recording.as_mut(), is_bare) {
            note_unshown_calls(&mut recording.runs, source, &[self.reader.name]);
        }
        if let (Ok(recording), Some(offers)) = (recording.as_mut(), offers) {
            offers.note(&mut recording.runs, true);
        }
        if let (Ok(recording), true) = (recording.as_mut(), self.is_named) {
            recording.runs.iter_mut().for_each(|run| run.accept_format(self.reader.name));
        }
        // The beginning of the file has the format that the user names, but the rest may not: only the whole file decides.
        let is_doubted = |recording: &Recording| is_unread(recording) || has_no_call(recording);
        if is_declined && recording.as_ref().is_ok_and(is_doubted) {
            return Err(SplitError::Unsuited);
        }
        // If the reader finds another number of runs, the file was split wrongly, and is read whole.
        let is_cut_so = recording.as_ref().map_or(true, |recording| recording.runs.len() == batch.len());
        // The calls of a run without any may be in a piece that belongs to no run, or anywhere in the file, if what was
        // read of the run says that there are some. The whole file shows it.
        let may_have_more =
            |run: &Trace| run.calls.is_empty() && (survey.has_strays || run.calls_unrecorded.is_some());
        let is_whole = recording.as_ref().map_or(true, |recording| !recording.runs.iter().any(may_have_more));
        if is_cut_so && is_whole { Ok(recording) } else { Err(SplitError::Unsuited) }
    }

    /// Reports the error of a file that cannot be split. Without an error, the file must be read whole.
    pub(crate) fn in_record(
        &self,
        trouble: SplitError,
        file: &mut (impl BufRead + Seek),
    ) -> Result<(), TraceError> {
        match trouble {
            SplitError::Io(error) => Err(error.into()),
            SplitError::Unsuited => Ok(()),
            SplitError::Broken => mistake(file, self.lines, self.offset)?.map_or(Ok(()), Err),
        }
    }
}
