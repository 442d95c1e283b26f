//! The common frame of all pages, link previews and the feed.

use ghi_engine::{Costs, Inputs, Model, Scope};
use ghi_server::{Clock, Config, internals};
use jiff::ToSpan;
use jiff::civil::date;

use crate::html::{attributes, texts};
use crate::support::{NOON, TestServer};

/// One page of each kind.
const PAGES: [&str; 8] = [
    "/",
    "/?region_id=eu",
    "/explain",
    "/explain?region_id=cn&date=2026-11-01",
    "/methodology",
    "/docs",
    "/problems",
    "/problems/not_found",
];

const BROWSER: &str = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";

fn with_public_url() -> TestServer {
    TestServer::start(Config {
        clock: Clock::at(NOON.parse().unwrap()),
        public_url: Some("https://example.org/sandbox".parse().unwrap()),
        ..Config::default()
    })
}

/// Every text between two markers.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// A cost with thousands separators.
fn grouped(digits: &str) -> String {
    let (whole, fraction) = digits.split_once('.').unwrap();
    let groups: Vec<&str> =
        whole.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap()).collect();
    format!("{}.{fraction}", groups.join(","))
}

#[test]
fn every_page_has_a_link_preview() {
    let server = TestServer::at(NOON);
    let mut titles = Vec::new();
    for path in PAGES {
        let html = server.get(path).body;
        let title = texts(&html, "head title").remove(0);
        let has_data = path.starts_with("/?") || path.starts_with("/explain") || path == "/";
        let end = if has_data { " · GHI sandbox" } else { " · GHI" };
        assert!(title.ends_with(end), "{title}");
        let content = |meta: &str| attributes(&html, &format!("meta[{meta}]"), "content").remove(0);
        assert_eq!(content("property='og:title'"), title);
        let description = content("name=description");
        assert_eq!(content("property='og:description'"), description);
        assert_eq!(content("property='og:type'"), "website");
        assert!(!html.contains("og:url") && !html.contains("canonical"), "{path}");
        assert!(!titles.contains(&title), "{title}");
        titles.push(title);
        let of_figures = ["/?", "/explain"].iter().any(|start| path.starts_with(start));
        let has_data = of_figures || path == "/";
        assert_eq!(description.contains(" Nov"), has_data, "{description}");
        assert_eq!(description.starts_with("Synthetic data. "), has_data, "{description}");
    }
}

/// The title and description of a page's link preview.
fn preview(server: &TestServer, path: &str) -> [String; 2] {
    let html = server.get(path).body.replace('\u{a0}', " ");
    let tag =
        |name: &str| attributes(&html, &format!("meta[property='og:{name}']"), "content").remove(0);
    ["title", "description"].map(tag)
}

#[test]
fn a_page_title_has_the_cost_the_date_the_subject_and_the_host() {
    let servers = [(TestServer::at(NOON), ""), (with_public_url(), " · example.org")];
    for (server, host) in servers {
        let snapshot = server.json("/v1/ghi/snapshot");
        let whole = |cost: &serde_json::Value| {
            let digits = grouped(&format!("{:.0}.", cost.as_f64().unwrap()));
            format!("${}", digits.trim_end_matches('.'))
        };
        let [worldwide, china] = [
            whole(&snapshot["global_avg_cost_usd"]),
            whole(&server.json("/v1/ghi/regions/cn")["avg_cost_usd"]),
        ];
        for (path, figure) in [
            ("/", &worldwide),
            ("/?sort=name", &worldwide),
            ("/?range=90d", &worldwide),
            ("/?region_id=cn", &china),
            ("/?region_id=cn&range=1y", &china),
            ("/?find=china", &worldwide),
            ("/regions/cn", &china),
            ("/regions/cn?range=7d", &china),
            ("/explain", &worldwide),
            ("/explain?region_id=cn", &china),
        ] {
            let [title, description] = preview(&server, path);
            let end = format!(" · synthetic data · GHI sandbox{host}");
            assert!(title.ends_with(&end), "{title}");
            assert!(title.contains(&**figure) && title.contains("15 Nov"), "{title}");
            assert!(title.chars().count() <= 120 + host.chars().count(), "{title}");
            // The explanation includes cents.
            let figure = if path.starts_with("/explain") { &figure[1..4] } else { figure };
            assert!(description.contains(figure), "{path}: {description}");
        }
    }
}

#[test]
fn a_link_preview_describes_the_selected_view() {
    let server = TestServer::at(NOON);
    let heading = |path: &str, id: &str| {
        let html = server.get(path).body;
        texts(&html, &format!("h2#{id}")).remove(0)
    };
    for path in ["/?region_id=cn&range=90d", "/?range=1y", "/?range=7d", "/regions/eu?range=7d"] {
        let (finding, texts) = (heading(path, "history"), preview(&server, path));
        assert!(finding.contains(" than on "), "{finding}");
        // Where the chart compares averages of seven days, the preview compares days, like the cost in it.
        if let Some((start, end)) = finding.split_once("7-day average is ") {
            let day = end.rsplit_once(" on ").unwrap().1;
            assert!(
                texts.iter().all(|text| text.contains(start) && text.contains(day)),
                "{texts:?}"
            );
            continue;
        }
        assert!(texts.iter().all(|text| text.contains(&finding)), "{texts:?}");
    }
    let (gap, texts) = (heading("/?compare=us,cn", "compare"), preview(&server, "/?compare=us,cn"));
    assert!(gap.starts_with("United States: $"), "{gap}");
    assert!(texts.iter().all(|text| text.contains(&gap)), "{texts:?}");
    let path = "/?electricity_usd_per_kwh=0.09&overhead=1.5&region_id=cn";
    let html = server.get(path).body;
    let result = crate::html::texts(&html, "output").remove(0);
    let result = result.rsplit('$').next().unwrap();
    let result = format!("${}", result.split(", ").next().unwrap());
    for text in preview(&server, path) {
        assert!(
            text.contains(&format!(
                "At $0.09/kWh and 18.5 J/TH: {result}, more expensive than all"
            )),
            "{text}"
        );
    }
    let [title, _] = preview(&server, "/?efficiency_j_per_th=1e13&block_reward_coins=1e-6");
    assert!(title.starts_with("The result is too large to display, 15 Nov 2026"), "{title}");
    let (finding, texts) = (heading("/?price=60000", "curve"), preview(&server, "/?price=60000"));
    assert!(
        finding.ends_with(" of the hashrate mines a bitcoin for less than $60,000"),
        "{finding}"
    );
    assert!(texts.iter().all(|text| text.contains(&finding)), "{texts:?}");
}

#[test]
fn the_url_of_a_page_comes_from_the_operator_and_never_from_the_request() {
    let server = with_public_url();
    for path in PAGES.into_iter().chain(["/regions/us"]) {
        let html = server.get(path).body;
        let urls = [
            attributes(&html, "[property='og:url']", "content"),
            attributes(&html, "[rel=canonical]", "href"),
            attributes(&html, "[property='og:image']", "content"),
        ];
        for url in urls {
            let path = url[0].strip_prefix("https://example.org/sandbox").unwrap();
            assert_eq!(server.request("HEAD", path, "").status, 200, "{path}");
        }
    }
    for server in [server, TestServer::at(NOON)] {
        for path in PAGES.into_iter().chain(["/feed.xml", "/nowhere"]) {
            let request = format!(
                "GET {path} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n\
                 Accept: text/html\r\nConnection: close\r\n\r\n"
            );
            let answer = server.exchange(request.as_bytes());
            assert!(!answer.contains("evil"), "{path}");
        }
    }
}

#[test]
fn commands_to_copy_and_printed_pages_show_the_listening_address() {
    let server = TestServer::at(NOON);
    let own = format!("http://{}", server.address());
    for path in ["/", "/regions/us"] {
        let html = server.get(path).body;
        let lines = between(&html, "<dd><code>", "</code>");
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(&own)), "{lines:?}");
        assert_eq!(between(&html, "<p class=\"printed\">", "<"), [format!("{own}{path}")]);
    }
    let html = with_public_url().get("/").body;
    let lines = between(&html, "<dd><code>", "</code>");
    assert!(lines.iter().all(|line| line.contains("https://example.org/sandbox/")), "{lines:?}");
}

#[test]
fn landmarks_are_few() {
    let server = TestServer::at(NOON);
    for path in &PAGES[2..8] {
        let html = server.get(path).body;
        for landmark in ["<nav", "<main", "<footer"] {
            assert_eq!(html.matches(landmark).count(), 1, "{landmark} of {path}");
        }
        let sections = html.matches("<section").count() + html.matches("role=\"region\"").count();
        assert!(sections <= 8, "{path}");
    }
}

#[test]
fn the_footer_names_the_version_and_the_inputs() {
    let fingerprint = Inputs::default().fingerprint().to_string();
    let server = TestServer::at(NOON);
    for path in ["/", "/explain"] {
        let html = server.get(path).body;
        let footer = between(&html, "<footer class=\"about\">", "</footer>")[0];
        let code = format!("{fingerprint}\">{}</code>", &fingerprint[..12]);
        assert!(footer.contains(&code), "{footer}");
        for part in [
            concat!("GHI ", env!("CARGO_PKG_VERSION")),
            concat!("engine ", env!("CARGO_PKG_VERSION")),
            "MIT or Apache-2.0",
            "href=\"/methodology\"",
            "href=\"/docs\"",
            "href=\"/openapi.json\"",
            "href=\"/feed.xml\"",
        ] {
            assert!(footer.contains(part), "{part}");
        }
        assert!(!footer.contains("-sandbox"), "{footer}");
    }
}

#[test]
fn an_unknown_path_is_a_page_for_people_and_a_problem_for_programs() {
    let server = TestServer::at(NOON);
    for path in ["/nowhere", "/v1/nothing", "/problems/x", "/regions/a/b"] {
        let page = server.request("GET", path, BROWSER);
        assert_eq!((page.status, page.header("cache-control")), (404, Some("no-store")), "{path}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(page.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
        assert!(page.body.contains("<code>not_found</code>") && page.body.contains("href=\"/\""));
        assert!(page.body.contains("<h1>Page not found</h1>") && !page.body.contains("No such"));
        assert!(!page.body.contains(path), "input is not echoed");
        assert!(page.header("vary").unwrap().starts_with("accept"));
        let head = server.request("HEAD", path, BROWSER);
        assert_eq!((head.status, &*head.body), (404, ""));
        assert_eq!(head.header("content-type"), page.header("content-type"));
        for accept in ["", "Accept: */*\r\n", "Accept: text/html;q=0, application/json\r\n"] {
            let problem = server.request("GET", path, accept);
            problem.assert_problem(404, "not_found");
            assert_eq!(problem.header("vary"), Some("accept"), "{path}");
        }
    }
    server.request("POST", "/nowhere", BROWSER).assert_problem(404, "not_found");
    // The API always returns JSON.
    let problem = server.request("GET", "/v1/ghi/nothing", BROWSER);
    problem.assert_problem(404, "not_found");
    assert_eq!(problem.header("vary"), None);
}

#[test]
fn the_list_of_problems_has_every_code_and_each_links_back() {
    let server = TestServer::at(NOON);
    let index = server.get("/problems").body;
    let listed = between(&index, "href=\"/problems/", "\"");
    assert_eq!(listed, internals::codes().collect::<Vec<_>>());
    for code in listed {
        assert!(index.contains(&format!("<code>{code}</code>")), "{code}");
        let page = server.get(&format!("/problems/{code}")).body;
        assert!(page.contains("href=\"/problems\""), "{code}");
    }
}

#[test]
fn the_reference_has_every_operation_without_script() {
    let server = TestServer::at(NOON);
    let html = server.get("/docs").body;
    let document = server.json("/openapi.json");
    let paths = document["paths"].as_object().unwrap();
    let listed = between(&html, "<h3><code>GET ", "</code></h3>");
    assert_eq!(listed.len(), paths.len());
    for (path, item) in paths {
        let start = format!("<h3><code>GET {path}</code></h3>");
        let part = html.split(&start).nth(1).unwrap().split("<h3>").next().unwrap();
        let operation = &item["get"];
        assert!(part.contains(operation["summary"].as_str().unwrap()), "{path}");
        for status in operation["responses"].as_object().unwrap().keys() {
            assert!(part.contains(&format!("<code>{status}</code>")), "{path} {status}");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "query" || parameter["in"] == "path" {
                let name = parameter["name"].as_str().unwrap();
                assert!(part.contains(&format!("<code>{name}</code>, in the")), "{path} {name}");
            }
        }
    }
    for header in ["Prefer", "If-None-Match"] {
        assert!(html.contains(&format!("<h3><code>{header}</code></h3>")), "{header}");
    }
}

/// Asserts that tags are properly nested, and that nothing else looks like a tag.
fn assert_well_formed(xml: &str) {
    let mut open = Vec::new();
    for tag in
        between(xml.strip_prefix("<?xml version=\"1.0\" encoding=\"utf-8\"?>").unwrap(), "<", ">")
    {
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name)),
            (None, true) => {}
            (None, false) => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(xml.split('&').skip(1).all(|rest| rest.starts_with('#')), "an ampersand");
}

#[test]
fn the_feed_has_thirty_days_newest_first() {
    let server = TestServer::at(NOON);
    let feed = server.get("/feed.xml");
    assert_eq!(feed.header("content-type"), Some("application/atom+xml; charset=utf-8"));
    assert_well_formed(&feed.body);
    let entries = between(&feed.body, "<entry>", "</entry>");
    assert_eq!(entries.len(), 30);
    let model = Model::new(Inputs::default());
    let costs = |date| -> Costs { model.costs(Scope::Global, date).unwrap() };
    for (age, entry) in entries.into_iter().enumerate() {
        let date = date(2026, 11, 15) - (age as i64).days();
        let (today, yesterday) = (costs(date), costs(date.yesterday().unwrap()));
        assert_eq!(between(entry, "<updated>", "<"), [format!("{date}T00:00:00Z")]);
        assert_eq!(between(entry, "href=\"", "\""), [format!("/explain?date={date}")]);
        let change = 100.0 * (today.avg_usd.to_f64() / yesterday.avg_usd.to_f64() - 1.0);
        let word = if change < 0.0 { "lower" } else { "higher" };
        let whole = grouped(&format!("{:.0}.", today.avg_usd.to_f64()));
        let title = between(entry, "<title>", "<")[0];
        let start = format!("Worldwide average ${} on ", whole.trim_end_matches('.'));
        assert!(title.starts_with(&start), "{title}");
        let end = format!("% {word} (synthetic data)");
        assert!(title.contains(&date.strftime(" on %-d %B %Y, ").to_string()), "{title}");
        assert!(title.ends_with(&end), "{title}");
        let summary = between(entry, "<summary>", "<")[0];
        for figure in [today.min_usd, today.avg_usd, today.max_usd] {
            assert!(summary.contains(&format!("${}", grouped(&figure.to_string()))), "{summary}");
        }
        assert!(summary.contains(&date.strftime("On %-d %B %Y,").to_string()), "{summary}");
        assert!(summary.ends_with("Synthetic data."), "{summary}");
    }
}

#[test]
fn a_feed_entry_has_a_permanent_id() {
    let feed = TestServer::at(NOON).get("/feed.xml").body;
    let ids = between(&feed, "<id>", "</id>");
    for (place, id) in ids.iter().enumerate() {
        let uuid = id.strip_prefix("urn:uuid:").unwrap();
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "8"), "{id}");
        assert!(!ids[..place].contains(id), "{id} stands twice");
    }
    // The next day.
    let later = TestServer::at("2026-11-16T23:59:59Z").get("/feed.xml").body;
    let later_ids = between(&later, "<id>", "</id>");
    assert_eq!((later_ids[0], &later_ids[2..]), (ids[0], &ids[1..30]));
    // Another network and another server.
    let inputs = ghi_engine::DEFAULT_INPUTS.replace("\"eu\"", "\"old-world\"");
    let clock = Clock::at(NOON.parse().unwrap());
    let inputs = Inputs::parse(&inputs).unwrap();
    let other = TestServer::start(Config { inputs, clock, ..Config::default() });
    for other in [other, with_public_url()] {
        let other = other.get("/feed.xml").body;
        assert!(between(&other, "<id>", "</id>").iter().all(|id| !ids.contains(id)));
    }
    let feed = with_public_url().get("/feed.xml").body;
    for link in between(&feed, "href=\"", "\"") {
        assert!(link.starts_with("https://example.org/sandbox/"), "{link}");
    }
    let titles = between(&feed, "<title>", "</title>");
    assert!(
        titles.iter().all(|title| title.ends_with(" (synthetic data, example.org)")),
        "{titles:?}"
    );
}

#[test]
fn no_page_may_be_framed() {
    let server = TestServer::at(NOON);
    for path in PAGES {
        let policy = server.get(path).header("content-security-policy").unwrap().to_owned();
        assert!(policy.contains("frame-ancestors 'none';"), "{path}");
    }
}
