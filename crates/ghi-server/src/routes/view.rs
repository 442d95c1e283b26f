//! The view of the dashboard: the reader's choices, stored in the URL.

use std::num::NonZeroU16;

use ghi_contract::GLOBAL;
use ghi_display::Range;
use ghi_engine::{Registry, Scope};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::routes::parameters;
use crate::routes::what_if::WhatIfInput;

/// The default range of a page.
pub(crate) const DEFAULT_RANGE: Range = Range::Month;

/// The longest search text, in characters.
pub(crate) const FIND_MAX: usize = 100;

/// The longest text that names two regions to compare, in characters: twice the longest name.
const COMPARE_MAX: usize = 150;

/// The characters to encode in a value. The others mean nothing in a query and read better as they are.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b',').remove(b'_').remove(b'-').remove(b'.');

/// The reader's choices, each with its default.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) range: Range,
    pub(crate) scope: Scope,
    /// Two scopes to compare.
    pub(crate) compare: Option<[Scope; 2]>,
    pub(crate) order: Order,
    /// The text that names or ids of regions must contain. Empty for all.
    pub(crate) find: String,
    /// The page of the matching regions. `None` for those shown at first.
    pub(crate) page: Option<NonZeroU16>,
    /// The values of the calculator.
    pub(crate) what_if: WhatIfInput,
}

/// How the regions are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) column: Column,
    /// Whether the column is sorted in the less usual direction.
    pub(crate) reversed: bool,
}

/// A column of the table of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Name,
    Share,
    Minimum,
    Average,
    Maximum,
    /// The change in seven days.
    Change,
    /// The difference from worldwide.
    Difference,
}

impl Column {
    /// All columns, with their names in requests.
    const NAMES: [(Self, &str); 7] = [
        (Self::Name, "name"),
        (Self::Share, "share"),
        (Self::Minimum, "min"),
        (Self::Average, "avg"),
        (Self::Maximum, "max"),
        (Self::Change, "change"),
        (Self::Difference, "difference"),
    ];
}

impl Order {
    /// The largest regions first.
    pub(crate) const DEFAULT: Self = Self { column: Column::Share, reversed: false };

    /// Returns its name in requests.
    pub(crate) fn name(self) -> String {
        let name = Column::NAMES.into_iter().find(|(column, _)| *column == self.column);
        let name = name.map_or("", |(_, name)| name);
        format!("{}{name}", if self.reversed { "-" } else { "" })
    }

    fn parse(text: &str) -> Option<Self> {
        let reversed = text.strip_prefix('-');
        let matches = |(_, name): &(Column, &str)| *name == reversed.unwrap_or(text);
        let (column, _) = Column::NAMES.into_iter().find(matches)?;
        Some(Self { column, reversed: reversed.is_some() })
    }
}

impl View {
    /// The view of a URL without parameters.
    pub(crate) const DEFAULT: Self = Self {
        range: DEFAULT_RANGE,
        scope: Scope::Global,
        compare: None,
        order: Order::DEFAULT,
        find: String::new(),
        page: None,
        what_if: WhatIfInput::NONE,
    };

    /// Parses the query of a page. A form sends a field that was left empty as an empty parameter.
    pub(crate) fn parse(query: &Query<'_>, registry: &Registry) -> Result<Self, Problem> {
        let order = match query.get("sort")? {
            Some(text) if !text.is_empty() => Order::parse(&text).ok_or_else(|| {
                let known = Column::NAMES.map(|(_, name)| name).join(", ");
                Problem::invalid_parameter(format!(
                    "sort must be one of {known}, with a - before it to reverse the order."
                ))
            })?,
            _ => Order::DEFAULT,
        };
        let find = query.get("find")?.unwrap_or_default();
        if find.chars().count() > FIND_MAX {
            return Err(Problem::invalid_parameter(format!(
                "find must have at most {FIND_MAX} characters."
            )));
        }
        Ok(Self {
            range: parameters::range(query)?.unwrap_or(DEFAULT_RANGE),
            scope: parameters::scope(query, registry)?,
            compare: compare(query, registry)?,
            order,
            find: find.trim().to_owned(),
            page: page(query)?,
            what_if: WhatIfInput::parse(query)?,
        })
    }

    /// Returns the query of this view: empty, or with its question mark. Parameters with default values are
    /// omitted.
    pub(crate) fn query(&self, registry: &Registry) -> String {
        let fields = self.fields(registry);
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)))
            .collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    /// Returns the parameters of this view, for a form that adds to it.
    pub(crate) fn fields(&self, registry: &Registry) -> Vec<(&'static str, String)> {
        let default = Self::DEFAULT;
        let id = |scope: Scope| scope.region_id(registry).to_owned();
        let compare = self.compare.map(|both| both.map(id).join(","));
        let fields = [
            ("range", (self.range != default.range).then(|| self.range.name().to_owned())),
            ("region_id", (self.scope != default.scope).then(|| id(self.scope))),
            ("compare", compare),
            ("sort", (self.order != default.order).then(|| self.order.name())),
            ("find", (self.find != default.find).then(|| self.find.clone())),
            ("page", self.page.map(|page| page.to_string())),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        fields.chain(self.what_if.fields()).collect()
    }
}

/// Parses the parameter `page`.
fn page(query: &Query<'_>) -> Result<Option<NonZeroU16>, Problem> {
    let text = query.get("page")?.filter(|text| !text.is_empty());
    let page = text.map(|text| {
        text.parse().map_err(|_| {
            Problem::invalid_parameter(format!(
                "page must be a whole number from 1 to {}.",
                u16::MAX
            ))
        })
    });
    page.transpose()
}

/// Parses the parameter `compare`: two scopes.
fn compare(query: &Query<'_>, registry: &Registry) -> Result<Option<[Scope; 2]>, Problem> {
    let Some(text) = query.get("compare")? else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    // A form has one field for each of the two. Names may contain commas.
    let with = query.get("with")?;
    if text.chars().count() > COMPARE_MAX
        || with.as_ref().is_some_and(|with| with.chars().count() > COMPARE_MAX)
    {
        return Err(Problem::invalid_parameter(format!(
            "compare must have at most {COMPARE_MAX} characters."
        )));
    }
    let pairs: Vec<(&str, &str)> = match &with {
        Some(with) => vec![(&text, with)],
        None => text.match_indices(',').map(|(at, _)| (&text[..at], &text[at + 1..])).collect(),
    };
    let named = |text: &str| parameters::named_scope(text.trim(), registry);
    let two = pairs.iter().find_map(|(first, second)| Some([named(first)?, named(second)?]));
    match two {
        Some([first, second]) if first != second => Ok(Some([first, second])),
        None if pairs.len() == 1 => Err(parameters::unknown_region_of("compare", registry)),
        _ => Err(Problem::invalid_parameter(format!(
            "compare must be two different ids or names separated by a comma: {GLOBAL}, or those of \
             regions."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::{Inputs, Model};

    use super::*;

    #[track_caller]
    fn check(query: &str, expected: Result<&str, &str>) {
        let model = Model::new(Inputs::default());
        let registry = model.registry();
        let view = View::parse(&Query::parse(Some(query)).unwrap(), registry);
        let written = view.map(|view| view.query(registry));
        let written = written.as_deref().map_err(|problem| problem.detail());
        match (written, expected) {
            (Err(detail), Err(start)) => assert!(detail.starts_with(start), "{detail}"),
            (written, expected) => assert_eq!(written, expected, "{query}"),
        }
    }

    #[test]
    fn the_url_contains_only_choices_that_differ_from_the_defaults() {
        check("", Ok(""));
        check("range=30d&region_id=global&sort=share&find=", Ok(""));
        check("region_id=cn&range=7d", Ok("?range=7d&region_id=cn"));
        check("compare=us,cn", Ok("?compare=us,cn"));
        check("compare=us&with=cn", Ok("?compare=us,cn"));
        check("compare=us%2Ccn&sort=-avg", Ok("?compare=us,cn&sort=-avg"));
        check("compare=china,+Worldwide", Ok("?compare=cn,global"));
        check("compare=UNITED+STATES&with=eu", Ok("?compare=us,eu"));
        check("find=%C3%A9%26+", Ok("?find=%C3%A9%26"));
        check("overhead=1.50&block_reward_coins=", Ok("?overhead=1.5"));
        check("overhead=2&page=3&find=a&sort=", Ok("?find=a&page=3&overhead=2"));
        check("page=", Ok(""));
    }

    #[test]
    fn invalid_choices_are_rejected() {
        check("range=2y", Err("range must be one of 7d, 30d, 90d, 1y."));
        check("sort=cost", Err("sort must be one of name, share, min"));
        check("compare=us", Err("compare must be two different ids or names"));
        check("compare=us,us", Err("compare must be two different ids or names"));
        check("compare=us,United+States", Err("compare must be two different ids or names"));
        check("compare=us,cn,eu", Err("compare must be two different ids or names"));
        check("compare=us,zz", Err("No region has this id or name in compare."));
        check("compare=us&with=unit", Err("No region has this id or name in compare."));
        check(&format!("compare={}", ",".repeat(151)), Err("compare must have at most 150"));
        check(&format!("compare=us&with={}", "x".repeat(151)), Err("compare must have at most"));
        check("page=0", Err("page must be a whole number from 1 to 65535."));
        check("page=one", Err("page must be a whole number from 1 to 65535."));
        check("overhead=0.5", Err("overhead must be a number from 1 to 10;"));
        check(&format!("find={}", "x".repeat(101)), Err("find must have at most 100"));
    }
}
