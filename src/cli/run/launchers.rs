//! `aludel`, `aludel tui`, `aludel serve`, `aludel http-server`: start the other faces.

use std::io::IsTerminal;

use aludel_core::api::ServeRequest;
use aludel_core::config::{Flags, Mode};
use aludel_core::engine::Engine;
use aludel_core::error::{Code, Error};
use clap::CommandFactory;

use crate::cli::args::{Arguments, HttpServerArgs, ServeArgs, TuiArgs};
use crate::cli::exit::Exit;
use crate::cli::failure::CommandResult;
use crate::cli::{Invocation, Launcher, Surroundings};

/// Without a command: starts what `mode` says; prints help if there is no terminal.
pub(crate) fn no_command(invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let loaded = invocation.load(&invocation.globals.flags())?;
    if loaded.config.mode == Mode::Server {
        return open(invocation.launchers.http_server, "HTTP server", "server", invocation.engine()?);
    }
    let has_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    match invocation.launchers.workbench {
        Some(workbench) if has_terminal => workbench(invocation.silent_engine()?, invocation.surroundings())?,
        _ => invocation.printer.data(Arguments::command().render_help().to_string())?,
    }
    Ok(Exit::Done)
}

pub(crate) fn workbench(args: &TuiArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let door = door(invocation.launchers.workbench, "workbench", "tui")?;
    door(invocation.silent_engine()?, Surroundings { plain: args.plain, ..invocation.surroundings() })?;
    Ok(Exit::Done)
}

pub(crate) fn serve(args: &ServeArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let launchers = invocation.launchers;
    let launcher = if args.port.is_some() { launchers.mcp_http_server } else { launchers.mcp_server };
    let door = door(launcher, "MCP server", "server")?;
    let flags = listening(args.host.as_deref(), args.port.as_deref(), args.insecure_no_auth, invocation);
    let engine = invocation.engine_with(&flags)?;
    let request = engine.decode::<ServeRequest>(args.request())?;
    door(engine, request)?;
    Ok(Exit::Done)
}

pub(crate) fn http_server(args: &HttpServerArgs, invocation: &Invocation<'_>) -> CommandResult<Exit> {
    let flags = listening(args.host.as_deref(), args.port.as_deref(), args.insecure_no_auth, invocation);
    open(invocation.launchers.http_server, "HTTP server", "server", invocation.engine_with(&flags)?)
}

/// The flags of the command, with where a server listens.
fn listening(host: Option<&str>, port: Option<&str>, insecure_no_auth: bool, invocation: &Invocation<'_>) -> Flags {
    let mut flags = invocation.globals.flags();
    if let Some(host) = host {
        flags = flags.with_flag("--host", "server.host", host);
    }
    if let Some(port) = port {
        flags = flags.with_flag("--port", "server.port", port);
    }
    if insecure_no_auth {
        flags = flags.with_flag("--insecure-no-auth", "server.insecure_no_auth", "true");
    }
    flags
}

fn open(chosen: Option<Launcher>, face: &str, feature: &str, engine: Engine) -> CommandResult<Exit> {
    door(chosen, face, feature)?(engine)?;
    Ok(Exit::Done)
}

/// The launcher of a face, or the error for a build without it.
pub(super) fn door<D>(door: Option<D>, face: &str, feature: &str) -> Result<D, Error> {
    door.ok_or_else(|| {
        let detail = format!("this build has no {face}: it was built without the feature `{feature}`");
        Error::Refused { code: Code::InvalidRequest, detail }
    })
}
