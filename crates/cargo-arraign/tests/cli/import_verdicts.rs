//! Verdicts of other tools' own programs: an imported case gets the same one, or the import said that it differs.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::__internals::engine::evaluate_recorded;
use arraign::__internals::source::Files;
use arraign::__internals::suite::load_recorded;
use arraign::Harness;
use arraign::json::{self, Json, json};

use crate::program::{Ran, arraign};

fn read_rows(tool: &str) -> Vec<Json> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/import").join(tool);
    let verdicts = fs::read_to_string(folder.join("verdicts.json")).expect("the verdicts");
    json::from_str(&verdicts).expect("JSON")
}

/// A folder in which files are imported, and in which their runs are recorded later.
struct ImportFolder(tempfile::TempDir);

impl ImportFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: impl AsRef<Path>, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    fn import(&self, arguments: &[&str]) -> Ran {
        arraign(self.0.path(), &[&["import"], arguments].concat())
    }

    /// Whether the case `id` of the written file passes. `None` if it was not written, or does not decide.
    fn find_verdict(&self, file: &str, id: &str) -> Option<bool> {
        let suite = Harness::new("evals").at(self.0.path()).load(file).expect("cases");
        let case = suite.cases.iter().find(|case| case.id.as_deref() == Some(id))?;
        let files = Files::new(self.0.path(), self.0.path().join("evals"));
        let runs = load_recorded(case, &self.0.path().join("evals").join(file), &files).expect("a run");
        match evaluate_recorded(case, id, &runs).status.to_string().as_str() {
            "pass" => Some(true),
            "fail" => Some(false),
            _ => None,
        }
    }
}

#[test]
fn classes_of_openai_evals_keep_their_verdicts() {
    let rows = read_rows("openai_verdicts");
    let folder = ImportFolder::new();
    let mut registry = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let id = format!("q{at}");
        let mut arguments = row["args"].clone();
        arguments["samples_jsonl"] = format!("{id}.jsonl").into();
        registry.push(format!("{id}: {}\n", json!({"class": row["class"], "args": arguments})));
        folder.write(format!("{id}.jsonl"), &format!("{}\n", json!({"input": id, "ideal": row["ideal"]})));
        let trace = json!({"calls": [], "answer": row["answer"]});
        folder.write(format!("evals/traces/registry/{id}.json"), &trace.to_string());
    }
    folder.write("registry.yaml", &registry.concat());
    let ran = folder.import(&["registry.yaml", "--from", "openai"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let mut agreed = 0;
    for (at, row) in rows.iter().enumerate() {
        let here = folder.find_verdict("registry.yaml", &format!("q{at}"));
        let there = row["passes"] == true;
        assert!(there || here != Some(true), "{row}: passes here\n{}", ran.stdout);
        agreed += usize::from(here == Some(there));
    }
    // The others are red here: what only the fuzzy comparison takes for the same, which has a remark, and `true` for 1.
    assert_eq!((agreed, rows.len()), (125, 134));
}

/// The conversation of a case, and the run of its agent, turn by turn.
struct AdkRun<'r> {
    id: String,
    row: &'r Json,
}

impl AdkRun<'_> {
    fn eval_case(&self) -> Json {
        let turns = self.row["expected"].as_array().expect("turns").iter().enumerate();
        let conversation = turns.map(|(turn, calls)| {
            let uses: Vec<Json> = list_calls(calls).collect();
            json!({"user_content": {"parts": [{"text": format!("turn {turn}")}]}, "final_response": {"parts": [{"text": "x"}]},
                   "intermediate_data": {"tool_uses": uses}})
        });
        json!({"eval_id": self.id, "conversation": conversation.collect::<Vec<_>>()})
    }

    fn trace(&self) -> Json {
        let turns = self.row["actual"].as_array().expect("turns").iter().enumerate();
        let steps = turns.flat_map(|(turn, calls)| {
            let calls = list_calls(calls).map(|call| json!({"call": call["name"], "args": call["args"]}));
            let asked = json!({"user": format!("turn {turn}")});
            std::iter::once(asked).chain(calls).chain([json!({"say": "x"})]).collect::<Vec<_>>()
        });
        json!({"steps": steps.collect::<Vec<_>>()})
    }
}

fn list_calls(calls: &Json) -> impl Iterator<Item = Json> {
    calls.as_array().expect("calls").iter().map(|call| json!({"name": call[0], "args": call[1]}))
}

#[test]
fn trajectories_of_adk_keep_their_verdicts() {
    let rows = read_rows("adk_verdicts");
    let mut agreed = 0;
    // The criteria are a file beside the eval set, so each of them has a folder.
    for rows in rows
        .chunk_by(|one, next| (&one["match"], &one["ignore_args"]) == (&next["match"], &next["ignore_args"]))
    {
        let folder = ImportFolder::new();
        let settings =
            json!({"threshold": 1.0, "match_type": rows[0]["match"], "ignore_args": rows[0]["ignore_args"]});
        let criteria = json!({"criteria": {"tool_trajectory_avg_score": settings}});
        folder.write("test_config.json", &criteria.to_string());
        let runs: Vec<AdkRun<'_>> =
            rows.iter().enumerate().map(|(at, row)| AdkRun { id: format!("c{at}"), row }).collect();
        let cases: Vec<String> = runs.iter().map(|run| run.eval_case().to_string()).collect();
        let set = format!("{{\"eval_set_id\": \"s\", \"eval_cases\": [\n{}\n]}}\n", cases.join(",\n"));
        folder.write("s.evalset.json", &set);
        let ran = folder.import(&["s.evalset.json", "--from", "adk"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        for (at, run) in runs.iter().enumerate() {
            folder.write(format!("evals/traces/s/{}.json", run.id), &run.trace().to_string());
            let here = folder.find_verdict("s.yaml", &run.id);
            let there = run.row["passes"] == true;
            let is_remarked = ran.stdout.contains(&format!("s.evalset.json:{}: ", at + 2));
            assert!(here == Some(there) || is_remarked, "{}: {here:?}\n{}", run.row, ran.stdout);
            agreed += usize::from(here == Some(there));
        }
    }
    // The others expect no call, or a call in another turn, and have a remark.
    assert_eq!((agreed, rows.len()), (146, 162));
}
