//! The text below the flags in help and manual pages.

use std::fmt::Write;

use clap::Command;
use clap::builder::StyledStr;

/// The sections below the flags of a command; a line without indent is a heading.
pub(crate) fn of(command: &Command) -> &'static str {
    match command.get_name() {
        "ghi" => GHI,
        "serve" => SERVE,
        "check" => CHECK,
        "show" => SHOW,
        "mcp" => MCP,
        _ => "",
    }
}

/// The heading that a line is, if it is one.
pub(crate) fn heading(line: &str) -> Option<&str> {
    line.strip_suffix(':').filter(|heading| !heading.starts_with(' '))
}

/// Sections as help shows them, with headings like those of the flags.
pub(crate) fn styled(sections: &str, command: &Command) -> StyledStr {
    let style = command.get_styles().get_header();
    let mut text = StyledStr::new();
    for (index, line) in sections.lines().enumerate() {
        let newline = if index > 0 { "\n" } else { "" };
        _ = match heading(line) {
            Some(heading) => write!(text, "{newline}{style}{heading}:{style:#}"),
            None => write!(text, "{newline}{line}"),
        };
    }
    text
}

const GHI: &str = "\
Examples:
  ghi                                    serve on http://127.0.0.1:8000/, the page for people too
  ghi --listen 9000 --at 2026-11-15      serve on port 9000, and always the same day
  ghi show history --plot                the costs of a week, as a chart in the terminal

Environment:
  GHI_...     Each flag of serve has a variable, such as GHI_RATE_LIMIT for --rate-limit.
              Most used: GHI_LISTEN, GHI_INPUTS, GHI_AT, GHI_PUBLIC_URL, GHI_LOG_FORMAT.
  NO_COLOR    Set to anything, it keeps colors out of all output.

Read on:
  ghi serve --help              all flags of the server
  http://127.0.0.1:8000/docs    every endpoint, while it serves";

const SHOW: &str = "\
Examples:
  ghi show snapshot                                  what one coin costs today, in each region
  ghi show history --plot                            the week as a chart
  ghi show history --from 2026-01-01 --format csv    any days, for a spreadsheet
  ghi show curve --price 70000 --plot                the cost curve beside a price
  ghi show metadata --url http://127.0.0.1:8000      what a deployment says of itself";

const SERVE: &str = r#"Examples:
  ghi serve --listen :8000                     for other machines too
  ghi serve --at 2026-11-15T12:00:00Z          the same answers each time, for tests
  ghi serve --at 2026-12-31 --speed 86400      a midnight each second
  ghi serve --chaos 30                         make three in ten requests fail
  ghi serve --inputs my.toml                   a network of your own; see ghi inputs

Values:
  TIMESTAMP    UTC: 2026-11-15T12:00:00Z, "2026-11-15 12:00", or 2026-11-15 for 00:00
  TIME         5s, 500ms, 2m; a number alone counts seconds
  A flag takes precedence over its variable; an empty variable counts as unset.

Signals:
  SIGTERM      graceful shutdown after --drain; Ctrl-C the same without the drain
  SIGHUP       read --inputs again"#;

const CHECK: &str = "\
Exit codes:
  0    all rules hold
  1    a rule is broken
  2    nothing could be judged: not reachable, not HTTP, or wrong arguments; or not all
       of it: a rate limit (429) that does not end

Examples:
  ghi check http://127.0.0.1:8000
  ghi check https://example.org/sandbox --format junit > report.xml";

const MCP: &str = r#"Tools:
  snapshot, history, region, regions, network, forecast, metadata, explain,
  cost_curve, economics

Configuration:
  In the configuration file of most assistants; the whole path of ghi is safest:

  {"mcpServers": {"ghi": {"command": "ghi", "args": ["mcp"]}}}

  With "args": ["mcp", "--url", "http://127.0.0.1:8000"], it uses a running server."#;
