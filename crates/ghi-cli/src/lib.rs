//! The `ghi` command, as a library: Cargo compiles a library while `ghi-server` is still being optimized,
//! but a binary only afterwards.

mod arguments;
mod help_sections;
mod flag_values;
mod serve;
mod serve_flags;
mod reload;
mod show;
mod explain;
mod fixtures;
mod check;
mod health;
mod inputs;
mod collect;
mod mcp;
mod openapi;
mod reference;
mod source;
mod text_table;
mod allocator;
mod log;
mod signals;
mod output;

use std::process::ExitCode;

/// Runs the command that the arguments of this process name.
#[must_use]
pub fn main() -> ExitCode {
    allocator::purge_immediately();
    let done = match arguments::parse() {
        arguments::Command::Serve(args) => serve::run(args),
        arguments::Command::Show(args) => show::run(&args),
        arguments::Command::Explain(args) => explain::run(&args),
        arguments::Command::Fixtures(args) => fixtures::run(&args),
        arguments::Command::Check(args) => check::run(&args),
        arguments::Command::Health(args) => health::run(&args),
        arguments::Command::Inputs(args) => inputs::run(&args),
        arguments::Command::Collect(args) => collect::run(&args),
        arguments::Command::Mcp(args) => mcp::run(&args),
        arguments::Command::Openapi(args) => openapi::run(&args),
        arguments::Command::Completions(args) => reference::complete(&args, arguments::command()),
        arguments::Command::Man(args) => reference::manual(&args, arguments::command()),
    };
    done.unwrap_or_else(|message| {
        output::print_error(&message);
        ExitCode::from(2)
    })
}
