//! `input_match`: which texts of the user in a run are compared with the input of its case.

use serde::Deserialize;

use crate::JsonSchema;
use crate::place::LoadError;
use crate::yaml::Node;

/// Which texts of the user in a run are compared with the input of its case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(with = "WrittenInputMatch", inline)]
#[serde(from = "WrittenInputMatch")]
pub enum InputMatch {
    /// The first text is the input, or holds it as a piece of its own.
    #[default]
    First,
    /// The last text is the input, or holds it as a piece of its own.
    Last,
    /// Some text is the input, or holds it as a piece of its own.
    Any,
    /// Some text contains the input.
    Contains,
    /// Nothing is compared.
    Off,
}

/// Which texts of the user in a run are compared with the input of its case.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(untagged, expecting = "`input_match` is `first`, `last`, `any`, `contains` or `false`")]
enum WrittenInputMatch {
    /// `false`: nothing is compared. `true`: the default.
    Flag(bool),
    Texts(ComparedTexts),
}

/// Which texts of the user are compared, in a word.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
enum ComparedTexts {
    /// The first text. The default.
    First,
    /// The last text.
    Last,
    /// Some text.
    Any,
    /// Some text, which contains the input anywhere.
    Contains,
}

impl From<WrittenInputMatch> for InputMatch {
    fn from(written: WrittenInputMatch) -> Self {
        match written {
            WrittenInputMatch::Flag(false) => Self::Off,
            WrittenInputMatch::Flag(true) | WrittenInputMatch::Texts(ComparedTexts::First) => Self::First,
            WrittenInputMatch::Texts(ComparedTexts::Last) => Self::Last,
            WrittenInputMatch::Texts(ComparedTexts::Any) => Self::Any,
            WrittenInputMatch::Texts(ComparedTexts::Contains) => Self::Contains,
        }
    }
}

impl InputMatch {
    /// Parses `input_match`. `true` is the default.
    pub fn parse(node: Node<'_>) -> Result<Self, LoadError> {
        let help = "`first`: the first text of the user is the input, or has it as lines of its own; `contains`: some text has it anywhere";
        node.decode().map_err(|error| error.help(help))
    }

    /// Returns the value as users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
            Self::Any => "any",
            Self::Contains => "contains",
            Self::Off => "false",
        }
    }
}
