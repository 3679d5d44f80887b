//! The questions that checks share, and the steps by which readers build a trace.

use std::ops::Range;

use super::unread::describe_parts;
use super::{
    Call, CallStatus, CallsUnrecorded, Ended, Message, Results, Role, ToolServer, Trace, UnreadContent,
    UnreadPart,
};

impl Trace {
    /// Adds a call and gives it its index.
    pub fn push_call(&mut self, mut call: Call) {
        call.index = self.calls.len() + 1;
        self.calls.push(call);
    }

    /// Whether calls without a result may have been answered all the same: the format has no results, or a person left out
    /// all of them.
    pub fn omits_results(&self) -> bool {
        match self.results {
            Results::Recorded => false,
            Results::Optional => self.calls.iter().all(|call| call.status == CallStatus::Unanswered),
            Results::NotRecorded => true,
        }
    }

    /// Notes that the format records results, unless its reader found that it does not. In the formats of models, a run that
    /// ends with the calls of its first turn, without any result, is what the model alone replied.
    pub(crate) fn note_results(&mut self, is_of_model: bool) {
        if self.results != Results::Optional {
            return;
        }
        let is_reply = is_of_model
            && self.calls.iter().all(|call| call.status == CallStatus::Unanswered && call.turn <= 1)
            && self.said_after(self.calls.len()).is_none();
        self.results =
            if is_reply && !self.calls.is_empty() { Results::NotRecorded } else { Results::Recorded };
    }

    /// Adds what `role` said, after the calls so far. The first text of the user is the run's input.
    pub fn push_message(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        if role == Role::User && self.input.is_none() {
            self.input = Some(text.clone());
        }
        self.messages.push(Message::new(role, text, self.calls.len()));
    }

    /// Adds parts of the file that were not understood: any of them may hold a call.
    pub fn push_unread(&mut self, parts: impl IntoIterator<Item = UnreadPart>) {
        self.unread.extend(parts);
        self.calls_unrecorded =
            self.calls_unrecorded.take().or_else(|| CallsUnrecorded::find_in(&self.unread));
    }

    /// Returns the result of a call that comes before everything that the model did in the trace: the trace is the end of a
    /// longer run.
    pub fn find_lost_beginning(&self) -> Option<&UnreadPart> {
        let first = self.messages.iter().position(|message| message.role == Role::Assistant);
        self.unread.iter().find(|part| {
            let is_first =
                part.after_messages.is_some_and(|messages| first.is_none_or(|first| messages <= first));
            is_first && matches!(part.what, UnreadContent::ResultWithoutCall(_))
        })
    }

    /// Forgets the unread parts of these kinds: a user knows that they hold no call.
    pub fn accept_harmless(&mut self, kinds: &[String]) {
        let is_harmless =
            |part: &UnreadPart| part.what.kind().is_some_and(|kind| kinds.iter().any(|k| k == kind));
        self.unread.retain(|part| !is_harmless(part));
        // Calls were missing because of these parts, so the reason may be gone with them.
        if matches!(self.calls_unrecorded, Some(CallsUnrecorded::Unread { .. })) {
            self.calls_unrecorded = CallsUnrecorded::find_in(&self.unread);
        }
    }

    /// Notes that the run is in `format`, which records calls: one that has none made none.
    pub fn accept_format(&mut self, format: &str) {
        if self.is_possibly(format) {
            self.calls_unrecorded = CallsUnrecorded::find_in(&self.unread);
        }
    }

    /// Whether the calls of the run are in doubt, unless its format is `format`.
    pub fn is_possibly(&self, format: &str) -> bool {
        self.list_possible_formats().iter().any(|known| known == format)
    }

    /// Returns the format of a list of roles and texts that does not show whether its writer records calls; of several, the first.
    /// Who names it in a case says that calls would be in the list.
    pub fn possible_format(&self) -> Option<&str> {
        self.list_possible_formats().first().map(String::as_str)
    }

    fn list_possible_formats(&self) -> &[String] {
        match &self.calls_unrecorded {
            Some(CallsUnrecorded::NotShown { formats }) => formats,
            _ => &[],
        }
    }

    /// Describes the unread parts, one sentence for all parts that are alike, with their places.
    pub fn describe_unread(&self) -> Vec<String> {
        describe_parts(&self.unread)
    }

    /// Sets the answer, where none was recorded: what the model said after the last call and the user's last word,
    /// joined by newlines.
    pub fn settle_answer(&mut self) {
        if self.answer.is_none() {
            self.answer = self.said_after(self.calls.len());
        }
    }

    /// What happened from the `number`-th text of the user (from 1) to the next: its calls keep their numbers. Its
    /// answer is what was said after its last call; figures of the whole run are not known of a turn.
    pub fn turn_of_user(&self, number: usize) -> Option<Trace> {
        let spoken = self.messages.iter().enumerate().filter(|(_, message)| message.role == Role::User);
        let mut starts = spoken.map(|(at, message)| (at, message.after_calls)).skip(number.checked_sub(1)?);
        let (first, first_call) = starts.next()?;
        let next = starts.next();
        let (end, end_call) = next.unwrap_or((self.messages.len(), self.calls.len()));
        let mut turn = Trace {
            agent: self.agent.clone(),
            model: self.model.clone(),
            input: Some(self.messages[first].text.clone()),
            messages: self.messages[first..end].to_vec(),
            calls: self.calls.get(first_call..end_call)?.to_vec(),
            // The answer of a run is the reply to its last turn. An earlier turn has only what was said in it.
            answer: if next.is_none() { self.recorded_answer().map(ToOwned::to_owned) } else { None },
            calls_unrecorded: self.calls_unrecorded.clone(),
            unread: self.unread.iter().filter_map(|part| part.in_turn(first..end)).collect(),
            answer_reasoning: if next.is_none() { self.answer_reasoning.clone() } else { None },
            // How the run ended is how its last turn did.
            ended: if next.is_none() { self.ended.clone() } else { Ended::Unknown },
            offered: self.offered.clone(),
            results: if self.omits_results() { self.results } else { Results::Recorded },
            ..Trace::default()
        };
        turn.answer = turn.answer.take().or_else(|| turn.said_after(end_call));
        Some(turn)
    }

    /// The number of the last call, from 1. The calls and messages of a turn keep the numbers that they have in the run.
    pub(super) fn last_call(&self) -> usize {
        let called = self.calls.last().map_or(0, |call| call.index);
        self.messages.last().map_or(called, |message| called.max(message.after_calls))
    }

    /// The answer, where it is more than what the messages say: what they say may be of an earlier turn.
    pub(super) fn recorded_answer(&self) -> Option<&str> {
        self.answer.as_deref().filter(|answer| !self.is_said(answer))
    }

    /// Whether the last messages, joined by newlines, are this text.
    fn is_said(&self, answer: &str) -> bool {
        let calls = self.last_call();
        let Some(stretch) = self.find_stretch(calls) else { return false };
        if self.messages[stretch.end - 1].is_thinking_alone() {
            return false;
        }
        // Compared piece by piece: each run that is read is asked.
        let mut rest = Some(answer);
        for (at, message) in self.list_said(stretch, calls).enumerate() {
            rest = rest.and_then(|rest| if at == 0 { Some(rest) } else { rest.strip_prefix('\n') });
            rest = rest.and_then(|rest| rest.strip_prefix(message.text.as_str()));
        }
        rest == Some("")
    }

    /// Joins the messages of the model between call `calls` and the next one by newlines. If the user spoke in between,
    /// only the messages after the last message of the user count. If the last message is thinking alone, nothing was said.
    pub(super) fn said_after(&self, calls: usize) -> Option<String> {
        let stretch = self.find_stretch(calls)?;
        if self.messages[stretch.end - 1].is_thinking_alone() {
            return None;
        }
        joined(self.list_said(stretch, calls))
    }

    /// Lists the messages of the model in a stretch after call `calls` that say something.
    fn list_said(&self, stretch: Range<usize>, calls: usize) -> impl Iterator<Item = &Message> {
        self.messages[stretch].iter().filter(move |message| {
            message.after_calls == calls && message.role == Role::Assistant && !message.is_thinking_alone()
        })
    }

    /// Finds the messages from the first to the last one of the model between call `calls` and the next one, after the last
    /// message of the user there.
    pub(super) fn find_stretch(&self, calls: usize) -> Option<Range<usize>> {
        let is_by = |message: &Message, role| message.after_calls == calls && message.role == role;
        let last = self.messages.iter().rposition(|message| is_by(message, Role::Assistant))?;
        let asked = self.messages[..last].iter().rposition(|message| is_by(message, Role::User));
        let from = asked.unwrap_or_default();
        let first = self.messages[from..].iter().position(|message| is_by(message, Role::Assistant))?;
        Some(from + first..last + 1)
    }

    /// Everything that the model said, before, between and after its calls, joined by newlines. An answer that was
    /// recorded beside the messages is its end.
    pub fn everything_said(&self) -> Option<String> {
        match (joined(self.said()), &self.answer) {
            (Some(said), Some(answer)) if !self.ends_with(answer) => Some(format!("{said}\n{answer}")),
            (None, answer) => answer.clone(),
            (said, _) => said,
        }
    }

    /// Whether `answer` is the last message, or all of them since the call before it.
    fn ends_with(&self, answer: &str) -> bool {
        let Some(last) = self.said().last() else { return false };
        last.text == answer || self.said_after(last.after_calls).as_deref() == Some(answer)
    }

    fn said(&self) -> impl Iterator<Item = &Message> {
        let said = |message: &&Message| message.role == Role::Assistant && !message.is_thinking_alone();
        self.messages.iter().filter(said)
    }

    /// The names of all called tools, in order, repeats included.
    pub fn tool_names(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.name.as_str()).collect()
    }
}

fn joined<'m>(mut messages: impl Iterator<Item = &'m Message>) -> Option<String> {
    let first = messages.next()?.text.clone();
    Some(messages.fold(first, |texts, message| texts + "\n" + &message.text))
}

impl Call {
    /// Sets the tool's own name and its server. The name so far stays as the written one, where it differs.
    pub fn set_tool(&mut self, name: impl Into<String>, server: ToolServer) {
        let written = std::mem::replace(&mut self.name, name.into());
        self.server = server;
        if self.written.is_none() && written != self.name {
            self.written = Some(written);
        }
    }

    /// The name as the host wrote it.
    pub fn written_name(&self) -> &str {
        self.written.as_deref().unwrap_or(&self.name)
    }

    /// Returns the name of the call in reports: `call 3: refund`.
    pub fn label(&self) -> String {
        // Every check labels every call: putting the parts together takes a third of what formatting them does.
        ["call ", &self.index.to_string(), ": ", &self.name].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Arguments;

    fn run() -> Trace {
        let mut trace = Trace::default();
        trace.push_message(Role::User, "how much?");
        trace.push_message(Role::Assistant, "I look.");
        trace.push_call(Call::new("get_price", Arguments::none(), 1));
        trace.push_message(Role::Assistant, "It is $5.");
        trace.push_message(Role::Assistant, "Shipping is free.");
        trace
    }

    #[test]
    fn everything_said_is_each_text_of_the_model_once() {
        let mut trace = run();
        let said = "I look.\nIt is $5.\nShipping is free.";
        assert_eq!(trace.everything_said().as_deref(), Some(said));
        trace.settle_answer();
        assert_eq!(trace.answer.as_deref(), Some("It is $5.\nShipping is free."));
        assert_eq!(trace.everything_said().as_deref(), Some(said));
        trace.answer = Some("Shipping is free.".to_owned());
        assert_eq!(trace.everything_said().as_deref(), Some(said));
    }

    #[test]
    fn an_answer_recorded_beside_the_messages_is_said_as_well() {
        let recorded = Trace { answer: Some("is free.".to_owned()), ..run() };
        let said = "I look.\nIt is $5.\nShipping is free.\nis free.";
        assert_eq!(recorded.everything_said().as_deref(), Some(said));
        let alone = Trace { answer: Some(String::new()), ..Trace::default() };
        assert_eq!(alone.everything_said().as_deref(), Some(""));
        assert_eq!(Trace::default().everything_said(), None);
    }

    #[test]
    fn the_answer_is_what_was_said_to_the_users_last_word() {
        let mut trace = run();
        trace.push_message(Role::User, "And to Bergen?");
        trace.push_message(Role::Assistant, "Free");
        trace.push_message(Role::Assistant, "as well.");
        trace.push_message(Role::User, "Thanks.");
        trace.settle_answer();
        assert_eq!(trace.answer.as_deref(), Some("Free\nas well."));
    }

    #[test]
    fn a_turn_without_calls_has_its_own_answer() {
        let mut trace = run();
        trace.push_message(Role::User, "And to Bergen?");
        trace.push_message(Role::Assistant, "Free as well.");
        trace.push_message(Role::User, "Thanks.");
        trace.settle_answer();
        let answer = |turn| trace.turn_of_user(turn).expect("the user spoke so often").answer;
        assert_eq!(answer(1).as_deref(), Some("It is $5.\nShipping is free."));
        assert_eq!(answer(2).as_deref(), Some("Free as well."));
        assert_eq!(answer(3), None);
    }
}
