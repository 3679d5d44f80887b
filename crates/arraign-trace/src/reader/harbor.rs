//! The trials of a Harbor job: folders with a result, the trajectory of the agent, and what the verifier gave.
//!
//! A trial is one run. Its trajectory is read by the reader `atif`; trajectories of steps, subagents and continuations, which
//! are files of their own, are joined to one document first. `result.json` has the reward, the exception, and the figures.

use std::collections::{BTreeMap, HashSet};

use super::build::clock::{millis_between, nanos};
use super::{TraceError, TraceProblem, read};
use crate::json::{Json, JsonMap, parse};
use crate::trace::{CallsUnrecorded, Ended, RecordPlace, Rewards, Trace, UnreadContent, UnreadPart, Usage};

/// The name of the format in reports.
const FORMAT: &str = "harbor";

/// The most trajectories of a trial that are files of their own.
const MAX_FILES: usize = 1000;

/// The files of a trial.
pub trait TrialFiles {
    /// Why a file cannot be used.
    type Error;

    /// Returns the text of the file at `path`, which is relative to the folder of the trial and does not lead out of it.
    /// `None` if there is no such file.
    fn read_file(&mut self, path: &str) -> Result<Option<String>, Self::Error>;

    /// Returns the error of a file that can be read and is damaged.
    fn blame(&self, path: &str, error: TraceError) -> Self::Error;
}

/// The exceptions after which a reward is not valid, for results without `reward_valid`: Harbor 0.26.0,
/// `harbor/models/trial/error_policy.py`. After any other exception it is.
const WITHOUT_VALID_REWARD: &[&str] = &[
    "APIConnectionError",
    "APIError",
    "APIResponseValidationError",
    "AddTestsDirError",
    "AgentAuthenticationError",
    "AgentSetupTimeoutError",
    "ApiConnectionClosedError",
    "ApiConnectionError",
    "ApiError",
    "ApiInternalServerError",
    "ApiOverloadedError",
    "ApiProviderResourceNotFoundError",
    "ApiRateLimitError",
    "ApiResponseStalledError",
    "ApiUsageLimitError",
    "AuthenticationError",
    "BadRequestError",
    "BudgetExceededError",
    "CancelledError",
    "DownloadVerifierDirError",
    "DspyImportError",
    "EnvironmentStartTimeoutError",
    "GKEExecStreamClosedError",
    "GKEPodNotFoundError",
    "HealthcheckError",
    "InternalServerError",
    "MemoryLimitExceededError",
    "MissingExtraError",
    "ModelNotFoundError",
    "NetworkConnectionError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "RegradeError",
    "RewardFileEmptyError",
    "RewardFileNotFoundError",
    "RuntimeRequestError",
    "SSHAccessError",
    "SandboxBuildFailedError",
    "SandboxLikelyOutOfMemoryError",
    "ServiceOperationsUnsupportedError",
    "ServiceUnavailableError",
    "Timeout",
    "UnknownApiError",
    "UnprocessableEntityError",
    "UnsupportedModelParametersError",
    "UnsupportedParamsError",
    "VercelScopeError",
    "VerifierOutputParseError",
    "VerifierTimeoutError",
];

/// Reads the trial called `name`.
pub fn read_harbor_trial<F: TrialFiles>(name: &str, files: &mut F) -> Result<Trace, F::Error> {
    const RESULT: &str = "result.json";
    let result = match files.read_file(RESULT)? {
        None => None,
        Some(text) => {
            let result = TrialResult::parse(&text).map_err(|problem| files.blame(RESULT, problem))?;
            Some(result)
        }
    };
    let steps = result.as_ref().map_or(&[][..], |result| &result.steps);
    // The folders of a trial with several steps are those of its steps.
    let folders = match steps {
        [] => vec!["agent".to_owned()],
        steps => steps.iter().map(|step| format!("steps/{}/agent", step.name)).collect(),
    };
    let mut trace = Joiner::new(files)
        .read_folders(&folders)?
        .unwrap_or_else(|| Trace { calls_unrecorded: Some(CallsUnrecorded::ByFormat), ..Trace::default() });
    trace.id = Some(name.to_owned());
    if let Some(result) = result {
        result.add_to(&mut trace);
    } else {
        const UNFINISHED: &str = "the trial is not finished: it has no `result.json`";
        trace.ended = Ended::Cut(UNFINISHED.to_owned());
        trace.rewards =
            Some(Box::new(Rewards { invalid: Some(UNFINISHED.to_owned()), ..Rewards::default() }));
    }
    Ok(trace)
}

fn wrong(problem: impl Into<String>) -> TraceError {
    TraceError {
        problem: TraceProblem::Wrong { format: FORMAT, line: None, problem: problem.into() },
        help: None,
    }
}

/// Parses a document of an object.
fn parse_object(text: &str) -> Result<JsonMap, TraceError> {
    match parse(text) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(other) => Err(wrong(format!("expected an object, found {}", other.describe()))),
        Err(error) => Err(wrong(format!("not JSON: {error}"))),
    }
}

/// Joins trajectories that are files of their own.
struct Joiner<'f, F: TrialFiles> {
    files: &'f mut F,
    /// The files that were read: a file that refers to itself is read once.
    known: HashSet<String>,
    /// The files that trajectories name, and that are not there.
    missing: Vec<String>,
}

impl<'f, F: TrialFiles> Joiner<'f, F> {
    fn new(files: &'f mut F) -> Self {
        Self { files, known: HashSet::new(), missing: Vec::new() }
    }

    /// Reads the trajectories of these folders as one run. `None` without a trajectory.
    fn read_folders(mut self, folders: &[String]) -> Result<Option<Trace>, F::Error> {
        let mut whole: Option<JsonMap> = None;
        let mut first = String::new();
        let mut lacking = Vec::new();
        for folder in folders {
            let path = format!("{folder}/trajectory.json");
            match self.load_chain(folder, "trajectory.json")? {
                None => lacking.push(path),
                Some(trajectory) => match &mut whole {
                    None => (whole, first) = (Some(trajectory), path),
                    Some(whole) => append(whole, trajectory),
                },
            }
        }
        let Some(whole) = whole else { return Ok(None) };
        // Of some steps there are trajectories, so the calls of the others are missing.
        self.missing.extend(lacking);
        let text = Json::Object(whole).to_string();
        let recording = read(&text, Some("atif")).map_err(|error| self.files.blame(&first, error))?;
        let mut run = recording.runs.into_iter().next().unwrap_or_default();
        let parts = self.missing.into_iter();
        let parts = parts
            .map(|name| UnreadPart::new(RecordPlace::new(None, "/steps"), UnreadContent::MissingFile(name)));
        run.push_unread(parts);
        Ok(Some(run))
    }

    /// Loads the trajectory of this name in `folder` with its continuations. `None` if it is not there.
    fn load_chain(&mut self, folder: &str, name: &str) -> Result<Option<JsonMap>, F::Error> {
        let Some(mut whole) = self.load(folder, name)? else { return Ok(None) };
        let mut next = take_text(&mut whole, "continued_trajectory_ref");
        while let Some(name) = next.take() {
            match self.load(folder, &name)? {
                None => self.missing.push(format!("{folder}/{name}")),
                Some(mut more) => {
                    next = take_text(&mut more, "continued_trajectory_ref");
                    // The last file of an agent that continues has the totals.
                    if let Some(totals) = more.remove("final_metrics") {
                        whole.insert("final_metrics", totals);
                    }
                    append_steps(&mut whole, more);
                }
            }
        }
        Ok(Some(whole))
    }

    /// Loads a trajectory, and those of its subagents that are files of their own. `None` if it is not there, or was loaded
    /// before.
    fn load(&mut self, folder: &str, name: &str) -> Result<Option<JsonMap>, F::Error> {
        let path = format!("{folder}/{name}");
        if !is_plain(name) || self.known.len() >= MAX_FILES || !self.known.insert(path.clone()) {
            return Ok(None);
        }
        let Some(text) = self.files.read_file(&path)? else { return Ok(None) };
        let mut trajectory = parse_object(&text).map_err(|error| self.files.blame(&path, error))?;
        for (reference, id) in name_references(&mut trajectory) {
            match self.load_chain(folder, &reference)? {
                None if self.known.contains(&format!("{folder}/{reference}")) => {}
                None => self.missing.push(format!("{folder}/{reference}")),
                Some(mut child) => {
                    child.insert("trajectory_id", id.into());
                    push(&mut trajectory, "subagent_trajectories", [Json::Object(child)]);
                }
            }
        }
        Ok(Some(trajectory))
    }
}

/// Whether the name of a file leads nowhere else.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(['\\', ':'])
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn take_text(object: &mut JsonMap, key: &str) -> Option<String> {
    object.remove(key)?.as_str().map(ToOwned::to_owned)
}

/// Gives an id to each reference to a file, so that the reader finds the trajectory that is put beside. Returns the files with
/// their ids.
fn name_references(trajectory: &mut JsonMap) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let steps = trajectory.get_mut("steps").and_then(Json::as_array_mut);
    for step in steps.into_iter().flatten() {
        let results = step.pointer_mut("/observation/results").and_then(Json::as_array_mut);
        let references = results
            .into_iter()
            .flatten()
            .filter_map(|result| result.get_mut("subagent_trajectory_ref").and_then(Json::as_array_mut));
        for reference in references.flatten().filter_map(Json::as_object_mut) {
            let embedded = reference.get("trajectory_id").is_some_and(|id| !id.is_null());
            let Some(path) = reference.get("trajectory_path").and_then(Json::as_str) else { continue };
            if embedded {
                continue;
            }
            let path = path.to_owned();
            let id = format!("file:{path}");
            reference.insert("trajectory_id", id.clone().into());
            found.push((path, id));
        }
    }
    found
}

/// Appends the trajectory of a later step of the trial.
fn append(whole: &mut JsonMap, later: JsonMap) {
    // The totals of one step are not those of the run: the steps are added up.
    whole.remove("final_metrics");
    append_steps(whole, later);
}

fn append_steps(whole: &mut JsonMap, mut later: JsonMap) {
    for key in ["steps", "subagent_trajectories"] {
        if let Some(Json::Array(items)) = later.remove(key) {
            push(whole, key, items);
        }
    }
}

fn push(object: &mut JsonMap, key: &'static str, items: impl IntoIterator<Item = Json>) {
    match object.get_mut(key) {
        Some(Json::Array(list)) => list.extend(items),
        _ => drop(object.insert(key, Json::Array(items.into_iter().collect()))),
    }
}

/// What `result.json` says of a trial.
#[derive(Debug, Default)]
struct TrialResult {
    agent: Option<String>,
    model: Option<String>,
    is_finished: bool,
    steps: Vec<StepName>,
    exceptions: Vec<Exception>,
    rewards: BTreeMap<String, f64>,
    /// Whether the rewards count, if the file says it.
    reward_valid: Option<bool>,
    figures: Figures,
    duration_ms: Option<f64>,
}

#[derive(Debug)]
struct StepName {
    name: String,
}

#[derive(Debug)]
struct Exception {
    name: String,
    message: String,
    /// Whether a reward counts after it, if the file says it.
    has_valid_reward: Option<bool>,
}

/// The sums of the agent's figures.
#[derive(Debug, Default)]
struct Figures {
    input: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
    cost_usd: Option<f64>,
}

impl TrialResult {
    fn parse(text: &str) -> Result<Self, TraceError> {
        let result = Json::Object(parse_object(text)?);
        if result.get("trial_name").is_none() {
            return Err(wrong("no `trial_name`: this is not the result of a trial"));
        }
        let text_at = |pointer: &str| result.pointer(pointer).and_then(Json::as_str).map(ToOwned::to_owned);
        let mut found = Self {
            agent: text_at("/agent_info/name"),
            model: text_at("/agent_info/model_info/name"),
            is_finished: result.get("finished_at").is_some_and(|time| !time.is_null()),
            reward_valid: result.get("reward_valid").and_then(Json::as_bool),
            ..Self::default()
        };
        found.exceptions.extend(result.get("exception_info").and_then(Exception::of));
        if let Some(rewards) = result.pointer("/verifier_result/rewards").filter(|rewards| !rewards.is_null())
        {
            let entries =
                rewards.as_object().ok_or_else(|| wrong("/verifier_result/rewards is not an object"))?;
            for (name, value) in entries.iter() {
                let value = value.as_f64().filter(|value| value.is_finite());
                let value =
                    value.ok_or_else(|| wrong(format!("/verifier_result/rewards/{name} is not a number")))?;
                found.rewards.insert(name.to_string(), value);
            }
        }
        if let Some(context) = result.get("agent_result") {
            found.figures.add(context);
        }
        found.add_time(&result);
        for (index, step) in
            result.get("step_results").and_then(Json::as_array).into_iter().flatten().enumerate()
        {
            let name = step.get("step_name").and_then(Json::as_str).filter(|name| is_plain(name));
            let name = name.ok_or_else(|| {
                wrong(format!("/step_results/{index}/step_name is not the name of a folder"))
            })?;
            found.steps.push(StepName { name: name.to_owned() });
            found.exceptions.extend(step.get("exception_info").and_then(Exception::of));
            // The trial itself has the figures only if it has no steps.
            if let Some(context) = step.get("agent_result") {
                found.figures.add(context);
            }
            found.add_time(step);
        }
        Ok(found)
    }

    /// Adds the time that the agent took.
    fn add_time(&mut self, phase: &Json) {
        let time = |name: &str| nanos(phase.pointer(&format!("/agent_execution/{name}"))?.as_str()?);
        if let (Some(began), Some(ended)) = (time("started_at"), time("finished_at")) {
            *self.duration_ms.get_or_insert_default() += millis_between(began, ended);
        }
    }

    /// Adds what the file says to the run of the trajectory.
    fn add_to(self, trace: &mut Trace) {
        let rewards = self.judge_rewards();
        trace.rewards = Some(Box::new(rewards));
        if let Some(agent) = self.agent {
            trace.agent = Some(agent);
        }
        trace.model = trace.model.take().or(self.model);
        trace.cost_usd = self.figures.cost_usd.or(trace.cost_usd);
        trace.usage = self.figures.to_usage().or(trace.usage);
        trace.duration_ms = self.duration_ms.or(trace.duration_ms);
        if let Some(exception) = self.exceptions.first() {
            trace.ended = exception.to_ending();
        } else if !self.is_finished {
            trace.ended = Ended::Cut("the trial is not finished".to_owned());
        } else if trace.ended.is_unknown() {
            // An agent that failed has an exception.
            trace.ended = Ended::Well;
        }
    }

    /// Returns the rewards, and why they do not count if they do not.
    fn judge_rewards(&self) -> Rewards {
        let spoiling = self.exceptions.iter().find(|exception| !exception.keeps_reward());
        let counts = self.reward_valid.unwrap_or(spoiling.is_none());
        let invalid = match (self.rewards.is_empty(), spoiling.or(self.exceptions.first())) {
            (false, _) if counts => None,
            (false, Some(exception)) => Some(format!("the trial ended with {}", exception.describe())),
            (false, None) => Some("Harbor says `reward_valid: false`".to_owned()),
            (true, Some(exception)) => Some(format!("the verifier gave none: {}", exception.describe())),
            (true, None) if !self.is_finished => Some("the trial is not finished".to_owned()),
            (true, None) => Some("the verifier gave none".to_owned()),
        };
        Rewards { values: self.rewards.clone(), invalid }
    }
}

impl Exception {
    fn of(info: &Json) -> Option<Self> {
        let text = |key: &str| info.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
        let stated =
            info.pointer("/policy/has_valid_reward").or(info.pointer("/policy_override/has_valid_reward"));
        info.as_object().map(|_| Self {
            name: text("exception_type"),
            message: text("exception_message"),
            has_valid_reward: stated.and_then(Json::as_bool),
        })
    }

    fn keeps_reward(&self) -> bool {
        self.has_valid_reward.unwrap_or_else(|| !WITHOUT_VALID_REWARD.contains(&self.name.as_str()))
    }

    /// The name of the exception, and the first line of its message.
    fn describe(&self) -> String {
        match self.message.lines().next().filter(|line| !line.trim().is_empty()) {
            Some(line) => format!("{}: {line}", self.name),
            None => self.name.clone(),
        }
    }

    fn to_ending(&self) -> Ended {
        let reason = self.describe();
        match self.name.as_str() {
            "AgentTimeoutError" => Ended::Limit(reason),
            "CancelledError"
            | "ContextLengthExceededError"
            | "ContextWindowExceededError"
            | "OutputLengthExceededError"
            | "OutputTokenExceededError" => Ended::Cut(reason),
            _ => Ended::Failed(reason),
        }
    }
}

impl Figures {
    /// Adds the figures of the agent's context. Harbor counts cached tokens as input.
    fn add(&mut self, context: &Json) {
        let add = |sum: &mut Option<u64>, key: &str| {
            if let Some(count) = context.get(key).and_then(Json::as_u64) {
                *sum = Some(sum.unwrap_or_default().saturating_add(count));
            }
        };
        add(&mut self.input, "n_input_tokens");
        add(&mut self.cached, "n_cache_tokens");
        add(&mut self.output, "n_output_tokens");
        let cost =
            context.get("cost_usd").and_then(Json::as_f64).filter(|cost| *cost >= 0.0 && cost.is_finite());
        if let Some(cost) = cost {
            *self.cost_usd.get_or_insert_default() += cost;
        }
    }

    fn to_usage(&self) -> Option<Usage> {
        if self.input.is_none() && self.output.is_none() {
            return None;
        }
        Some(Usage {
            input_tokens: self.input.unwrap_or_default(),
            cached_tokens: self.cached,
            output_tokens: self.output.unwrap_or_default(),
            reasoning_tokens: None,
            partial: self.input.is_none() || self.output.is_none(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    struct Files(BTreeMap<&'static str, Json>);

    impl TrialFiles for Files {
        type Error = String;

        fn read_file(&mut self, path: &str) -> Result<Option<String>, String> {
            Ok(self.0.get(path).map(ToString::to_string))
        }

        fn blame(&self, path: &str, error: TraceError) -> String {
            format!("{path}: {error}")
        }
    }

    fn trajectory(steps: &Json) -> Json {
        json!({"schema_version": "ATIF-v1.8", "agent": {"name": "a", "version": "1"}, "steps": steps})
    }

    fn call(name: &str) -> Json {
        json!({"step_id": 1, "source": "agent", "message": "", "tool_calls": [
            {"tool_call_id": name, "function_name": name, "arguments": {}}]})
    }

    #[test]
    fn files_of_subagents_and_continuations_are_parts_of_the_run() {
        let mut main = trajectory(&json!([call("one"), {
            "step_id": 2, "source": "agent", "message": "", "tool_calls": [
                {"tool_call_id": "t", "function_name": "ask", "arguments": {}}],
            "observation": {"results": [{"source_call_id": "t", "content": "ok", "subagent_trajectory_ref": [
                {"session_id": "s", "trajectory_path": "sub.json"}, {"trajectory_path": "../../secret.json"}]}]}}]));
        main["continued_trajectory_ref"] = "cont.json".into();
        let mut cont = trajectory(&json!([call("three")]));
        cont["continued_trajectory_ref"] = "gone.json".into();
        let files = [
            ("result.json", json!({"trial_name": "t", "finished_at": "2026-01-01T00:00:00Z"})),
            ("agent/trajectory.json", main),
            ("agent/sub.json", trajectory(&json!([call("two")]))),
            ("agent/cont.json", cont),
            ("agent/../../secret.json", trajectory(&json!([call("never")]))),
        ];
        let run = read_harbor_trial("t", &mut Files(files.into())).expect("a run");
        assert_eq!(run.tool_names(), ["one", "ask", "two", "three"]);
        assert_eq!(run.calls[2].agent_path, ["a"]);
        let missing: Vec<String> = run.unread.iter().map(|part| part.what.to_string()).collect();
        assert_eq!(
            missing,
            [
                "a reference to `agent/../../secret.json`, which is not there",
                "a reference to `agent/gone.json`, which is not there",
            ]
        );
    }

    #[test]
    fn a_result_without_reward_valid_follows_the_table() {
        let result = |name: &str| {
            json!({"trial_name": "t", "finished_at": "2026-01-01T00:00:00Z",
                "verifier_result": {"rewards": {"reward": 1}},
                "exception_info": {"exception_type": name, "exception_message": "m"}})
        };
        for (name, is_valid) in [("AgentTimeoutError", true), ("ApiError", false), ("NeverHeardOf", true)] {
            let files = [("result.json", result(name))];
            let run = read_harbor_trial("t", &mut Files(files.into())).expect("a run");
            assert_eq!(run.rewards.expect("rewards").invalid.is_none(), is_valid, "{name}");
        }
    }

    #[test]
    fn a_damaged_file_is_named() {
        let read = |files: Vec<(&'static str, Json)>| {
            read_harbor_trial("t", &mut Files(files.into_iter().collect())).expect_err("an error")
        };
        let result = json!({"trial_name": "t", "verifier_result": {"rewards": {"reward": "1"}}});
        assert_eq!(
            read(vec![("result.json", result)]),
            "result.json: harbor: /verifier_result/rewards/reward is not a number"
        );
        let error = read(vec![("agent/trajectory.json", json!({"schema_version": "ATIF-v1.8", "steps": 7}))]);
        assert!(error.starts_with("agent/trajectory.json: atif: "), "{error}");
    }
}
