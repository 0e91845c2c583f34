//! The MCP server with the tools, prompts and resources that the protocol's conformance suite asks for.
//!
//! `mcp_fixtures serve [--port PORT]`, started by `tests/mcp_conformance.sh`. It is the command line, the
//! HTTP server and the handler of the program, with a handler around the latter (`handler`). What the
//! suite asks for by a name of its own is answered by the product wherever it has the like: a stored
//! prompt, a generation with its progress, a refusal, a batch as a task. Only what the product never
//! sends, such as an image, is made here (`content`, `tools`, `rounds`).

mod content;
mod handler;
mod rounds;
mod stored;
mod tools;

use std::process::ExitCode;

use aludel::cli::{self, Launchers};
use aludel::server::mcp::http::ListenOptions;
use aludel::server::mcp::{Options, conformance};
use aludel_core::api::ServeRequest;
use aludel_core::config::Environment;
use aludel_core::engine::Engine;
use aludel_core::error::{Error, Result};

use handler::Fixtures;
use rounds::States;
use stored::Stored;
use tokio::runtime::{Builder, Runtime};

fn main() -> ExitCode {
    let launchers = Launchers { mcp_server: Some(serve_stdio), mcp_http_server: Some(serve), ..Launchers::default() };
    cli::run(std::env::args_os(), &Environment::from_process(), &launchers)
}

fn serve_stdio(engine: Engine, request: ServeRequest) -> Result<()> {
    let options = Options::new(request)?;
    runtime(&mut Builder::new_current_thread())?.block_on(async {
        let (stored, states) = (Stored::new(&engine).await?, States::default());
        conformance::serve_stdio(engine, options, |product| Fixtures::new(product, stored, states)).await
    })
}

fn serve(engine: Engine, request: ServeRequest) -> Result<()> {
    let server = &engine.config().server;
    let listen = ListenOptions { host: server.host.clone(), port: server.port };
    let options = Options::new(request)?;
    runtime(&mut Builder::new_multi_thread())?.block_on(async {
        let (stored, states) = (Stored::new(&engine).await?, States::default());
        let fixtures = move |product: &_| Fixtures::new(product, stored.clone(), states.clone());
        conformance::serve(engine, &listen, options, fixtures).await
    })
}

fn runtime(builder: &mut Builder) -> Result<Runtime> {
    builder.enable_all().build().map_err(|error| Error::Internal(format!("the runtime cannot start: {error}")))
}
