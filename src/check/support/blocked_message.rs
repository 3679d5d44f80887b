//! The message about a blocked tool that was called, for every check that blocks tools.

/// The help of the message.
pub(crate) const HELP: &str = "keep the agent from calling it, or take the entry off the list";

/// Says that `tool`, which `entry` blocks, was called so many times.
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
