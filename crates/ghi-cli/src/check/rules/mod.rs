//! The rules, in files by what they are about. This is the one list of them.

mod service;
mod envelope;
mod fields;
mod regions;
mod snapshot;
mod history;
mod forecast;
mod metadata;
mod endpoints;
mod numbers;
mod agreement;
mod parameters;
mod errors;
mod methods;
mod caching;
mod browsers;
mod indicator;
mod mistakes;

use crate::check::rule::{Rule, Source};

/// The rules of the contract, and with `strict` those of this implementation; sorted by section.
pub(crate) fn all(strict: bool) -> Vec<&'static Rule> {
    let files = [
        service::RULES,
        envelope::RULES,
        fields::RULES,
        regions::RULES,
        snapshot::RULES,
        history::RULES,
        forecast::RULES,
        metadata::RULES,
        endpoints::RULES,
        numbers::RULES,
        agreement::RULES,
        parameters::RULES,
        errors::RULES,
        methods::RULES,
        caching::RULES,
        browsers::RULES,
        indicator::RULES,
    ];
    let rules = files.into_iter().flatten();
    let mut rules: Vec<_> =
        rules.filter(|rule| strict || rule.source == Source::Contract).collect();
    rules.sort_by_key(|rule| (number(rule.section), rule.source));
    rules
}

/// The section of the contract without the number of the sentence.
pub(crate) fn chapter(section: &str) -> &str {
    section.split('.').next().unwrap_or(section)
}

/// What the contract calls a section.
pub(crate) fn heading(section: &str) -> &'static str {
    match chapter(section) {
        "1" => "What the service does",
        "2" => "Resources and their fields",
        "4" => "Endpoints",
        "5" => "Authentication",
        "7" => "Errors",
        "8" => "Limits",
        _ => "Versioning",
    }
}

/// Sections sort by their numbers, a chapter before its sentences.
fn number(section: &str) -> Vec<u32> {
    section.split('.').filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_titles_are_sentences() {
        let rules = all(true);
        for (index, rule) in rules.iter().enumerate() {
            assert!(rules[..index].iter().all(|other| other.id != rule.id), "{}", rule.id);
            let is_kebab =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(rule.id.bytes().all(is_kebab), "{}", rule.id);
            assert!(rule.title.ends_with('.') && rule.title.len() < 160, "{}", rule.title);
            assert!(["1", "2", "4", "5", "7", "8", "9"].contains(&chapter(rule.section)));
        }
        assert!(rules.is_sorted_by_key(|rule| number(rule.section)));
    }
}
