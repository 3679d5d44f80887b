//! `judge:` the judge that gives opinions if a case does not give them itself.
//!
//! ```yaml
//! judge:
//!   model: gpt-5-mini
//!   base_url: https://api.openai.com/v1
//!   key_env: OPENAI_API_KEY
//! ```

use std::time::Duration;

use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Fields, Node};

/// The most votes that are taken.
const MOST_VOTES: u32 = 9;

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
}

impl JudgeSettings {
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
        }
    }

    /// Reads the settings in `node`. Settings that it does not contain are those of `before`, the judge of all
    /// suites.
    pub fn read(node: Node<'_>, before: Option<&Self>) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(node, "`judge`")?;
        let before = before.cloned().unwrap_or_else(|| Self::unsaid(node.place()));
        let votes = fields.parse("votes", read_votes);
        // Key by key: a suite that only raises `votes` keeps the model of the whole folder.
        let settings = Self {
            place: node.place(),
            model: read_text(&mut fields, "model").or(before.model),
            base_url: fields.parse("base_url", read_url).or(before.base_url),
            key_env: fields.parse("key_env", read_variable).or(before.key_env),
            seed: fields.optional("seed").unwrap_or(before.seed),
            votes: votes.unwrap_or(before.votes),
            timeout: fields.parse("timeout", |node| node.parse_time("timeout")).or(before.timeout),
            budget_usd: fields.parse("budget_usd", read_dollars).or(before.budget_usd),
        };
        fields.finish(settings)
    }
}

/// The text under `key`, which says something.
fn read_text(fields: &mut Fields<'_>, key: &'static str) -> Option<String> {
    let text: String = fields.optional(key)?;
    if let Some(node) = fields.node(key).filter(|_| text.trim().is_empty()) {
        fields.errors.push(node.error(format!("`{key}` is empty")));
    }
    Some(text)
}

/// A tie decides nothing.
fn read_votes(node: Node<'_>) -> Result<u32, LoadError> {
    let votes: u32 = node.decode()?;
    // An even number of votes may be a tie, which decides nothing.
    if votes % 2 == 1 && votes <= MOST_VOTES {
        return Ok(votes);
    }
    Err(node.error(format!("`votes` is an odd number up to {MOST_VOTES}, so that there is a majority")))
}

/// A key in the URL would stand in the repository.
fn read_url(node: Node<'_>) -> Result<String, LoadError> {
    let url: String = node.decode()?;
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = rest.map(|rest| rest.split('/').next().unwrap_or_default());
    match host {
        // Case files are committed: nothing in them may be a secret.
        Some(host) if host.contains('@') || url.contains(['?', '#']) => {
            let error = node.error("`base_url` holds no name, password or query");
            Err(error.help("the key comes from the variable that `key_env` names"))
        }
        Some(host) if !host.is_empty() => Ok(url.trim_end_matches('/').to_owned()),
        _ => Err(node.error("`base_url` begins with `https://` or `http://` and a host")),
    }
}

/// The name of a variable, never a key itself.
fn read_variable(node: Node<'_>) -> Result<String, LoadError> {
    let name: String = node.decode()?;
    let is_name = name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
    if is_name && !name.is_empty() {
        return Ok(name);
    }
    let error = node.error("`key_env` is the name of a variable, in capitals");
    Err(error.help("a file never contains the key itself"))
}

fn read_dollars(node: Node<'_>) -> Result<f64, LoadError> {
    let budget: f64 = node.decode()?;
    if budget.is_finite() && budget > 0.0 {
        Ok(budget)
    } else {
        Err(node.error("`budget_usd` is an amount of dollars above 0"))
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
            "s.yaml:2:8: `votes` is an odd number up to 9, so that there is a majority\n\
             s.yaml:3:11: `base_url` holds no name, password or query (help: the key comes from the variable \
             that `key_env` names)\n\
             s.yaml:4:10: `key_env` is the name of a variable, in capitals (help: a file never contains the key \
             itself)\n\
             s.yaml:5:13: `budget_usd` is an amount of dollars above 0\n\
             s.yaml:1:1: unknown key `modle` (help: did you mean `model`?)"
        );
    }
}
