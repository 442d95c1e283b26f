//! The view of the dashboard: the reader's choices, stored in the URL.

use std::num::NonZeroU16;

use ghi_display::Range;
use ghi_engine::{Day, Decimal, Model, NoFigures, Registry, Scope, Variable, WhatIf};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::edition::Edition;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::site::Site;
use crate::routes::parameters::{self, parsed, price, scope};

pub(crate) const DEFAULT_RANGE: Range = Range::Month;

pub(crate) const FIND_MAX: usize = 100;

/// The characters to encode in a value. The others have no special meaning in a query and are easier to read unencoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b',').remove(b'_').remove(b'-').remove(b'.');

/// The column that compares averages with the reader's own cost.
pub(crate) const VERSUS_YOURS: &str = "vs your cost";

/// The columns of the table of regions, and their names in queries that sort by them: `change` is that of seven days, and
/// `difference` that from worldwide.
pub(crate) const COLUMNS: [(&str, &str); 10] = [
    ("Region", "name"),
    ("30 days", ""),
    ("Range", ""),
    ("Average", "avg"),
    // It has the same order as the averages, whose header sorts it.
    (VERSUS_YOURS, ""),
    ("7 days", "change"),
    ("vs worldwide", "difference"),
    ("Minimum", "min"),
    ("Maximum", "max"),
    ("Hashrate", "share"),
];

#[derive(Clone, Copy)]
pub(crate) struct PageInput<'a> {
    pub(crate) edition: &'a Edition,
    pub(crate) model: &'a Model,
    pub(crate) registry: &'a Registry,
    pub(crate) today: &'a Day,
    pub(crate) site: &'a Site,
    pub(crate) view: &'a View,
    pub(crate) invalid: &'a [InvalidChoice],
}

impl<'a> PageInput<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        site: &'a Site,
        view: &'a View,
        invalid: &'a [InvalidChoice],
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        Ok(Self { edition, model, registry: model.registry(), today, site, view, invalid })
    }

    pub(crate) fn invalid(&self, field: &str) -> Option<&'a InvalidChoice> {
        self.invalid.iter().find(|choice| choice.field == field)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) range: Range,
    pub(crate) scope: Scope,
    pub(crate) price: Option<Decimal>,
    /// Whether the cost curve is by cost instead of by region.
    pub(crate) is_by_cost: bool,
    pub(crate) compare: Option<[Scope; 2]>,
    /// The column by which regions are sorted, and whether in the less usual direction.
    pub(crate) order: (&'static str, bool),
    /// The text that names or ids of regions must contain. Empty for all.
    pub(crate) find: String,
    pub(crate) lists_all: bool,
    pub(crate) is_change: bool,
    /// Whether long ranges show what others published.
    pub(crate) has_published: bool,
    /// The reader's own numbers, in the order of [`WhatIf::VARIABLES`]. Missing ones default to today's.
    pub(crate) what_if: [Option<f64>; 4],
}

/// A choice that is not valid. The page uses the default, and shows the error next to the field.
pub(crate) struct InvalidChoice {
    pub(crate) field: &'static str,
    pub(crate) problem: Problem,
    pub(crate) given: String,
}

/// The choices of a query, and those that are not valid.
struct Choices<'a> {
    query: &'a Query<'a>,
    invalid: Vec<InvalidChoice>,
}

impl Choices<'_> {
    /// Returns the value of a parameter, or its default if it is not given or not valid.
    fn value<T>(
        &mut self,
        field: &'static str,
        value: Result<Option<T>, Problem>,
        default: T,
    ) -> T {
        let value = value.unwrap_or_else(|problem| {
            let given = self.query.get(field).ok().flatten().unwrap_or_default().to_owned();
            self.invalid.push(InvalidChoice { field, problem, given });
            None
        });
        value.unwrap_or(default)
    }
}

impl View {
    pub(crate) const DEFAULT: Self = Self {
        range: DEFAULT_RANGE,
        scope: Scope::Global,
        price: None,
        is_by_cost: false,
        compare: None,
        // The cheapest first, as on the cost curve.
        order: ("avg", true),
        find: String::new(),
        lists_all: false,
        is_change: false,
        has_published: false,
        what_if: [None; 4],
    };

    /// Parses the query of a page. Invalid choices are replaced with their defaults, and returned separately.
    pub(crate) fn parse(query: &Query<'_>, model: &Model) -> (Self, Vec<InvalidChoice>) {
        let (registry, default) = (model.registry(), Self::DEFAULT);
        let is_change = |text: &str| match text {
            "usd" => Ok(false),
            "percent" => Ok(true),
            _ => Err("unit must be usd or percent.".to_owned()),
        };
        // All regions are on one page, whatever its number.
        let lists_all = |text: &str| match text.parse::<NonZeroU16>() {
            Ok(_) => Ok(true),
            Err(_) => Err(format!("page must be a whole number from 1 to {}.", u16::MAX)),
        };
        let has_published = |text: &str| match text {
            "1" => Ok(true),
            _ => Err("published must be 1.".to_owned()),
        };
        let mut choices = Choices { query, invalid: Vec::new() };
        let mut view = Self {
            range: choices.value("range", parameters::range(query), default.range),
            scope: choices.value("region_id", scope(query, registry).map(Some), default.scope),
            price: choices.value("price", price(query, model).map(Some), None),
            is_by_cost: choices.value("order", parameters::is_by_cost(query), false),
            compare: choices.value("compare", compare(query, registry).map(Some), None),
            order: choices.value("sort", parsed(query, "sort", order), default.order),
            find: choices.value("find", parsed(query, "find", find), String::new()),
            lists_all: choices.value("page", parsed(query, "page", lists_all), false),
            is_change: choices.value("unit", parsed(query, "unit", is_change), false),
            has_published: choices.value(
                "published",
                parsed(query, "published", has_published),
                false,
            ),
            what_if: WhatIf::VARIABLES.map(|variable| {
                choices.value(variable.name, number(query, variable).map(Some), None)
            }),
        };
        // An efficiency in J/MH replaces one in J/TH.
        let per_mh = WhatIf::J_PER_MH;
        if let Some(j_per_mh) = choices.value(per_mh.name, number(query, per_mh).map(Some), None) {
            view.what_if[1] = Some((1e12 * j_per_mh).round() / 1e6);
        }
        (view, choices.invalid)
    }

    pub(crate) fn numbers(&self, today: &WhatIf) -> WhatIf {
        WhatIf(std::array::from_fn(|place| self.what_if[place].unwrap_or(today.0[place])))
    }

    /// Returns the query of this view, with its question mark, or an empty string. Omits default values.
    pub(crate) fn query(&self, registry: &Registry) -> String {
        let pairs = self.fields(registry).into_iter().enumerate().map(|(index, (name, value))| {
            let separator = if index == 0 { "?" } else { "&" };
            format!("{separator}{name}={}", utf8_percent_encode(&value, ENCODED))
        });
        pairs.collect()
    }

    /// Returns the parameters of this view, for a form that adds to it.
    pub(crate) fn fields(&self, registry: &Registry) -> Vec<(&'static str, String)> {
        let default = Self::DEFAULT;
        let id = |scope: Scope| scope.region_id(registry).to_owned();
        let (column, is_reversed) = self.order;
        let sort = || format!("{}{column}", if is_reversed { "-" } else { "" });
        let fields = [
            ("range", (self.range != default.range).then(|| self.range.name().to_owned())),
            ("region_id", (self.scope != default.scope).then(|| id(self.scope))),
            ("price", self.price.map(|price| price.to_f64().to_string())),
            ("order", self.is_by_cost.then(|| "cost".to_owned())),
            ("compare", self.compare.map(|both| both.map(id).join(","))),
            ("sort", (self.order != default.order).then(sort)),
            ("find", (self.find != default.find).then(|| self.find.clone())),
            ("page", self.lists_all.then(|| "1".to_owned())),
            ("unit", self.is_change.then(|| "percent".to_owned())),
            ("published", self.has_published.then(|| "1".to_owned())),
        ];
        let numbers = WhatIf::VARIABLES.into_iter().zip(self.what_if);
        let numbers = numbers.map(|(number, value)| (number.name, value.map(|n| n.to_string())));
        let fields = fields.into_iter().chain(numbers);
        fields.filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

fn order(text: &str) -> Result<(&'static str, bool), String> {
    let column = text.strip_prefix('-').unwrap_or(text);
    let columns = COLUMNS.map(|(_, name)| name).into_iter().filter(|name| !name.is_empty());
    match columns.clone().find(|known| *known == column) {
        Some(column) => Ok((column, text.starts_with('-'))),
        None => {
            let known = columns.collect::<Vec<_>>().join(", ");
            Err(format!("sort must be one of {known}; put - in front to reverse the order."))
        }
    }
}

fn find(text: &str) -> Result<String, String> {
    match text.chars().count() {
        0..=FIND_MAX => Ok(text.trim().to_owned()),
        _ => Err(format!("find must have at most {FIND_MAX} characters.")),
    }
}

fn number(query: &Query<'_>, variable: Variable) -> Result<Option<f64>, Problem> {
    let number = parsed(query, variable.name, |text| match text.trim().parse() {
        Ok(number) if variable.takes(number) => Ok(Some(number)),
        _ if text.trim().is_empty() => Ok(None),
        _ => Err(format!("{variable}; leave it empty to use today's value.")),
    });
    number.map(Option::flatten)
}

/// Parses two ids in one parameter or, from a form, in two.
fn compare(query: &Query<'_>, registry: &Registry) -> Result<Option<[Scope; 2]>, Problem> {
    let given = |name| Ok::<_, Problem>(query.get(name)?.filter(|text| !text.is_empty()));
    let (one, other) = match (given("compare")?, given("with")?) {
        (None, None) => return Ok(None),
        (Some(both), None) => both.split_once(',').unwrap_or((both, "")),
        (one, other) => (one.unwrap_or_default(), other.unwrap_or_default()),
    };
    if one == other || one.is_empty() || other.is_empty() {
        let rule =
            "compare must be two different ids, separated by a comma; global is one of them.";
        return Err(Problem::invalid_parameter(rule));
    }
    let unknown = || parameters::unknown_region("this id in compare", "global or ", registry);
    let [one, other] = [one, other].map(|id| Scope::find(id, registry).ok_or_else(unknown));
    Ok(Some([one?, other?]))
}

#[cfg(test)]
mod tests {
    use ghi_engine::{Inputs, Model};

    use super::*;

    fn form(query: &str) -> Query<'_> {
        let mut query = Query::parse(Some(query)).unwrap();
        query.is_form = true;
        query
    }

    #[track_caller]
    fn check(query: &str, expected: Result<&str, &str>) {
        let model = Model::new(Inputs::default());
        let (view, invalid) = View::parse(&form(query), &model);
        match (invalid.first(), expected) {
            (Some(choice), Err(start)) => {
                assert!(choice.problem.detail().starts_with(start), "{}", choice.problem.detail());
            }
            (_, expected) => assert_eq!(Ok(&*view.query(model.registry())), expected, "{query}"),
        }
    }

    #[test]
    fn an_invalid_choice_keeps_the_others() {
        let model = Model::new(Inputs::default());
        let (view, invalid) =
            View::parse(&form("range=7d&price=x&overhead=99&compare=us&with=zz"), &model);
        assert_eq!(view.query(model.registry()), "?range=7d");
        let fields: Vec<&str> = invalid.iter().map(|choice| choice.field).collect();
        assert_eq!(fields, ["price", "compare", "overhead"]);
        assert_eq!([&*invalid[0].given, &*invalid[2].given], ["x", "99"]);
        assert!(invalid[2].problem.detail().starts_with("overhead must be a number from 1 to 10;"));
    }

    #[test]
    fn the_url_contains_only_choices_that_differ_from_the_defaults() {
        check("", Ok(""));
        check("range=30d&region_id=global&sort=-avg&find=&price=", Ok(""));
        check("price=70000.50&region_id=us", Ok("?region_id=us&price=70000.5"));
        check("region_id=cn&range=7d", Ok("?range=7d&region_id=cn"));
        check("compare=us,cn", Ok("?compare=us,cn"));
        check("compare=us&with=cn", Ok("?compare=us,cn"));
        check("compare=us%2Ccn&sort=avg", Ok("?compare=us,cn&sort=avg"));
        check("compare=cn,global", Ok("?compare=cn,global"));
        check("find=%C3%A9%26+", Ok("?find=%C3%A9%26"));
        check("overhead=1.50&block_reward_coins=", Ok("?overhead=1.5"));
        check("overhead=2&page=3&find=a&sort=", Ok("?find=a&page=1&overhead=2"));
        check("page=", Ok(""));
        check("unit=usd", Ok(""));
        check("order=region", Ok(""));
        check("order=cost&price=70000", Ok("?price=70000&order=cost"));
        check("unit=percent&range=7d", Ok("?range=7d&unit=percent"));
        check("published=1&range=all", Ok("?range=all&published=1"));
    }

    #[test]
    fn invalid_choices_are_rejected() {
        check("range=2y", Err("range must be one of 7d, 30d, 90d, 1y, 5y, all."));
        check("sort=cost", Err("sort must be one of name, avg, change"));
        check("compare=us", Err("compare must be two different ids"));
        check("compare=us,us", Err("compare must be two different ids"));
        check("compare=us,cn,eu", Err("No region has this id in compare."));
        check("compare=us,zz", Err("No region has this id in compare."));
        check("compare=us&with=unit", Err("No region has this id in compare."));
        check(&format!("compare={}", ",".repeat(151)), Err("compare must be two different ids"));
        check("order=avg", Err("order must be region or cost"));
        check("published=yes", Err("published must be 1."));
        check("unit=eur", Err("unit must be usd or percent."));
        check("price=-1", Err("price must be a number from"));
        check("page=0", Err("page must be a whole number from 1 to 65535."));
        check("page=one", Err("page must be a whole number from 1 to 65535."));
        check("overhead=0.5", Err("overhead must be a number from 1 to 10;"));
        check(&format!("find={}", "x".repeat(101)), Err("find must have at most 100"));
    }

    #[test]
    fn the_readers_numbers_replace_todays() {
        let model = Model::new(Inputs::default());
        let today = WhatIf([0.05, 20.0, 1.2, 3.125]);
        let parse = |query| View::parse(&form(query), &model).0;
        assert_eq!(parse("").numbers(&today), today);
        assert_eq!(parse("overhead=&efficiency_j_per_th=%20"), View::DEFAULT);
        let given = parse("overhead=1.5&electricity_usd_per_kwh=5e-2&x=1");
        assert_eq!(given.numbers(&today), WhatIf([0.05, 20.0, 1.5, 3.125]));
        assert_eq!(parse("efficiency_j_per_mh=2.05").what_if[1], Some(2.05e6));
        check(
            "overhead=1.5&electricity_usd_per_kwh=5e-2",
            Ok("?electricity_usd_per_kwh=0.05&overhead=1.5"),
        );
    }

    #[test]
    fn invalid_numbers_are_rejected_with_the_allowed_range() {
        for value in ["0", "-1", "NaN", "inf", "1e400", "three", "3,125", "1e10"] {
            let rule = "block_reward_coins must be a number from 1e-6 to 1e9; leave it empty to use today's value.";
            check(&format!("block_reward_coins={value}"), Err(rule));
        }
        check("overhead=1.1&overhead=1.2", Err("overhead is given more than once"));
    }
}
