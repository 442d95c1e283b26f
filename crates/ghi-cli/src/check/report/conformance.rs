//! `docs/conformance.md`, which is made of the rules.

use expect_test::expect_file;

use crate::check::rule::{Rule, Source};
use crate::check::rules::{all, chapter, heading};

const HEAD: &str = include_str!("conformance.md");

fn table(source: Source) -> String {
    let rules: Vec<&Rule> = all(true).into_iter().filter(|rule| rule.source == source).collect();
    let mut text = String::new();
    let mut last = "";
    for rule in rules {
        let chapter = chapter(rule.section);
        if chapter != last {
            text += &format!("\n### {chapter}. {}\n\n", heading(chapter));
            text += "| section | rule | what holds |\n|---|---|---|\n";
        }
        last = chapter;
        text += &format!("| {} | `{}` | {} |\n", rule.section, rule.id, rule.title);
    }
    text
}

#[test]
fn the_page_has_every_rule() {
    let page = HEAD
        .replace("{contract}\n", &table(Source::Contract))
        .replace("{strict}\n", &table(Source::Strict));
    expect_file!["../../../../../docs/conformance.md"].assert_eq(&page);
}
