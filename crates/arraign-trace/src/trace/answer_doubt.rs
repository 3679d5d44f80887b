//! Whether the answer of a run is certain, although parts of its file were not understood.

use super::Trace;

impl Trace {
    /// Returns why the answer may be another one than it seems, in a sentence without a full stop: an unread part is in the
    /// answer's messages, or comes after them. A record that holds neither a text, a role nor a call does not touch the answer,
    /// and a part in front of it does not either.
    pub fn answer_doubt(&self) -> Option<String> {
        if self.unread.is_empty() || self.answer.is_none() {
            return None;
        }
        // An answer that was recorded beside the messages comes behind all of them, whatever else is in the file.
        let is_recorded = self.recorded_answer().is_some();
        let before = match self.find_stretch(self.last_call()).filter(|_| !is_recorded) {
            Some(stretch) => stretch.start,
            None => self.messages.len(),
        };
        let part = self.unread.iter().find(|part| {
            !part.is_silent && part.after_messages.map_or(!is_recorded, |messages| messages > before)
        })?;
        Some(format!("the answer may not be the whole answer: {} is {}", part.place, part.what))
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::{Arguments, Call, RecordPlace, Role, Trace, UnreadContent, UnreadPart};

    /// A run with a text, a call and an answer, and a part of an unknown kind behind `messages` of these messages.
    fn run_with_part(messages: Option<usize>) -> Trace {
        let mut trace = Trace::default();
        trace.push_message(Role::User, "Where is it?");
        trace.push_message(Role::Assistant, "I look.");
        trace.push_call(Call::new("find", Arguments::none(), 1));
        trace.push_message(Role::Assistant, "It ships");
        trace.push_message(Role::Assistant, "today.");
        let what = UnreadContent::UnknownKind("widget".to_owned());
        let part = UnreadPart::new(RecordPlace::new(Some(7), ""), what);
        trace.push_unread([UnreadPart { after_messages: messages, ..part }]);
        trace.settle_answer();
        trace
    }

    #[test]
    fn a_part_in_the_answer_or_behind_it_leaves_the_answer_open() {
        for (messages, is_open) in
            [(Some(0), false), (Some(2), false), (Some(3), true), (Some(4), true), (None, true)]
        {
            assert_eq!(run_with_part(messages).answer_doubt().is_some(), is_open, "{messages:?}");
        }
        let doubt = run_with_part(None).answer_doubt();
        let expected =
            "the answer may not be the whole answer: line 7 is a part of the unknown kind `widget`";
        assert_eq!(doubt.as_deref(), Some(expected));
    }

    #[test]
    fn a_record_that_says_nothing_and_a_recorded_answer_leave_no_doubt() {
        let mut silent = run_with_part(Some(4));
        silent.unread[0].is_silent = true;
        assert_eq!(silent.answer_doubt(), None);
        let recorded = Trace { answer: Some("It ships today.".to_owned()), ..run_with_part(Some(4)) };
        assert_eq!(recorded.answer_doubt(), None);
        assert_eq!(Trace { answer: None, ..run_with_part(Some(4)) }.answer_doubt(), None);
    }

    #[test]
    fn a_turn_is_only_touched_by_the_parts_in_it() {
        let mut trace = run_with_part(Some(4));
        trace.push_message(Role::User, "And order 9?");
        trace.push_message(Role::Assistant, "Tomorrow.");
        trace.answer = None;
        trace.settle_answer();
        let is_open = |turn| trace.turn_of_user(turn).expect("a turn").answer_doubt().is_some();
        assert!(is_open(1) && !is_open(2));
        trace.unread[0].after_messages = Some(6);
        let is_open = |turn| trace.turn_of_user(turn).expect("a turn").answer_doubt().is_some();
        assert!(!is_open(1) && is_open(2));
    }
}
