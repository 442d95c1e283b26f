//! What people type who are used to other programs, and what it is called here.

use std::net::{IpAddr, SocketAddr};

use clap::{Arg, Command};
use ghi_contract::{GLOBAL, is_region_id};
use ghi_engine::parse_date;

use crate::flag_values::listen_address;

/// The port of advice where none was given: the default one.
const PORT: u16 = 8000;

/// Flags of other programs that say where to listen, by what their value is.
const HOSTS: &[&str] = &["--host", "--bind", "--address", "--addr", "--ip", "--interface", "-b"];
const PORTS: &[&str] = &["--port", "-p"];

/// Flags of other programs, and the one that does it here, with what to write behind it: `=` for the
/// value that was given.
const FLAGS: &[(&[&str], &str, &str)] = &[
    (&["--config", "--file", "-c", "-f", "--model", "--data"], "--inputs", "="),
    (&["--date", "--time", "--now", "--clock", "--timestamp", "--day"], "--at", "="),
    (&["--at", "--day", "--time", "--timestamp"], "--date", "="),
    (&["--url", "--base-url", "--external-url", "--root-path"], "--public-url", "="),
    (&["--base-url", "--server", "--endpoint", "--host", "--api"], "--url", "="),
    (&["--region-id", "--id", "-r"], "--region", "="),
    (&["--since", "--start", "--after"], "--from", "="),
    (&["--until", "--end", "--before"], "--to", "="),
    (&["--horizon", "--forecast-days", "-n"], "--days", "="),
    (&["--chart", "--graph", "--draw"], "--plot", ""),
    (&["--threads", "--jobs", "-j", "-w"], "--workers", "="),
    (&["--timeout", "--keep-alive", "--keepalive"], "--idle-timeout", "="),
    (&["--grace", "--grace-period", "--shutdown-timeout"], "--drain", "="),
    (&["--fail", "--fail-rate", "--errors", "--error-rate"], "--chaos", "="),
    (&["--verbose", "-v", "-vv", "--debug", "--log-level", "--log"], "--access-log", ""),
    (&["--json"], "--format", "json"),
    (&["--csv"], "--format", "csv"),
    (&["--output", "-o", "-F", "--type"], "--format", "="),
    (&["--json"], "--log-format", "json"),
];

/// Flags of other programs, and the argument without a flag that says it here.
const ARGUMENTS: &[(&[&str], &str)] = &[
    (&["--region", "--region-id", "--id", "-r"], "ID"),
    (&["--url", "--base-url", "--server", "--host", "--endpoint"], "BASE_URL"),
    (&["--shell", "-s"], "SHELL"),
];

/// Commands of other programs, and what does it here.
const COMMANDS: &[(&[&str], &str)] = &[
    (&["start", "run", "server", "up", "listen", "daemon"], "serve"),
    (&["get", "print", "query", "ask"], "show"),
    (&["config", "init", "example"], "inputs"),
    (&["why", "derive", "calculate"], "explain"),
    (&["test", "verify", "validate", "judge", "conformance"], "check"),
    (&["tools", "assistant"], "mcp"),
    (&["spec", "swagger", "schema", "oas"], "openapi"),
    (&["complete", "autocomplete"], "completions"),
    (&["manual", "manpage"], "man"),
];

/// What to write instead of a flag that the command of this name does not have.
pub(crate) fn flag(word: &str, words: &[&str], name: &str, command: &Command) -> Option<String> {
    let exists = |flag: &str| find_flag(flag, command).is_some();
    let word = word.split('=').next()?;
    if (HOSTS.contains(&word) || PORTS.contains(&word)) && exists("--listen") {
        return Some(format!("--listen {}", address(words)));
    }
    if let Some((others, argument)) = ARGUMENTS.iter().find(|(others, argument)| {
        others.contains(&word) && find_argument(argument, command).is_some()
    }) {
        let value = value_of(others, words).unwrap_or_else(|| (*argument).into());
        return Some(format!("{name} {value}"));
    }
    let row = FLAGS.iter().find(|(others, flag, _)| others.contains(&word) && exists(flag));
    row.map(|(others, flag, value)| match *value {
        "" => (*flag).into(),
        "=" => {
            let placeholder = || {
                let names = find_flag(flag, command).and_then(|arg| arg.get_value_names());
                names.and_then(|names| names.first()).map_or("VALUE", |name| name).to_owned()
            };
            format!("{flag} {}", value_of(others, words).unwrap_or_else(placeholder))
        }
        value => format!("{flag} {value}"),
    })
}

/// What to write instead of a word that is not a flag.
pub(crate) fn word(word: &str, command: &Command) -> Option<String> {
    let exists = |flag: &str| find_flag(flag, command).is_some();
    if listen_address(word).is_ok() && exists("--listen") {
        return Some(format!("--listen {word}"));
    }
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = parse_date(word).is_ok();
    let flags = [
        ("--inputs", word.ends_with(".toml")),
        ("--url", word.starts_with("http://") || word.starts_with("https://")),
        ("--days", is_number),
        ("--from", is_date),
        ("--date", is_date),
        ("--region", is_region_id(word)),
    ];
    let flag = flags.into_iter().find(|(flag, is_meant)| *is_meant && exists(flag));
    flag.map(|(flag, _)| format!("{flag} {word}"))
}

/// What to write instead of a command that there is not, if that is a region.
pub(crate) fn region(word: &str, name: &str, command: &Command) -> Option<String> {
    let has_regions = command.find_subcommand("region").is_some();
    (has_regions && is_region_id(word) && word != GLOBAL).then(|| format!("{name} region {word}"))
}

/// What to write instead of a command that there is not.
pub(crate) fn command(word: &str, ghi: &Command) -> Option<String> {
    if word == "version" {
        return Some("ghi --version".into());
    }
    let is_document = |show: &&Command| show.find_subcommand(word).is_some();
    if ghi.find_subcommand("show").filter(is_document).is_some() {
        return Some(format!("ghi show {word}"));
    }
    let row = COMMANDS.iter().find(|(others, _)| others.contains(&word));
    let command = row.map(|(_, command)| format!("ghi {command}"));
    let serve = ghi.find_subcommand("serve")?;
    command.or_else(|| Some(format!("ghi serve {}", self::word(word, serve)?)))
}

/// The flag of a command that is written in this way.
pub(crate) fn find_flag<'a>(word: &str, command: &'a Command) -> Option<&'a Arg> {
    let long = word.strip_prefix("--")?;
    command.get_arguments().find(|arg| arg.get_long() == Some(long))
}

/// The argument of a command that help calls by this name.
fn find_argument<'a>(name: &str, command: &'a Command) -> Option<&'a Arg> {
    let is_named =
        |arg: &&Arg| arg.get_value_names().is_some_and(|names| names.iter().any(|it| it == name));
    command.get_positionals().find(is_named)
}

/// The address that a line means with a host, a port, or both.
fn address(words: &[&str]) -> String {
    let host = value_of(HOSTS, words);
    if let Some(whole) = host.as_deref().filter(|host| listen_address(host).is_ok()) {
        return whole.to_owned();
    }
    let port = value_of(PORTS, words).and_then(|port| port.parse().ok()).unwrap_or(PORT);
    match host.as_deref().and_then(|host| host.parse::<IpAddr>().ok()) {
        Some(ip) => SocketAddr::new(ip, port).to_string(),
        None => format!("127.0.0.1:{port}"),
    }
}

/// The value that a line has for the first of these flags.
fn value_of(flags: &[&str], words: &[&str]) -> Option<String> {
    words.iter().enumerate().find_map(|(index, word)| match word.split_once('=') {
        Some((flag, value)) => flags.contains(&flag).then_some(value.to_owned()),
        None if flags.contains(word) => {
            let value = words.get(index + 1).filter(|value| !value.starts_with('-'));
            value.map(|value| (*value).to_owned())
        }
        // A value may follow a letter at once.
        None => flags.iter().filter(|flag| flag.len() == 2).find_map(|flag| {
            word.strip_prefix(flag).filter(|value| !value.is_empty()).map(str::to_owned)
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments;

    /// Whether this holds of a command or of one below it.
    fn any(command: &Command, holds: &dyn Fn(&Command) -> bool) -> bool {
        holds(command) || command.get_subcommands().any(|command| any(command, holds))
    }

    #[test]
    fn all_advice_names_what_there_is() {
        let ghi = arguments::built();
        for (others, command) in COMMANDS {
            assert!(ghi.find_subcommand(command).is_some(), "{command}");
            assert!(others.iter().all(|other| ghi.find_subcommand(other).is_none()), "{others:?}");
        }
        for (_, flag, _) in FLAGS {
            assert!(any(&ghi, &|command| find_flag(flag, command).is_some()), "{flag}");
        }
        for (_, name) in ARGUMENTS {
            assert!(any(&ghi, &|command| find_argument(name, command).is_some()), "{name}");
        }
    }
}
