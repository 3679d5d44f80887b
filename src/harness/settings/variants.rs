//! The variants that the user selects (`ARRAIGN_VARIANT`).

use std::sync::Arc;

use crate::case::{BASELINE, Variant};
use crate::suite::find_problem_with_name;
use crate::yaml::did_you_mean;

/// The word for all variants that `arraign.yaml` defines, and the baseline.
const ALL: &str = "all";

/// The variants of a run, in their order for each case.
#[derive(Debug, Clone)]
pub(in crate::harness) struct VariantSelection {
    variants: Vec<Arc<Variant>>,
    /// Whether the user named the variants. Otherwise, nothing in the results mentions them.
    is_named: bool,
    /// The suffixes of all variants that the user may name, selected or not.
    suffixes: Vec<String>,
}

impl Default for VariantSelection {
    /// The baseline alone.
    fn default() -> Self {
        Self {
            variants: vec![Arc::new(Variant::new(BASELINE))],
            is_named: false,
            suffixes: vec![String::new()],
        }
    }
}

impl VariantSelection {
    /// Selects the variants called `wanted` among those that `arraign.yaml` defines and those that are called like `agents`;
    /// without a name, the baseline. The error is a message for the user.
    pub(in crate::harness) fn select(
        wanted: &[String],
        defined: &[Variant],
        agents: &[&str],
    ) -> Result<Self, String> {
        let find_defined = |name: &str| defined.iter().find(|variant| variant.name == name);
        let baseline = find_defined(BASELINE).cloned().unwrap_or_else(|| Variant::new(BASELINE));
        let mut chosen: Vec<Variant> = Vec::new();
        for name in wanted {
            if name == ALL {
                chosen.push(baseline.clone());
                chosen.extend_from_slice(defined);
            } else if name == BASELINE {
                chosen.push(baseline.clone());
            } else if let Some(variant) = find_defined(name) {
                chosen.push(variant.clone());
            } else if agents.contains(&name.as_str()) {
                check_agent_name(name)?;
                chosen.push(Variant::of_agent(name));
            } else {
                let others = [BASELINE, ALL].into_iter();
                let known = defined.iter().map(|variant| variant.name.as_str());
                let known: Vec<&str> = others.chain(known).chain(agents.iter().copied()).collect();
                let help = did_you_mean(name, &known)
                    .unwrap_or_else(|| "define it under `variants` in arraign.yaml".to_owned());
                return Err(format!("no variant is called `{name}`; {help}"));
            }
        }
        let is_named = !chosen.is_empty();
        if !is_named {
            chosen.push(baseline);
        }
        // A variant that is named twice runs once.
        let mut variants: Vec<Arc<Variant>> = Vec::new();
        for variant in chosen {
            if !variants.iter().any(|known| known.name == variant.name) {
                variants.push(Arc::new(variant));
            }
        }
        let others = defined.iter().filter(|variant| !variant.is_baseline()).map(Variant::suffix);
        let of_agents = agents.iter().map(|name| Variant::of_agent(name).suffix());
        let suffixes = std::iter::once(String::new()).chain(others).chain(of_agents).collect();
        Ok(Self { variants, is_named, suffixes })
    }

    /// Returns the variants.
    pub(in crate::harness) fn list(&self) -> &[Arc<Variant>] {
        &self.variants
    }

    /// Returns the names of the variants, with commas between them. `None` unless the user named them.
    pub(in crate::harness) fn join_names(&self) -> Option<String> {
        let names: Vec<&str> = self.variants.iter().map(|variant| variant.name.as_str()).collect();
        self.is_named.then(|| names.join(","))
    }

    /// Returns the suffixes of all variants that the user may name, of which the baseline has an empty one.
    pub(in crate::harness) fn list_suffixes(&self) -> &[String] {
        &self.suffixes
    }

    /// Whether the user may name the variant `name`.
    pub(in crate::harness) fn knows(&self, name: &str) -> bool {
        name == BASELINE || self.suffixes.iter().any(|suffix| suffix.strip_prefix('@') == Some(name))
    }

    /// Whether the user named the variants.
    pub(in crate::harness) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Whether `rest`, which follows the name of a case in the name of a trial, is the variant of the trial.
    pub(in crate::harness) fn has_suffix(&self, rest: &str) -> bool {
        self.variants.iter().any(|variant| variant.suffix() == rest)
    }
}

fn check_agent_name(name: &str) -> Result<(), String> {
    find_problem_with_name(name).map_or(Ok(()), |problem| {
        Err(format!(
            "{problem}; define a variant that asks this agent: `variants: {{other: {{agent: ...}}}}`"
        ))
    })
}
