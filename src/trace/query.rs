//! The questions that checks share, and the steps by which readers build a trace.

use super::{Call, CallStatus, Message, Role, Trace};
use crate::outcome::Violation;

impl Trace {
    /// Adds a call and gives it its index.
    pub fn push_call(&mut self, mut call: Call) {
        call.index = self.calls.len() + 1;
        self.calls.push(call);
    }

    /// Adds what `role` said, after the calls so far. The first text of the user is the run's input.
    pub fn push_message(&mut self, role: Role, text: impl Into<String>) {
        let text = text.into();
        if role == Role::User && self.input.is_none() {
            self.input = Some(text.clone());
        }
        self.messages.push(Message { role, text, after_calls: self.calls.len() });
    }

    /// The call with `id` that has no answer yet; ids may be used again, so the first open one is meant.
    pub fn open_call(&mut self, id: &str) -> Option<&mut Call> {
        self.calls
            .iter_mut()
            .find(|call| call.status == CallStatus::Unanswered && call.id.as_deref() == Some(id))
    }

    /// Sets the answer, where none was recorded: what the model said after the last call, joined by newlines.
    pub fn settle_answer(&mut self) {
        let calls = self.calls.len();
        let last = self.messages.iter().filter(|m| m.role == Role::Assistant && m.after_calls == calls);
        let texts: Vec<&str> = last.map(|message| message.text.as_str()).collect();
        if self.answer.is_none() && !texts.is_empty() {
            self.answer = Some(texts.join("\n"));
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
            answer: if next.is_none() { self.answer.clone() } else { None },
            ..Trace::default()
        };
        let after = turn.messages.iter().filter(|m| m.role == Role::Assistant && m.after_calls == end_call);
        let texts: Vec<String> = after.map(|message| message.text.clone()).collect();
        if turn.answer.is_none() && !texts.is_empty() {
            turn.answer = Some(texts.join("\n"));
        }
        Some(turn)
    }

    /// The names of all called tools, in order, repeats included.
    pub fn tool_names(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.name.as_str()).collect()
    }
}

impl Call {
    /// A violation that says `message` about this call.
    pub fn violation(&self, message: impl Into<String>) -> Violation {
        Violation {
            tool: Some(self.name.clone()),
            call: Some(self.index),
            call_id: self.id.clone(),
            ..Violation::new(message)
        }
    }
}
