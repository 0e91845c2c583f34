//! Renames the fields in a fault to flags: `--limit 0` is reported as `--limit`, JSON has `limit`.

use aludel_core::error::Error;

use super::failure::Failure;

/// Fields whose flag has another name.
const OTHER_NAMES: [(&str, &str); 2] = [("task_description", "task"), ("timeout_s", "timeout")];

/// Replaces field names in the failure by the flags of this command, where it has them.
pub(super) fn with_flag_names(failure: Failure, command: Option<&str>) -> Failure {
    let flags = match &failure {
        Failure::Error(Error::Value(_) | Error::Shape(_)) => flags_of(command),
        _ => return failure,
    };
    let name = |field: &str| flag_of(field, &flags);
    match failure {
        Failure::Error(Error::Value(faults)) => Failure::Error(Error::Value(faults.named_by(name))),
        Failure::Error(Error::Shape(faults)) => Failure::Error(Error::Shape(faults.named_by(name))),
        other => other,
    }
}

/// The long flags of a command and its subcommands, without dashes.
fn flags_of(command: Option<&str>) -> Vec<String> {
    let mut tree = super::command_tree();
    tree.build();
    let Some(command) = command.and_then(|name| tree.find_subcommand(name)) else { return Vec::new() };
    let below = command.get_subcommands().flat_map(clap::Command::get_arguments);
    command.get_arguments().chain(below).filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
}

/// `tags[2]` as `--tags[2]`.
fn flag_of(field: &str, flags: &[String]) -> Option<String> {
    let (name, place) = field.split_at(field.find(['[', '.']).unwrap_or(field.len()));
    let other = OTHER_NAMES.into_iter().filter(|(of, _)| *of == name).map(|(_, flag)| flag.to_owned());
    let flag = std::iter::once(name.replace('_', "-")).chain(other).find(|flag| flags.contains(flag))?;
    Some(format!("--{flag}{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str, error: Error) -> String {
        match with_flag_names(Failure::Error(error), Some(command)) {
            Failure::Error(error) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_field_is_called_by_its_flag_where_it_has_one() {
        assert_eq!(told("list", Error::value("limit", "is 0")), "--limit: is 0");
        assert_eq!(told("list", Error::value("tags[2]", "is empty")), "--tags[2]: is empty");
        assert_eq!(told("compare", Error::value("task_description", "is blank")), "--task: is blank");
        assert_eq!(told("generate", Error::shape("budget_usd", "is a text")), "--budget-usd: is a text");
        // A field without a flag, and flags of other commands.
        assert_eq!(told("generate", Error::value("input", "is blank")), "input: is blank");
        assert_eq!(told("show", Error::value("limit", "is 0")), "limit: is 0");
        assert_eq!(told("list", Error::value("--port", "is none")), "--port: is none");
        let other = with_flag_names(Failure::Error(Error::Conflict("limit: x".into())), Some("list"));
        assert!(matches!(other, Failure::Error(Error::Conflict(detail)) if detail == "limit: x"));
    }
}
