//! Events `gen_ai.evaluation.result` of OpenTelemetry's conventions for generative AI, as log records in OTLP JSON: one for
//! each check of each run.

use std::time::UNIX_EPOCH;

use super::plain::escape_json;
use super::{FormatEntry, ReportBuilder, RunInfo};
use crate::json::{Json, json};
use crate::suite::ReportFormat;
use crate::verdict::{Finding, Verdict};

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Otel,
    file: "report.otlp.json",
    begin: |run| Box::new(OtelReport { run, records: Vec::new() }),
};

struct OtelReport<'r> {
    run: &'r RunInfo,
    records: Vec<Json>,
}

impl ReportBuilder for OtelReport<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        let results = verdict.findings.iter().map(|finding| EvaluationResult::of_finding(verdict, finding));
        let results = results.chain(EvaluationResult::of_error(verdict));
        self.records.extend(results.map(|result| result.render_record(self.run, verdict)));
    }

    fn finish(self: Box<Self>) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let resource =
            [text_attribute("service.name", "arraign"), text_attribute("arraign.run.id", &self.run.id)];
        let logs = json!({"resourceLogs": [{
            "resource": {"attributes": resource},
            "scopeLogs": [{"scope": {"name": "arraign", "version": version}, "logRecords": self.records}],
        }]});
        escape_json(&logs.to_string()) + "\n"
    }
}

/// The content of one event.
struct EvaluationResult<'v> {
    name: &'v str,
    label: String,
    score: Option<f64>,
    explanation: Option<&'v str>,
    /// The run that was evaluated.
    run: Option<usize>,
}

impl<'v> EvaluationResult<'v> {
    fn of_finding(verdict: &'v Verdict, finding: &'v Finding) -> Self {
        let violated = finding.violations.first().map(|violation| violation.message.as_str());
        Self {
            name: &finding.check,
            label: finding.status.to_string(),
            // Without an answer there is no score.
            score: finding.unfit.is_none().then(|| finding.score.get()),
            explanation: violated.or(finding.unfit.as_deref()),
            run: (!finding.of_all_runs && finding.run < verdict.runs.len()).then_some(finding.run),
        }
    }

    /// Returns the event of a trial that could not be evaluated.
    fn of_error(verdict: &'v Verdict) -> Option<Self> {
        let error = verdict.errors.first()?;
        let label = verdict.status.to_string();
        Some(Self { name: "trial", label, score: None, explanation: Some(&error.message), run: None })
    }

    fn render_record(&self, run: &RunInfo, verdict: &Verdict) -> Json {
        let nanoseconds = run.started.duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_nanos());
        let mut attributes = vec![
            text_attribute("gen_ai.evaluation.name", self.name),
            text_attribute("gen_ai.evaluation.score.label", &self.label),
        ];
        attributes.extend(
            self.score.map(
                |score| json!({"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": score}}),
            ),
        );
        let explanation = self.explanation.map(|text| text_attribute("gen_ai.evaluation.explanation", text));
        attributes.extend(explanation);
        // The name of the model is a fact of one run. A record about the whole trial has none.
        let evaluated = self.run.and_then(|run| verdict.runs.get(run));
        let model = evaluated.and_then(|run| run.model.as_deref());
        attributes.extend(model.map(|model| text_attribute("gen_ai.response.model", model)));
        attributes.push(text_attribute("test.case.name", &verdict.name));
        attributes.push(text_attribute("code.file.path", &run.below_repository(&verdict.case.file)));
        let time = nanoseconds.to_string();
        json!({"timeUnixNano": time, "eventName": "gen_ai.evaluation.result", "attributes": attributes})
    }
}

fn text_attribute(key: &str, text: &str) -> Json {
    json!({"key": key, "value": {"stringValue": text}})
}
