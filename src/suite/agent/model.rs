//! `model:` how the requests of an agent to its model are recorded.

use serde::Deserialize;

use super::require_feature;
use crate::JsonSchema;
use crate::case::ModelSettings;
use crate::place::LoadErrors;
use crate::yaml::{Build, MappingOr, OneOrMany, Placed};

/// How the requests to a model are recorded: `true`, or the settings.
pub(in crate::suite) type WrittenModel = MappingOr<ModelForm, bool>;

/// Where requests to a model go, and what is not compared in a replay.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(in crate::suite) struct ModelForm {
    /// Addresses of providers, in place of the usual ones.
    #[serde(default)]
    upstream: Upstreams,
    /// JSON pointers to the parts of a request that are not compared.
    #[serde(default)]
    ignore: OneOrMany<RequestPointer>,
    /// Regular expressions of the parts of texts that are not compared, such as times.
    #[serde(default)]
    ignore_text: OneOrMany<TextPart>,
    /// `true`: further equal requests get the reply of the last recorded one.
    #[serde(default)]
    reuse: bool,
}

/// The addresses of providers. One that is not named keeps the address of its variable, or else its usual one.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct Upstreams {
    /// In place of `https://api.openai.com/v1`.
    openai: Option<ProviderUrl>,
    /// In place of `https://api.anthropic.com`.
    anthropic: Option<ProviderUrl>,
    /// In place of `https://generativelanguage.googleapis.com`.
    gemini: Option<ProviderUrl>,
    /// An endpoint on Azure. It has no default.
    azure: Option<ProviderUrl>,
    /// In place of `http://127.0.0.1:11434`.
    ollama: Option<ProviderUrl>,
}

impl Build for WrittenModel {
    /// `None`: the model is not recorded.
    type Built = Option<ModelSettings>;

    fn build(written: Placed<Self>) -> Result<Self::Built, LoadErrors> {
        require_feature(written.place(), "model", "model", cfg!(feature = "model"))?;
        let form = match written.into_value() {
            MappingOr::Short(wanted) => return Ok(wanted.then(ModelSettings::default)),
            MappingOr::Mapping(form) => form,
        };
        let Upstreams { openai, anthropic, gemini, azure, ollama } = form.upstream;
        let upstream = [
            ("openai", openai),
            ("anthropic", anthropic),
            ("gemini", gemini),
            ("azure", azure),
            ("ollama", ollama),
        ];
        let upstream = upstream.into_iter().filter_map(|(name, url)| Some((name.to_owned(), url?.0)));
        Ok(Some(ModelSettings {
            upstream: upstream.collect(),
            ignore: form.ignore.0.into_iter().map(|pointer| pointer.0).collect(),
            ignore_text: form.ignore_text.0.into_iter().map(|pattern| pattern.0).collect(),
            reuse: form.reuse,
        }))
    }
}

/// The address of a provider.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(try_from = "String")]
struct ProviderUrl(String);

impl TryFrom<String> for ProviderUrl {
    type Error = &'static str;

    fn try_from(url: String) -> Result<Self, Self::Error> {
        // A query or a user in the address could hold a key, which would be written to a recording.
        let is_web = ["http://", "https://"].iter().any(|start| url.starts_with(start));
        if is_web && !url.contains(['?', '#', '@']) {
            return Ok(Self(url));
        }
        Err("not the address of a provider: write it without a key, for example `https://api.openai.com/v1`")
    }
}

/// A JSON pointer to a part of a request.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(try_from = "String")]
struct RequestPointer(String);

/// The parts of requests that hold all of what a provider's model is asked.
const CONVERSATIONS: [&str; 4] = ["/messages", "/input", "/contents", "/prompt"];

impl TryFrom<String> for RequestPointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if CONVERSATIONS.contains(&text.as_str()) {
            return Err(format!(
                "without `{text}`, all requests are equal, and any prompt gets the recorded reply: name a part of it"
            ));
        }
        if text.starts_with('/') {
            Ok(Self(text))
        } else {
            Err("a JSON pointer begins with `/`: `/seed`".to_owned())
        }
    }
}

/// A regular expression of a part of texts.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(try_from = "String")]
struct TextPart(String);

impl TryFrom<String> for TextPart {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let regex = regex::Regex::new(&text).map_err(|error| format!("not a regular expression: {error}"))?;
        // What is left of these texts would be compared. They have nothing in common that a sensible pattern would mean.
        let is_all_gone = |text: &str| !regex.replace_all(text, "").contains(char::is_alphanumeric);
        if ["Delete all 17 orders, now!", "be nice\nor not"].into_iter().all(is_all_gone) {
            return Err(
                "the pattern matches every text, so that any prompt gets the recorded reply".to_owned()
            );
        }
        Ok(Self(text))
    }
}
