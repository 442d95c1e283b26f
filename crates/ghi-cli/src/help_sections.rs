//! What stands below the flags in help and manual pages.

use std::fmt::Write;

use clap::Command;
use clap::builder::StyledStr;

/// A section below the flags. Its lines are kept as they are.
pub(crate) struct Section {
    pub(crate) heading: &'static str,
    pub(crate) lines: &'static [&'static str],
}

/// The sections of a command.
pub(crate) fn of(command: &Command) -> &'static [Section] {
    match command.get_name() {
        "ghi" => GHI,
        "serve" => SERVE,
        "check" => CHECK,
        "show" => SHOW,
        "mcp" => MCP,
        _ => &[],
    }
}

/// Sections as help shows them, with headings like those of the flags.
pub(crate) fn styled(sections: &[Section], command: &Command) -> StyledStr {
    let style = command.get_styles().get_header();
    let mut text = StyledStr::new();
    for (index, Section { heading, lines }) in sections.iter().enumerate() {
        let gap = if index > 0 { "\n\n" } else { "" };
        _ = write!(text, "{gap}{style}{heading}:{style:#}");
        for line in *lines {
            let indent = if line.is_empty() { "" } else { "  " };
            _ = write!(text, "\n{indent}{line}");
        }
    }
    text
}

const GHI: &[Section] = &[
    Section {
        heading: "Examples",
        lines: &[
            "ghi                                    serve on http://127.0.0.1:8000/, the page for people too",
            "ghi --listen 9000 --at 2026-11-15      serve on port 9000, and always the same day",
            "ghi show history --plot                the costs of a week, as a chart in the terminal",
        ],
    },
    Section {
        heading: "Environment",
        lines: &[
            "GHI_...     Each flag of serve has a variable, such as GHI_RATE_LIMIT for --rate-limit.",
            "            Most used: GHI_LISTEN, GHI_INPUTS, GHI_AT, GHI_PUBLIC_URL, GHI_LOG_FORMAT.",
            "NO_COLOR    Set to anything, it keeps colors out of all output.",
        ],
    },
    Section {
        heading: "Read on",
        lines: &[
            "ghi serve --help              all flags of the server",
            "http://127.0.0.1:8000/docs    every endpoint, while it serves",
        ],
    },
];

const SHOW: &[Section] = &[Section {
    heading: "Examples",
    lines: &[
        "ghi show snapshot                                  what one coin costs today, in each region",
        "ghi show history --plot                            the week as a chart",
        "ghi show history --from 2026-01-01 --format csv    any days, for a spreadsheet",
        "ghi show metadata --url http://127.0.0.1:8000      what a deployment says of itself",
    ],
}];

const SERVE: &[Section] = &[
    Section {
        heading: "Examples",
        lines: &[
            "ghi serve --listen :8000                     for other machines too",
            "ghi serve --at 2026-11-15T12:00:00Z          the same answers each time, for tests",
            "ghi serve --at 2026-12-31 --speed 86400      a midnight each second",
            "ghi serve --chaos 30                         three of ten requests fail",
            "ghi serve --inputs my.toml                   a network of your own; see ghi inputs",
        ],
    },
    Section {
        heading: "Values",
        lines: &[
            "TIMESTAMP    UTC: 2026-11-15T12:00:00Z, \"2026-11-15 12:00\", or 2026-11-15 for 00:00",
            "TIME         5s, 500ms, 2m; a number alone counts seconds",
            "A variable counts where its flag is not given; one that is set to nothing counts as not set.",
        ],
    },
    Section {
        heading: "Signals",
        lines: &[
            "SIGTERM      graceful shutdown after --drain; Ctrl-C the same without the drain",
            "SIGHUP       read --inputs again",
        ],
    },
];

const CHECK: &[Section] = &[
    Section {
        heading: "Exit codes",
        lines: &[
            "0    all rules hold",
            "1    a rule is broken",
            "2    nothing could be judged: not reachable, not HTTP, or wrong arguments; or not all",
            "     of it: a rate limit (429) that does not end",
        ],
    },
    Section {
        heading: "Examples",
        lines: &[
            "ghi check http://127.0.0.1:8000",
            "ghi check https://example.org/sandbox --format junit > report.xml",
        ],
    },
];

const MCP: &[Section] = &[
    Section {
        heading: "Tools",
        lines: &["snapshot, history, region, regions, network, forecast, metadata, explain"],
    },
    Section {
        heading: "Configuration",
        lines: &[
            "As most assistants read it, in a file of theirs; the whole path of ghi is safest:",
            "",
            r#"{"mcpServers": {"ghi": {"command": "ghi", "args": ["mcp"]}}}"#,
            "",
            r#"With "args": ["mcp", "--url", "http://127.0.0.1:8000"], it asks a server that runs."#,
        ],
    },
];
