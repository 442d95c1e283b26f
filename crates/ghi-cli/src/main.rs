//! The `ghi` command.

mod arguments;
mod serve;
mod log;
mod output;

use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::parse() {
        arguments::Command::Serve(args) => serve::run(args),
        arguments::Command::Openapi => output::print(ghi_server::OPENAPI),
    }
    .unwrap_or_else(|message| {
        output::complain(&message);
        ExitCode::from(2)
    })
}
