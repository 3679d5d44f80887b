//! `input_match`: which texts of the user in a run are compared with the input of its case.

use crate::place::LoadError;
use crate::yaml::{Node, Value};

/// Which texts of the user in a run are compared with the input of its case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

impl InputMatch {
    /// Parses `input_match`. `true` is the default.
    pub fn parse(node: Node<'_>) -> Result<Self, LoadError> {
        match node.value() {
            Value::Bool(false) => Ok(Self::Off),
            Value::Bool(true) => Ok(Self::First),
            Value::String(word) => match word.as_str() {
                "first" => Ok(Self::First),
                "last" => Ok(Self::Last),
                "any" => Ok(Self::Any),
                "contains" => Ok(Self::Contains),
                _ => Err(unknown_value_error(node)),
            },
            _ => Err(unknown_value_error(node)),
        }
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

fn unknown_value_error(node: Node<'_>) -> LoadError {
    let help = "`first`: the first text of the user is the input, or has it as lines of its own; `contains`: some text has it anywhere";
    node.error("`input_match` is `first`, `last`, `any`, `contains` or `false`").help(help)
}
