//! `acp:` an agent that speaks the Agent Client Protocol.

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::AcpPermissions;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{MappingOr, OneOrMany, Placed};

/// How requests for permissions are answered.
pub(super) type WrittenPermissions = MappingOr<ListedPermissions, PermissionWord>;

/// The answer to all requests.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(super) enum PermissionWord {
    /// Each permission is granted.
    Allow,
    /// None is granted.
    Deny,
}

/// The kinds of calls (`read`, `edit`, `delete`, `move`, `search`, `execute`, `think`, `fetch`, `switch_mode`, `other`) and the
/// names of tools that are granted and refused. What neither list names is refused.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct ListedPermissions {
    /// What is granted.
    #[serde(default)]
    allow: OneOrMany<Placed<String>>,
    /// What is refused, unless `allow` names it.
    #[serde(default)]
    deny: OneOrMany<Placed<String>>,
}

/// Builds the permissions of an agent.
pub(super) fn build_permissions(written: WrittenPermissions) -> Result<AcpPermissions, LoadErrors> {
    let listed = match written {
        MappingOr::Short(PermissionWord::Allow) => return Ok(AcpPermissions::Allow),
        MappingOr::Short(PermissionWord::Deny) => return Ok(AcpPermissions::Deny),
        MappingOr::Mapping(listed) => listed,
    };
    let mut errors = LoadErrors::new();
    let mut read = |entries: OneOrMany<Placed<String>>| -> Vec<String> {
        for entry in entries.0.iter().filter(|entry| entry.trim().is_empty()) {
            errors
                .push(LoadError::new(entry.place().clone(), "expected a kind of call or the name of a tool"));
        }
        entries.0.into_iter().map(Placed::into_value).collect()
    };
    let listed = AcpPermissions::Listed { allow: read(listed.allow), deny: read(listed.deny) };
    errors.or(listed)
}
