//! One expected call: a tool, its arguments, and how it ended.

use super::run_calls::{Reading, RunCalls};
use crate::check::arguments::{
    ArgumentDifference, ArgumentsFit, ArgumentsMatcher, ArgumentsMode, IgnoredPaths, ToolArguments,
    WrittenArguments, read_arguments,
};
use crate::check::support::call_status::WantedStatus;
use crate::evidence::require_arguments;
use crate::json::JsonMap;
use crate::outcome::CannotDecide;
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call};
use crate::yaml::{OrderedMap, Unparsed};

/// The requirements for one call.
#[derive(Debug)]
pub(super) struct CallSpec {
    pub(super) tool: ToolPattern,
    /// `None`: any arguments.
    pub(super) arguments: Option<ArgumentsMatcher>,
    pub(super) status: WantedStatus,
}

/// The values of omitted arguments, by tool.
pub(super) type DefaultValues = OrderedMap<ToolPattern, JsonMap>;

/// The settings that all expected calls of a check share.
#[derive(Debug, Default)]
pub(super) struct SpecDefaults {
    /// How arguments relate; `None`: as each entry says.
    pub(super) arguments_mode: Option<ArgumentsMode>,
    pub(super) ignored: IgnoredPaths,
    /// The values of omitted arguments, by tool.
    pub(super) values: DefaultValues,
    pub(super) status: WantedStatus,
}

/// How a call of the right tool differs from the expected one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CallDifference {
    pub(super) arguments: Vec<ArgumentDifference>,
    /// How it ended, if that is not how it should.
    pub(super) status: Option<String>,
}

impl CallSpec {
    /// A call of the tool, whatever its arguments.
    pub(super) fn of_tool(tool: ToolPattern, status: WantedStatus) -> Self {
        Self { tool, arguments: None, status }
    }

    /// Whether every call of the tool is meant, whatever its arguments are and however it ended.
    pub(super) fn is_any_call(&self) -> bool {
        self.accepts_any_arguments() && self.status == WantedStatus::Any
    }

    /// Whether the tool is the expected one.
    pub(super) fn means_tool(&self, call: &Call) -> bool {
        self.tool.matches(call)
    }

    /// Returns the number of differences to a call of the tool; 0 for the expected call.
    pub(super) fn count_differences(&self, call: &Call, run: &RunCalls<'_>) -> Result<usize, CannotDecide> {
        let status = usize::from(!run.has_status(call, self.status));
        if self.accepts_any_arguments() {
            return Ok(status);
        }
        require_arguments(call)?;
        let fit = self.compare_arguments(call, run)?;
        let doubts = usize::from(fit.doubt.is_some() && run.reading == Reading::Strict);
        Ok(status + fit.differences + doubts)
    }

    /// Whether the call may have any arguments.
    pub(super) fn accepts_any_arguments(&self) -> bool {
        self.constrained_arguments().is_none()
    }

    /// Compares the arguments of a call with the expected ones.
    pub(super) fn compare_arguments(
        &self,
        call: &Call,
        run: &RunCalls<'_>,
    ) -> Result<ArgumentsFit, CannotDecide> {
        self.constrained_arguments().map_or_else(
            || Ok(ArgumentsFit::default()),
            |arguments| arguments.count_differences(&call.arguments, run.context(call)),
        )
    }

    /// The tools that the settings name: the called one, and those whose results its arguments are compared with.
    pub(super) fn list_tools(&self) -> Vec<&ToolPattern> {
        let related = self.constrained_arguments().map(ArgumentsMatcher::list_related_tools);
        std::iter::once(&self.tool).chain(related.into_iter().flatten()).collect()
    }

    /// Whether the arguments are compared with something else in the run.
    pub(super) fn has_relations(&self) -> bool {
        self.constrained_arguments().is_some_and(ArgumentsMatcher::has_relations)
    }

    /// Whether the arguments are compared with the results of other calls, which a trace may lack.
    pub(super) fn reads_results(&self) -> bool {
        self.constrained_arguments().is_some_and(|arguments| !arguments.list_related_tools().is_empty())
    }

    /// Returns the differences to a call of the tool.
    pub(super) fn describe_differences(
        &self,
        call: &Call,
        run: &RunCalls<'_>,
    ) -> Result<CallDifference, CannotDecide> {
        let status = run.describe_other_status(call, self.status);
        let arguments = match self.constrained_arguments() {
            Some(arguments) => arguments.list_differences(&call.arguments, run.context(call))?,
            None => Vec::new(),
        };
        Ok(CallDifference { arguments, status })
    }

    fn constrained_arguments(&self) -> Option<&ArgumentsMatcher> {
        self.arguments.as_ref().filter(|arguments| arguments.mode != ArgumentsMode::Ignore)
    }

    /// Suggests the name of an argument that none of these calls has.
    pub(super) fn suggest_argument(&self, calls: &[&Call]) -> Option<String> {
        self.constrained_arguments()?.suggest_name(calls)
    }

    /// Returns a call that is likely to be the expected one.
    pub(super) fn example(&self, turn: usize) -> Option<Call> {
        let arguments =
            self.arguments.as_ref().map_or_else(|| Some(Arguments::none()), ArgumentsMatcher::example);
        let mut call = self.tool.example(turn)?;
        call.arguments = arguments?;
        Some(call)
    }

    /// The expected call in words.
    pub(super) fn describe(&self) -> String {
        let Some(arguments) = self.constrained_arguments() else { return format!("`{}`", self.tool) };
        let written = arguments.written.iter().map(|(name, value)| format!("{name}: {value}"));
        let written = written.collect::<Vec<_>>().join(", ");
        format!("`{}` with {{{written}}}, args `{}`", self.tool, arguments.mode.word())
    }
}

/// A call as users write it.
pub(super) struct WrittenCall {
    pub(super) tool: ToolPattern,
    pub(super) args: Option<Unparsed<WrittenArguments>>,
    pub(super) args_mode: Option<ArgumentsMode>,
    pub(super) status: Option<WantedStatus>,
}

impl SpecDefaults {
    /// Builds an expected call. `usual` is the mode of arguments where nothing says another.
    pub(super) fn build_spec(&self, call: WrittenCall, usual: ArgumentsMode) -> Result<CallSpec, LoadErrors> {
        let mode = call.args_mode.or(self.arguments_mode).unwrap_or(usual);
        let arguments = call.args.map(|args| self.parse_arguments(&args, mode, &call.tool)).transpose()?;
        Ok(CallSpec { tool: call.tool, arguments, status: call.status.unwrap_or(self.status) })
    }

    /// Parses the arguments of an expected call of `tool`.
    fn parse_arguments(
        &self,
        args: &Unparsed<WrittenArguments>,
        mode: ArgumentsMode,
        tool: &ToolPattern,
    ) -> Result<ArgumentsMatcher, LoadErrors> {
        let mut defaults = JsonMap::new();
        for (_, values) in self.values.0.iter().filter(|(known, _)| known.matches_name(tool.as_str())) {
            defaults.extend(values.clone());
        }
        let of_tool = ToolArguments { tool: tool.as_str(), ignored: &self.ignored, defaults: &defaults };
        read_arguments(args.node(), mode, of_tool)
    }
}
