//! The settings of `sequence_valid`: rules inline or from a policy file, or one exact sequence, and the tools that they name.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;

use super::lint::refuse_contradictions;
use super::outcome::{OutcomeFit, WantedOutcome};
use super::rules::{self, Exact};
use super::{LocatedRule, Rule, Run, SameTurn, SequenceValid};
use crate::JsonSchema;
use crate::check::arguments::WrittenArgument;
use crate::check::support::call_status::WantedStatus;
use crate::check::support::reading::SettingsOfType;
use crate::check::{BuildCheck, Check, Scope};
use crate::evidence::has_unreadable_arguments;
use crate::json::{Json, JsonMap};
use crate::outcome::CannotDecide;
use crate::pattern::{JsonPath, MAX_SHORT_LIST, TextPattern, ToolPattern, ToolPatternSet, find_example};
use crate::place::{LoadError, LoadErrors};
use crate::trace::{Arguments, Call};
use crate::yaml::{MappingOr, Node, OneOrMany, OrderedMap, Placed, Tree, Unparsed, even_null, read_all};

thread_local! {
    /// The rules in a case that this thread read last. The cases of a suite often have the same ones.
    static LAST_RULES: RefCell<Option<(Tree, Arc<Vec<LocatedRule>>)>> = const { RefCell::new(None) };
}

/// Settings of `sequence_valid`.
#[derive(Deserialize, JsonSchema)]
pub(super) struct SequenceSettings {
    /// The rules, each with its `type`.
    #[serde(default, deserialize_with = "even_null")]
    #[schemars(length(min = 1))]
    rules: Option<Unparsed<Vec<WrittenRule>>>,
    /// A file that contains the rules.
    #[serde(default, deserialize_with = "even_null")]
    policy: Option<Unparsed<String>>,
    /// The tools that are called, in exactly this order, and no others.
    #[serde(default, deserialize_with = "even_null")]
    sequence: Option<Unparsed<Vec<WrittenTool>>>,
    /// Names that stand for several tools in the rules.
    #[serde(default, deserialize_with = "even_null")]
    aliases: Option<Placed<WrittenAliases>>,
    /// Whether two calls of one turn count as ordered.
    same_turn: Option<SameTurn>,
    /// `true`: a rule that nothing in the run concerns fails the trial. Default: such a rule passes.
    require_exercised: Option<bool>,
}

impl BuildCheck for SequenceSettings {
    fn build(settings: Placed<Self>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let mut errors = LoadErrors::new();
        errors.take(refuse_misplaced(&settings));
        let Self { rules, policy, sequence, aliases, same_turn, require_exercised } = settings.into_value();
        let aliases = aliases.and_then(|written| errors.take(Aliases::build(&written)));
        let inline = rules.and_then(|rules| errors.take(build_inline(rules.node(), aliases.as_ref())));
        let shared = policy.and_then(|policy| errors.take(read_shared(policy.node(), scope)));
        let sequence =
            sequence.and_then(|tools| errors.take(build_exact(tools.node(), &aliases.unwrap_or_default())));
        errors.or(Box::new(SequenceValid {
            rules: shared.or(inline).unwrap_or_default(),
            sequence,
            same_turn: same_turn.unwrap_or_default(),
            require_exercised: require_exercised.unwrap_or_default(),
        }))
    }
}

/// Refuses settings that are missing, given twice, or without an effect.
fn refuse_misplaced(settings: &Placed<SequenceSettings>) -> Result<(), LoadError> {
    let error = match (&settings.rules, &settings.policy, &settings.sequence) {
        (None, None, None) => settings
            .error("`rules` is missing")
            .help("give `rules`, a `policy` file with rules, or one exact `sequence`"),
        (Some(_), Some(policy), _) => {
            policy.node().error("`rules` and `policy` are both given").help("move the rules to one place")
        }
        (None, Some(_), None) => match &settings.aliases {
            Some(aliases) => aliases
                .error("`aliases` need `rules`, and this check has no `rules`")
                .help("move them to the policy file"),
            None => return Ok(()),
        },
        _ => return Ok(()),
    };
    Err(error)
}

/// Builds the rules in a case. Without aliases, their values alone decide what they mean.
fn build_inline(node: Node<'_>, aliases: Option<&Aliases>) -> Result<Arc<Vec<LocatedRule>>, LoadErrors> {
    if let Some(aliases) = aliases {
        return build_rules(node, "rules", aliases, Origin::Inline).map(Arc::new);
    }
    let known = LAST_RULES.with_borrow(|last| {
        let (_, rules) = last.as_ref().filter(|(tree, _)| tree.equals_in_values(node.tree()))?;
        Some(Arc::clone(rules))
    });
    if let Some(rules) = known {
        return Ok(rules);
    }
    let rules = Arc::new(build_rules(node, "rules", &Aliases::default(), Origin::Inline)?);
    LAST_RULES.set(Some((node.tree().clone(), Arc::clone(&rules))));
    Ok(rules)
}

/// The policy that `node` names, read once a process.
fn read_shared(node: Node<'_>, scope: &Scope<'_>) -> Result<Arc<Vec<LocatedRule>>, LoadErrors> {
    let document = scope.document(node)?;
    scope.files.compiled(&scope.path(node)?, || read_policy(document.root()))
}

/// Keys of a policy that other checks read, such as `args_valid`.
const KEYS_OF_OTHERS: &[&str] =
    &["version", "name", "description", "metadata", "tools", "schemas", "enforcement", "$defs"];

/// The keys of a policy file that this check reads.
#[derive(Deserialize)]
struct RulesPolicy {
    #[serde(default, deserialize_with = "even_null")]
    aliases: Option<WrittenAliases>,
    sequences: Unparsed<Vec<WrittenRule>>,
}

/// A list of rules, or `{version, aliases, sequences}`.
fn read_policy(root: Node<'_>) -> Result<Vec<LocatedRule>, LoadErrors> {
    if root.list().is_some() {
        return build_rules(root, "the policy", &Aliases::default(), Origin::Policy);
    }
    // One policy file serves several checks: their keys are read by them.
    let policy: RulesPolicy = root.without(KEYS_OF_OTHERS).decode_all()?;
    let mut errors = LoadErrors::new();
    let aliases = policy.aliases.and_then(|written| errors.take(Aliases::build(&written)));
    let rules =
        build_rules(policy.sequences.node(), "sequences", &aliases.unwrap_or_default(), Origin::Policy);
    let rules = errors.take(rules);
    errors.or_some(rules)
}

/// The source of rules.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Inline,
    Policy,
}

fn build_rules(
    node: Node<'_>,
    key: &str,
    aliases: &Aliases,
    origin: Origin,
) -> Result<Vec<LocatedRule>, LoadErrors> {
    let Some(nodes) = node.list() else {
        return Err(node.error(format!("`{key}` is a list of rules, not {}", node.describe())).into());
    };
    if nodes.len() == 0 {
        return Err(node.error("an empty list of rules checks nothing").help("add a rule").into());
    }
    let mut errors = LoadErrors::new();
    let mut rules = Vec::with_capacity(nodes.len());
    let nodes: Vec<Node<'_>> = nodes.collect();
    for (index, node) in nodes.iter().enumerate() {
        let Some(written) = errors.take(node.decode_all::<Placed<WrittenRule>>()) else { continue };
        let Some(rule) = errors.take(RuleBuilder::build(&written, aliases)) else { continue };
        let policy = (origin == Origin::Policy).then(|| node.place());
        rules.push(LocatedRule::new(written.r#type.name(), Some(index + 1), policy, rule));
    }
    // Without errors each node has its rule: both lists are walked side by side.
    if errors.is_empty() {
        errors.take(refuse_contradictions(&rules, &nodes));
    }
    errors.or(rules)
}

fn build_exact(node: Node<'_>, aliases: &Aliases) -> Result<LocatedRule, LoadErrors> {
    let tools = Operands::parse("sequence", node, aliases)?;
    Ok(LocatedRule::new("sequence", None, None, Box::new(Exact { tools })))
}

/// A rule of `sequence_valid`.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "rule", transform = narrow_by_type)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenRule {
    /// The type of the rule.
    r#type: RuleType,
    /// The tool: a name, a glob, an alias, or `{tool, args_match, status, result}`. For `require`, a list of these as well.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) tool: Option<Placed<Unparsed<WrittenTool>>>,
    /// The tools.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) tools: Option<WrittenTools>,
    /// The tools that come first.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) first: Option<WrittenTools>,
    /// The tools that follow.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) then: Option<WrittenTools>,
    /// The tool that triggers the rule.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) trigger: Option<Placed<Unparsed<WrittenTool>>>,
    /// The tool that must not follow.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) forbidden: Option<Placed<Unparsed<WrittenTool>>>,
    /// A glob. Without glob characters, it is a part of the name.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) pattern: Option<Placed<String>>,
    /// The minimum number of calls.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) min: Option<Placed<usize>>,
    /// The maximum number of calls.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) max: Option<Placed<usize>>,
    /// The exact number of calls.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) exactly: Option<Placed<usize>>,
    /// The number of calls within which the tool is called, or `any`.
    #[serde(default, deserialize_with = "even_null")]
    pub(super) within: Option<Placed<RuleWindow>>,
    /// `true`: no other call comes between.
    pub(super) strict: Option<Placed<bool>>,
}

/// The tools under one key of a rule, with its place.
type WrittenTools = Placed<Unparsed<OneOrMany<WrittenTool>>>;

/// A number of calls, or `any`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(untagged, expecting = "expected a number of calls, 1 or more, or `any`")]
pub(super) enum RuleWindow {
    Calls(std::num::NonZeroUsize),
    Any(AnyCalls),
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnyCalls {
    Any,
}

/// The types of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(super) enum RuleType {
    /// Each of the tools is called.
    Require,
    /// Each `first` is called before the first call of each `then`.
    Before,
    /// Each call of `then` comes directly after a call of `first`.
    ImmediatelyBefore,
    /// None of the tools is called.
    Blocklist,
    /// No other tool is called.
    Allowlist,
    /// The number of calls is within the bounds.
    Count,
    /// The tool is called at most `max` times.
    MaxCalls,
    /// The tool is among the first `within` calls.
    Eventually,
    /// Each `then` follows each call of `trigger` within this many calls.
    After,
    /// After the first call of `trigger` there is no call of `forbidden`.
    NeverAfter,
    /// Once one of the tools is called, all are, in this order.
    Sequence,
}

/// What a type of rule is called, the keys beside `type`, and the function that builds such a rule. The function returns
/// `None` if the builder has recorded an error.
struct RuleForm {
    name: &'static str,
    keys: &'static [&'static str],
    build: fn(&mut RuleBuilder<'_>) -> Option<Box<dyn Rule>>,
}

impl RuleType {
    fn form(self) -> RuleForm {
        match self {
            Self::Require => {
                RuleForm { name: "require", keys: &["tool", "tools"], build: rules::build_require }
            }
            Self::Before => RuleForm { name: "before", keys: &["first", "then"], build: rules::build_before },
            Self::ImmediatelyBefore => RuleForm {
                name: "immediately_before",
                keys: &["first", "then"],
                build: rules::build_immediately_before,
            },
            Self::Blocklist => {
                RuleForm { name: "blocklist", keys: &["tools", "pattern"], build: rules::build_blocklist }
            }
            Self::Allowlist => {
                RuleForm { name: "allowlist", keys: &["tools"], build: rules::build_allowlist }
            }
            Self::Count => RuleForm {
                name: "count",
                keys: &["tool", "min", "max", "exactly"],
                build: rules::build_count,
            },
            Self::MaxCalls => {
                RuleForm { name: "max_calls", keys: &["tool", "max"], build: rules::build_max_calls }
            }
            Self::Eventually => {
                RuleForm { name: "eventually", keys: &["tool", "within"], build: rules::build_eventually }
            }
            Self::After => {
                RuleForm { name: "after", keys: &["trigger", "then", "within"], build: rules::build_after }
            }
            Self::NeverAfter => RuleForm {
                name: "never_after",
                keys: &["trigger", "forbidden"],
                build: rules::build_never_after,
            },
            Self::Sequence => {
                RuleForm { name: "sequence", keys: &["tools", "strict"], build: rules::build_sequence }
            }
        }
    }

    fn name(self) -> &'static str {
        self.form().name
    }
}

/// Allows the keys of a rule's type only.
#[cfg(feature = "schema")]
fn narrow_by_type(schema: &mut schemars::Schema) {
    use crate::json::json;

    let Some(serde_json::Value::Object(keys)) = schema.remove("properties") else { return };
    schema.remove("additionalProperties");
    let types = [
        RuleType::Require,
        RuleType::Before,
        RuleType::ImmediatelyBefore,
        RuleType::Blocklist,
        RuleType::Allowlist,
        RuleType::Count,
        RuleType::MaxCalls,
        RuleType::Eventually,
        RuleType::After,
        RuleType::NeverAfter,
        RuleType::Sequence,
    ];
    let narrowed = types.map(RuleType::form).map(|form| {
        let own = form.keys.iter().map(|key| {
            // Of the rules with the key `tool`, `require` alone takes a list.
            let mut described = keys[*key].clone();
            if (form.name, *key) == ("require", "tool") {
                described = keys["tools"].clone();
                described["description"] = keys["tool"]["description"].clone();
            }
            ((*key).to_owned(), described)
        });
        json!({
            "if": {"required": ["type"], "properties": {"type": {"const": form.name}}},
            "then": {
                "properties": own.collect::<serde_json::Map<_, _>>(),
                "patternProperties": {"^type$": true},
                "additionalProperties": false,
            },
        })
    });
    schema.insert("allOf".to_owned(), Vec::from(narrowed).into());
    schema.insert("properties".to_owned(), json!({"type": keys["type"]}).into());
}

/// Builds one rule from the keys of its type. All errors are recorded.
pub(super) struct RuleBuilder<'r> {
    pub(super) written: &'r Placed<WrittenRule>,
    aliases: &'r Aliases,
    pub(super) errors: LoadErrors,
}

impl<'r> RuleBuilder<'r> {
    fn build(written: &'r Placed<WrittenRule>, aliases: &'r Aliases) -> Result<Box<dyn Rule>, LoadErrors> {
        let form = written.r#type.form();
        let mut given = SettingsOfType::new(written.place());
        given.add("tool", written.tool.as_ref());
        given.add("tools", written.tools.as_ref());
        given.add("first", written.first.as_ref());
        given.add("then", written.then.as_ref());
        given.add("trigger", written.trigger.as_ref());
        given.add("forbidden", written.forbidden.as_ref());
        given.add("pattern", written.pattern.as_ref());
        given.add("min", written.min.as_ref());
        given.add("max", written.max.as_ref());
        given.add("exactly", written.exactly.as_ref());
        given.add("within", written.within.as_ref());
        given.add("strict", written.strict.as_ref());
        let mut builder = Self { written, aliases, errors: LoadErrors::new() };
        builder.errors.take(given.refuse_others(form.name, form.keys));
        let rule = (form.build)(&mut builder);
        builder.errors.or_some(rule)
    }

    /// Returns the value under `key`, which the rule needs.
    pub(super) fn require<T>(&mut self, key: &str, value: Option<&'r Placed<T>>) -> Option<&'r Placed<T>> {
        if value.is_none() {
            self.errors.push(self.written.error(format!("`{key}` is missing")));
        }
        value
    }

    /// Parses the required tool under `key`.
    pub(super) fn tool(
        &mut self,
        key: &str,
        written: Option<&'r Placed<Unparsed<WrittenTool>>>,
    ) -> Option<Operand> {
        let tool = self.require(key, written)?;
        self.errors.take(Operand::parse(tool.node(), self.aliases))
    }

    /// Parses the tools under `key`: at least one.
    pub(super) fn tools<T>(
        &mut self,
        key: &'static str,
        written: Option<&'r Placed<Unparsed<T>>>,
    ) -> Option<Operands> {
        let tools = self.require(key, written)?;
        self.errors.take(Operands::parse(key, tools.node(), self.aliases))
    }

    /// Refuses the second of two keys that exclude each other.
    pub(super) fn refuse_both<T, U>(&mut self, first: Option<&Placed<T>>, second: Option<&Placed<U>>) {
        if let (Some(first), Some(second)) = (first, second) {
            let problem = format!("give `{}` or `{}`, not both", first.key(), second.key());
            self.errors.push(second.error(problem));
        }
    }
}

/// Aliases as users write them: `{Egress: [curl, wget]}`.
type WrittenAliases = OrderedMap<String, Placed<OneOrMany<Placed<ToolPattern>>>>;

/// The aliases that the rules of one file may use: one name for several tools.
#[derive(Default)]
struct Aliases(Vec<(String, Vec<ToolPattern>)>);

impl Aliases {
    fn build(written: &WrittenAliases) -> Result<Self, LoadErrors> {
        let is_alias = |name: &str| written.0.iter().any(|(alias, _)| alias == name);
        let mut errors = LoadErrors::new();
        for (alias, members) in &written.0 {
            if members.0.is_empty() {
                let error = members.error(format!("the alias `{alias}` has no members"));
                errors.push(error.help("list its tools, or drop it"));
            }
            // A member that is another alias would be taken for a tool of that name, and match nothing.
            for member in
                members.0.iter().filter(|member| member.as_str() != alias && is_alias(member.as_str()))
            {
                let problem = format!("`{}` is an alias itself, and aliases do not nest", member.as_str());
                errors.push(member.error(problem).help("list its members here"));
            }
        }
        let aliases = written.0.iter().map(|(alias, members)| {
            (alias.clone(), members.0.iter().map(|member| (**member).clone()).collect())
        });
        errors.or(Self(aliases.collect()))
    }

    /// Returns the tools that `name` stands for, if it is an alias.
    fn members(&self, name: &str) -> Option<&[ToolPattern]> {
        self.0.iter().find(|(alias, _)| alias == name).map(|(_, members)| members.as_slice())
    }
}

/// A tool of a rule: a name, a glob, an alias, or `{tool, args_match, status, result}`.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(transparent)]
pub(super) struct WrittenTool(MappingOr<ToolWithArguments, Placed<String>>);

/// A tool with patterns for its arguments.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "tool_with_arguments")]
#[serde(deny_unknown_fields)]
pub(super) struct ToolWithArguments {
    /// A name, a glob, or an alias.
    tool: Placed<String>,
    /// Regular expressions that the arguments match, by name.
    #[serde(default, deserialize_with = "even_null")]
    args_match: Option<Placed<OrderedMap<String, TextPattern>>>,
    /// How the call ends. Default: `any`, an attempt counts.
    #[serde(default, deserialize_with = "even_null")]
    status: Option<WantedStatus>,
    /// Paths (RFC 9535) into the result, each with a value or a [matcher](../calls.md#matchers): `{$.verified: true}`.
    #[serde(default, deserialize_with = "even_null")]
    result: Option<Placed<OrderedMap<JsonPath, Unparsed<WrittenArgument>>>>,
}

/// The calls that a rule means by one name.
pub(super) struct Operand {
    /// As the user wrote it.
    name: SmolStr,
    /// The name itself, or an alias's members.
    members: Vec<ToolPattern>,
    /// All of these must match.
    arguments: Vec<(String, TextPattern)>,
    /// How the calls end; `None` if attempts count.
    outcome: Option<WantedOutcome>,
}

impl Operand {
    fn parse(node: Node<'_>, aliases: &Aliases) -> Result<Self, LoadErrors> {
        let name_tool = |name: &Placed<String>| {
            let members = match aliases.members(name) {
                Some(members) => members.to_vec(),
                None => vec![name.try_map(|name| ToolPattern::new(name))?],
            };
            Ok(Self { name: SmolStr::new(name.as_str()), members, arguments: Vec::new(), outcome: None })
        };
        let WrittenTool(written) = node.decode_all()?;
        match written {
            MappingOr::Short(name) => name_tool(&name),
            MappingOr::Mapping(ToolWithArguments { tool, args_match, status, result }) => {
                if let Some(empty) = args_match.as_ref().filter(|patterns| patterns.0.is_empty()) {
                    let problem = "`args_match` must name at least one argument";
                    return Err(empty.error(problem).into());
                }
                let arguments = args_match.map(|patterns| patterns.into_value().0).unwrap_or_default();
                let outcome = WantedOutcome::build(status, result)?;
                Ok(Self { arguments, outcome, ..name_tool(&tool)? })
            }
        }
    }

    /// Creates an operand from a pattern. Aliases do not apply.
    pub(super) fn of_pattern(pattern: ToolPattern) -> Self {
        let name = SmolStr::new(pattern.as_str());
        Self { name, members: vec![pattern], arguments: Vec::new(), outcome: None }
    }

    /// Whether every call is meant.
    pub(super) fn means_every_call(&self) -> bool {
        self.arguments.is_empty()
            && self.outcome.is_none()
            && self.members.iter().any(|member| member.as_str() == "*")
    }

    /// Whether it has patterns for arguments.
    pub(super) fn reads_arguments(&self) -> bool {
        !self.arguments.is_empty()
    }

    /// Whether the rule asks how calls end.
    pub(super) fn reads_outcomes(&self) -> bool {
        self.outcome.is_some()
    }

    /// Whether `call` is meant.
    pub(super) fn matches(&self, call: &Call, run: &Run<'_>) -> bool {
        self.members.iter().any(|member| member.matches(call))
            && self.has_arguments(call)
            && self.ended_so(call, run)
    }

    /// Whether `call` may be meant: its server may not be recorded.
    pub(super) fn may_match(&self, call: &Call, run: &Run<'_>) -> bool {
        self.members.iter().any(|member| member.may_match(call))
            && self.has_arguments(call)
            && self.ended_so(call, run)
    }

    fn ended_so(&self, call: &Call, run: &Run<'_>) -> bool {
        let Some(outcome) = &self.outcome else { return true };
        match outcome.judge(call, run) {
            OutcomeFit::Yes => true,
            OutcomeFit::No(_) => false,
            OutcomeFit::Unknown(_) => outcome.is_assumed(call, run),
        }
    }

    /// Explains why it is not known whether `call` is meant: the trace does not say how it ended.
    pub(super) fn find_doubt(&self, call: &Call, run: &Run<'_>) -> Option<CannotDecide> {
        let outcome = self.outcome.as_ref()?;
        let is_of_tool = self.members.iter().any(|member| member.may_match(call)) && self.has_arguments(call);
        match is_of_tool.then(|| outcome.judge(call, run))? {
            OutcomeFit::Unknown(doubt) => Some(doubt),
            OutcomeFit::Yes | OutcomeFit::No(_) => None,
        }
    }

    /// Whether `other` wants the same of the result of a call. That one wants its success and the other its failure is no
    /// difference: a call has one of the two.
    pub(super) fn wants_outcome_like(&self, other: &Self) -> bool {
        let results = [&self.outcome, &other.outcome]
            .map(|outcome| outcome.as_ref().map(WantedOutcome::describe_result));
        results[0] == results[1]
    }

    /// Describes the first call of the tool that ended otherwise.
    pub(super) fn describe_other_outcome(&self, run: &Run<'_>) -> Option<String> {
        let outcome = self.outcome.as_ref()?;
        let is_of_tool =
            |call: &&Call| self.members.iter().any(|member| member.matches(call)) && self.has_arguments(call);
        run.calls.iter().filter(is_of_tool).find_map(|call| match outcome.judge(call, run) {
            OutcomeFit::No(why) => Some(format!("call {} of `{}` {why}", call.index, call.name)),
            OutcomeFit::Yes | OutcomeFit::Unknown(_) => None,
        })
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
    pub(super) fn first_in(&self, run: &Run<'_>) -> Option<usize> {
        self.first_before(run.calls.len(), run)
    }

    /// Returns the index of the first matching call before the call at `end`.
    pub(super) fn first_before(&self, end: usize, run: &Run<'_>) -> Option<usize> {
        run.calls[..end].iter().position(|call| self.matches(call, run))
    }

    /// Returns the indices of all matching calls.
    pub(super) fn all_in(&self, run: &Run<'_>) -> Vec<usize> {
        (0..run.calls.len()).filter(|at| self.matches(&run.calls[*at], run)).collect()
    }

    /// Whether both are written for the same tools and arguments.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.sorted() == other.sorted() && self.say_outcome() == other.say_outcome()
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
        format!("`{}`{by}{}{}", call.name, self.say_arguments(), self.say_outcome())
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

    fn say_outcome(&self) -> String {
        self.outcome.as_ref().map_or_else(String::new, |outcome| format!(" ({outcome})"))
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
        let call = Call { arguments: Arguments::Json(arguments?.into()), ..call };
        match &self.outcome {
            Some(outcome) => outcome.set_example(call),
            None => Some(call),
        }
    }
}

/// `` `bash` with `command` like `^git push` ``.
impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`{}{}", self.name, self.say_arguments(), self.say_outcome())
    }
}

fn argument_matches(call: &Call, name: &str, pattern: &TextPattern) -> bool {
    match call.arguments.get(name) {
        None => false,
        Some(Json::String(text)) => pattern.is_match(text),
        Some(value) => pattern.is_match(&value.to_string()),
    }
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
    /// Parses one tool or a list of them, which is not empty.
    fn parse(key: &'static str, node: Node<'_>, aliases: &Aliases) -> Result<Self, LoadErrors> {
        let nodes = node.one_or_many();
        if nodes.is_empty() {
            return Err(node.error(format!("`{key}` is empty: name at least one tool")).into());
        }
        let tools = read_all(nodes.into_iter().map(|node| Operand::parse(node, aliases)))?;
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

    /// Returns how many tools are compared with a call to find one that it is. Long lists are indexed.
    pub(super) fn count_comparisons(&self) -> usize {
        match &self.members {
            Some(_) => MAX_SHORT_LIST,
            None => self.tools.iter().map(|tool| tool.members().len()).sum(),
        }
    }

    /// Whether `call` is one of them.
    pub(super) fn any_matches(&self, call: &Call, run: &Run<'_>) -> bool {
        self.find_match(call, run).is_some()
    }

    /// Returns the index of the first tool that `call` is.
    pub(super) fn find_match(&self, call: &Call, run: &Run<'_>) -> Option<usize> {
        self.find(call, |tool| tool.matches(call, run))
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
