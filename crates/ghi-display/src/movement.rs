//! How costs moved: what charts and tables of days are made of.

use ghi_contract::ForecastDays;
use ghi_engine::{Costs, Day, Decimal, Model, NoFigures, Scope};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::finding::finding;
use crate::history::History;
use crate::panel::Line;
use crate::past::{Past, Range};
use crate::pen::Role;
use crate::shown::{line_regions, name_of};
use crate::text::shortened;

/// The longest name in a heading, in pixels of the usual size of a chart's text.
const NAME_MAX: f64 = 240.0;

/// The days of a scope, and of others that they are shown beside.
pub struct Movement<'a> {
    model: &'a Model,
    scope: Scope,
    /// The name of the scope, as long as the heading has room for.
    pub shown_name: String,
    /// What it comes to, in words.
    pub heading: String,
    /// Of the scope.
    pub past: Past,
    /// Worldwide, and some regions.
    lines: Vec<(Scope, Vec<(Date, Costs)>)>,
    /// None where the calendar ends.
    forecast: Option<(Date, Decimal)>,
}

impl<'a> Movement<'a> {
    /// A scope up to a day, beside worldwide and the regions that are shown with it. `past` has the days of
    /// a range of any scope.
    pub fn among_others(
        model: &'a Model,
        today: &Day,
        (scope, range): (Scope, Range),
        past: impl Fn(Scope) -> Result<Past, NoFigures>,
    ) -> Result<Self, NoFigures> {
        let regions = line_regions(model, today, scope).into_iter().map(Scope::Region);
        let lines = std::iter::once(Scope::Global).chain(regions);
        Self::new(model, today, (scope, range), lines, past)
    }

    /// The same beside worldwide alone.
    pub fn beside_worldwide(
        model: &'a Model,
        today: &Day,
        (scope, range): (Scope, Range),
        past: impl Fn(Scope) -> Result<Past, NoFigures>,
    ) -> Result<Self, NoFigures> {
        Self::new(model, today, (scope, range), [Scope::Global, scope].into_iter(), past)
    }

    fn new(
        model: &'a Model,
        today: &Day,
        (scope, range): (Scope, Range),
        lines: impl Iterator<Item = Scope>,
        past_of: impl Fn(Scope) -> Result<Past, NoFigures>,
    ) -> Result<Self, NoFigures> {
        let past = past_of(scope)?;
        let horizon = if range == Range::Week { ForecastDays::MIN } else { ForecastDays::DEFAULT };
        let last = today.date.saturating_add(i64::from(horizon).days());
        let shown_name = shortened(name_of(scope, model), NAME_MAX);
        let lines = lines.map(|line| Ok((line, past_of(line)?.days)));
        Ok(Self {
            model,
            scope,
            heading: finding(&shown_name, range, &past),
            shown_name,
            lines: lines.collect::<Result<_, _>>()?,
            past,
            forecast: (last > today.date).then(|| (last, model.forecast_avg_usd(today))),
        })
    }

    /// The scopes of the lines.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> {
        self.lines.iter().map(|line| line.0)
    }

    /// The name of the scope.
    pub fn name(&self) -> &'a str {
        name_of(self.scope, self.model)
    }

    /// Whether the chart has a line of what is expected.
    pub fn has_forecast(&self) -> bool {
        self.forecast.is_some()
    }

    /// What the chart of lines shows.
    pub fn history(&self) -> History<'_> {
        let lines = self.lines.iter().map(|(line, days)| {
            let role = match line {
                Scope::Global => Role::Worldwide,
                Scope::Region(region) => {
                    Role::Region { place: region.get(), is_chosen: *line == self.scope }
                }
            };
            Line { name: name_of(*line, self.model), days, role }
        });
        History { heading: &self.heading, lines: lines.collect(), forecast: self.forecast }
    }
}
