//! `${NAME}` in a text: the value of an environment variable, which is stored in no file.

/// Why a text with variables cannot be read or filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariableError {
    /// A variable has no end.
    #[error("`${{` has no `}}` behind it")]
    Unclosed,
    /// The name cannot be the name of a variable.
    #[error("`${{{0}}}` names no variable: a name has letters, digits and `_`")]
    NoName(String),
    /// The variable is not set, or empty.
    #[error("the variable `{0}` is not set")]
    NotSet(String),
}

/// A text with variables: each `${` is followed by a name and a `}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VariableText(String);

/// A text with its variables filled in.
#[derive(Clone, PartialEq, Eq)]
pub struct FilledText {
    /// The text.
    pub text: String,
    /// The variables of the text, with their values.
    pub variables: Vec<(String, String)>,
}

impl VariableText {
    /// Checks the variables of `text`. The error shows the invalid name.
    pub fn new(text: String) -> Result<Self, VariableError> {
        let mut rest = text.as_str();
        while let Some((_, after)) = rest.split_once("${") {
            let (name, behind) = after.split_once('}').ok_or(VariableError::Unclosed)?;
            if !is_name(name) {
                return Err(VariableError::NoName(name.to_owned()));
            }
            rest = behind;
        }
        Ok(Self(text))
    }

    /// Returns the text as written in its file.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the names of the variables.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut rest = self.0.as_str();
        while let Some((_, (name, behind))) = split_at_variable(rest) {
            names.push(name);
            rest = behind;
        }
        names
    }

    /// Replaces each `${NAME}` by its value, which is not searched for further variables. The error names a variable
    /// without a value.
    pub fn fill(&self, variable: impl Fn(&str) -> Option<String>) -> Result<FilledText, VariableError> {
        let mut filled = FilledText { text: String::with_capacity(self.0.len()), variables: Vec::new() };
        let mut rest = self.0.as_str();
        while let Some((before, (name, behind))) = split_at_variable(rest) {
            // An empty variable counts as missing: it is what an unset secret of a CI job looks like.
            let value = variable(name).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| VariableError::NotSet(name.to_owned()))?;
            filled.text.push_str(before);
            filled.text.push_str(&value);
            filled.variables.push((name.to_owned(), value));
            rest = behind;
        }
        filled.text.push_str(rest);
        Ok(filled)
    }
}

/// Splits a text into the part before its first variable, the variable's name, and the rest.
fn split_at_variable(text: &str) -> Option<(&str, (&str, &str))> {
    let (before, after) = text.split_once("${")?;
    Some((before, after.split_once('}')?))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, VariableError> {
        let text = VariableText::new(text.to_owned())?;
        let filled = text.fill(|name| ["KEY", "A"].contains(&name).then(|| format!("<{name}${{B}}>")));
        filled.map(|filled| filled.text)
    }

    #[test]
    fn variables_are_filled_in_once() {
        assert_eq!(of("Bearer ${KEY}, ${A}!"), Ok("Bearer <KEY${B}>, <A${B}>!".to_owned()));
        assert_eq!(of("$5 {x}"), Ok("$5 {x}".to_owned()));
        assert_eq!(VariableText("${KEY}, ${A} $B".to_owned()).names(), ["KEY", "A"]);
        assert_eq!(of("${NO}"), Err(VariableError::NotSet("NO".to_owned())));
    }

    #[test]
    fn what_names_no_variable_is_told() {
        let of = |text: &str| VariableText::new(text.to_owned()).map(drop);
        assert_eq!(of("${A"), Err(VariableError::Unclosed));
        let no_name = |name: &str| Err(VariableError::NoName(name.to_owned()));
        let wrong = of("${a b}").expect_err("a mistake").to_string();
        assert_eq!(wrong, "`${a b}` names no variable: a name has letters, digits and `_`");
        assert_eq!(of("${A} ${a b}"), no_name("a b"));
        assert_eq!((of("${}"), of("${${A}}")), (no_name(""), no_name("${A")));
    }
}
