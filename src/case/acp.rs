//! An agent that speaks the Agent Client Protocol.

use super::CommandLine;
use crate::json::{Json, json};

/// An agent over the Agent Client Protocol: a process, and what it may do without asking a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcpAgent {
    /// The process.
    pub line: CommandLine,
    /// How its requests for permissions are answered.
    pub permissions: AcpPermissions,
}

/// How requests for permissions are answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AcpPermissions {
    /// Each is granted.
    Allow,
    /// None is granted.
    #[default]
    Deny,
    /// Those of these kinds and names are granted. What `allow` names is granted, also if `deny` names it, and everything else is
    /// refused.
    Listed {
        /// The kinds and names that are granted.
        allow: Vec<String>,
        /// The kinds and names that are refused.
        deny: Vec<String>,
    },
}

impl AcpPermissions {
    /// Returns the settings for a fingerprint of the agent.
    pub fn define(&self) -> Json {
        match self {
            Self::Allow => "allow".into(),
            Self::Deny => "deny".into(),
            Self::Listed { allow, deny } => json!({"allow": allow, "deny": deny}),
        }
    }
}
