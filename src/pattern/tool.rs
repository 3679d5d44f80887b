//! The names of tools that users write, and the calls that they mean.
//!
//! `get_order` is the tool on any server, `shop:get_order` the one of a server. A name may be a glob. A star crosses
//! every character, `/`, `.`, `:` and `__` included: tool names are no paths, and a blocklist that stops at a slash
//! lets `server/admin_reset` through.

use std::fmt;

use crate::JsonSchema;

use serde::{Deserialize, Deserializer, de};
use smol_str::SmolStr;

use arraign_trace::trace::{Arguments, Call, ToolServer, split_server};

use super::error::{OddCharacter, PatternError};
use super::glob_example::find_glob_example;
use super::name_matcher::{NameMatcher, Spelling};
use super::visible::{is_no_name_char, show_name};

/// Matches the calls of a tool, or of all tools that a glob describes.
///
/// ```
/// # use arraign::__internals::pattern::ToolPattern;
/// # use arraign::trace::{Arguments, Call, ToolServer};
/// let mut call = Call::new("mcp__shop__get_order", Arguments::none(), 1);
/// call.set_tool("get_order", ToolServer::Named("shop".into()));
/// for text in ["get_order", "shop:get_order", "mcp__shop__get_order", "*_order", "shop:*"] {
///     assert!(ToolPattern::new(text)?.matches(&call), "{text}");
/// }
/// assert!(!ToolPattern::new("store:get_order")?.matches(&call));
/// # Ok::<(), arraign::__internals::pattern::PatternError>(())
/// ```
#[derive(Clone, JsonSchema)]
#[schemars(with = "String", description = "", inline)]
pub struct ToolPattern {
    text: SmolStr,
    /// The whole text, as a name without a server.
    whole: NameMatcher,
    /// The two parts of a text that names a server.
    parts: Option<Box<ServerTool>>,
}

/// A server, and a tool of it.
#[derive(Clone)]
struct ServerTool {
    server: NameMatcher,
    tool: NameMatcher,
}

/// Whether a pattern means a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolMatch {
    /// The pattern means the call.
    Yes,
    /// The pattern does not mean the call.
    No,
    /// The answer depends on the server of the tool, which the trace does not record.
    Undecided,
}

impl ToolPattern {
    /// A case-sensitive pattern.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        Self::with_spelling(text, Spelling::Exact)
    }

    /// The same pattern, blind to case.
    pub fn in_any_case(&self) -> Result<Self, PatternError> {
        Self::with_spelling(&self.text, Spelling::AnyCase)
    }

    /// A pattern that compares names by `spelling`.
    pub(super) fn with_spelling(text: &str, spelling: Spelling) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        if text.len() > 2 && text.starts_with('/') && text.ends_with('/') {
            return Err(PatternError::RegexForName(text.to_owned()));
        }
        if is_placeholder(text) {
            return Err(PatternError::Placeholder(text.to_owned()));
        }
        refuse_odd_chars(text, spelling)?;
        Self::of_any_name(text, spelling)
    }

    /// A pattern of names that are no tools, such as servers and paths of arguments. They may have blanks.
    pub(crate) fn of_name(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        Self::of_any_name(text, Spelling::Exact)
    }

    fn of_any_name(text: &str, spelling: Spelling) -> Result<Self, PatternError> {
        // `shop:get_order` may be the whole name of a tool, or a server and its tool. Both readings are kept, and
        // either may match.
        let whole = NameMatcher::new(text, spelling)?;
        let parts = split_server(text).map(|(server, tool)| {
            let server = NameMatcher::new(server, spelling)?;
            let tool = NameMatcher::new(tool, spelling)?;
            Ok::<_, PatternError>(Box::new(ServerTool { server, tool }))
        });
        Ok(Self { text: SmolStr::new(text), whole, parts: parts.transpose()? })
    }

    /// Whether `call` is meant. A glob over the tools of a server (`shop:*`) leaves it open for a call whose server is
    /// not recorded; a name (`shop:get_order`) means such a call.
    pub fn match_call(&self, call: &Call) -> ToolMatch {
        // The name as the trace has written it counts, too: `mcp__shop__get_order`, where the reader has taken the
        // server apart.
        if self.whole.matches(&call.name)
            || call.written.as_ref().is_some_and(|name| self.whole.matches(name))
        {
            return ToolMatch::Yes;
        }
        let Some(parts) = self.parts.as_ref().filter(|parts| parts.tool.matches(&call.name)) else {
            return ToolMatch::No;
        };
        match &call.server {
            ToolServer::Named(server) if parts.server.matches(server) => ToolMatch::Yes,
            ToolServer::Named(_) | ToolServer::BuiltIn => ToolMatch::No,
            ToolServer::NotRecorded if parts.tool.is_glob() => ToolMatch::Undecided,
            ToolServer::NotRecorded => ToolMatch::Yes,
        }
    }

    /// Whether `call` is certainly meant.
    pub fn matches(&self, call: &Call) -> bool {
        self.match_call(call) == ToolMatch::Yes
    }

    /// Whether `call` may be meant: where the server of the tool counts, it may not be recorded.
    pub fn may_match(&self, call: &Call) -> bool {
        self.match_call(call) != ToolMatch::No
    }

    /// Whether a server that is not recorded can leave a match open.
    pub fn needs_server(&self) -> bool {
        self.parts.as_ref().is_some_and(|parts| parts.tool.is_glob())
    }

    /// Whether `name`, which is no tool, is meant: a server, a setting.
    pub fn matches_name(&self, name: &str) -> bool {
        self.whole.matches(name)
    }

    /// Returns the pattern as the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The name itself, when it is one name and no glob.
    pub fn exact(&self) -> Option<&str> {
        (!self.whole.is_glob()).then_some(self.text.as_str())
    }

    /// The tool's own name, without the server; it may be a glob.
    pub fn tool(&self) -> &str {
        split_server(&self.text).map_or(self.text.as_str(), |(_, tool)| tool)
    }

    /// The server that the pattern names; it may be a glob.
    pub(crate) fn server(&self) -> Option<&str> {
        split_server(&self.text).map(|(server, _)| server)
    }

    /// Whether this pattern, written as `text`, names `tool` on a server.
    pub fn is_of_server(&self, text: &str, tool: &str) -> bool {
        self.text == text && self.parts.is_some() && self.tool() == tool
    }

    /// Returns a call that this pattern means, for a counterexample. `None` if no name is known to match.
    pub fn example(&self, turn: usize) -> Option<Call> {
        let Some((server, tool)) = split_server(&self.text) else {
            return Some(Call::new(Self::find_name(&self.text, &self.whole)?, Arguments::none(), turn));
        };
        let parts = self.parts.as_ref()?;
        let mut call = Call::new(Self::find_name(tool, &parts.tool)?, Arguments::none(), turn);
        call.server = ToolServer::Named(Self::find_name(server, &parts.server)?);
        Some(call)
    }

    /// The matchers of tool names, each with its text. A call that this pattern means, or may mean, has a name that one of
    /// them matches.
    pub(super) fn matchers(&self) -> impl Iterator<Item = (&NameMatcher, &str)> {
        let tool = self.parts.as_ref().map(|parts| (&parts.tool, self.tool()));
        [Some((&self.whole, self.as_str())), tool].into_iter().flatten()
    }

    /// A name that `matcher` matches, which was made of `text`.
    fn find_name(text: &str, matcher: &NameMatcher) -> Option<String> {
        if matcher.is_glob() {
            find_glob_example(text, |name| matcher.matches(name))
        } else {
            Some(text.to_owned())
        }
    }
}

/// Whether a text is `{{name}}`, which as a glob would match the placeholder's own name.
fn is_placeholder(text: &str) -> bool {
    let name = text.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['{', '}', ',', '*', '?', '[']))
}

/// Refuses a name with characters that no name of a tool has: it would match nothing, and a ban of it would forbid nothing.
fn refuse_odd_chars(text: &str, spelling: Spelling) -> Result<(), PatternError> {
    // A spelling that leaves out separators takes a single blank for one. The name of a server may have blanks.
    let server = split_server(text).map_or(0, |(server, _)| server.len());
    let trimmed = text.trim();
    let is_odd = |(at, c): (usize, char)| {
        let may_be_blank = spelling == Spelling::Normal || at < server;
        is_no_name_char(c) && !(c == ' ' && may_be_blank && trimmed.len() == text.len())
    };
    let Some((_, odd)) = text.char_indices().find(|found| is_odd(*found)) else { return Ok(()) };
    let shown = show_name(text);
    if text.contains(',') {
        let names = split_names(&shown);
        return Err(PatternError::SeveralNames { text: shown, names });
    }
    let character = if odd.is_whitespace() { OddCharacter::WhiteSpace } else { OddCharacter::Invisible };
    Err(PatternError::OddCharacter { text: shown, character, instead: remove_odd_chars(text) })
}

fn split_names(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The name without white space at its ends and without invisible characters; white space inside becomes `_`.
fn remove_odd_chars(text: &str) -> String {
    let visible: String = text.chars().filter(|c| c.is_whitespace() || !is_no_name_char(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join("_")
}

impl fmt::Debug for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolPattern({:?})", self.text)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for ToolPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, server: ToolServer) -> Call {
        Call { server, ..Call::new(name, Arguments::none(), 1) }
    }

    fn match_name(pattern: &str, name: &str) -> bool {
        ToolPattern::new(pattern).expect(pattern).matches(&call(name, ToolServer::NotRecorded))
    }

    #[test]
    fn a_star_crosses_every_character() {
        for name in ["admin_reset", "admin_a/b", "admin_a.b", "admin_a::b", "admin_"] {
            assert!(match_name("admin_*", name), "{name}");
        }
        assert!(match_name("*_dangerous", "ns/run_dangerous") && !match_name("*_dangerous", "dangerous"));
    }

    #[test]
    fn classes_and_alternatives_work() {
        assert!(match_name("{rm,del}_*", "del_x") && !match_name("{rm,del}_*", "delete_x"));
        assert!(match_name("db_[a-z]*", "db_drop") && !match_name("db_[a-z]*", "db_9"));
    }

    #[test]
    fn broken_globs_and_regular_expressions_are_errors_and_never_panics() {
        for pattern in ["", "tool[", "{a", "/order/", &"{".repeat(300), &"{a,".repeat(80)] {
            assert!(ToolPattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn case_can_be_ignored() {
        let pattern = ToolPattern::with_spelling("Delete_*", Spelling::AnyCase).expect("a glob");
        assert!(pattern.matches(&call("dELETE_user", ToolServer::BuiltIn)));
    }

    fn shop() -> ToolServer {
        ToolServer::Named("shop".to_owned())
    }

    #[test]
    fn the_server_of_a_call_decides_where_the_pattern_names_one() {
        use ToolMatch::{No, Undecided, Yes};
        for (pattern, server, expected) in [
            ("get_order", shop(), Yes),
            ("get_order", ToolServer::BuiltIn, Yes),
            ("shop:get_order", shop(), Yes),
            ("shop:get_order", ToolServer::Named("crm".to_owned()), No),
            ("shop:get_order", ToolServer::BuiltIn, No),
            ("shop:get_order", ToolServer::NotRecorded, Yes),
            ("mcp__shop__get_order", shop(), Yes),
            ("mcp__crm__get_order", shop(), No),
            ("shop:*", shop(), Yes),
            ("shop:*", ToolServer::BuiltIn, No),
            ("shop:*", ToolServer::NotRecorded, Undecided),
            ("shop:put_*", ToolServer::NotRecorded, No),
            ("{shop,crm}:get_order", shop(), Yes),
            ("*:get_order", ToolServer::NotRecorded, Yes),
        ] {
            let found =
                ToolPattern::new(pattern).expect(pattern).match_call(&call("get_order", server.clone()));
            assert_eq!(found, expected, "{pattern} of {server:?}");
        }
    }

    #[test]
    fn a_written_name_means_its_call() {
        let mut written = call("mcp_shop_get_order", ToolServer::NotRecorded);
        written.set_tool("get_order", ToolServer::Named("shop".to_owned()));
        for pattern in ["mcp_shop_get_order", "mcp_shop_*", "mcp__shop__get_order", "mcp__shop__*"] {
            assert!(ToolPattern::new(pattern).expect(pattern).matches(&written), "{pattern}");
        }
        assert!(match_name("a:b", "a:b") && match_name("a:*", "a:b"));
    }

    #[test]
    fn every_usual_pattern_has_an_example() {
        let patterns =
            "a admin_* *_x *secret* {rm,del}_* db_[a-z]* t? [!a-z] * {,x}y s:t s:* mcp__s__t {a,b}:*_x";
        for pattern in patterns.split(' ') {
            let pattern = ToolPattern::new(pattern).expect(pattern);
            let example = pattern.example(1).expect("an example");
            assert!(pattern.matches(&example), "{pattern} against {example:?}");
        }
    }
}
