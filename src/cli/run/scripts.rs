//! `aludel completions` and `aludel man`: texts generated from the command tree.

use std::io::Write;

use clap::CommandFactory;

use crate::cli::Invocation;
use crate::cli::args::{Arguments, CompletionsArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;

pub(crate) fn completions(args: &CompletionsArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "aludel", &mut script);
    invocation.printer.data(&*String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Prints the manual page: the program, and a section for each command.
pub(crate) fn man(invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let mut tree = Arguments::command();
    tree.build();
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_manual(&tree, &mut page);
    invocation.printer.data(&*String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}

fn write_manual(tree: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let manual = clap_mangen::Man::new(tree.clone());
    manual.render_title(page)?;
    manual.render_name_section(page)?;
    manual.render_synopsis_section(page)?;
    manual.render_description_section(page)?;
    manual.render_options_section(page)?;
    for command in tree.get_subcommands().filter(|command| !command.is_hide_set()) {
        writeln!(page, ".SH \"ALUDEL {}\"", command.get_name().to_uppercase())?;
        page.extend(section_of(command)?);
    }
    page.extend(ENDING.as_bytes());
    manual.render_version_section(page)
}

/// The parts of the manual that are not in the command tree.
const ENDING: &str = "\
.SH \"EXIT STATUS\"
.nf
0    done
1    failed
2    usage or bad input
3    the configuration is wrong
4    not allowed
5    not found
6    a provider failed
7    the budget is used up
130  interrupted; what had finished is kept
.fi
.SH ENVIRONMENT
.TP
\\fBALUDEL_HOME\\fR
The folder everything is kept in, instead of ~/.aludel.
.TP
\\fBALUDEL_CONFIG\\fR
The configuration file.
.TP
\\fBALUDEL_MODE\\fR
What starts without a command: workbench or server.
.TP
\\fBALUDEL_LOG_LEVEL\\fR, \\fBALUDEL_LEARNING_ENABLED\\fR
As the options of these names.
.TP
\\fBALUDEL_SECTION__KEY\\fR
Any key of the configuration, such as ALUDEL_GENERATION__DEFAULT_COUNT.
.TP
\\fBNO_COLOR\\fR
No colours, when set and not empty.
.TP
\\fBVISUAL\\fR, \\fBEDITOR\\fR
The editor for personas and templates.
.SH FILES
.TP
~/.aludel/config.yaml
The configuration. `aludel config init` writes a commented one.
.TP
~/.aludel/aludel.db
The stored prompts, an SQLite database.
.TP
~/.aludel/personas, ~/.aludel/phases, ~/.aludel/judge, ~/.aludel/themes
Files that override the built\\-in ones of the same name.
";

/// A command's section of the manual, its headings one level down, without the global options.
fn section_of(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let own = command.clone().mut_args(|argument| {
        let is_global = argument.is_global_set();
        argument.hide(is_global)
    });
    let manual = clap_mangen::Man::new(own);
    let mut section = Vec::new();
    if let Some(about) = command.get_about() {
        writeln!(section, "{}.", escaped(&about.to_string()))?;
    }
    manual.render_synopsis_section(&mut section)?;
    manual.render_options_section(&mut section)?;
    if command.has_subcommands() {
        writeln!(section, ".SH COMMANDS")?;
    }
    for nested in command.get_subcommands() {
        let about = nested.get_about().map(ToString::to_string).unwrap_or_default();
        let mut usage = vec![command.get_name().to_owned(), nested.get_name().to_owned()];
        usage.extend(
            nested.get_positionals().map(|argument| format!("<{}>", argument.get_id().as_str().to_uppercase())),
        );
        writeln!(section, ".TP\n\\fB{}\\fR\n{}", escaped(&usage.join(" ")), escaped(&about))?;
    }
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let examples = examples.strip_prefix("Examples:\n").unwrap_or(&examples);
        writeln!(section, ".SH EXAMPLES\n.nf\n{}\n.fi", escaped(examples))?;
    }
    let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
    // Each section repeats the definition of an apostrophe; the page needs it once.
    let lines = section.lines().filter(|line| !line.starts_with(".ie ") && !line.starts_with(".el "));
    Ok(lines.flat_map(|line| [line, "\n"]).collect::<String>().into_bytes())
}

/// Escapes text for roff: a bare hyphen can become a dash, and a backslash begins an escape.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace("\n'", "\n\\(aq")
}
