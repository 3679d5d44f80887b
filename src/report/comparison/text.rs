//! A comparison for the terminal: what turned red first.

use std::fmt::Write as _;

use super::{Change, Compared, Comparison, Seen, differ};
use crate::report::plain::one_line;
use crate::report::{Standing, Totals};
use crate::score::written;

/// How many trials of one kind are written out.
const SHOWN: usize = 50;

/// The changes in the order in which they matter, and what stands above each.
const SECTIONS: &[(Change, &str)] = &[
    (Change::Regressed, "regressed: passed before, and no longer do"),
    (Change::Improved, "improved: pass now, and did not before"),
    (Change::New, "new: in the later run alone"),
    (Change::Gone, "gone: in the earlier run alone"),
    (Change::Changed, "changed: as red or as green as before, but not the same"),
];

impl Comparison {
    /// For the terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.headline());
        let _ = write!(text, "  before: {}\n  after:  {}\n", totals(self.before), totals(self.after));
        for (change, heading) in SECTIONS {
            text += &section(heading, &self.with(*change).collect::<Vec<_>>(), line);
        }
        let heading = "flaky: attempts or runs of one trial ended differently";
        text + &section(heading, &self.flaky().collect::<Vec<_>>(), flaky_line)
    }
}

fn totals(totals: Totals) -> String {
    let Totals { cases, passed, failed, undecided, errors, .. } = totals;
    format!("{passed} of {cases} passed, {failed} failed, {undecided} undecided, {errors} errors")
}

fn section(heading: &str, trials: &[&Compared], line: fn(&Compared) -> String) -> String {
    if trials.is_empty() {
        return String::new();
    }
    let mut lines = vec![format!("\n{heading}")];
    lines.extend(trials.iter().take(SHOWN).map(|trial| line(trial)));
    if trials.len() > SHOWN {
        lines.push(format!("  ... and {} more; as JSON all of them are told", trials.len() - SHOWN));
    }
    lines.join("\n") + "\n"
}

fn line(trial: &Compared) -> String {
    let line = format!("  {}  {}", one_line(&trial.name), trial.ended());
    let red = trial.after.as_ref().and_then(|seen| seen.claim.as_ref());
    red.map_or(line.clone(), |claim| format!("{line}\n      {}", one_line(claim)))
}

fn flaky_line(trial: &Compared) -> String {
    let flaky = |seen: &Option<Seen>| seen.as_ref().is_some_and(|seen| seen.flaky);
    let which = match (flaky(&trial.before), flaky(&trial.after)) {
        (true, true) => "in both runs",
        (true, false) => "in the earlier run",
        _ => "in the later run",
    };
    format!("  {}  {which}", one_line(&trial.name))
}

impl Compared {
    /// How it ended in the two runs: `pass -> fail, score 100% -> 50%`.
    pub(super) fn ended(&self) -> String {
        let alone = |seen: &Seen| format!("{}, score {}", seen.standing.word(), percent(seen));
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => from_to(before, after),
            (None, Some(seen)) | (Some(seen), None) => alone(seen),
            (None, None) => String::new(),
        }
    }
}

fn from_to(before: &Seen, after: &Seen) -> String {
    let (was, is): (Standing, Standing) = (before.standing, after.standing);
    let standing = if was == is { is.word().to_owned() } else { format!("{} -> {}", was.word(), is.word()) };
    if differ(before.score, after.score) {
        format!("{standing}, score {} -> {}", percent(before), percent(after))
    } else {
        format!("{standing}, score {}", percent(after))
    }
}

fn percent(seen: &Seen) -> String {
    format!("{}%", written(seen.score.get() * 100.0))
}
