//! What one trial may ask of the judge.

use std::path::Path;

use super::cassette::{Cassette, Home, key};
use super::panel::Seat;
use super::votes::{Vote, united};
use super::{Calibration, Example, JudgeError, Mode, Panel, Questionnaire};
use crate::case::Case;
use crate::check::Prices;
use crate::evidence::{Absent, Evidence, Opinion, Opinions};
use crate::source::Files;

/// One trial before the judge: its case's file, and the command that runs it alone.
pub struct Hearing<'h> {
    panel: &'h Panel,
    files: &'h Files,
    file: &'h Path,
    command: String,
}

impl<'h> Hearing<'h> {
    /// The hearing of a trial whose case stands in `file`; `command` is the line that runs it alone.
    pub fn new(panel: &'h Panel, (files, file): (&'h Files, &'h Path), command: String) -> Self {
        Self { panel, files, file, command }
    }

    /// What the case says itself, and what the judge says of the rest; `None` where there is no judge.
    pub fn opinions(&self, case: &Case, evidence: &Evidence<'_>) -> Option<Opinions> {
        let seat = self.panel.seat(case.judge.as_ref())?;
        let given = case.opinions.clone();
        let heard = match Questionnaire::of(case, evidence) {
            Ok(Some(questionnaire)) => {
                let home = Home::of(self.file, case.id.as_deref());
                self.hear(&home, &seat, &questionnaire, &case.prices)
            }
            Ok(None) => Ok(Vote::new()),
            Err(error) => Err(self.absent(error)),
        };
        Some(match heard {
            Ok(heard) => with(given, heard).with_judge(no_answer()),
            Err(absent) => given.with_judge(absent),
        })
    }

    /// What the judge of `calibration` says of an example.
    pub fn of_example(&self, calibration: &Calibration, example: &Example) -> Result<Opinion, Absent> {
        let failed = |why: &str| Absent::Failed(why.to_owned());
        let seat = self.panel.seat(calibration.judge.as_ref()).ok_or_else(|| failed("there is no judge"))?;
        let asked = example.questionnaire().map_err(|error| self.absent(error))?;
        let asked = asked.ok_or_else(|| failed("the example asks nothing"))?;
        let home = Home::of(self.file, Some(&example.id));
        let mut heard = self.hear(&home, &seat, &asked, &calibration.prices)?;
        heard.remove(&example.id).ok_or_else(|| failed("the judge did not answer"))
    }

    fn hear(
        &self,
        home: &Home,
        seat: &Seat,
        questionnaire: &Questionnaire,
        prices: &Prices,
    ) -> Result<Vote, Absent> {
        let key = key(questionnaire, &seat.name, seat.votes);
        let path = home.path(&key);
        let votes = match self.panel.mode() {
            Mode::Off => return Err(off()),
            Mode::Replay => match Cassette::read(&path, &key, self.files) {
                Ok(Some(cassette)) => cassette.votes(questionnaire),
                Ok(None) => return Err(self.not_recorded(home)),
                Err(error) => Err(error),
            },
            Mode::Record => self.panel.ask(seat, &path, questionnaire, prices, |votes| {
                Cassette::of(&key, &seat.name, votes).write(&path, self.files)
            }),
            Mode::Live => self.panel.ask(seat, &path, questionnaire, prices, |_| Ok(())),
        };
        let votes = votes.map_err(|error| self.absent(error))?;
        self.panel.note_used(home.beginning(), path);
        Ok(united(&votes))
    }

    fn not_recorded(&self, home: &Home) -> Absent {
        let why = if home.holds_any(self.files) {
            "what is recorded answers another question: the run, the case, the judge or arraign has changed since"
        } else {
            "nothing is recorded of it"
        };
        Absent::Undecided { why: why.to_owned(), help: self.record_it() }
    }

    fn record_it(&self) -> String {
        format!("record it: ARRAIGN_JUDGE=record {}", self.command)
    }

    fn absent(&self, error: JudgeError) -> Absent {
        match error {
            JudgeError::OverBudget { .. } => {
                let help = format!("raise it, or go on later: {}", self.record_it());
                Absent::Undecided { why: error.to_string(), help }
            }
            error => Absent::Failed(error.to_string()),
        }
    }
}

/// What the case says itself, where a judge is named and nobody may ask it; `None` where none is named.
pub fn unheard(case: &Case) -> Option<Opinions> {
    case.judge.as_ref()?;
    let absent = Absent::Undecided {
        why: "nobody asks it here".to_owned(),
        help: "run the case in its harness, or give the opinion in the case".to_owned(),
    };
    Some(case.opinions.clone().with_judge(absent))
}

fn with(mut given: Opinions, heard: Vote) -> Opinions {
    for (label, opinion) in heard {
        given.insert(label, opinion);
    }
    given
}

fn off() -> Absent {
    Absent::Undecided {
        why: "it is off (ARRAIGN_JUDGE=off)".to_owned(),
        help: "replay what was recorded of it: run without that variable".to_owned(),
    }
}

/// What is not asked has no answer that could be judged.
fn no_answer() -> Absent {
    Absent::Undecided {
        why: "the run has no answer that it could be about".to_owned(),
        help: "record a run that answers".to_owned(),
    }
}
