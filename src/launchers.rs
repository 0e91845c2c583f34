//! Starts the workbench and the servers that are built in, each with the runtime it needs.

#[cfg(all(feature = "server", feature = "cli"))]
use aludel_core::api::ServeRequest;
#[cfg(all(feature = "tui", not(feature = "cli")))]
use aludel_core::config::Environment;
#[cfg(any(feature = "server", feature = "tui"))]
use aludel_core::engine::Engine;
#[cfg(feature = "server")]
use aludel_core::error::Error;
#[cfg(any(feature = "server", feature = "tui"))]
use aludel_core::error::Result;

/// The launchers for the command line.
#[cfg(feature = "cli")]
pub(crate) fn for_command_line() -> crate::cli::Launchers {
    crate::cli::Launchers {
        workbench: cfg_select! { feature = "tui" => { Some(workbench) } _ => { None } },
        mcp_server: cfg_select! { feature = "server" => { Some(mcp_server) } _ => { None } },
        mcp_http_server: cfg_select! { feature = "server" => { Some(mcp_http_server) } _ => { None } },
        mcp_check: cfg_select! { feature = "server" => { Some(mcp_check) } _ => { None } },
        http_server: cfg_select! { feature = "server" => { Some(http_server) } _ => { None } },
        workbench_check: cfg_select! { feature = "tui" => { Some(crate::tui::faults) } _ => { None } },
    }
}

/// Runs the workbench, which builds its own runtime.
#[cfg(all(feature = "tui", feature = "cli"))]
fn workbench(engine: Engine, surroundings: crate::cli::Surroundings<'_>) -> Result<()> {
    let options = crate::tui::Options::from_environment(surroundings.environment);
    let no_color = options.no_color || surroundings.no_color;
    let manner = if surroundings.plain { crate::tui::DisplayMode::Lines } else { options.manner };
    crate::tui::run(engine, &crate::tui::Options { no_color, manner, ..options })
}

/// Runs the workbench, which builds its own runtime.
#[cfg(all(feature = "tui", not(feature = "cli")))]
pub(crate) fn workbench(engine: Engine, environment: &Environment) -> Result<()> {
    crate::tui::run(engine, &crate::tui::Options::from_environment(environment))
}

/// Runs REST over HTTP, on the configured host and port.
#[cfg(feature = "server")]
pub(crate) fn http_server(engine: Engine) -> Result<()> {
    let server = &engine.config().server;
    let options = crate::server::rest::Options { host: server.host.clone(), port: server.port };
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    started(&mut builder)?.block_on(crate::server::rest::serve(engine, options))
}

/// Checks what an MCP server is to offer.
#[cfg(all(feature = "server", feature = "cli"))]
fn mcp_check(request: ServeRequest) -> Result<()> {
    crate::server::mcp::Options::new(request).map(drop)
}

/// Runs MCP over standard input and output. One client, so one thread.
#[cfg(all(feature = "server", feature = "cli"))]
pub(crate) fn mcp_server(engine: Engine, request: ServeRequest) -> Result<()> {
    let options = crate::server::mcp::Options::new(request)?;
    let mut builder = tokio::runtime::Builder::new_current_thread();
    started(&mut builder)?.block_on(crate::server::mcp::serve_stdio(engine, options))
}

/// Runs MCP over HTTP, on the configured host and port.
#[cfg(all(feature = "server", feature = "cli"))]
pub(crate) fn mcp_http_server(engine: Engine, request: ServeRequest) -> Result<()> {
    use crate::server::mcp::{self, http};
    let server = &engine.config().server;
    let listen = http::ListenOptions { host: server.host.clone(), port: server.port };
    let options = mcp::Options::new(request)?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    started(&mut builder)?.block_on(http::serve(engine, &listen, options))
}

#[cfg(feature = "server")]
fn started(builder: &mut tokio::runtime::Builder) -> Result<tokio::runtime::Runtime> {
    builder.enable_all().build().map_err(|error| Error::Internal(format!("the runtime cannot start: {error}")))
}
