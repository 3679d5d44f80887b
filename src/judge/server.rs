//! A judge on a server that speaks OpenAI's chat completions.
//!
//! The API key comes from an environment variable and goes into a header, nowhere else: it is masked in the server's
//! answers.

use std::ffi::OsString;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use serde::Deserialize;

use super::{Judge, JudgeAnswer, JudgeError, JudgeRequest};
use crate::check::JudgeSettings;
use crate::http::{HttpClient, HttpError, HttpLimits, HttpProblem, HttpRequest};
use crate::json::{Json, json};
use crate::secrets::Secrets;
use crate::trace::Usage;

/// The base URL unless the settings name another.
const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// The time limit of a request with all its attempts, unless the settings name another.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);

/// The largest size of a response, in bytes.
const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// The number of retries when the server is busy.
const MAX_RETRIES: u32 = 4;

/// The plainest form of a request: 0 is complete, 1 has no schema, 2 also has no temperature and seed.
const MAX_PLAINNESS: u8 = 2;

/// A model behind a URL.
pub(super) struct ServerJudge {
    client: HttpClient,
    url: String,
    model: String,
    name: String,
    seed: i64,
    key: Option<(String, String)>,
    secrets: Secrets,
    limits: HttpLimits,
    /// The plainness that the server accepts, up to [`MAX_PLAINNESS`].
    plain: AtomicU8,
}

impl ServerJudge {
    /// Creates the judge of `settings`. It is an error if the API key is missing.
    pub(super) fn new(
        settings: &JudgeSettings,
        variable: fn(&str) -> Option<OsString>,
    ) -> Result<Self, String> {
        let (Some(model), Some(name)) = (&settings.model, settings.server_name()) else {
            return Err("`judge` has no `model`".to_owned());
        };
        let base = settings.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let limits = HttpLimits {
            total: settings.timeout.unwrap_or(DEFAULT_TIMEOUT),
            response_bytes: MAX_RESPONSE_BYTES,
            retries: MAX_RETRIES,
            ..HttpLimits::default()
        };
        let key = find_key(settings, variable)?;
        let mut secrets = Secrets::default();
        if let Some((name, key)) = &key {
            secrets.add_key(name, key);
        }
        Ok(Self {
            client: HttpClient::default(),
            url: format!("{base}/chat/completions"),
            model: model.clone(),
            name,
            seed: settings.seed,
            key,
            secrets,
            limits,
            plain: AtomicU8::new(0),
        })
    }

    fn build_body(&self, request: &JudgeRequest, plain: u8) -> Json {
        let mut body = json!({
            "model": self.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
        });
        // Some models refuse a temperature or a seed, and older servers a schema. The request gets plainer with each
        // refusal.
        if plain < MAX_PLAINNESS {
            // Each vote has its own seed: with temperature 0 and one seed, all votes would be equal.
            body["temperature"] = 0.into();
            body["seed"] = self.seed.wrapping_add(i64::from(request.vote) - 1).into();
        }
        if plain == 0 {
            let schema = json!({"name": "opinions", "strict": true, "schema": request.schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        body
    }

    fn send_request(&self, request: &JudgeRequest, plain: u8) -> Result<JudgeAnswer, HttpError> {
        let mut http = HttpRequest::post(&self.url, self.build_body(request, plain));
        if let Some((name, key)) = &self.key {
            http = http.with_bearer(key).with_secret(name, key);
        }
        let response = self.client.send_request(&http, &self.limits)?;
        let completion: ChatCompletion = response.parse_json().map_err(|problem| HttpError {
            method: "POST",
            url: self.url.clone(),
            problem,
            attempts: 1,
        })?;
        Ok(self.read_completion(completion))
    }

    fn read_completion(&self, completion: ChatCompletion) -> JudgeAnswer {
        let text = completion.choices.into_iter().next().and_then(|choice| choice.message.content);
        let text = self.secrets.mask_text(text.unwrap_or_default());
        let usage = completion.usage.map(|figures| Usage {
            input_tokens: figures.prompt_tokens,
            cached_tokens: figures.prompt_tokens_details.and_then(|details| details.cached_tokens),
            output_tokens: figures.completion_tokens,
            ..Usage::default()
        });
        JudgeAnswer { text, usage, cost_usd: None }
    }
}

impl Judge for ServerJudge {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// Asks the server. A server without schemas, or a model without temperature, refuses with status 400 or 422; then
    /// this and all later requests are sent in a plainer form.
    fn ask(&self, request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
        let mut plain = self.plain.load(Ordering::Relaxed);
        // Ends after at most `MAX_PLAINNESS` refusals. The form that was accepted is remembered for later requests.
        loop {
            match self.send_request(request, plain) {
                Ok(answer) => {
                    self.plain.store(plain, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(error) if plain < MAX_PLAINNESS && is_refusal(&error) => plain += 1,
                Err(error) => return Err(JudgeError::failed(error)),
            }
        }
    }
}

fn is_refusal(error: &HttpError) -> bool {
    matches!(error.problem, HttpProblem::Status { status: 400 | 422, .. })
}

/// Returns the name of the variable and the API key in it. A self-hosted server may need none.
fn find_key(
    settings: &JudgeSettings,
    variable: fn(&str) -> Option<OsString>,
) -> Result<Option<(String, String)>, String> {
    let name = settings.key_variable();
    let value = variable(name).and_then(|value| value.into_string().ok());
    let value = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    // OpenAI's own server needs a key, and so does a server for which one was named.
    let needed = settings.key_env.is_some() || settings.base_url.is_none();
    match value {
        Some(value) => Ok(Some((name.to_owned(), value))),
        None if needed => Err(format!("the judge has no API key: set the variable {name}")),
        None => Ok(None),
    }
}

/// The fields of a server's answer that are read.
#[derive(Deserialize)]
struct ChatCompletion {
    choices: Vec<ChatChoice>,
    usage: Option<ChatUsage>,
}

#[derive(Deserialize)]
struct ChatChoice {
    message: ChatMessage,
}

#[derive(Deserialize)]
struct ChatMessage {
    content: Option<String>,
}

#[derive(Deserialize)]
struct ChatUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<ChatTokenDetails>,
}

#[derive(Deserialize)]
struct ChatTokenDetails {
    cached_tokens: Option<u64>,
}
