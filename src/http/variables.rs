//! `${NAME}` in a text: the value of a variable, which stands in the environment and in no file.

/// A text with its variables filled in.
#[derive(Clone, PartialEq, Eq)]
pub struct Filled {
    /// The text.
    pub text: String,
    /// The names and values of those that it names.
    pub variables: Vec<(String, String)>,
}

/// Why a text cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfilled {
    /// The variable has no value.
    #[error("the variable `{0}` is not set")]
    NotSet(String),
    /// There is no `}`.
    #[error("`${{` has no `}}` behind it")]
    Open,
    /// Nothing that can be a variable's name stands in the braces.
    #[error("`${{{0}}}` names no variable: a name has letters, digits and `_`")]
    NoName(String),
}

/// Whether `text` names a variable.
pub fn is_template(text: &str) -> bool {
    text.contains("${")
}

/// Replaces each `${NAME}` in `text` by what `variable` says. Values are not looked through again.
pub fn fill(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Filled, Unfilled> {
    let mut filled = Filled { text: String::with_capacity(text.len()), variables: Vec::new() };
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}').ok_or(Unfilled::Open)?;
        if !is_name(name) {
            return Err(Unfilled::NoName(name.to_owned()));
        }
        let value = variable(name).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| Unfilled::NotSet(name.to_owned()))?;
        filled.text.push_str(before);
        filled.text.push_str(&value);
        filled.variables.push((name.to_owned(), value));
        rest = behind;
    }
    filled.text.push_str(rest);
    Ok(filled)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, String> {
        let variable = |name: &str| ["KEY", "A"].contains(&name).then(|| format!("<{name}${{B}}>"));
        fill(text, variable).map(|filled| filled.text).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_filled_in_once() {
        assert_eq!(of("Bearer ${KEY}, ${A}!"), Ok("Bearer <KEY${B}>, <A${B}>!".to_owned()));
        assert_eq!(of("$5 {x}"), Ok("$5 {x}".to_owned()));
    }

    #[test]
    fn what_cannot_be_filled_in_is_told() {
        assert_eq!(of("${NO}"), Err("the variable `NO` is not set".to_owned()));
        assert_eq!(of("${A"), Err("`${` has no `}` behind it".to_owned()));
        assert_eq!(
            of("${a b}"),
            Err("`${a b}` names no variable: a name has letters, digits and `_`".to_owned())
        );
    }
}
