//! A cassette: the recorded votes of a judge on one run, in a file beside the case, replayed without a network.
//!
//! Its key is the hash of the request and the judge's name. It contains labels, verdicts and reasons, and nothing of
//! the request: no header, no key, no trace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::fence::hash_parts;
use super::votes::Vote;
use super::{JudgeError, Questionnaire};
use crate::case::Case;
use crate::evidence::{Judged, Opinion};
use crate::json;
use crate::source::{Files, ReadProblem};
use crate::suite::escape_file_name;

/// The folder of cassettes, beside the files of cases.
pub const CASSETTES: &str = "cassettes";

/// The version of the file format.
const CASSETTE_VERSION: u32 = 1;

/// The length of the key's prefix in the file name, in characters.
const KEY_CHARS_IN_NAME: usize = 16;

/// The largest length of a case's id in the file name, in characters.
const MAX_ID_CHARS: usize = 80;

/// The recorded votes of a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cassette {
    version: u32,
    key: String,
    judge: String,
    votes: Vec<BTreeMap<String, RecordedOpinion>>,
}

/// One opinion in the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedOpinion {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pass: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claims: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unsupported: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Hashes the request, the judge's name and the number of votes.
pub(super) fn compute_key(questionnaire: &Questionnaire, judge: &str, votes: u32) -> String {
    let request = questionnaire.build_request(1);
    let schema = request.schema.to_string();
    let votes = votes.to_string();
    hash_parts(&[judge, &votes, &request.system, &request.user, &schema])
}

/// Returns the path prefix of a case's cassettes: `cassettes/<file stem>/<id>.`, beside the case's file. `suffix` is that of a
/// variant of the case: `cassettes/<file stem>/<id>@cheaper.`.
pub fn cassette_prefix(case: &Case, file: &Path, suffix: &str) -> PathBuf {
    CassetteLocation::new(file, case.id.as_deref(), suffix).path_prefix()
}

/// The folder and the name prefix of a case's cassettes.
pub(super) struct CassetteLocation {
    folder: PathBuf,
    /// The prefix of the file names.
    name: String,
}

impl CassetteLocation {
    /// Locates the cassettes of the case `id` in `file`, of the variant with this suffix.
    pub(super) fn new(file: &Path, id: Option<&str>, suffix: &str) -> Self {
        let stem = file.file_stem().unwrap_or_default();
        let id: String = escape_file_name(id.unwrap_or("case")).chars().take(MAX_ID_CHARS).collect();
        // Files that begin with a dot are hidden, and hidden files are not listed.
        let id = id.strip_prefix('.').map_or_else(|| id.clone(), |rest| format!("%2E{rest}"));
        let folder = file.parent().unwrap_or(file).join(CASSETTES).join(stem);
        Self { folder, name: format!("{id}{suffix}.") }
    }

    pub(super) fn path_prefix(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Returns the path of the cassette with this key.
    pub(super) fn path_for(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{}{}.json", self.name, &key[..KEY_CHARS_IN_NAME.min(key.len())]))
    }

    /// Whether any cassette exists at this location.
    pub(super) fn has_cassettes(&self, files: &Files) -> bool {
        files.exists(&self.folder)
            && files
                .list(&self.folder)
                .iter()
                .filter_map(|path| path.file_name())
                .any(|name| name.to_string_lossy().starts_with(&self.name))
    }
}

impl Cassette {
    pub(super) fn new(key: &str, judge: &str, votes: &[Vote]) -> Self {
        let votes = votes.iter().map(|vote| {
            let opinions = vote.iter();
            opinions.map(|(label, opinion)| (label.clone(), RecordedOpinion::from_opinion(opinion))).collect()
        });
        Self {
            version: CASSETTE_VERSION,
            key: key.to_owned(),
            judge: judge.to_owned(),
            votes: votes.collect(),
        }
    }

    /// Reads the file at `path`. `None` if it does not exist or has another key.
    pub(super) fn read_file(path: &Path, key: &str, files: &Files) -> Result<Option<Self>, JudgeError> {
        let text = match files.read(path, str::to_owned) {
            Ok(text) => text,
            Err(error) if error.problem == ReadProblem::Missing => return Ok(None),
            Err(error) => return Err(JudgeError::Unreadable(error.to_string())),
        };
        let cassette = Self::parse_text(&text).map_err(|problem| {
            let name = files.name(path);
            JudgeError::Unreadable(format!("{name}: {problem}\ndelete the file and record it again"))
        })?;
        // The file name has only a part of the key, so another request can have the same name.
        Ok((cassette.key == key).then_some(cassette))
    }

    fn parse_text(text: &str) -> Result<Self, String> {
        let cassette: Self = json::from_str(text).map_err(|error| error.to_string())?;
        match cassette.version {
            CASSETTE_VERSION => Ok(cassette),
            version => Err(format!("unsupported version {version}: expected {CASSETTE_VERSION}")),
        }
    }

    pub(super) fn write_file(&self, path: &Path, files: &Files) -> Result<(), JudgeError> {
        let json = json::to_string_pretty(self).map_err(|error| JudgeError::Unwritten(error.to_string()))?;
        let written = files.write(path, format!("{json}\n").as_bytes());
        written.map_err(|error| JudgeError::Unwritten(error.to_string()))
    }

    /// Returns the votes, each of which must answer all questions of `questionnaire`.
    pub(super) fn parse_votes(&self, questionnaire: &Questionnaire) -> Result<Vec<Vote>, JudgeError> {
        let votes: Option<Vec<Vote>> =
            self.votes.iter().map(|recorded| parse_vote(recorded, questionnaire)).collect();
        // A cassette without votes must not count as an opinion.
        votes.filter(|votes| !votes.is_empty()).ok_or_else(|| {
            let problem = "the cassette lacks an answer to a question; delete the file and record it again";
            JudgeError::Unreadable(problem.to_owned())
        })
    }
}

/// Returns the opinions on all questions, or `None` if one is missing or invalid.
fn parse_vote(recorded: &BTreeMap<String, RecordedOpinion>, questionnaire: &Questionnaire) -> Option<Vote> {
    let labels = questionnaire.asked().iter().filter_map(|asked| asked.label.as_ref());
    labels.map(|label| Some((label.clone(), recorded.get(label)?.to_opinion()?))).collect()
}

impl RecordedOpinion {
    fn from_opinion(opinion: &Opinion) -> Self {
        let recorded = Self { reason: opinion.reason.clone(), ..Self::default() };
        match opinion.judged {
            Judged::Pass => Self { pass: Some(true), ..recorded },
            Judged::Fail => Self { pass: Some(false), ..recorded },
            Judged::Score(score) => Self { score: Some(score), ..recorded },
            Judged::Claims { all, unsupported } => {
                Self { claims: Some(all), unsupported: Some(unsupported), ..recorded }
            }
        }
    }

    fn to_opinion(&self) -> Option<Opinion> {
        // The file may be edited by hand, so exactly the fields of one form must be there.
        let judged = match (self.pass, self.score, self.claims, self.unsupported) {
            (Some(true), None, None, None) => Judged::Pass,
            (Some(false), None, None, None) => Judged::Fail,
            (None, Some(score), None, None) if (0.0..=100.0).contains(&score) => Judged::Score(score),
            (None, None, Some(all), Some(unsupported)) if unsupported <= all => {
                Judged::Claims { all, unsupported }
            }
            _ => return None,
        };
        Some(Opinion { judged, reason: self.reason.clone() })
    }
}
