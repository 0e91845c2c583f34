//! The options of every command.

use std::ffi::OsString;
use std::path::PathBuf;

use aludel_core::config::Flags;
use aludel_core::error::{Error, Result};
use clap::Args;

use super::formats;
use crate::cli::format::Format;

/// The options every command takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// text, json, jsonl, yaml, markdown, csv or html (text); not every command supports all
    #[arg(long, global = true, value_name = "FORMAT")]
    pub format: Option<String>,
    /// The same as --format, on commands without --output-file
    #[arg(long, global = true, value_name = "FORMAT", hide = true)]
    pub output: Option<String>,
    /// Print only the data
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Answer yes to every question
    #[arg(long, short, global = true)]
    pub yes: bool,
    /// Print without colours
    #[arg(long, global = true)]
    pub no_color: bool,
    /// The configuration file, instead of ~/.aludel/config.yaml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The data folder, instead of ~/.aludel
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// The log level: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log_level: Option<String>,
}

impl Globals {
    /// The requested format, one of `offered`; `None` if none was requested.
    ///
    /// # Errors
    /// `validation_failed` for one that is not offered, or for two different ones.
    pub(crate) fn format(&self, offered: &[Format]) -> Result<Option<Format>> {
        match (&self.format, &self.output) {
            (Some(format), Some(output)) if format != output => Err(Error::value(
                "format",
                format!("--format {format} and --output {output} mean the same and differ; give one"),
            )),
            (Some(wanted), _) | (None, Some(wanted)) => Format::choose(wanted, offered).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The configuration that they set.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags { data_dir: self.data_dir.clone(), config: self.config.clone(), ..Flags::default() };
        if let Some(level) = &self.log_level {
            flags = flags.with("log.level", level);
        }
        flags
    }
}

/// Puts the global options after a command's own, because clap orders headings by their first
/// option, and lists the command's own formats in the help of `--format`.
pub(crate) trait GlobalsLast {
    /// The same command with its global options last, and its own formats in their help.
    #[must_use]
    fn globals_last(self) -> Self;
}

impl GlobalsLast for clap::Command {
    fn globals_last(mut self) -> Self {
        let is_global = |argument: &&clap::Arg| argument.is_global_set();
        let globals: Vec<clap::Id> = self.get_arguments().filter(is_global).map(|a| a.get_id().clone()).collect();
        let formats = formats::help_of(self.get_name());
        for id in globals {
            // A changed option is removed and added again, at the end.
            self =
                self.mut_arg(
                    id,
                    |argument| {
                        if argument.get_id() == "format" { argument.help(formats.clone()) } else { argument }
                    },
                );
        }
        self
    }
}

/// The format of errors for invalid arguments: that of a plain `--format`, else text.
pub(crate) fn format_in(arguments: &[OsString]) -> Format {
    let mut texts = arguments.iter().filter_map(|argument| argument.to_str());
    while let Some(text) = texts.next() {
        let wanted = match text.split_once('=') {
            Some(("--format" | "--output", value)) => Some(value),
            _ if text == "--format" || text == "--output" => texts.next(),
            _ if text == "--" => None,
            _ => continue,
        };
        return wanted.and_then(Format::parse).unwrap_or(Format::Text);
    }
    Format::Text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alias_means_the_same() {
        let globals = Globals { output: Some("json".into()), ..Globals::default() };
        assert_eq!(globals.format(&Format::ALL).unwrap(), Some(Format::Json));
        let both = Globals { format: Some("yaml".into()), ..globals };
        assert!(both.format(&Format::ALL).is_err());
    }

    #[test]
    fn the_format_of_usage_errors_is_read_from_the_bare_arguments() {
        let of = |texts: &[&str]| format_in(&texts.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["list", "--format", "json", "--bogus"]), Format::Json);
        assert_eq!(of(&["--format=jsonl"]), Format::Jsonl);
        assert_eq!(of(&["list", "--", "--format", "json"]), Format::Text);
        assert_eq!(of(&["--format"]), Format::Text);
    }
}
