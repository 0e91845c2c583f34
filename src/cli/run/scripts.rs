//! `aludel completions` and `aludel man`: texts made from the tree of commands.

use std::io::Write;

use clap::CommandFactory;

use crate::cli::Invocation;
use crate::cli::args::{Arguments, CompletionsArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::Outcome;

pub(crate) fn completions(args: &CompletionsArgs, invocation: &Invocation<'_>) -> Outcome<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "aludel", &mut script);
    invocation.printer.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// The manual page of the program, and after it a section for each command.
pub(crate) fn man(invocation: &Invocation<'_>) -> Outcome<Exit> {
    let mut tree = Arguments::command();
    tree.build();
    let mut page = Vec::new();
    let manual = clap_mangen::Man::new(tree.clone());
    // Writing into memory cannot fail.
    let _ = manual.render(&mut page);
    for command in tree.get_subcommands().filter(|command| !command.is_hide_set()) {
        let own = command.clone().mut_args(|argument| {
            let is_global = argument.is_global_set();
            argument.hide(is_global)
        });
        let manual = clap_mangen::Man::new(own);
        let title = format!(".SH \"ALUDEL {}\"\n", command.get_name().to_uppercase());
        let _ = page.write_all(title.as_bytes());
        let _ = manual.render_description_section(&mut page);
        let _ = manual.render_options_section(&mut page);
    }
    invocation.printer.data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}
