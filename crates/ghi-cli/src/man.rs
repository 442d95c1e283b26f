//! `ghi man`.

use std::io::Write;
use std::process::ExitCode;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::help_sections::{self, heading};
use crate::output::print;

/// The arguments of `ghi man`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The command to describe, such as serve or show history [default: ghi itself]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Prints the manual page of `ghi` or of one of its commands. `Command::build` must have been called on `ghi`.
pub(crate) fn run(args: &Args, ghi: &Command) -> Result<ExitCode, String> {
    let mut command = ghi;
    for name in &args.command {
        let found = command.find_subcommand(name);
        command = found.ok_or_else(|| {
            format!("no such command: {} {name}", command.get_bin_name().unwrap_or("ghi"))
        })?;
    }
    let mut page = Vec::new();
    write(command.clone(), &mut page).expect("writing to memory does not fail");
    print(&String::from_utf8_lossy(&page))
}

fn write(command: Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let sections = help_sections::of(&command);
    let has_commands = command.has_subcommands();
    // `whatis` shows a single line.
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let summary = about.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    let name = Man::new(command.clone().about(summary));
    let source = concat!("ghi ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command).manual("GHI").source(source);
    man.render_title(page)?;
    name.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if has_commands {
        man.render_subcommands_section(page)?;
    }
    page.write_all(roff(sections).as_bytes())
}

/// Formats sections as roff, without filling their lines.
fn roff(sections: &str) -> String {
    let mut roff = Roff::new();
    for line in sections.lines() {
        match heading(line) {
            Some(heading) => roff.control("SH", [&*heading.to_uppercase()]).control("nf", []),
            None if line.is_empty() => &mut roff,
            None => roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]),
        };
    }
    roff.to_roff()
}
