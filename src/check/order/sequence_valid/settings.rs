//! The settings of `sequence_valid`: rules inline or from a policy file, or one exact sequence.

use std::cell::RefCell;
use std::sync::Arc;

use super::aliases::Aliases;
use super::contradiction::refuse_contradictions;
use super::exact::Exact;
use super::operand::Operands;
use super::reader::RuleReader;
use super::{Check, Placed, SequenceValid};
use crate::check::Scope;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Tree};

thread_local! {
    /// The rules in a case that this thread read last. The cases of a suite often have the same ones.
    static LAST_RULES: RefCell<Option<(Tree, Arc<Vec<Placed>>)>> = const { RefCell::new(None) };
}

/// Settings of `sequence_valid`, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "describes settings that are read by hand, with their places")]
pub(super) struct SequenceRules {
    /// The rules, each with its `type`.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<Vec<crate::check::support::forms::OrderRule>>", length(min = 1))
    )]
    rules: Option<Vec<String>>,
    /// A file that contains the rules.
    policy: Option<String>,
    /// The tools that are called, in exactly this order, and no others.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<crate::check::support::forms::RuleTool>>"))]
    sequence: Option<Vec<String>>,
    /// Names that stand for several tools in the rules.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<std::collections::BTreeMap<String, crate::check::support::forms::Texts>>")
    )]
    aliases: Option<String>,
    /// Whether two calls of one turn count as ordered.
    same_turn: Option<super::SameTurn>,
    /// `true`: a rule that nothing in the run concerns fails the trial. Default: such a rule passes.
    require_exercised: Option<bool>,
}

/// Reads the settings at `node`.
pub(super) fn read(node: Node<'_>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `sequence_valid`")?;
    let same_turn = fields.optional("same_turn").unwrap_or_default();
    let require_exercised = fields.optional("require_exercised").unwrap_or_default();
    let aliases = fields.node("aliases");
    let given = [fields.node("rules"), fields.node("policy"), fields.node("sequence")];
    match given {
        [None, None, None] => fields.missing(&["rules", "policy", "sequence"], nothing_given(node)),
        given => {
            fields.take(refuse_misplaced(aliases, given));
        }
    }
    let aliases = aliases.and_then(|node| fields.take(Aliases::read(node)));
    let [rules, policy, sequence] = given;
    let inline = rules.and_then(|node| fields.take(read_inline(node, aliases.as_ref())));
    let shared = policy.and_then(|node| fields.take(read_shared(node, scope)));
    let sequence = sequence.and_then(|node| fields.take(read_exact(node, &aliases.unwrap_or_default())));
    let rules = shared.or(inline).unwrap_or_default();
    fields.finish(Box::new(SequenceValid { rules, sequence, same_turn, require_exercised }))
}

fn nothing_given(node: Node<'_>) -> LoadError {
    node.error("`rules` is missing").help("give `rules`, a `policy` file with rules, or one exact `sequence`")
}

/// Refuses settings that are given twice, or that have no effect.
fn refuse_misplaced(aliases: Option<Node<'_>>, given: [Option<Node<'_>>; 3]) -> Result<(), LoadErrors> {
    let error = match (given, aliases) {
        ([Some(_), Some(policy), _], _) => {
            policy.error("`rules` and `policy` are both given").help("move the rules to one place")
        }
        ([None, Some(_), None], Some(aliases)) => aliases
            .error("`aliases` are for `rules`, and there are none")
            .help("move them to the policy file"),
        _ => return Ok(()),
    };
    Err(error.into())
}

/// Reads the rules in a case. Without aliases, their values alone decide what they mean.
fn read_inline(node: Node<'_>, aliases: Option<&Aliases>) -> Result<Arc<Vec<Placed>>, LoadErrors> {
    if let Some(aliases) = aliases {
        return rules_of(node, "rules", aliases, Origin::Inline).map(Arc::new);
    }
    let known = LAST_RULES.with_borrow(|last| {
        let (_, rules) = last.as_ref().filter(|(tree, _)| tree.equals_in_values(node.tree()))?;
        Some(Arc::clone(rules))
    });
    if let Some(rules) = known {
        return Ok(rules);
    }
    let rules = Arc::new(rules_of(node, "rules", &Aliases::default(), Origin::Inline)?);
    LAST_RULES.set(Some((node.tree().clone(), Arc::clone(&rules))));
    Ok(rules)
}

/// The policy that `node` names, read once a process.
fn read_shared(node: Node<'_>, scope: &Scope<'_>) -> Result<Arc<Vec<Placed>>, LoadErrors> {
    let document = scope.document(node)?;
    scope.files.compiled(&scope.path(node)?, || read_policy(document.root()))
}

/// Keys of a policy that other checks read, such as `args_valid`.
const KEYS_OF_OTHERS: &[&str] =
    &["version", "name", "description", "metadata", "tools", "schemas", "enforcement", "$defs"];

/// A list of rules, or `{version, aliases, sequences}`.
fn read_policy(root: Node<'_>) -> Result<Vec<Placed>, LoadErrors> {
    if root.list().is_some() {
        return rules_of(root, "the policy", &Aliases::default(), Origin::Policy);
    }
    let mut fields = Fields::of(root, "a policy with rules")?;
    // One policy file serves several checks: their keys are read by them.
    for key in KEYS_OF_OTHERS {
        fields.node(key);
    }
    let aliases =
        fields.node("aliases").and_then(|node| fields.take(Aliases::read(node))).unwrap_or_default();
    let sequences = fields.node("sequences");
    if sequences.is_none() {
        fields.missing(&["sequences"], root.error("`sequences` is missing"));
    }
    let rules = sequences.and_then(|node| fields.take(rules_of(node, "sequences", &aliases, Origin::Policy)));
    fields.finish_some(rules)
}

/// The source of rules.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Inline,
    Policy,
}

fn rules_of(node: Node<'_>, key: &str, aliases: &Aliases, origin: Origin) -> Result<Vec<Placed>, LoadErrors> {
    let Some(nodes) = node.list() else {
        return Err(node.error(format!("`{key}` is a list of rules, not {}", node.describe())).into());
    };
    if nodes.len() == 0 {
        return Err(node.error("an empty list of rules checks nothing").help("add a rule").into());
    }
    let mut errors = LoadErrors::new();
    let mut rules = Vec::with_capacity(nodes.len());
    let nodes: Vec<Node<'_>> = nodes.collect();
    for (index, node) in nodes.iter().copied().enumerate() {
        let Some((name, rule)) = errors.take(RuleReader::read(node, aliases)) else { continue };
        let policy = (origin == Origin::Policy).then(|| node.place());
        let reads_arguments = reads_arguments(node);
        rules.push(Placed { name, number: Some(index + 1), policy, reads_arguments, rule });
    }
    // Without errors each node has its rule: both lists are walked side by side.
    if errors.is_empty() {
        errors.take(refuse_contradictions(&rules, &nodes));
    }
    errors.or(rules)
}

fn read_exact(node: Node<'_>, aliases: &Aliases) -> Result<Placed, LoadErrors> {
    let rule = Box::new(Exact { tools: Operands::read("sequence", node, aliases)? });
    let reads_arguments = reads_arguments(node);
    Ok(Placed { name: "sequence", number: None, policy: None, reads_arguments, rule })
}

/// Whether a rule constrains arguments.
fn reads_arguments(node: Node<'_>) -> bool {
    let mut entries = node.entries().into_iter().flatten();
    entries.any(|(key, value)| key.name == "args_match" || reads_arguments(value))
        || node.list().into_iter().flatten().any(reads_arguments)
}
