//! SARIF 2.1.0, for code scanning: a result a violation, where the case asks for what was broken.
//!
//! Violations that cost points only, and those that a case expects or has pinned, are notes. An undecided check is an
//! open result; an error is a notification of the tool. GitHub's limits are kept.

mod fingerprint;
mod location;
mod model;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use self::fingerprint::Fingerprints;
use self::model::{
    Details, Driver, Finding as Written, Invocation, Level, Log, Message, Notification, Place, Properties,
    Run as Runs, Suppression, Tool,
};
use self::words::{message, rule};
use super::plain::{json, one_line};
use super::{Format, Report, Run, score};
use crate::outcome::{LocatedViolation, Status};
use crate::place::Location;
use crate::suite::ReportFormat;
use crate::verdict::{Finding, Verdict};

pub(super) const FORMAT: Format =
    Format { format: ReportFormat::Sarif, file: "report.sarif", begin: |run| Box::new(Sarif::of(run)) };

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// How many results GitHub shows. The gravest are kept.
const RESULTS: usize = 5000;
/// How many notifications are written.
const NOTIFICATIONS: usize = 1000;
/// The key that GitHub knows a result again by.
const GITHUB_KEY: &str = "primaryLocationLineHash";
/// The same for everybody else.
const OWN_KEY: &str = "arraign/v1";

struct Sarif<'r> {
    run: &'r Run,
    fingerprints: Fingerprints,
    /// The results by their levels, the gravest first.
    results: BTreeMap<Level, Vec<Written>>,
    notifications: Vec<Notification>,
    successful: bool,
    left_out: usize,
}

impl Report for Sarif<'_> {
    fn add(&mut self, verdict: &Verdict) {
        for error in &verdict.errors {
            self.notify(verdict, &error.message, &error.at);
        }
        self.add_mismatch(verdict);
        for finding in &verdict.findings {
            for breach in &finding.violations {
                self.add_violation(verdict, finding, breach);
            }
            self.add_unanswered(verdict, finding);
        }
    }

    fn finish(mut self: Box<Self>) -> String {
        let mut results: Vec<Written> = std::mem::take(&mut self.results).into_values().flatten().collect();
        self.left_out += results.len().saturating_sub(RESULTS);
        results.truncate(RESULTS);
        self.notify_of_the_rest();
        let ids: BTreeSet<String> = results.iter().map(|result| result.rule_id.clone()).collect();
        let ids: Vec<String> = ids.into_iter().collect();
        for result in &mut results {
            result.rule_index = ids.binary_search(&result.rule_id).unwrap_or_default();
        }
        let rules = ids.iter().map(|id| rule(self.run, id)).collect();
        let driver = Driver { name: "arraign", semantic_version: env!("CARGO_PKG_VERSION"), rules };
        let invocation = Invocation {
            execution_successful: self.successful,
            start_time_utc: format!("{}Z", self.run.started_utc()),
            tool_execution_notifications: self.notifications,
        };
        let run = Runs {
            tool: Tool { driver },
            automation_details: Details { id: format!("arraign/{}", one_line(&self.run.id)) },
            invocations: [invocation],
            column_kind: "utf16CodeUnits",
            results,
        };
        json(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] }) + "\n"
    }
}

impl<'r> Sarif<'r> {
    fn of(run: &'r Run) -> Self {
        Self {
            run,
            fingerprints: Fingerprints::default(),
            results: BTreeMap::new(),
            notifications: Vec::new(),
            successful: true,
            left_out: 0,
        }
    }

    /// What no finding tells: a changed snapshot, a verdict that is not the expected one.
    fn add_mismatch(&mut self, verdict: &Verdict) {
        let (id, text) = match &verdict.snapshot_diff {
            Some(diff) => ("snapshot", format!("the violations differ from the snapshot\n{diff}")),
            None if !verdict.passed && verdict.expected != Status::Pass => {
                let (status, expected) = (verdict.status, verdict.expected);
                ("expect_verdict", format!("the verdict is `{status}`, but the case expects `{expected}`"))
            }
            None => return,
        };
        let claim = Claim { id, level: Level::Error, message: message(&text), at: &verdict.case };
        self.push(verdict, claim, None);
    }

    fn add_violation(&mut self, verdict: &Verdict, finding: &Finding, breach: &LocatedViolation) {
        let only_told = verdict.passed || verdict.snapshot_diff.is_some() || score::only_points(finding);
        let level = if only_told { Level::Note } else { Level::Error };
        let help = breach.suggestion.as_deref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
        let text = message(&format!("{}{help}", one_line(&breach.message)));
        let claim = Claim { id: &finding.check, level, message: text, at: &breach.at };
        self.push(verdict, claim, Some((finding, breach)));
    }

    fn add_unanswered(&mut self, verdict: &Verdict, finding: &Finding) {
        let Some(unfit) = &finding.unfit else { return };
        if finding.status == Status::Error {
            return self.notify(verdict, &format!("{}: {unfit}", finding.check), &finding.at);
        }
        let (id, at) = (finding.check.as_str(), &finding.at);
        let claim = Claim { id, level: Level::None, message: message(&format!("undecided: {unfit}")), at };
        self.push(verdict, claim, None);
    }

    fn push(&mut self, verdict: &Verdict, claim: Claim<'_>, of: Option<(&Finding, &LocatedViolation)>) {
        let breach = of.map(|(_, breach)| breach);
        let fingerprint = self.fingerprints.of(verdict, claim.id, breach);
        let kept = self.results.entry(claim.level).or_default();
        if kept.len() == RESULTS {
            self.left_out += 1;
            return;
        }
        kept.push(Written {
            rule_id: one_line(claim.id),
            rule_index: 0,
            kind: if claim.level == Level::None { "open" } else { "fail" },
            level: claim.level,
            message: claim.message,
            locations: [location::place(self.run, claim.at)],
            related_locations: of
                .map(|(finding, breach)| related(self.run, verdict, finding, breach))
                .unwrap_or_default(),
            partial_fingerprints: [GITHUB_KEY, OWN_KEY].map(|key| (key, fingerprint.clone())).into(),
            suppressions: of.and_then(|(finding, _)| accepted(verdict, finding)).into_iter().collect(),
            properties: properties(verdict, of),
        });
    }

    fn notify(&mut self, verdict: &Verdict, text: &str, at: &Location) {
        let level = if verdict.passed { Level::Note } else { Level::Error };
        self.successful &= verdict.passed;
        if self.notifications.len() == NOTIFICATIONS {
            self.left_out += 1;
            return;
        }
        let message = message(&format!("{}: {text}", verdict.name));
        let locations = vec![location::place(self.run, at)];
        self.notifications.push(Notification { level, message, locations });
    }

    fn notify_of_the_rest(&mut self) {
        if self.left_out == 0 {
            return;
        }
        let text = format!(
            "{} more results are not in this report: code scanning shows no more than {RESULTS}; all of them are \
             in the verdict files",
            self.left_out
        );
        let notice = Notification { level: Level::Warning, message: message(&text), locations: Vec::new() };
        self.notifications.push(notice);
    }
}

/// What a result says, and where.
struct Claim<'c> {
    id: &'c str,
    level: Level,
    message: Message,
    at: &'c Location,
}

/// The constraint in a policy, the case where the setting stands outside of it, and the trace.
fn related(run: &Run, verdict: &Verdict, finding: &Finding, breach: &LocatedViolation) -> Vec<Place> {
    let constraint = breach.constraint.as_deref().unwrap_or("the constraint");
    let policy = breach.policy_at.as_ref().map(|at| (at, constraint));
    let case = breach.shared.then_some((&verdict.case, "the case"));
    let marked =
        |(at, says): (&Location, &str)| Place { message: Some(message(says)), ..location::place(run, at) };
    let traced = verdict.runs.get(finding.run).filter(|_| !finding.of_all_runs);
    let trace = traced.and_then(|traced| traced.file.as_deref()).map(|file| {
        let call = breach.call.map_or_else(String::new, |call| format!(", call {call}"));
        location::file(run, file, &format!("the trace{call}"))
    });
    let places = policy.into_iter().chain(case).map(marked).chain(trace);
    places.enumerate().map(|(index, place)| Place { id: Some(index + 1), ..place }).collect()
}

/// A violation of a trial that passes all the same is a known one, unless it only costs points.
fn accepted(verdict: &Verdict, finding: &Finding) -> Option<Suppression> {
    let known = verdict.passed && !score::only_points(finding);
    known.then_some(Suppression {
        kind: "external",
        status: "accepted",
        justification: "the case expects it, or its snapshot holds it",
    })
}

fn properties(verdict: &Verdict, of: Option<(&Finding, &LocatedViolation)>) -> Properties {
    let breach = of.map(|(_, breach)| breach);
    Properties {
        trial: one_line(&verdict.name),
        status: super::Standing::of(verdict).word(),
        run: of.filter(|_| verdict.runs.len() > 1).map(|(finding, _)| finding.run + 1),
        call: breach.and_then(|breach| breach.call),
        tool: breach.and_then(|breach| breach.tool.as_deref()).map(one_line),
    }
}
