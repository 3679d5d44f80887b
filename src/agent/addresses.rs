//! The variables that lead an agent's requests to the model port.

use super::ModelAddresses;

/// The variables in which clients look for an address, each with the address of its provider.
const ADDRESS_VARIABLES: [(&str, SelectAddress); 6] = [
    ("OPENAI_BASE_URL", |addresses| &addresses.openai),
    ("OPENAI_API_BASE", |addresses| &addresses.openai),
    ("ANTHROPIC_BASE_URL", |addresses| &addresses.anthropic),
    ("GOOGLE_GEMINI_BASE_URL", |addresses| &addresses.gemini),
    ("AZURE_OPENAI_ENDPOINT", |addresses| &addresses.azure),
    ("OLLAMA_HOST", |addresses| &addresses.ollama),
];

/// Returns the address of one provider.
type SelectAddress = fn(&ModelAddresses) -> &Option<String>;

/// The variable with the address of the run.
const RUN_VARIABLE: &str = "ARRAIGN_MODEL_URL";

/// The variables in which clients look for a key.
const KEY_VARIABLES: [&str; 5] =
    ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY"];

/// The value of a key in a replay. Clients refuse to start without one.
const NO_KEY: &str = "no-key-in-a-replay";

impl ModelAddresses {
    /// Returns the variables of a process whose description names the variables `env`. In a replay, each key is a word that is
    /// no key.
    pub(super) fn list_variables(&self, env: &[String]) -> Vec<(String, String)> {
        let addresses = ADDRESS_VARIABLES
            .iter()
            .filter_map(|(variable, select)| Some(((*variable).to_owned(), select(self).clone()?)));
        let mut variables: Vec<(String, String)> = addresses.collect();
        variables.push((RUN_VARIABLE.to_owned(), self.url.clone()));
        // Clients refuse to start without a key, and a replay must not need one.
        if self.replays {
            let named = env.iter().map(String::as_str).filter(|name| is_key(name));
            let keys = KEY_VARIABLES.into_iter().chain(named);
            variables.extend(keys.map(|name| (name.to_owned(), NO_KEY.to_owned())));
        }
        variables
    }
}

fn is_key(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.contains("KEY") || name.contains("TOKEN")
}
