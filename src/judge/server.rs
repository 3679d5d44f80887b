//! A judge on a server that speaks OpenAI's chat completions.
//!
//! The key comes from a variable, goes into a header, and stays out of everything else: what the server says is kept
//! without it.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::panel::judge_name;
use super::{Answer, Judge, JudgeError, JudgeRequest};
use crate::check::JudgeSettings;
use crate::http::{Client, HttpError, HttpProblem, Limits, Request};
use crate::trace::Usage;

/// Where a judge is asked unless its settings say otherwise.
const BASE_URL: &str = "https://api.openai.com/v1";

/// The variable of the key unless the settings name another.
const KEY: &str = "OPENAI_API_KEY";

/// How long an answer may take, all attempts together.
const TIMEOUT: Duration = Duration::from_secs(120);

/// How long an answer may be, in bytes.
const LONGEST: usize = 4 << 20;

/// How often it is asked again when it is busy.
const RETRIES: u32 = 4;

/// A model behind a URL.
pub(super) struct ServerJudge {
    client: Client,
    url: String,
    model: String,
    name: String,
    seed: i64,
    key: Option<(String, String)>,
    limits: Limits,
    /// The server has refused to hold the model to a schema.
    without_schema: AtomicBool,
}

impl ServerJudge {
    /// The judge of `settings`. The error says that its key is missing.
    pub(super) fn new(
        settings: &JudgeSettings,
        variable: fn(&str) -> Option<OsString>,
    ) -> Result<Self, String> {
        let (Some(model), Some(name)) = (&settings.model, judge_name(settings)) else {
            return Err("`judge` names no `model`".to_owned());
        };
        let base = settings.base_url.as_deref().unwrap_or(BASE_URL);
        let limits = Limits {
            total: settings.timeout.unwrap_or(TIMEOUT),
            response_bytes: LONGEST,
            retries: RETRIES,
            ..Limits::default()
        };
        Ok(Self {
            client: Client::default(),
            url: format!("{base}/chat/completions"),
            model: model.clone(),
            name,
            seed: settings.seed,
            key: key(settings, variable)?,
            limits,
            without_schema: AtomicBool::new(false),
        })
    }

    fn body(&self, request: &JudgeRequest) -> Value {
        let mut body = json!({
            "model": self.model,
            "temperature": 0,
            "seed": self.seed.wrapping_add(i64::from(request.vote) - 1),
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
        });
        if !self.without_schema.load(Ordering::Relaxed) {
            let schema = json!({"name": "opinions", "strict": true, "schema": request.schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        body
    }

    fn send(&self, request: &JudgeRequest) -> Result<Answer, HttpError> {
        let mut http = Request::post(&self.url, self.body(request));
        if let Some((name, key)) = &self.key {
            http = http.bearer(key).secret(name, key);
        }
        let response = self.client.send(&http, &self.limits)?;
        let wrong = |problem| HttpError { method: "POST", url: self.url.clone(), problem, attempts: 1 };
        let completion: Completion = response.json().map_err(wrong)?;
        Ok(self.answer(completion))
    }

    fn answer(&self, completion: Completion) -> Answer {
        let text = completion.choices.into_iter().next().and_then(|choice| choice.message.content);
        let text = text.unwrap_or_default();
        let text = match &self.key {
            Some((name, key)) => text.replace(key.as_str(), &format!("[{name}]")),
            None => text,
        };
        let usage = completion.usage.map(|figures| Usage {
            input_tokens: figures.prompt_tokens,
            cached_tokens: figures.prompt_tokens_details.and_then(|details| details.cached_tokens),
            output_tokens: figures.completion_tokens,
            ..Usage::default()
        });
        Answer { text, usage, cost_usd: None }
    }
}

impl Judge for ServerJudge {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// A server that knows no schemas says so with a 400 or 422: then it is asked without one, from then on.
    fn ask(&self, request: &JudgeRequest) -> Result<Answer, JudgeError> {
        let first = self.send(request);
        let refused = first.as_ref().is_err_and(is_refusal);
        if !refused || self.without_schema.load(Ordering::Relaxed) {
            return first.map_err(JudgeError::failed);
        }
        self.without_schema.store(true, Ordering::Relaxed);
        self.send(request).map_err(|error| {
            // It was not the schema, then.
            self.without_schema.store(false, Ordering::Relaxed);
            JudgeError::failed(error)
        })
    }
}

fn is_refusal(error: &HttpError) -> bool {
    matches!(error.problem, HttpProblem::Status { status: 400 | 422, .. })
}

/// The name of the variable and the key in it. A server of one's own may need none.
fn key(
    settings: &JudgeSettings,
    variable: fn(&str) -> Option<OsString>,
) -> Result<Option<(String, String)>, String> {
    let name = settings.key_env.as_deref().unwrap_or(KEY);
    let value = variable(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty());
    let needed = settings.key_env.is_some() || settings.base_url.is_none();
    match value {
        Some(value) => Ok(Some((name.to_owned(), value.trim().to_owned()))),
        None if needed => Err(format!("the judge has no key: set the variable {name}")),
        None => Ok(None),
    }
}

/// What a server answers, as far as it is read.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Figures>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

#[derive(Deserialize)]
struct Figures {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<Cached>,
}

#[derive(Deserialize)]
struct Cached {
    cached_tokens: Option<u64>,
}
