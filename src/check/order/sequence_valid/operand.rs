//! The tools that a rule names: a name, a glob, an alias, or a tool with patterns for its arguments.

use crate::json::{Json, JsonMap};
use std::fmt;

use smol_str::SmolStr;

use super::aliases::Aliases;
use crate::evidence::has_unreadable_arguments;
use crate::pattern::{MAX_SHORT_LIST, TextPattern, ToolPattern, ToolPatternSet, find_example};
use crate::place::{LoadError, LoadErrors};
use crate::trace::{Arguments, Call};
use crate::yaml::{Fields, Key, Node, read_all};

/// The calls that a rule means by one name.
pub(super) struct Operand {
    /// As the user wrote it.
    name: SmolStr,
    /// The name itself, or an alias's members.
    members: Vec<ToolPattern>,
    /// All of these must match.
    arguments: Vec<(String, TextPattern)>,
}

impl Operand {
    /// A name, or `{tool, args_match}`.
    pub(super) fn read(node: Node<'_>, aliases: &Aliases) -> Result<Self, LoadErrors> {
        if let Some(name) = node.as_str() {
            return Ok(Self::named(name, aliases).map_err(|problem| node.error(problem))?);
        }
        if node.entries().is_none() {
            let problem = format!("a tool is a name or `{{tool, args_match}}`, not {}", node.describe());
            return Err(node.error(problem).into());
        }
        Self::with_arguments(node, aliases)
    }

    /// Creates an operand from a pattern. Aliases do not apply.
    pub(super) fn of_pattern(pattern: ToolPattern) -> Self {
        Self { name: SmolStr::new(pattern.as_str()), members: vec![pattern], arguments: Vec::new() }
    }

    /// Whether every call is meant.
    pub(super) fn means_every_call(&self) -> bool {
        self.arguments.is_empty() && self.members.iter().any(|member| member.as_str() == "*")
    }

    fn named(name: &str, aliases: &Aliases) -> Result<Self, String> {
        let members = match aliases.members(name) {
            Some(members) => members.to_vec(),
            None => vec![ToolPattern::new(name)?],
        };
        Ok(Self { name: SmolStr::new(name), members, arguments: Vec::new() })
    }

    fn read_name(node: Node<'_>, aliases: &Aliases) -> Result<Self, LoadError> {
        let name: String = node.decode()?;
        Self::named(&name, aliases).map_err(|problem| node.error(problem))
    }

    fn with_arguments(node: Node<'_>, aliases: &Aliases) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(node, "a tool")?;
        let tool = fields.node("tool");
        if tool.is_none() {
            fields.missing(&["tool"], node.error("`tool` is missing"));
        }
        let tool = tool.and_then(|tool| fields.take(Self::read_name(tool, aliases)));
        let arguments = fields.node("args_match").and_then(|node| fields.take(read_arguments(node)));
        fields.finish_some(tool.map(|tool| Self { arguments: arguments.unwrap_or_default(), ..tool }))
    }

    /// Whether `call` is meant.
    pub(super) fn matches(&self, call: &Call) -> bool {
        self.members.iter().any(|member| member.matches(call)) && self.has_arguments(call)
    }

    /// Whether `call` may be meant: its server may not be recorded.
    pub(super) fn may_match(&self, call: &Call) -> bool {
        self.members.iter().any(|member| member.may_match(call)) && self.has_arguments(call)
    }

    /// Whether `call` is of one of the tools, and its arguments cannot be read, so that nobody knows whether they match.
    pub(super) fn may_match_unreadable(&self, call: &Call) -> bool {
        !self.arguments.is_empty()
            && has_unreadable_arguments(call)
            && self.members.iter().any(|member| member.may_match(call))
    }

    fn has_arguments(&self, call: &Call) -> bool {
        self.arguments.iter().all(|(name, pattern)| argument_matches(call, name, pattern))
    }

    /// The names and globs.
    pub(super) fn members(&self) -> &[ToolPattern] {
        &self.members
    }

    /// Returns the index of the first matching call.
    pub(super) fn first_in(&self, calls: &[Call]) -> Option<usize> {
        calls.iter().position(|call| self.matches(call))
    }

    /// Returns the indices of all matching calls.
    pub(super) fn all_in(&self, calls: &[Call]) -> Vec<usize> {
        (0..calls.len()).filter(|at| self.matches(&calls[*at])).collect()
    }

    /// Whether both are written for the same tools and arguments.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }

    fn sorted(&self) -> (Vec<&str>, Vec<(&str, &str)>) {
        let mut members: Vec<&str> = self.members.iter().map(ToolPattern::as_str).collect();
        let pairs = self.arguments.iter();
        let mut arguments: Vec<(&str, &str)> =
            pairs.map(|(name, like)| (name.as_str(), like.as_str())).collect();
        // Two operands are equal if they mean the same tools, in whatever order they are written.
        members.sort_unstable();
        members.dedup();
        arguments.sort_unstable();
        (members, arguments)
    }

    /// Returns the name as the user wrote it, without arguments.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Names `call` in a message: its own name first, then the operand.
    pub(super) fn say(&self, call: &Call) -> String {
        let is_own_name = call.name == self.name
            || self.members.iter().any(|member| member.is_of_server(&self.name, &call.name));
        let by = if is_own_name { String::new() } else { format!(" (`{}`)", self.name) };
        format!("`{}`{by}{}", call.name, self.say_arguments())
    }

    fn say_arguments(&self) -> String {
        let said: Vec<String> = self
            .arguments
            .iter()
            .map(|(name, pattern)| match pattern.as_str() {
                "" => format!("any `{name}`"),
                like => format!("`{name}` like `{like}`"),
            })
            .collect();
        if said.is_empty() { String::new() } else { format!(" with {}", said.join(" and ")) }
    }

    /// The runs of `count` calls that the operand may mean, one for each member. `None` if they cannot be listed: a glob means
    /// any number of tools.
    pub(super) fn list_alternatives(&self, count: usize) -> Option<Vec<Vec<Call>>> {
        let runs = self.members.iter().map(|member| {
            let name = member.exact()?;
            Some((1..=count).map(|turn| Call::new(name, Arguments::none(), turn)).collect())
        });
        runs.collect()
    }

    /// Builds a matching call in its own turn, if one can be found.
    pub(super) fn example(&self, turn: usize) -> Option<Call> {
        let call = self.members.iter().find_map(|member| member.example(turn))?;
        let arguments = self.arguments.iter().map(|(name, pattern)| {
            let text = find_example(pattern.as_str()).filter(|text| pattern.is_match(text))?;
            Some((name.clone(), Json::from(text)))
        });
        let arguments: Option<JsonMap> = arguments.collect();
        Some(Call { arguments: Arguments::Json(arguments?.into()), ..call })
    }
}

/// `` `bash` with `command` like `^git push` ``.
impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`{}", self.name, self.say_arguments())
    }
}

fn argument_matches(call: &Call, name: &str, pattern: &TextPattern) -> bool {
    match call.arguments.get(name) {
        None => false,
        Some(Json::String(text)) => pattern.is_match(text),
        Some(value) => pattern.is_match(&value.to_string()),
    }
}

fn read_arguments(node: Node<'_>) -> Result<Vec<(String, TextPattern)>, LoadErrors> {
    let entries: Vec<(&Key, Node)> = node.entries().into_iter().flatten().collect();
    if entries.is_empty() {
        let problem =
            format!("`args_match` is a mapping of arguments to patterns, not {}", describe_empty(node));
        return Err(node.error(problem).into());
    }
    read_all(
        entries.into_iter().map(|(key, node)| Ok::<_, LoadErrors>((key.name.to_string(), node.decode()?))),
    )
}

fn describe_empty(node: Node<'_>) -> &'static str {
    if node.entries().is_some() { "an empty one" } else { node.describe() }
}

/// The tools under one key: one, or a list of them.
pub(super) struct Operands {
    key: &'static str,
    is_list: bool,
    tools: Vec<Operand>,
    /// The names and globs of all tools, and the tool to which each of them belongs, if they are many.
    members: Option<Box<(ToolPatternSet, Vec<usize>)>>,
}

impl Operands {
    /// Reads one tool or a list of them, which is not empty.
    pub(super) fn read(key: &'static str, node: Node<'_>, aliases: &Aliases) -> Result<Self, LoadErrors> {
        let nodes = node.one_or_many();
        if nodes.is_empty() {
            return Err(node.error(format!("`{key}` is empty: name at least one tool")).into());
        }
        let tools = read_all(nodes.into_iter().map(|node| Operand::read(node, aliases)))?;
        Ok(Self::new(key, node.list().is_some(), tools))
    }

    fn new(key: &'static str, is_list: bool, tools: Vec<Operand>) -> Self {
        let owned =
            tools.iter().enumerate().flat_map(|(at, tool)| tool.members.iter().map(move |one| (at, one)));
        let members = (owned.clone().count() > MAX_SHORT_LIST).then(|| {
            let (owners, members) = owned.map(|(at, member)| (at, member.clone())).unzip();
            Box::new((ToolPatternSet::new(members), owners))
        });
        Self { key, is_list, tools, members }
    }

    /// The tools, in the user's order.
    pub(super) fn tools(&self) -> &[Operand] {
        &self.tools
    }

    /// Whether `call` is one of them.
    pub(super) fn any_matches(&self, call: &Call) -> bool {
        self.find_match(call).is_some()
    }

    /// Returns the index of the first tool that `call` is.
    pub(super) fn find_match(&self, call: &Call) -> Option<usize> {
        self.find(call, |tool| tool.matches(call))
    }

    pub(super) fn find(&self, call: &Call, test: impl Fn(&Operand) -> bool) -> Option<usize> {
        let Some((members, owners)) = self.members.as_deref() else {
            return self.tools.iter().position(test);
        };
        members.find(call, |member| test(&self.tools[owners[member]])).map(|member| owners[member])
    }

    /// Returns the pointer in the rule to the tool at `index`.
    pub(super) fn pointer(&self, index: usize) -> String {
        if self.is_list { format!("/{}/{index}", self.key) } else { format!("/{}", self.key) }
    }

    /// Joins the tools for a message.
    pub(super) fn say_all(&self, joined: &str) -> String {
        let said: Vec<String> = self.tools.iter().map(ToString::to_string).collect();
        said.join(joined)
    }
}
