//! Converts a conversation for Anthropic and Google: system text apart, then alternating turns.
//!
//! Blank messages are dropped, because both refuse them, and consecutive messages of one side
//! merge. A conversation of only system messages becomes a user turn, since one is required.

use crate::provider::{Message, Role};

/// Separates merged messages: a blank line.
const TURN_SEPARATOR: &str = "\n\n";

/// The system text, and the turns in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Turns {
    /// The text of the system messages; `None` without any.
    pub(super) system: Option<String>,
    /// Alternating turns, none of them blank.
    pub(super) turns: Vec<Turn>,
}

/// One turn.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// True for the model, false for the user.
    pub(super) by_model: bool,
    /// The text.
    pub(super) text: String,
}

impl Turns {
    /// Converts `messages`.
    pub(super) fn of(messages: &[Message]) -> Self {
        let mut sorted = Self::default();
        for message in messages.iter().filter(|message| !message.content.trim().is_empty()) {
            match message.role {
                Role::System => match &mut sorted.system {
                    Some(system) => append(system, &message.content),
                    none => *none = Some(message.content.clone()),
                },
                Role::User => sorted.say(false, &message.content),
                Role::Assistant => sorted.say(true, &message.content),
            }
        }
        if sorted.turns.is_empty()
            && let Some(rules) = sorted.system.take()
        {
            sorted.say(false, &rules);
        }
        sorted
    }

    fn say(&mut self, by_model: bool, text: &str) {
        match self.turns.last_mut() {
            Some(turn) if turn.by_model == by_model => append(&mut turn.text, text),
            _ => self.turns.push(Turn { by_model, text: text.to_owned() }),
        }
    }
}

fn append(text: &mut String, more: &str) {
    text.push_str(TURN_SEPARATOR);
    text.push_str(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(messages: &[(Role, &str)]) -> (Option<String>, Vec<(bool, String)>) {
        let messages: Vec<_> =
            messages.iter().map(|(role, text)| Message { role: *role, content: (*text).into() }).collect();
        let Turns { system, turns } = Turns::of(&messages);
        (system, turns.into_iter().map(|turn| (turn.by_model, turn.text)).collect())
    }

    #[test]
    fn rules_are_kept_apart_and_turns_alternate() {
        let (system, turns) = sorted(&[
            (Role::System, "be brief"),
            (Role::User, "a question"),
            (Role::System, "be kind"),
            (Role::User, "and another"),
            (Role::Assistant, "an answer"),
            (Role::User, "again"),
        ]);
        assert_eq!(system.as_deref(), Some("be brief\n\nbe kind"));
        assert_eq!(
            turns,
            [(false, "a question\n\nand another".into()), (true, "an answer".into()), (false, "again".into())]
        );
    }

    #[test]
    fn blank_messages_are_left_out() {
        assert_eq!(
            sorted(&[(Role::System, " \n"), (Role::User, "x"), (Role::Assistant, "")]),
            (None, vec![(false, "x".into())])
        );
        assert_eq!(sorted(&[]), (None, vec![]));
    }

    #[test]
    fn rules_alone_are_a_turn_of_the_users() {
        assert_eq!(sorted(&[(Role::System, "do it")]), (None, vec![(false, "do it".into())]));
    }
}
