//! The table of agents: how many runs of each case passed, for each agent whose runs a case has.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::markup::{escape_markup, render_code};
use super::plain::truncate_text;
use crate::verdict::{RunSummary, Verdict};

/// The largest number of agents, which are columns.
const MAX_AGENTS: usize = 12;
/// The largest number of cases, which are rows.
const MAX_CASES: usize = 100;
/// The largest number of characters of a name.
const MAX_NAME_CHARS: usize = 60;

/// The runs of one agent in one case.
#[derive(Clone, Copy, Default)]
struct Tried {
    passed: usize,
    runs: usize,
}

impl Tried {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.runs += other.runs;
    }

    fn render(self) -> String {
        match self.runs {
            0 => "-".to_owned(),
            runs => {
                let percent = self.passed * 100 / runs;
                format!("{} of {runs} ({percent} %)", self.passed)
            }
        }
    }
}

/// The runs of all cases by agent, collected verdict by verdict.
#[derive(Default)]
pub(super) struct AgentTable {
    cases: BTreeMap<String, BTreeMap<String, Tried>>,
    agents: BTreeMap<String, Tried>,
}

impl AgentTable {
    pub(super) fn add_verdict(&mut self, verdict: &Verdict) {
        for run in &verdict.runs {
            let Some(agent) = name_agent(run) else { continue };
            let passed = usize::from(run.status == Some(verdict.expected));
            let tried = Tried { passed, runs: 1 };
            let case = self.cases.entry(name_case(verdict).to_owned()).or_default();
            case.entry(agent.clone()).or_default().add(tried);
            self.agents.entry(agent).or_default().add(tried);
        }
    }

    /// Renders the table as markup. Empty unless the runs are of several agents.
    pub(super) fn render(&self) -> String {
        if self.agents.len() < 2 {
            return String::new();
        }
        let agents: Vec<&String> = self.agents.keys().take(MAX_AGENTS).collect();
        let mut table = "\n### Agents\n\n<table>\n<tr><th>runs that passed</th>".to_owned();
        for agent in &agents {
            let _ = write!(table, "<th>{}</th>", escape_markup(&truncate_text(agent, MAX_NAME_CHARS)));
        }
        table += "</tr>\n";
        let push_row = |table: &mut String, name: &str, tried: &BTreeMap<String, Tried>| {
            let _ = write!(table, "<tr><td>{name}</td>");
            for agent in &agents {
                let cell = tried.get(*agent).copied().unwrap_or_default().render();
                let _ = write!(table, "<td>{cell}</td>");
            }
            *table += "</tr>\n";
        };
        for (case, tried) in self.cases.iter().take(MAX_CASES) {
            push_row(&mut table, &render_code(&truncate_text(case, MAX_NAME_CHARS)), tried);
        }
        push_row(&mut table, "<b>all</b>", &self.agents);
        table += "</table>\n";
        for (all, most, what) in
            [(self.cases.len(), MAX_CASES, "cases"), (self.agents.len(), MAX_AGENTS, "agents")]
        {
            if all > most {
                let _ = write!(table, "\n... and {} more {what}\n", all - most);
            }
        }
        table
    }
}

/// Returns the names of agent and model, as far as the trace has them: `support (gpt-5)`.
fn name_agent(run: &RunSummary) -> Option<String> {
    match (&run.agent, &run.model) {
        (Some(agent), Some(model)) if agent != model => Some(format!("{agent} ({model})")),
        (agent, model) => agent.clone().or_else(|| model.clone()),
    }
}

/// Returns the name of the case of a trial, which may be about one of its runs: `shop::refund::run_2`.
fn name_case(verdict: &Verdict) -> &str {
    let name = verdict.get_case_name();
    match name.rsplit_once("::run_") {
        Some((case, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => case,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, json};
    use crate::outcome::Status;
    use crate::place::Location;

    fn run(agent: Option<&str>, model: &str, status: Status) -> RunSummary {
        let run = json!({"format": "native", "calls": [], "agent": agent, "model": model});
        RunSummary { status: Some(status), ..json::from_json(run).expect("a run") }
    }

    #[test]
    fn runs_of_several_agents_are_counted_for_each_case() {
        let mut table = AgentTable::default();
        let mut add = |name: &str, runs: Vec<RunSummary>| {
            table.add_verdict(&Verdict { runs, ..Verdict::empty(name, Location::default()) });
        };
        add("shop::a", vec![run(Some("x"), "small", Status::Pass), run(None, "<large>", Status::Fail)]);
        add("shop::a::run_1", vec![run(Some("x"), "small", Status::Undecided)]);
        add("shop::b", vec![run(Some("x"), "small", Status::Pass)]);
        let rendered = table.render();
        assert!(rendered.contains("<th>&lt;large&gt;</th><th>x (small)</th>"), "{rendered}");
        assert!(
            rendered.contains("shop::a</code></td><td>0 of 1 (0 %)</td><td>1 of 2 (50 %)</td>"),
            "{rendered}"
        );
        assert!(rendered.contains("shop::b</code></td><td>-</td><td>1 of 1 (100 %)</td>"), "{rendered}");
        assert!(
            rendered.contains("<b>all</b></td><td>0 of 1 (0 %)</td><td>2 of 3 (66 %)</td>"),
            "{rendered}"
        );
    }

    #[test]
    fn one_agent_has_no_table() {
        let mut table = AgentTable::default();
        let runs = vec![run(Some("x"), "small", Status::Pass)];
        table.add_verdict(&Verdict { runs, ..Verdict::empty("a", Location::default()) });
        assert_eq!(table.render(), "");
    }
}
