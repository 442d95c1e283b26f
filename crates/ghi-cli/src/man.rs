//! `ghi man`.

use std::io::Write;
use std::process::ExitCode;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::help_sections::{self, Section};
use crate::output::print;

/// What `ghi man` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The command whose page to print, such as serve; without one, the page of ghi itself
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Prints a manual page of `ghi`, which is built, or of a command below it.
pub(crate) fn run(args: &Args, ghi: &Command) -> Result<ExitCode, String> {
    let mut command = ghi;
    for name in &args.command {
        command = command.find_subcommand(name).ok_or_else(|| no_page(name, command))?;
    }
    let mut page = Vec::new();
    write(command.clone(), &mut page).map_err(|error| format!("cannot write the page: {error}"))?;
    print(&String::from_utf8_lossy(&page))
}

fn no_page(name: &str, within: &Command) -> String {
    let commands: Vec<&str> = within.get_subcommands().map(Command::get_name).collect();
    match &commands[..] {
        [] => format!("{} has no command '{name}'", within.get_name()),
        _ => format!("there is no command '{name}'; it takes one of {}", commands.join(", ")),
    }
}

fn write(command: Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let sections = help_sections::of(&command);
    let has_commands = command.has_subcommands();
    // What `whatis` lists is a line.
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let summary = about.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    let name = Man::new(command.clone().about(summary));
    let man = Man::new(command).manual("GHI");
    man.render_title(page)?;
    name.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if has_commands {
        man.render_subcommands_section(page)?;
    }
    sections.iter().try_for_each(|section| page.write_all(roff(section).as_bytes()))
}

/// A section whose lines are kept as they are.
fn roff(Section { heading, lines }: &Section) -> String {
    let mut roff = Roff::new();
    roff.control("SH", [&*heading.to_uppercase()]).control("nf", []);
    lines.iter().for_each(|line| _ = roff.text([roman(*line)]));
    roff.control("fi", []).to_roff()
}
