//! What is said of a blocked tool that was called: the same by every check that blocks tools.

/// What to do about it.
pub(crate) const HELP: &str = "keep the agent from calling it, or take the entry off the list";

/// `tool` was called so many times, though `entry`, in a user's words, blocks it.
pub(crate) fn is_blocked(tool: &str, entry: &str, times: usize) -> String {
    let by = if entry == format!("`{tool}`") { String::new() } else { format!(" by {entry}") };
    let times = if times == 1 { String::new() } else { format!(" {times} times") };
    format!("`{tool}` is blocked{by}, but was called{times}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_named_where_it_is_not_the_tool_itself() {
        assert_eq!(is_blocked("rm", "`rm`", 1), "`rm` is blocked, but was called");
        assert_eq!(
            is_blocked("rm_all", "`rm_*`", 2),
            "`rm_all` is blocked by `rm_*`, but was called 2 times"
        );
    }
}
