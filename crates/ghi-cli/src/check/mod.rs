//! `ghi check`: judges a server by the rules of the contract.
//!
//! A rule requests the documents it needs and compares them; each request is sent once. Responses are
//! not trusted: their size, the time they take and the characters in them are bounded.

mod rules;
mod judge;
mod json_object;
mod response;
mod recording_client;

use std::process::ExitCode;
use std::time::Duration;

use askama::Template;
use ghi_client::BaseUrl;
use ghi_contract::{GLOBAL, paths};
use ghi_engine::{suggestion, visible};
use serde_json::{Value, json};

use judge::{Evidence, JudgedRule, Rule, RuleSource, RuleVerdict, forecast, history};
use recording_client::RecordingClient;
use response::EXCERPT_MAX;
use rules::RULES;

use crate::flag_values::{time_between, whole_number};
use crate::output::print;

/// The arguments of `ghi check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Base URL of the API, without /v1/ghi, such as http://127.0.0.1:8000
    #[arg(value_name = "BASE_URL")]
    base_url: BaseUrl,

    /// Also apply this implementation's rules where the contract is silent
    #[arg(long)]
    strict: bool,

    /// Check only this rule, even if it is a strict one; repeatable
    #[arg(long = "rule", value_name = "ID", value_parser = rule)]
    rules: Vec<&'static Rule>,

    /// Report format; junit is JUnit XML, for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,

    /// Maximum requests per second
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole_number::<u32>(1..=10_000))]
    rate: u32,

    /// Maximum time for one request
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time_between("10ms", "5m"))]
    timeout: Duration,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ReportFormat {
    Text,
    Json,
    Junit,
}

fn rule(id: &str) -> Result<&'static Rule, String> {
    let ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let rule = RULES.iter().find(|rule| rule.id == id);
    rule.ok_or_else(|| match suggestion(id, &ids) {
        Some(meant) => format!("no such rule; did you mean {meant}?"),
        None => "no such rule; run ghi check BASE_URL --strict to list the ids of all rules".into(),
    })
}

/// Judges a server and prints the report.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let mut client = RecordingClient::new(args.base_url.clone(), args.rate, args.timeout)?;
    probe_deployment(&mut client)
        .map_err(|why| format!("cannot check {}: {why}", args.base_url))?;
    let is_named = !args.rules.is_empty();
    let selected = RULES.iter().filter(|rule| match is_named {
        true => args.rules.iter().any(|named| named.id == rule.id),
        false => args.strict || rule.source != RuleSource::Strict,
    });
    let mut judged = Vec::new();
    for rule in selected {
        let mut result = rule.apply(&mut client);
        let counts = match rule.source {
            RuleSource::Note => false,
            source => source == RuleSource::Contract || args.strict || is_named,
        };
        if result.verdict == RuleVerdict::Broken && !counts {
            result.verdict = RuleVerdict::Note;
        }
        // A rule that only leads to notes is not reported without one.
        if counts || is_named || result.verdict == RuleVerdict::Note {
            judged.push(result);
        }
    }
    client.progress.finish_and_clear();
    let report = Report { is_strict: args.strict, client: &client, rules: judged };
    print(&report.formatted(args.format))?;
    if count(&report.rules, RuleVerdict::Broken) > 0 {
        return Ok(ExitCode::FAILURE);
    }
    if client.is_incomplete {
        return Err("some rules could not be judged; see the report for the reasons".into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Requests documents. Fails if there is none.
fn probe_deployment(client: &mut RecordingClient) -> Result<(), String> {
    let targets = [paths::METADATA, paths::SNAPSHOT, paths::REGIONS, paths::NETWORK];
    let targets = targets.map(String::from).into_iter();
    let targets = targets.chain([history(GLOBAL.into()), forecast(7)]);
    let responses: Vec<_> = targets.map(|target| client.fetch(target.into())).collect();
    // A deployment that requires credentials can be judged: it breaks a rule.
    let mut judged = responses.iter().filter(|it| it.is_document() || it.requires_credentials());
    if judged.next().is_some() {
        return Ok(());
    }
    let excerpt = visible(&responses[0].excerpt(), EXCERPT_MAX);
    Err(format!(
        "no document of the API was found ({}: {excerpt}); is the base URL right?",
        paths::METADATA
    ))
}

/// The report. As a template, it is JUnit XML with one test suite per chapter of the contract.
#[derive(Template)]
#[template(path = "junit.xml")]
struct Report<'a> {
    is_strict: bool,
    client: &'a RecordingClient,
    rules: Vec<JudgedRule>,
}

impl Report<'_> {
    fn formatted(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Text => self.text(),
            ReportFormat::Json => format!("{:#}\n", self.json()),
            ReportFormat::Junit => self.render().expect("writing to a string does not fail") + "\n",
        }
    }

    fn json(&self) -> Value {
        let [holds, broken, not_judged, notes] = self.counts();
        json!({
            "base_url": self.client.base_url.as_str(),
            "strict": self.is_strict,
            "summary": {
                "holds": holds,
                "broken": broken,
                "not_judged": not_judged,
                "notes": notes,
                "requests": self.client.progress.position(),
            },
            "given_up": self.client.given_up,
            "rules": self.rules,
        })
    }

    /// Returns the rules by chapter of the contract.
    fn suites(&self) -> impl Iterator<Item = &[JudgedRule]> {
        self.rules.chunk_by(|a, b| a.rule.heading() == b.rule.heading())
    }

    /// One line per rule, with the evidence below those that are broken, and a summary.
    fn text(&self) -> String {
        let mut text = String::new();
        for judged in &self.rules {
            let verdict = match judged.verdict {
                RuleVerdict::Holds => "holds".into(),
                RuleVerdict::Broken => format!("broken{}", evidence(judged)),
                RuleVerdict::Note => format!("note{}", evidence(judged)),
                RuleVerdict::NotJudged => {
                    format!("not judged: {}", judged.reason.as_deref().unwrap_or_default())
                }
            };
            text += &format!("{:<3}  {:<39}  {verdict}\n", judged.rule.section, judged.rule.id);
        }
        let [holds, broken, not_judged, _] = self.counts();
        let (requests, notes) = (self.client.progress.position(), self.notes());
        text + &format!(
            "\n{holds} rules hold, {broken} broken, {not_judged} not judged ({requests} requests){notes}\n"
        )
    }

    /// Counts the notes, and those among them that break a rule of `--strict`.
    fn notes(&self) -> String {
        let notes = self.rules.iter().filter(|judged| judged.verdict == RuleVerdict::Note);
        let strict = notes.clone().filter(|note| note.rule.source == RuleSource::Agreement).count();
        match (notes.count(), strict) {
            (0, _) => String::new(),
            (1, 0) => "; 1 note".into(),
            (1, _) => "; 1 note, --strict fails on it".into(),
            (notes, 0) => format!("; {notes} notes"),
            (notes, _) if notes == strict => format!("; {notes} notes, --strict fails on them"),
            (notes, _) => format!("; {notes} notes, --strict fails on {strict} of them"),
        }
    }

    fn counts(&self) -> [usize; 4] {
        [RuleVerdict::Holds, RuleVerdict::Broken, RuleVerdict::NotJudged, RuleVerdict::Note]
            .map(|verdict| count(&self.rules, verdict))
    }
}

fn count(rules: &[JudgedRule], verdict: RuleVerdict) -> usize {
    rules.iter().filter(|rule| rule.verdict == verdict).count()
}

fn evidence(judged: &JudgedRule) -> String {
    let source = match judged.rule.source {
        RuleSource::Contract | RuleSource::Note => "",
        RuleSource::Strict | RuleSource::Agreement => " (strict)",
    };
    let mut text = format!("{source}\n     {}", judged.rule.title);
    for Evidence { request, expected, got } in &judged.evidence {
        text += &format!("\n       request   {request}");
        text += &format!("\n       expected  {expected}");
        text += &format!("\n       got       {got}");
    }
    if judged.evidence_omitted > 0 {
        text += &format!("\n       and {} more", judged.evidence_omitted);
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    use super::*;

    /// The source of `docs/conformance.md`, without its tables.
    const TEMPLATE: &str = include_str!("rules/conformance.md");

    #[test]
    fn ids_are_unique_and_titles_are_sentences() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(RULES[..index].iter().all(|other| other.id != rule.id), "{}", rule.id);
            let is_kebab =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(rule.id.bytes().all(is_kebab), "{}", rule.id);
            assert!(rule.title.ends_with('.') && rule.title.len() < 160, "{}", rule.title);
            let chapter = rule.section.split('.').next().unwrap();
            assert!(rule.heading().starts_with(&format!("{chapter}. ")), "{}", rule.id);
        }
    }

    #[test]
    fn rules_are_sorted_by_section_with_contract_rules_first() {
        let numbers = |rule: &Rule| -> Vec<u32> {
            rule.section.split('.').map(|number| number.parse().unwrap()).collect()
        };
        assert!(RULES.is_sorted_by_key(|rule| (numbers(rule), rule.source)));
    }

    fn tables(source: RuleSource) -> String {
        let rules: Vec<&Rule> = RULES.iter().filter(|rule| rule.source == source).collect();
        let mut text = String::new();
        for chapter in rules.chunk_by(|a, b| a.heading() == b.heading()) {
            text += &format!("\n### {}\n\n", chapter[0].heading());
            text += "| section | rule | statement |\n|---|---|---|\n";
            for rule in chapter {
                text += &format!("| {} | `{}` | {} |\n", rule.section, rule.id, rule.title);
            }
        }
        text
    }

    #[test]
    fn the_page_lists_every_rule() {
        let page = TEMPLATE
            .replace("{contract}\n", &tables(RuleSource::Contract))
            .replace("{strict}\n", &tables(RuleSource::Strict))
            .replace("{agreement}\n", &tables(RuleSource::Agreement))
            .replace("{note}\n", &tables(RuleSource::Note));
        expect_file!["../../../../docs/conformance.md"].assert_eq(&page);
    }
}
