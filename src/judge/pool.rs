//! The judges of one test run, and the answers that they have given.

use std::collections::HashMap;
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::reply::BadReply;
use super::spending::{JudgeUsage, SpendingTracker};
use super::votes::Vote;
use super::{Judge, JudgeAnswer, JudgeError, JudgeRequest, Questionnaire};
use crate::check::{JudgeSettings, Prices};
use crate::source::{LineLog, lock};

/// How questions to the judge are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum JudgeMode {
    /// Recorded opinions are replayed.
    #[default]
    Replay,
    /// The judge is asked, and its opinions are recorded.
    Record,
    /// The judge is asked, and nothing is recorded.
    Live,
    /// The judge is not asked: questions that only it can answer are undecided.
    Off,
}

impl JudgeMode {
    /// The modes by name.
    pub const NAMES: &[(&str, Self)] =
        &[("replay", Self::Replay), ("record", Self::Record), ("live", Self::Live), ("off", Self::Off)];

    /// Returns the mode with this name.
    pub fn find_by_name(word: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(name, _)| *name == word).map(|(_, mode)| *mode)
    }

    /// Whether this mode asks the judge.
    pub fn asks_judge(self) -> bool {
        matches!(self, Self::Record | Self::Live)
    }
}

/// The judges of one test run.
pub struct JudgePool {
    mode: JudgeMode,
    /// The judge of the test target.
    own: Option<Arc<dyn Judge>>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only servers need an API key"))]
    variable: fn(&str) -> Option<OsString>,
    /// The judges on servers, by their settings.
    connected: Mutex<HashMap<String, Arc<dyn Judge>>>,
    /// The answers so far, by the path of their cassette, which names the request.
    answered: Mutex<HashMap<PathBuf, SharedVotes>>,
    /// The cassettes that were used, by the path prefix of their case.
    used: Mutex<HashMap<PathBuf, Vec<PathBuf>>>,
    spending: SpendingTracker,
    /// The number of shards that the trials are divided into.
    shards: Option<NonZeroU32>,
}

/// The votes on one request, available once it is answered.
type SharedVotes = Arc<OnceLock<Result<Vec<Vote>, JudgeError>>>;

/// The judge of a case.
pub(super) struct JudgeHandle {
    /// The name of the judge.
    pub(super) name: String,
    pub(super) votes: u32,
    settings: Option<Arc<JudgeSettings>>,
}

impl JudgeHandle {
    fn model_name(&self) -> &str {
        self.settings.as_ref().and_then(|settings| settings.model.as_deref()).unwrap_or(&self.name)
    }
}

impl JudgePool {
    /// Creates a pool with `own`, the judge of the test target, or else the judges that suites name. `variable` reads
    /// an environment variable, which holds the API key.
    pub fn new(mode: JudgeMode, own: Option<Arc<dyn Judge>>, variable: fn(&str) -> Option<OsString>) -> Self {
        Self {
            mode,
            own,
            variable,
            connected: Mutex::default(),
            answered: Mutex::default(),
            used: Mutex::default(),
            spending: SpendingTracker::default(),
            shards: None,
        }
    }

    /// Says that the trials are divided into `shards`: each takes its part of a budget.
    pub fn with_shards(mut self, shards: Option<NonZeroU32>) -> Self {
        self.shards = shards;
        self
    }

    /// Shares the spending through `ledger`: a budget applies to a run, however many processes it has.
    pub fn with_ledger(mut self, ledger: LineLog) -> Self {
        self.spending.ledger = Some(ledger);
        self
    }

    /// Returns how questions are answered.
    pub fn mode(&self) -> JudgeMode {
        self.mode
    }

    /// Returns the cost so far in this process.
    pub fn own_usage(&self) -> JudgeUsage {
        self.spending.own_usage()
    }

    /// Checks that the judge of `settings` can be asked, if the mode asks it. The error says what is missing.
    pub fn check_ready(&self, settings: &JudgeSettings) -> Result<(), String> {
        if let (Some(of), Some(shards)) = (settings.of, self.shards)
            && of < shards
        {
            return Err(format!(
                "`of: {of}` of `judge` is less than the {shards} shards of ARRAIGN_SHARD: it is the number of all jobs that \
                 share the budget"
            ));
        }
        if self.own.is_some() {
            return Ok(());
        }
        if settings.model.is_none() {
            return Err("`judge` has no `model`, and the harness has no judge of its own".to_owned());
        }
        // Only a mode that asks needs a key: replay must work without one.
        if self.mode.asks_judge() { self.connect_server(settings).map(drop) } else { Ok(()) }
    }

    /// Returns the name of the judge for a suite with `settings`. `None` if there is no judge.
    pub fn judge_name_for(&self, settings: Option<&Arc<JudgeSettings>>) -> Option<String> {
        self.find_handle(settings).map(|handle| handle.name)
    }

    /// Returns the cassettes that were used, by the path prefix of their case.
    pub fn used_cassettes(&self) -> HashMap<PathBuf, Vec<PathBuf>> {
        lock(&self.used).clone()
    }

    pub(super) fn note_used(&self, case_prefix: PathBuf, cassette: PathBuf) {
        lock(&self.used).entry(case_prefix).or_default().push(cassette);
    }

    /// Returns the judge of a case in a suite with `settings`. `None` without a judge.
    pub(super) fn find_handle(&self, settings: Option<&Arc<JudgeSettings>>) -> Option<JudgeHandle> {
        let name = match &self.own {
            Some(judge) => judge.name(),
            None => settings?.server_name()?,
        };
        let votes = settings.map_or(1, |settings| settings.votes);
        Some(JudgeHandle { name, votes, settings: settings.cloned() })
    }

    /// Answers the request that belongs to the cassette `path`. Trials that ask the same share one answer; `keep` is
    /// called with it once.
    pub(super) fn ask_once(
        &self,
        path: &Path,
        asked: AskedVotes<'_>,
        keep: impl FnOnce(&[Vote]) -> Result<(), JudgeError>,
    ) -> Result<Vec<Vote>, JudgeError> {
        // One cell for each cassette: a second trial with the same request waits for the first instead of paying twice.
        let shared = Arc::clone(lock(&self.answered).entry(path.to_owned()).or_default());
        // An error is kept as well: trials with the same request fail alike, and the judge is not asked again for each.
        let votes = shared.get_or_init(|| {
            let votes = self.collect_votes(asked)?;
            keep(&votes)?;
            Ok(votes)
        });
        votes.clone()
    }

    fn collect_votes(&self, asked: AskedVotes<'_>) -> Result<Vec<Vote>, JudgeError> {
        let judge = match (&self.own, &asked.handle.settings) {
            (Some(judge), _) => Arc::clone(judge),
            (None, Some(settings)) => self.connect_server(settings).map_err(JudgeError::Failed)?,
            (None, None) => return Err(JudgeError::Failed("no judge is configured".to_owned())),
        };
        let request = VoteRequest { pool: self, judge: judge.as_ref(), asked };
        (1..=asked.handle.votes).map(|vote| request.cast_vote(vote)).collect()
    }

    /// Returns the judge on a server, which is created once for all cases with the same settings.
    fn connect_server(&self, settings: &JudgeSettings) -> Result<Arc<dyn Judge>, String> {
        let JudgeSettings { model, base_url, key_env, seed, timeout, .. } = settings;
        let server = format!("{:?}", (model, base_url, key_env, seed, timeout));
        if let Some(judge) = lock(&self.connected).get(&server) {
            return Ok(Arc::clone(judge));
        }
        // The lock is not held while a client is created. Two threads may create one each; both ask the same server.
        let judge = self.create_server_judge(settings)?;
        lock(&self.connected).insert(server, Arc::clone(&judge));
        Ok(judge)
    }

    #[cfg(feature = "http")]
    fn create_server_judge(&self, settings: &JudgeSettings) -> Result<Arc<dyn Judge>, String> {
        Ok(Arc::new(super::server::ServerJudge::new(settings, self.variable)?))
    }

    #[cfg(not(feature = "http"))]
    #[expect(clippy::unused_self, reason = "the same signature as with servers")]
    fn create_server_judge(&self, _settings: &JudgeSettings) -> Result<Arc<dyn Judge>, String> {
        let command = crate::outcome::suggest_feature("http");
        Err(format!("a judge on a server needs arraign's feature `http`: {command}"))
    }
}

/// One questionnaire for one judge, and the prices of its tokens.
#[derive(Clone, Copy)]
pub(super) struct AskedVotes<'a> {
    pub(super) handle: &'a JudgeHandle,
    pub(super) questionnaire: &'a Questionnaire,
    pub(super) prices: &'a Prices,
}

/// Asks a judge for votes.
struct VoteRequest<'a> {
    pool: &'a JudgePool,
    judge: &'a dyn Judge,
    asked: AskedVotes<'a>,
}

impl VoteRequest<'_> {
    /// Asks for one vote. A reply that cannot be parsed is requested once more.
    fn cast_vote(&self, vote: u32) -> Result<Vote, JudgeError> {
        let questionnaire = self.asked.questionnaire;
        let first = questionnaire.build_request(vote);
        let problem = match questionnaire.parse_reply(&self.ask_judge(&first)?.text) {
            Ok(opinions) => return Ok(opinions),
            Err(BadReply::Captured) => return Err(JudgeError::Captured),
            Err(BadReply::Malformed(problem)) => problem,
        };
        // A captured judge is not asked again: it could answer the control question by chance the second time.
        let again = questionnaire.build_second_request(vote, &problem);
        questionnaire.parse_reply(&self.ask_judge(&again)?.text).map_err(|bad| match bad {
            BadReply::Captured => JudgeError::Captured,
            BadReply::Malformed(problem) => JudgeError::Malformed(problem),
        })
    }

    fn ask_judge(&self, request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
        // Budget, answer, cost: in this order, so that no question is asked after the budget is spent.
        let AskedVotes { handle, prices, .. } = self.asked;
        let budget = handle.settings.as_ref().and_then(|settings| settings.budget_usd);
        // The cost of an answer is known only afterwards, so the last answer may exceed the budget.
        let named = handle.settings.as_ref().and_then(|settings| settings.of);
        let jobs = named.or(self.pool.shards).map_or(1, NonZeroU32::get);
        self.pool.spending.check_budget(budget, jobs, handle.model_name())?;
        let answer = catch_unwind(AssertUnwindSafe(|| self.judge.ask(request)));
        let answer = answer.unwrap_or_else(|_| Err(JudgeError::Failed("it panicked".to_owned())))?;
        let added = self.pool.spending.record_answer(&answer, handle.model_name(), prices);
        // Without a budget the sum is only informative, so a broken ledger is no reason to fail.
        if budget.is_some() {
            added?;
        }
        Ok(answer)
    }
}
