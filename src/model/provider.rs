//! The providers of models: their addresses, their variables, and the form of their errors.

use crate::json::{Json, json};
/// A provider, by the protocol that its clients speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// OpenAI, and the many servers that speak its protocols.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// OpenAI's models on Azure.
    Azure,
    /// Ollama's own API.
    Ollama,
}

impl Provider {
    /// All providers.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Azure, Self::Ollama];

    /// Returns the name under `upstream` and in cassettes.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Azure => "azure",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the provider with this name.
    pub fn find_by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Returns the variable with which clients set another address, and the usual address, if there is one for all users.
    pub(super) fn find_addresses(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::OpenAi => ("OPENAI_BASE_URL", Some("https://api.openai.com/v1")),
            Self::Anthropic => ("ANTHROPIC_BASE_URL", Some("https://api.anthropic.com")),
            Self::Gemini => ("GOOGLE_GEMINI_BASE_URL", Some("https://generativelanguage.googleapis.com")),
            Self::Azure => ("AZURE_OPENAI_ENDPOINT", None),
            Self::Ollama => ("OLLAMA_HOST", Some("http://127.0.0.1:11434")),
        }
    }

    /// Returns an address without what clients add to it. Some expect Anthropic's with its version, others without.
    pub(super) fn trim_address(self, address: &str) -> &str {
        let address = address.trim_end_matches('/');
        if self == Self::Anthropic { address.strip_suffix("/v1").unwrap_or(address) } else { address }
    }

    /// Returns the path below the address as the provider knows it, with the version that a client expected in the address.
    pub(super) fn complete_path(self, path: &str) -> String {
        let lacks_version = self == Self::Anthropic && path.starts_with("/messages");
        if lacks_version { format!("/v1{path}") } else { path.to_owned() }
    }

    /// Renders an error in the provider's own form, which its clients show.
    pub(super) fn render_error(self, status: u16, message: &str) -> Json {
        match self {
            Self::OpenAi | Self::Azure => json!({"error": {
                "message": message, "type": "invalid_request_error", "param": null, "code": "arraign"
            }}),
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}})
            }
            Self::Gemini => {
                json!({"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}})
            }
            Self::Ollama => json!({"error": message}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_that_expect_anthropics_version_in_the_address_are_understood() {
        let anthropic = Provider::Anthropic;
        assert_eq!(anthropic.trim_address("https://api.anthropic.com/v1/"), "https://api.anthropic.com");
        assert_eq!(anthropic.complete_path("/messages"), "/v1/messages");
        assert_eq!(anthropic.complete_path("/v1/messages"), "/v1/messages");
        assert_eq!(Provider::OpenAi.trim_address("https://api.openai.com/v1/"), "https://api.openai.com/v1");
        assert_eq!(Provider::OpenAi.complete_path("/messages"), "/messages");
    }
}
