//! The judge for one trial: collects the opinions given in the case, and replays, records or asks for the others.

use std::path::Path;
use std::sync::Arc;

use super::cassette::{Cassette, CassetteLocation, compute_key};
use super::pool::AskedVotes;
use super::votes::{Vote, merge_votes};
use super::{JudgeError, JudgeMode, JudgePool, Questionnaire};
use crate::case::Case;
use crate::check::{JudgeSettings, Prices};
use crate::evidence::{Absent, Evidence, Opinion, Opinions, Question};
use crate::source::Files;
use crate::trace::Trace;

/// The judge for one trial, with the case's file and the command that runs the trial alone.
pub struct JudgeSession<'h> {
    pool: &'h JudgePool,
    files: &'h Files,
    file: &'h Path,
    command: String,
}

impl<'h> JudgeSession<'h> {
    /// Opens a session for a trial of a case in `file`; `command` runs the trial alone.
    pub fn new(pool: &'h JudgePool, files: &'h Files, file: &'h Path, command: String) -> Self {
        Self { pool, files, file, command }
    }

    /// Returns the opinions given in the case, and the judge's opinions on all other questions. `None` if there is no
    /// judge.
    pub fn collect_opinions(&self, case: &Case, evidence: &Evidence<'_>) -> Option<Opinions> {
        let handle = self.pool.find_handle(case.judge.as_ref())?;
        let given = case.opinions.clone();
        let votes = match Questionnaire::for_case(case, evidence) {
            Ok(Some(questionnaire)) => {
                let suffix = case.variant.as_ref().map(|variant| variant.suffix()).unwrap_or_default();
                let location = CassetteLocation::new(self.file, case.id.as_deref(), &suffix);
                let handle = &handle;
                let questionnaire = &questionnaire;
                self.collect_votes(&location, AskedVotes { handle, questionnaire, prices: &case.prices })
            }
            Ok(None) => Ok(Vote::new()),
            Err(error) => Err(self.explain_absence(error)),
        };
        Some(match votes {
            // A question that is still without an opinion was not asked, because the run has no answer.
            Ok(vote) => {
                let help = "record a run with an answer";
                let absent = Absent::undecided("the run has no answer to judge", help);
                add_opinions(given, vote).with_judge(absent)
            }
            Err(absent) => given.with_judge(absent),
        })
    }

    /// Returns the opinion of the judge of `settings` on one answer and its input, outside of any case.
    pub fn judge_answer(
        &self,
        settings: Option<&Arc<JudgeSettings>>,
        prices: &Prices,
        run: &Trace,
        input: Option<&str>,
        question: Question,
    ) -> Result<Opinion, Absent> {
        let handle = self.pool.find_handle(settings);
        let handle = handle.ok_or_else(|| Absent::Failed("there is no judge".to_owned()))?;
        let label = question.label.clone();
        let asked = Questionnaire::for_answer(run, input, question);
        let asked = asked.map_err(|error| self.explain_absence(error))?;
        let asked = asked.ok_or_else(|| Absent::Failed("the example asks nothing".to_owned()))?;
        let location = CassetteLocation::new(self.file, Some(&label), "");
        let asked = AskedVotes { handle: &handle, questionnaire: &asked, prices };
        let mut vote = self.collect_votes(&location, asked)?;
        vote.remove(&label).ok_or_else(|| Absent::Failed("the judge did not answer".to_owned()))
    }

    /// Replays, records or asks for the votes, as the mode says, and merges them.
    fn collect_votes(&self, location: &CassetteLocation, asked: AskedVotes<'_>) -> Result<Vote, Absent> {
        let AskedVotes { handle, questionnaire, .. } = asked;
        // The key covers everything that the judge sees. A recording of another questionnaire or judge has another
        // key, so a change can never replay an old opinion.
        let key = compute_key(questionnaire, &handle.name, handle.votes);
        let path = location.path_for(&key);
        let votes = match self.pool.mode() {
            JudgeMode::Off => {
                let help = "to replay recorded opinions, run without that variable";
                return Err(Absent::undecided("it is off (ARRAIGN_JUDGE=off)", help));
            }
            JudgeMode::Replay => match Cassette::read_file(&path, &key, self.files) {
                Ok(Some(cassette)) => cassette.parse_votes(questionnaire),
                Ok(None) => return Err(self.explain_missing_record(location)),
                Err(error) => Err(error),
            },
            JudgeMode::Record => self.pool.ask_once(&path, asked, |votes| {
                Cassette::new(&key, &handle.name, votes).write_file(&path, self.files)
            }),
            JudgeMode::Live => self.pool.ask_once(&path, asked, |_| Ok(())),
        };
        let votes = votes.map_err(|error| self.explain_absence(error))?;
        // What was used is noted for the list of stale recordings.
        self.pool.note_used(location.path_prefix(), path);
        Ok(merge_votes(&votes))
    }

    fn explain_missing_record(&self, location: &CassetteLocation) -> Absent {
        // The two causes need different advice: one was never recorded, the other no longer fits.
        let why = if location.has_cassettes(self.files) {
            "the recording answers another question: the run, the case, the judge or arraign has changed since"
        } else {
            "there is no recording"
        };
        Absent::undecided(why, self.render_record_command())
    }

    fn render_record_command(&self) -> String {
        format!("record it: ARRAIGN_JUDGE=record {}", self.command)
    }

    fn explain_absence(&self, error: JudgeError) -> Absent {
        match error {
            JudgeError::OverBudget { .. } => {
                let help = format!("raise the budget, or continue later: {}", self.render_record_command());
                Absent::undecided(error.to_string(), help)
            }
            error => Absent::Failed(error.to_string()),
        }
    }
}

/// Returns the opinions given in the case if a judge is named but cannot be asked. `None` if no judge is named.
pub fn opinions_without_judge(case: &Case) -> Option<Opinions> {
    case.judge.as_ref()?;
    let help = "run the case in its harness, or give the opinion in the case";
    let absent = Absent::undecided("it is not asked outside of a harness", help);
    Some(case.opinions.clone().with_judge(absent))
}

fn add_opinions(mut given: Opinions, vote: Vote) -> Opinions {
    for (label, opinion) in vote {
        given.insert(label, opinion);
    }
    given
}
