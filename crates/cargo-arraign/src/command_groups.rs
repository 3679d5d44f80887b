//! The list of commands in `--help`, by what a person is about to do.

use std::fmt::Write as _;

use clap::Command;

/// The headings, and the commands below each in the order in which they are usually needed.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start", &["init", "record", "from-trace", "import", "explain"]),
    ("Run", &["run", "accept", "mcp"]),
    ("Look", &["report", "compare", "history", "convert"]),
    ("Improve", &["lint", "mutate", "attack", "calibrate"]),
    ("Set up", &["schema", "lsp", "ide", "completions", "man"]),
];

/// Lists the commands by group, in place of one list by name.
pub(crate) fn group_commands(command: Command) -> Command {
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_owned();
    let width = command.get_subcommands().map(|one| one.get_name().len()).max().unwrap_or_default();
    for (heading, names) in GROUPS {
        let _ = writeln!(template, "{heading}:");
        for name in *names {
            // A command that needs a feature may not be there.
            let Some(one) = command.find_subcommand(name) else { continue };
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(template, "  {name:width$}  {about}");
        }
        template.push('\n');
    }
    template += "Options:\n{options}{after-help}";
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::Cli;

    #[test]
    fn each_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.sort_unstable();
        let command = Cli::command();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        known.extend(
            ["attack", "mcp", "record"].into_iter().filter(|name| command.find_subcommand(name).is_none()),
        );
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn the_help_begins_with_what_a_project_begins_with() {
        let help = group_commands(Cli::command()).render_help().to_string();
        let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("no {text}:\n{help}"));
        assert!(at("Start:\n  init ") < at("Run:\n  run ") && at("Improve:") < at("Options:"), "{help}");
        assert!(help.contains("Exit codes: 0 success"), "{help}");
    }
}
