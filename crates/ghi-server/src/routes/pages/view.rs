//! The view of the dashboard: the reader's choices, stored in the URL.

use std::num::NonZeroU16;

use ghi_contract::GLOBAL;
use ghi_display::{Range, grouped, name_of};
use ghi_engine::{Day, Decimal, Model, NoFigures, Registry, Scope, Variable, WhatIf};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::edition::Edition;
use crate::http::problem::{Code, Problem};
use crate::http::query::Query;
use crate::http::site::Site;
use crate::routes::parameters::{self, parsed};

pub(crate) const DEFAULT_RANGE: Range = Range::Month;

/// The longest search text, and the longest text that names two regions to compare, in characters.
pub(crate) const FIND_MAX: usize = 100;
const COMPARE_MAX: usize = 150;

/// The characters to encode in a value. The others have no special meaning in a query and are easier to read unencoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b',').remove(b'_').remove(b'-').remove(b'.');

/// The columns by which regions can be sorted: `change` is that of seven days, and `difference` that from worldwide.
const SORT_COLUMNS: [&str; 7] = ["name", "share", "min", "avg", "max", "change", "difference"];

/// What a page and its blocks are made from.
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
    pub(crate) compare: Option<[Scope; 2]>,
    /// The column by which regions are sorted, and whether in the less usual direction.
    pub(crate) order: (&'static str, bool),
    /// The text that names or ids of regions must contain. Empty for all.
    pub(crate) find: String,
    pub(crate) lists_all: bool,
    /// Whether the history shows the change since its first day.
    pub(crate) is_change: bool,
    /// The reader's own numbers, in the order of [`WhatIf::VARIABLES`]. Missing ones default to today's.
    pub(crate) what_if: [Option<f64>; 4],
}

/// A choice that is not valid. The page uses the default, and shows the error next to the field.
pub(crate) struct InvalidChoice {
    pub(crate) field: &'static str,
    pub(crate) problem: Problem,
    pub(crate) given: String,
    range: Option<[f64; 2]>,
    /// The names that may have been meant, and their queries.
    pub(crate) suggestions: Vec<(String, String)>,
}

impl InvalidChoice {
    /// Creates the choice of a parameter that the page does not have.
    pub(crate) fn without_field(problem: Problem) -> Self {
        let (given, suggestions) = (String::new(), Vec::new());
        Self { field: "parameter", problem, given, range: None, suggestions }
    }

    pub(crate) fn is_unknown_region(&self) -> bool {
        self.problem.code == Code::UnknownRegion
    }

    /// Returns the first sentence of the problem, without names of parameters that are not words.
    pub(crate) fn words(&self) -> String {
        if let Some(range) = self.range {
            let [from, to] = range.map(grouped);
            let rule = format!("Enter a number from {from} to {to}, or leave the field empty.");
            return about_commas(&self.given).unwrap_or(rule);
        }
        let detail = self.problem.detail();
        let sentence = detail.split(". ").next().unwrap_or(detail).trim_end_matches('.');
        let sentence = sentence.replace(" in compare", "").replace("this region_id", "this id");
        match sentence.split_once(" must ") {
            Some((_, rule)) if rule.starts_with("be two") => "Choose two different regions.".into(),
            Some((_, rule)) => {
                let (first, rest) = self.field.split_at(1);
                format!("{}{rest} must {rule}.", first.to_uppercase())
            }
            None => format!("{sentence}."),
        }
    }
}

/// Says how to write a number that has commas.
fn about_commas(given: &str) -> Option<String> {
    let groups: Vec<&str> = given.split(',').collect();
    let is_group = |text: &&str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    match &*groups {
        [_] => None,
        [first, rest @ ..] if !matches!(*first, "" | "0") && rest.iter().all(is_group) => {
            Some(format!("Leave out the commas: {}.", groups.concat()))
        }
        _ => Some("Use a decimal point.".into()),
    }
}

/// Sets a choice to the value of its parameter, if that is given and valid. Returns what is wrong with it.
fn set<T>(choice: &mut T, value: Result<Option<T>, Problem>) -> Option<Problem> {
    match value {
        Ok(Some(value)) => *choice = value,
        Ok(None) => {}
        Err(problem) => return Some(problem),
    }
    None
}

impl View {
    pub(crate) const DEFAULT: Self = Self {
        range: DEFAULT_RANGE,
        scope: Scope::Global,
        price: None,
        compare: None,
        // The cheapest first, as on the cost curve.
        order: ("avg", true),
        find: String::new(),
        lists_all: false,
        is_change: false,
        what_if: [None; 4],
    };

    /// Parses the query of a page. Invalid choices are replaced with their defaults, and returned separately.
    pub(crate) fn parse(query: &Query<'_>, model: &Model) -> (Self, Vec<InvalidChoice>) {
        let (registry, mut view) = (model.registry(), Self::DEFAULT);
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
        let mut problems = vec![
            ("range", set(&mut view.range, parameters::range(query))),
            ("region_id", set(&mut view.scope, parameters::scope(query, registry).map(Some))),
            ("price", set(&mut view.price, parameters::price(query, model).map(Some))),
            ("compare", set(&mut view.compare, compare(query, registry).map(Some))),
            ("sort", set(&mut view.order, parsed(query, "sort", order))),
            ("find", set(&mut view.find, parsed(query, "find", find))),
            ("page", set(&mut view.lists_all, parsed(query, "page", lists_all))),
            ("unit", set(&mut view.is_change, parsed(query, "unit", is_change))),
        ];
        for (value, variable) in view.what_if.iter_mut().zip(WhatIf::VARIABLES) {
            problems.push((variable.name, set(value, number(query, variable).map(Some))));
        }
        // An efficiency in J/MH replaces one in J/TH.
        let j_per_th = |j_per_mh: Option<f64>| Some(Some((1e12 * j_per_mh?).round() / 1e6));
        let efficiency = number(query, WhatIf::J_PER_MH).map(j_per_th);
        problems.push((WhatIf::J_PER_MH.name, set(&mut view.what_if[1], efficiency)));
        let invalid = problems.into_iter().filter_map(|(field, problem)| {
            let numbers = [WhatIf::J_PER_MH, model.readers_price()];
            let mut numbers = WhatIf::VARIABLES.into_iter().chain(numbers);
            let (problem, given) = (problem?, given(field, query));
            let suggestions = suggestions(&view, field, &given, model);
            let range = numbers.find(|number| number.name == field).map(|number| number.range());
            Some(InvalidChoice { field, problem, given, range, suggestions })
        });
        let invalid = invalid.collect();
        (view, invalid)
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
            ("compare", self.compare.map(|both| both.map(id).join(","))),
            ("sort", (self.order != default.order).then(sort)),
            ("find", (self.find != default.find).then(|| self.find.clone())),
            ("page", self.lists_all.then(|| "1".to_owned())),
            ("unit", self.is_change.then(|| "percent".to_owned())),
        ];
        let numbers = WhatIf::VARIABLES.into_iter().zip(self.what_if);
        let numbers = numbers.map(|(number, value)| (number.name, value.map(|n| n.to_string())));
        let fields = fields.into_iter().chain(numbers);
        fields.filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Returns the text of a field; for the two of a comparison, both.
fn given(field: &'static str, query: &Query<'_>) -> String {
    let text = |name| query.get(name).ok().flatten();
    let with = text("with").filter(|_| field == "compare").map(|with| format!(",{with}"));
    text(field).unwrap_or_default().to_owned() + &with.unwrap_or_default()
}

/// Returns the scopes whose names or ids resemble the text of a field, and the views with them.
fn suggestions(view: &View, field: &str, given: &str, model: &Model) -> Vec<(String, String)> {
    let known = |text: &str| parameters::named_scope(text.trim(), model.registry());
    let (one, other) = given.split_once(',').unwrap_or((given, ""));
    let text = match (field, known(one)) {
        ("region_id", _) => given,
        ("compare", Some(_)) => other,
        ("compare", None) => one,
        _ => return Vec::new(),
    };
    let link = |scope: Scope| {
        let mut view = view.clone();
        match (field, known(one)) {
            ("region_id", _) => view.scope = scope,
            (_, Some(one)) => view.compare = Some([one, scope]),
            (_, None) => view.compare = Some([scope, known(other).unwrap_or(Scope::Global)]),
        }
        let is_valid = view.compare.is_none_or(|[one, other]| one != other);
        is_valid.then(|| (name_of(scope, model).into(), view.query(model.registry())))
    };
    parameters::similar_scopes(text, model).filter_map(link).collect()
}

fn order(text: &str) -> Result<(&'static str, bool), String> {
    let column = text.strip_prefix('-').unwrap_or(text);
    match SORT_COLUMNS.into_iter().find(|known| *known == column) {
        Some(column) => Ok((column, text.starts_with('-'))),
        None => {
            let known = SORT_COLUMNS.join(", ");
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

fn compare(query: &Query<'_>, registry: &Registry) -> Result<Option<[Scope; 2]>, Problem> {
    // A form has one field for each of the two. Names may contain commas.
    let given = |name| Ok::<_, Problem>(query.get(name)?.filter(|text| !text.is_empty()));
    let (text, with) = (given("compare")?, given("with")?);
    if text.is_none() && with.is_none() {
        return Ok(None);
    }
    let text = text.unwrap_or_default();
    let is_long = |text: &str| text.chars().count() > COMPARE_MAX;
    if is_long(text) || with.is_some_and(is_long) {
        let rule = format!("compare must have at most {COMPARE_MAX} characters.");
        return Err(Problem::invalid_parameter(rule));
    }
    let pairs: Vec<(&str, &str)> = match &with {
        Some(with) => vec![(text, with)],
        None => text.match_indices(',').map(|(at, _)| (&text[..at], &text[at + 1..])).collect(),
    };
    let named = |text: &str| parameters::named_scope(text.trim(), registry);
    let two = pairs.iter().find_map(|(first, second)| Some([named(first)?, named(second)?]));
    match two {
        Some([first, second]) if first != second => Ok(Some([first, second])),
        None if pairs.len() == 1 => {
            let given = "this id or name in compare";
            Err(parameters::unknown_region(given, "global, a name, or ", registry))
        }
        _ => Err(Problem::invalid_parameter(format!(
            "compare must be two different regions, by id or name, separated by a comma; {GLOBAL} \
             is accepted too."
        ))),
    }
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

    fn of<'a>(invalid: &'a [InvalidChoice], field: &str) -> &'a InvalidChoice {
        invalid.iter().find(|choice| choice.field == field).unwrap()
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
    fn an_invalid_choice_keeps_the_others_and_suggests_what_was_meant() {
        let model = Model::new(Inputs::default());
        let parse = |query| View::parse(&form(query), &model);
        let (view, invalid) = parse("range=7d&price=x&overhead=99&compare=us&with=chnia");
        assert_eq!(view.query(model.registry()), "?range=7d");
        let fields: Vec<&str> = invalid.iter().map(|choice| choice.field).collect();
        assert_eq!(fields, ["price", "compare", "overhead"]);
        assert_eq!(
            of(&invalid, "overhead").words(),
            "Enter a number from 1 to 10, or leave the field empty."
        );
        let meant = &of(&invalid, "compare").suggestions;
        assert_eq!(*meant, [("China".into(), "?range=7d&compare=us,cn".into())]);
        let (_, invalid) = parse("compare=us,chnia");
        assert_eq!(invalid[0].suggestions, [("China".into(), "?compare=us,cn".into())]);
        let (_, invalid) = parse("compare=chnia,us&electricity_usd_per_kwh=0,05");
        assert_eq!(invalid[0].suggestions, [("China".into(), "?compare=cn,us".into())]);
        assert!(invalid[1].words().starts_with("Use a decimal point."));
        let (_, invalid) = parse("price=50,000");
        assert!(invalid[0].words().starts_with("Leave out the commas: 50000."));
        let (_, invalid) = parse("range=8d&efficiency_j_per_th=x");
        let words: Vec<String> = invalid.iter().map(InvalidChoice::words).collect();
        assert_eq!(words[0], "Range must be one of 7d, 30d, 90d, 1y, 5y, all.");
        assert!(
            words[1].starts_with("Enter a number from 0.001 to 10,000,000,000,000,"),
            "{words:?}"
        );
        let (_, invalid) = parse("efficiency_j_per_mh=0");
        let range = "from 0.000000001 to 10,000,000,";
        assert!(invalid[0].words().contains(range), "{}", invalid[0].words());
        let (_, invalid) = parse("region_id=europ");
        let meant = &invalid[0].suggestions;
        assert_eq!(meant[0], ("Europe".into(), "?region_id=eu".into()));
        assert_eq!(invalid[0].words(), "No region has this id.");
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
        check("compare=china,+Worldwide", Ok("?compare=cn,global"));
        check("compare=UNITED+STATES&with=eu", Ok("?compare=us,eu"));
        check("find=%C3%A9%26+", Ok("?find=%C3%A9%26"));
        check("overhead=1.50&block_reward_coins=", Ok("?overhead=1.5"));
        check("overhead=2&page=3&find=a&sort=", Ok("?find=a&page=1&overhead=2"));
        check("page=", Ok(""));
        check("unit=usd", Ok(""));
        check("unit=percent&range=7d", Ok("?range=7d&unit=percent"));
    }

    #[test]
    fn invalid_choices_are_rejected() {
        check("range=2y", Err("range must be one of 7d, 30d, 90d, 1y, 5y, all."));
        check("sort=cost", Err("sort must be one of name, share, min"));
        check("compare=us", Err("compare must be two different regions"));
        check("compare=us,us", Err("compare must be two different regions"));
        check("compare=us,United+States", Err("compare must be two different regions"));
        check("compare=us,cn,eu", Err("compare must be two different regions"));
        check("compare=us,zz", Err("No region has this id or name in compare."));
        check("compare=us&with=unit", Err("No region has this id or name in compare."));
        check(&format!("compare={}", ",".repeat(151)), Err("compare must have at most 150"));
        check(&format!("compare=us&with={}", "x".repeat(151)), Err("compare must have at most"));
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
