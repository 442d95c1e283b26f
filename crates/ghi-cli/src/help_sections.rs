//! The text below the flags in help and manual pages.

use clap::Command;

/// Returns the sections below the flags of a command. A line without indentation is a heading.
pub(crate) fn of(command: &Command) -> &'static str {
    match command.get_name() {
        "ghi" => GHI,
        "serve" => SERVE,
        "check" => CHECK,
        "show" => SHOW,
        "collect" => COLLECT,
        "mcp" => MCP,
        _ => "",
    }
}

const GHI: &str = "\
Server flags:
  ghi serve --help    lists all server flags; ghi without a command accepts them too

Examples:
  ghi                                    serve the API and a dashboard on http://127.0.0.1:8000/
  ghi --listen 9000 --at 2026-11-15      serve on port 9000, with the clock stopped
  ghi show history --plot                show the costs of the last seven days as a chart
  ghi check http://127.0.0.1:8000        check a running server

Environment:
  GHI_...     Every server flag has a variable, such as GHI_RATE_LIMIT for --rate-limit.
  NO_COLOR    If set, output has no colors.

More help:
  ghi COMMAND --help            the flags of a command
  http://127.0.0.1:8000/docs    API reference, while the server is running";

const SHOW: &str = "\
Examples:
  ghi show snapshot                                  today's costs, worldwide and in each region
  ghi show history --plot                            the last seven days as a chart
  ghi show history --from 2026-01-01 --format csv    other days, for a spreadsheet
  ghi show curve --price 70000 --plot                the cost curve with a price
  ghi show metadata --url http://127.0.0.1:8000      the metadata of a running server";

const SERVE: &str = r#"Examples:
  ghi serve --listen :8000                     accept connections from other machines
  ghi serve --at 2026-11-15T12:00:00Z          return the same responses every time, for tests
  ghi serve --at 2026-12-31 --speed 86400      run one day per second
  ghi serve --fail "code=503, times=2"         make the first two requests for each path fail
  ghi serve --chaos 30                         make three in ten requests fail
  ghi serve --inputs my.toml                   publish your own network; see ghi inputs

Values:
  TIMESTAMP    UTC: 2026-11-15T12:00:00Z, "2026-11-15 12:00", or 2026-11-15 for 00:00
  TIME         5s, 500ms, 2m; a plain number means seconds
  A flag takes precedence over its variable. An empty variable counts as unset.

Signals:
  SIGTERM      graceful shutdown after --drain; Ctrl-C skips the drain
  SIGHUP       reload --inputs (automatic with --watch)"#;

const CHECK: &str = "\
Exit codes:
  0    all rules hold
  1    a rule is broken
  2    some rules could not be checked: connection failed, not an HTTP server, still
       rate-limited (429); or the arguments are invalid

Examples:
  ghi check http://127.0.0.1:8000
  ghi check https://example.org/sandbox --format junit > report.xml";

const COLLECT: &str = "\
Exit codes:
  0    success, including when there was nothing to append
  1    the node failed: timeout, invalid response, still starting or syncing
  2    user error: wrong address or password, pruned node, invalid arguments, or the file
       belongs to another chain

Environment:
  GHI_RPC_PASSWORD    the password for --user

Examples:
  ghi collect --cookie ~/.bitcoin/.cookie --out network.csv
  ghi collect --rpc http://127.0.0.1:9332 --user me --out litecoin.csv --from 2024-01-01";

const MCP: &str = r#"Tools:
  snapshot, history, region, regions, network, forecast, metadata, explain,
  cost_curve, economics

Configuration:
  Most assistants read a JSON file like this; the full path of ghi is safest:

  {"mcpServers": {"ghi": {"command": "ghi", "args": ["mcp"]}}}

  To use a running server: "args": ["mcp", "--url", "http://127.0.0.1:8000"]"#;
