//! What is wrong with a command line, in one sentence.

use std::env;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::habits::{self, find_flag};
use crate::output::complain;

/// Prints what the command line asked for instead of running, or what is wrong with it.
pub(crate) fn refuse(error: &Error, ghi: &Command, line: &[OsString]) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    complain(&sentence(error, ghi, line));
    std::process::exit(2);
}

fn sentence(error: &Error, ghi: &Command, line: &[OsString]) -> String {
    let words: Vec<&str> = line.iter().filter_map(|word| word.to_str()).collect();
    let asked = Asked::find(ghi, &words);
    let Asked { name, command, .. } = &asked;
    let flag = text_of(error, ContextKind::InvalidArg);
    let value = text_of(error, ContextKind::InvalidValue);
    let variable = flag.and_then(|flag| variable_to_blame(flag, command, &words));
    let from = variable.map_or_else(String::new, |name| format!(", from the variable {name}"));
    match (error.kind(), flag) {
        (ErrorKind::UnknownArgument, Some(word)) if word.starts_with('-') => {
            unknown_flag(error, word, ghi, &asked)
        }
        (ErrorKind::UnknownArgument, Some(word)) => too_much(word, ghi, &asked),
        (ErrorKind::InvalidSubcommand, _) => unknown_command(error, &asked),
        (ErrorKind::InvalidValue, Some(flag)) => match value {
            None | Some("") => format!("a value is missing: {flag}{}", values(error)),
            Some(value) => format!("invalid value '{value}' for '{flag}'{from}{}", values(error)),
        },
        (ErrorKind::ValueValidation, Some(flag)) => {
            let why = error.source().map_or_else(String::new, |why| format!(": {why}"));
            format!("invalid value '{}' for '{flag}'{from}{why}", value.unwrap_or_default())
        }
        (ErrorKind::TooManyValues, Some(flag)) => format!("{flag} takes no value"),
        (ErrorKind::MissingRequiredArgument, _) => {
            format!("{} needs {}; see {name} --help", asked.subject(), missing(error))
        }
        (ErrorKind::MissingSubcommand, _)
        | (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, _) => {
            let commands = commands_of(command).join(", ");
            format!("{} needs one of {commands}; see {name} --help", asked.subject())
        }
        (ErrorKind::InvalidUtf8, _) => not_utf8(line, command),
        // Each is one line, and clap says it well.
        _ => {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    }
}

/// The command that a line asks for.
struct Asked<'a> {
    /// As one types it: `ghi show history`.
    name: String,
    command: &'a Command,
    /// The words behind it.
    words: &'a [&'a str],
}

impl<'a> Asked<'a> {
    fn find(ghi: &'a Command, words: &'a [&'a str]) -> Self {
        let words = words.get(1..).unwrap_or_default();
        let mut asked = Self { name: "ghi".into(), command: ghi, words };
        while let [word, rest @ ..] = asked.words {
            let Some(command) = asked.command.find_subcommand(word) else { break };
            asked = Self { name: format!("{} {word}", asked.name), command, words: rest };
        }
        asked
    }

    /// Its name behind `ghi: `, with which each message begins.
    fn subject(&self) -> &str {
        self.name.strip_prefix("ghi ").unwrap_or(&self.name)
    }
}

fn unknown_flag(error: &Error, word: &str, ghi: &Command, asked: &Asked) -> String {
    let Asked { name, command, words } = asked;
    let there_is_no = format!("there is no {word}");
    if let Some(advice) = habits::flag(word, words, name, command) {
        return format!("{there_is_no}; use {advice}");
    }
    let others = commands_with(word, ghi);
    if !others.is_empty() {
        return format!(
            "{} has no {word}; it is a flag of {}",
            asked.subject(),
            listed(&others, "and")
        );
    }
    match text_of(error, ContextKind::SuggestedArg) {
        Some(near) => format!("{there_is_no}; did you mean {near}?"),
        None => format!("{there_is_no}; see {name} --help"),
    }
}

/// The commands that have a flag, each as one types it, without those below them.
fn commands_with(flag: &str, command: &Command) -> Vec<String> {
    if find_flag(flag, command).is_some() {
        return command.get_bin_name().map(str::to_owned).into_iter().collect();
    }
    command.get_subcommands().flat_map(|command| commands_with(flag, command)).collect()
}

/// A word that is not a flag, behind a command that takes no more of them.
fn too_much(word: &str, ghi: &Command, asked: &Asked) -> String {
    let Asked { name, command, .. } = asked;
    if ghi.find_subcommand(word).is_some() && command.get_name() == "serve" {
        return format!("the command comes before its flags: ghi {word}");
    }
    match habits::word(word, command) {
        Some(advice) => format!("{} takes no '{word}'; use {advice}", asked.subject()),
        None => format!("{} takes no '{word}'; see {name} --help", asked.subject()),
    }
}

fn unknown_command(error: &Error, asked: &Asked) -> String {
    let Asked { name, command, .. } = asked;
    let word = text_of(error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let there_is_no = format!("there is no command '{word}'");
    if let Some(advice) = habits::command(word, command) {
        return format!("{there_is_no}; use {advice}");
    }
    // The nearest comes last.
    let near = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(near)) => near.last(),
        _ => None,
    };
    match (near, habits::region(word, name, command)) {
        (Some(near), _) => format!("{there_is_no}; did you mean {name} {near}?"),
        (None, Some(advice)) => {
            format!("{there_is_no}; if it is a region, use {advice}; see {name} --help")
        }
        (None, None) => {
            let commands = commands_of(command).join(", ");
            format!("{there_is_no}; it takes one of {commands}; see {name} --help")
        }
    }
}

/// What a flag takes, if that is one of few.
fn values(error: &Error) -> String {
    let Some(ContextValue::Strings(values)) = error.get(ContextKind::ValidValue) else {
        return String::new();
    };
    if values.is_empty() {
        return String::new();
    }
    format!("; it takes {}", listed(values, "or"))
}

/// As a sentence lists them: `a, b or c`.
fn listed(names: &[String], conjunction: &str) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => {
            format!("{} {conjunction} {last}", names.join(", "))
        }
        names => names.concat(),
    }
}

fn missing(error: &Error) -> String {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(args)) => args.join(" "),
        _ => "more".into(),
    }
}

fn not_utf8(line: &[OsString], command: &Command) -> String {
    let is_not = |text: &OsStr| text.to_str().is_none();
    if let Some(word) = line.iter().find(|word| is_not(word)) {
        return format!("{word:?} is not UTF-8; write it in UTF-8");
    }
    let variables = command.get_arguments().filter_map(Arg::get_env);
    let mut wrong = variables.filter(|name| env::var_os(name).is_some_and(|value| is_not(&value)));
    let name = wrong.next().map_or("of a flag".into(), OsStr::to_string_lossy);
    format!("the value of the variable {name} is not UTF-8")
}

fn commands_of(command: &Command) -> Vec<&str> {
    command.get_subcommands().map(Command::get_name).collect()
}

/// The environment variable whose value was refused: that of a flag which the line does not have.
fn variable_to_blame(flag: &str, command: &Command, words: &[&str]) -> Option<String> {
    let flag = flag.split([' ', '=']).next()?;
    if words.iter().any(|word| word.split('=').next() == Some(flag)) {
        return None;
    }
    let variable = find_flag(flag, command)?.get_env()?;
    env::var_os(variable).map(|_| variable.to_string_lossy().into_owned())
}

fn text_of(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}
