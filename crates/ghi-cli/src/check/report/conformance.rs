//! `docs/conformance.md`, which is generated from the rules.

use expect_test::expect_file;

use crate::check::judge::{Rule, RuleSource};
use crate::check::rules::RULES;

const TEMPLATE: &str = include_str!("conformance.md");

fn tables(source: RuleSource) -> String {
    let rules: Vec<&Rule> = RULES.iter().filter(|rule| rule.source == source).collect();
    let mut text = String::new();
    for chapter in rules.chunk_by(|a, b| a.chapter() == b.chapter()) {
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
        .replace("{strict}\n", &tables(RuleSource::Strict));
    expect_file!["../../../../../docs/conformance.md"].assert_eq(&page);
}
