//! `ghi man`, `ghi completions` and `ghi openapi`.

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::Command;
use clap::builder::Resettable;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use ghi_server::{OPENAPI, OPENAPI_3_0};
use serde_json::Value;

use crate::output::print;

/// The OpenAPI document, for its schemas.
pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&OPENAPI).expect("the document is valid JSON"));

#[derive(clap::Args)]
pub(crate) struct OpenapiArgs {
    /// OpenAPI version; use 3.0 for client generators without 3.1 support
    #[arg(long, value_name = "VERSION", default_value = "3.1", value_parser = ["3.1", "3.0"])]
    oas: String,
}

#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The command to describe, such as serve or show history [default: ghi itself]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to generate the script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn openapi(args: &OpenapiArgs) -> Result<ExitCode, String> {
    print(if args.oas == "3.0" { &OPENAPI_3_0 } else { &OPENAPI })
}

/// Prints a completion script for the commands of `ghi` and their flags.
pub(crate) fn complete(args: &CompletionsArgs, ghi: Command) -> Result<ExitCode, String> {
    // Without a command, `ghi` accepts the flags of `serve`.
    let serve = ghi.find_subcommand("serve").cloned().unwrap_or_default();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut ghi.args(serve.get_arguments()), "ghi", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of `ghi` or of one of its commands.
pub(crate) fn manual(args: &ManArgs, ghi: Command) -> Result<ExitCode, String> {
    let mut command = &mut ghi.disable_help_subcommand(true);
    // Names each command and adds the global flags to it.
    command.build();
    for name in &args.command {
        let above = command.get_bin_name().unwrap_or("ghi").to_owned();
        let found = command.find_subcommand_mut(name);
        command = found.ok_or_else(|| format!("no such command: {above} {name}"))?;
    }
    let [about, sections] = [command.get_about(), command.get_after_help()]
        .map(|text| text.map(ToString::to_string).unwrap_or_default());
    // `whatis` shows a single line.
    let summary = about.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    let page = command.clone().about(summary).long_about(about).after_help(Resettable::Reset);
    let man = Man::new(page).manual("GHI").source(concat!("ghi ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render(&mut page).expect("writing to memory does not fail");
    print(&(String::from_utf8_lossy(&page) + &*roff(&sections)))
}

/// Formats sections as roff, without filling their lines. A line without indentation is a heading.
fn roff(sections: &str) -> String {
    let mut roff = Roff::new();
    for line in sections.lines() {
        match line.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
            Some(heading) => roff.control("SH", [&*heading.to_uppercase()]).control("nf", []),
            None if line.is_empty() => &mut roff,
            None => roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]),
        };
    }
    roff.to_roff()
}
