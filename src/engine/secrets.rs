//! Masks secrets in a verdict before it is written to a file.
//!
//! A secret is recognized by the shape that issuers of keys use, by the name in front of it (`password`), or by its value, if
//! another text of the run reveals that.

use crate::check::PLAIN_NOTES;
use crate::json::Json;
use crate::outcome::{Item, LocatedViolation, Loss, Status};
use crate::pattern::find_secrets;
use crate::place::Location;
use crate::secrets::SecretMasker;
use crate::verdict::{Finding, RunSummary, Verdict};

/// Whether a finding may quote its run. Most findings that hold do not, and the run need not be searched for secrets.
pub(super) fn quotes_run(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| {
        // Only a finding that passed without any of these has nothing of the run in it.
        finding.status != Status::Pass
            || !finding.values.is_empty()
            || !finding.violations.is_empty()
            || finding.items.iter().any(quotes_text)
    })
}

fn quotes_text(item: &Item) -> bool {
    let has_note = item.note.as_deref().is_some_and(|note| !PLAIN_NOTES.contains(&note));
    has_note || item.label.contains(['`', '"'])
}

/// Masks all texts that can quote a trace, and the lines of the case's file, which can contain one.
pub(super) fn mask_verdict(verdict: &mut Verdict, masker: &SecretMasker) {
    let masking = VerdictMasking(masker);
    mask_line(&mut verdict.case);
    verdict.row.iter_mut().for_each(|row| mask_line(row));
    // `mask_json` takes the value and gives another one, so the metadata leave the verdict for the call.
    if let Some(Json::Object(masked)) =
        verdict.metadata.take().map(|data| masker.mask_json(Json::Object(data)))
    {
        verdict.metadata = Some(masked);
    }
    verdict.findings.iter_mut().for_each(|finding| masking.mask_finding(finding));
    verdict.runs.iter_mut().for_each(|run| masking.mask_run(run));
    for card in &mut verdict.scorecards {
        masking.mask_losses(&mut card.losses);
    }
    for error in &mut verdict.errors {
        masking.mask_text(&mut error.message);
        mask_line(&mut error.at);
    }
}

struct VerdictMasking<'m>(&'m SecretMasker);

impl VerdictMasking<'_> {
    fn mask_finding(&self, finding: &mut Finding) {
        // The place holds the line of the file, in which a secret may be written.
        mask_line(&mut finding.at);
        for violation in &mut finding.violations {
            self.mask_violation(violation);
        }
        self.mask_values(finding);
        for item in &mut finding.items {
            self.mask_text(&mut item.label);
            self.mask_option(&mut item.note);
        }
        self.mask_losses(&mut finding.losses);
        self.mask_option(&mut finding.unfit);
        self.mask_option(&mut finding.help);
    }

    /// Masks the extracted values together: the name of one may be the name of a secret.
    fn mask_values(&self, finding: &mut Finding) {
        let values = std::mem::take(&mut finding.values).into_iter().collect();
        if let Json::Object(masked) = self.0.mask_json(Json::Object(values)) {
            finding.values = masked.into_iter().map(|(name, value)| (name.into_string(), value)).collect();
        }
    }

    fn mask_losses(&self, losses: &mut [Loss]) {
        for loss in losses {
            self.mask_text(&mut loss.why);
        }
    }

    fn mask_violation(&self, violation: &mut LocatedViolation) {
        mask_line(&mut violation.at);
        violation.policy_at.iter_mut().for_each(mask_line);
        self.mask_text(&mut violation.message);
        let texts = [
            &mut violation.tool,
            &mut violation.call_id,
            &mut violation.argument,
            &mut violation.expected,
            &mut violation.actual,
            &mut violation.suggestion,
        ];
        for text in texts {
            self.mask_option(text);
        }
        // Masked as JSON: under a name such as `password`, every text is a secret.
        if let Some(value) = &mut violation.value {
            *value = self.0.mask_json(value.take());
        }
    }

    fn mask_run(&self, run: &mut RunSummary) {
        let texts = [&mut run.id, &mut run.answer, &mut run.agent, &mut run.model];
        for text in texts {
            self.mask_option(text);
        }
        for call in &mut run.calls {
            self.mask_text(&mut call.name);
            self.mask_text(&mut call.arguments);
        }
        // The agent chose the names of its files.
        if let Some(workspace) = &mut run.workspace {
            workspace.changes.iter_mut().for_each(|file| self.mask_text(&mut file.path));
            workspace.notes.iter_mut().for_each(|note| self.mask_text(note));
        }
    }

    fn mask_option(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.mask_text(text);
        }
    }

    fn mask_text(&self, text: &mut String) {
        *text = self.0.mask_text(std::mem::take(text));
    }
}

/// Masks the secrets in a line of a file. Each of their characters is replaced, so that the columns stay right.
fn mask_line(at: &mut Location) {
    for one in find_secrets(&at.text).into_iter().rev() {
        let stars = "*".repeat(at.text[one.range.clone()].chars().count());
        at.text.replace_range(one.range, &stars);
    }
}
