//! `judge:` the judge that gives opinions if a case does not give them itself.
//!
//! ```yaml
//! judge:
//!   model: gpt-5-mini
//!   base_url: https://api.openai.com/v1
//!   key_env: OPENAI_API_KEY
//! ```

use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;

use crate::JsonSchema;
use crate::place::{LoadErrors, Place};
use crate::yaml::{Node, TimeLimit, even_null};

/// The most votes that are taken.
const MOST_VOTES: u32 = 9;

/// The variable of the API key unless the settings name another.
const DEFAULT_KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// What a suite says of its judge.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JudgeSettings {
    /// Where it is said.
    pub place: Place,
    /// The model, as its server calls it; a judge of the test target needs none.
    pub model: Option<String>,
    /// The server, up to the version: `https://api.openai.com/v1`, unless said otherwise.
    pub base_url: Option<String>,
    /// The variable that holds the key.
    pub key_env: Option<String>,
    /// For servers that take one: the same question then gets the same answer.
    pub seed: i64,
    /// How often it is asked; the majority decides.
    pub votes: u32,
    /// How long it may take for an answer, all attempts together.
    pub timeout: Option<Duration>,
    /// What all answers of one run of the tests may cost together.
    pub budget_usd: Option<f64>,
    /// The number of jobs that share the budget.
    pub of: Option<NonZeroU32>,
}

impl JudgeSettings {
    /// Returns the name of the variable that holds the key.
    pub(crate) fn key_variable(&self) -> &str {
        self.key_env.as_deref().unwrap_or(DEFAULT_KEY_VARIABLE)
    }

    /// Returns the name of the judge on a server. The base URL is not part of it, since one model can be reached in several
    /// ways.
    pub(crate) fn server_name(&self) -> Option<String> {
        let model = self.model.as_ref()?;
        Some(format!("{model}, temperature 0, seed {}", self.seed))
    }

    /// Returns the settings of a judge that is described nowhere.
    pub fn unsaid(place: Place) -> Self {
        Self {
            place,
            model: None,
            base_url: None,
            key_env: None,
            seed: 0,
            votes: 1,
            timeout: None,
            budget_usd: None,
            of: None,
        }
    }

    /// Reads the settings in `node`. Settings that it does not contain are those of `before`, the judge of all
    /// suites.
    pub fn read(node: Node<'_>, before: Option<&Self>) -> Result<Self, LoadErrors> {
        let written: WrittenJudge = node.decode_all()?;
        let before = before.cloned().unwrap_or_else(|| Self::unsaid(node.place()));
        // Key by key: a suite that only raises `votes` keeps the model of the whole folder.
        Ok(Self {
            place: node.place(),
            model: written.model.map(|ModelName(name)| name).or(before.model),
            base_url: written.base_url.map(|BaseUrl(url)| url).or(before.base_url),
            key_env: written.key_env.map(|KeyVariable(name)| name).or(before.key_env),
            seed: written.seed.unwrap_or(before.seed),
            votes: written.votes.map_or(before.votes, |Votes(votes)| votes),
            timeout: written.timeout.map(|TimeLimit(timeout)| timeout).or(before.timeout),
            budget_usd: written.budget_usd.map(|Budget(dollars)| dollars).or(before.budget_usd),
            of: written.of.or(before.of),
        })
    }
}

/// The model that gives opinions.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "judge")]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenJudge {
    /// The name of the model on its server.
    #[schemars(extend("type" = ["null", "string"]))]
    model: Option<ModelName>,
    /// A server with OpenAI's chat completions API, including the version. Default: OpenAI.
    #[serde(default, deserialize_with = "even_null")]
    base_url: Option<BaseUrl>,
    /// The environment variable that contains the key. Default: `OPENAI_API_KEY`.
    #[serde(default, deserialize_with = "even_null")]
    key_env: Option<KeyVariable>,
    /// The seed of each request, sent with temperature 0. Default: 0.
    #[schemars(extend("type" = ["null", "integer"]))]
    seed: Option<i64>,
    /// How often the judge is asked: an odd number up to 9. The majority decides.
    #[serde(default, deserialize_with = "even_null")]
    #[schemars(extend("enum" = [1, 3, 5, 7, 9]))]
    votes: Option<Votes>,
    /// The time limit for one answer, including all attempts. Default: 2 minutes.
    #[serde(default, deserialize_with = "even_null")]
    timeout: Option<TimeLimit>,
    /// The highest cost of all answers of a run, in US dollars, in all shards.
    #[serde(default, deserialize_with = "even_null")]
    budget_usd: Option<Budget>,
    /// The number of jobs that share `budget_usd`: each takes its part. Default: the shards of `ARRAIGN_SHARD`.
    of: Option<NonZeroU32>,
}

/// The name of a model: not empty.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, description = "")]
#[serde(try_from = "String")]
struct ModelName(String);

impl TryFrom<String> for ModelName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        if name.trim().is_empty() { Err("`model` is empty") } else { Ok(Self(name)) }
    }
}

/// The address of a server, without a secret: case files are committed.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, description = "", extend("pattern" = "^https?://"))]
#[serde(try_from = "String")]
struct BaseUrl(String);

impl TryFrom<String> for BaseUrl {
    type Error = &'static str;

    fn try_from(url: String) -> Result<Self, Self::Error> {
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        match rest.map(|rest| rest.split('/').next().unwrap_or_default()) {
            Some(host) if host.contains('@') || url.contains(['?', '#']) => Err(
                "`base_url` holds no name, password or query: the key comes from the variable that `key_env` names",
            ),
            Some(host) if !host.is_empty() => Ok(Self(url.trim_end_matches('/').to_owned())),
            _ => Err("`base_url` begins with `https://` or `http://` and a host"),
        }
    }
}

/// The name of a variable, never a key itself.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, description = "", extend("pattern" = "^[A-Z0-9_]+$"))]
#[serde(try_from = "String")]
struct KeyVariable(String);

impl TryFrom<String> for KeyVariable {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let is_name = name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
        if is_name && !name.is_empty() {
            return Ok(Self(name));
        }
        Err("`key_env` is the name of a variable, in capitals: a file never contains the key itself")
    }
}

/// How often a judge is asked. An even number may be a tie, which decides nothing.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, description = "")]
#[serde(try_from = "u32")]
struct Votes(u32);

impl TryFrom<u32> for Votes {
    type Error = String;

    fn try_from(votes: u32) -> Result<Self, String> {
        if votes % 2 == 1 && votes <= MOST_VOTES {
            return Ok(Self(votes));
        }
        Err(format!("`votes` is an odd number up to {MOST_VOTES}, so that there is a majority"))
    }
}

/// An amount of dollars above 0.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, description = "", extend("exclusiveMinimum" = 0))]
#[serde(try_from = "f64")]
struct Budget(f64);

impl TryFrom<f64> for Budget {
    type Error = &'static str;

    fn try_from(dollars: f64) -> Result<Self, Self::Error> {
        if dollars.is_finite() && dollars > 0.0 {
            Ok(Self(dollars))
        } else {
            Err("`budget_usd` is an amount of dollars above 0")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Source;
    use crate::yaml::Document;

    fn read(text: &str, before: Option<&JudgeSettings>) -> Result<JudgeSettings, String> {
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        JudgeSettings::read(documents[0].root(), before).map_err(|errors| errors.to_string())
    }

    #[test]
    fn a_suite_says_only_what_differs() {
        let shared = read("{model: m, votes: 3, timeout: 20s, seed: 4}", None).expect("it is right");
        let own = read("{model: n, base_url: 'http://localhost:1/v1/'}", Some(&shared)).expect("it is right");
        assert_eq!((own.model.as_deref(), own.votes, own.seed), (Some("n"), 3, 4));
        assert_eq!(own.base_url.as_deref(), Some("http://localhost:1/v1"));
        assert_eq!(own.timeout, Some(Duration::from_secs(20)));
    }

    #[test]
    fn mistakes_have_their_places() {
        let text = "modle: x\nvotes: 2\nbase_url: 'https://me:key@host/v1'\nkey_env: sk-123\nbudget_usd: 0\n";
        assert_eq!(
            read(text, None).expect_err("five mistakes"),
            "s.yaml:1:1: unknown key `modle` (help: did you mean `model`?)\n\
             s.yaml:2:8: `votes` is an odd number up to 9, so that there is a majority\n\
             s.yaml:3:11: `base_url` holds no name, password or query: the key comes from the variable that \
             `key_env` names\n\
             s.yaml:4:10: `key_env` is the name of a variable, in capitals: a file never contains the key itself\n\
             s.yaml:5:13: `budget_usd` is an amount of dollars above 0"
        );
    }
}
