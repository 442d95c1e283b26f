//! How costs moved: what charts and tables of days are made of.

use ghi_contract::ForecastDays;
use ghi_engine::{Costs, Decimal, Model, NoFigures, Scope};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::charts::finding::finding;
use crate::charts::history::History;
use crate::charts::panel::Line;
use crate::charts::pen::Role;
use crate::charts::shown::{line_regions, name_of};
use crate::charts::text::shortened;
use crate::edition::{Edition, Past, Range};

/// The longest name in a heading, in pixels of the usual size of a chart's text.
const NAME_MAX: f64 = 240.0;

/// The days of a scope, and of others that they are shown beside.
pub(crate) struct Movement<'a> {
    model: &'a Model,
    scope: Scope,
    /// The name of the scope, as long as the heading has room for.
    pub(crate) shown_name: String,
    /// What it comes to, in words.
    pub(crate) heading: String,
    /// Of the scope.
    pub(crate) past: Past,
    /// Worldwide, and some regions.
    lines: Vec<(Scope, Vec<(Date, Costs)>)>,
    /// None where the calendar ends.
    forecast: Option<(Date, Decimal)>,
}

impl<'a> Movement<'a> {
    /// Beside worldwide and the regions that are shown with it.
    pub(crate) fn among_others(
        edition: &'a Edition,
        scope: Scope,
        range: Range,
    ) -> Result<Self, NoFigures> {
        let regions = line_regions(edition.model(), edition.days().today()?, scope);
        let regions = regions.into_iter().map(Scope::Region);
        Self::new(edition, scope, range, std::iter::once(Scope::Global).chain(regions))
    }

    /// Beside worldwide alone.
    pub(crate) fn beside_worldwide(
        edition: &'a Edition,
        scope: Scope,
        range: Range,
    ) -> Result<Self, NoFigures> {
        Self::new(edition, scope, range, [Scope::Global, scope].into_iter())
    }

    fn new(
        edition: &'a Edition,
        scope: Scope,
        range: Range,
        lines: impl Iterator<Item = Scope>,
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let past = edition.past(scope, range)?;
        let horizon = if range == Range::Week { ForecastDays::MIN } else { ForecastDays::DEFAULT };
        let last = today.date.saturating_add(i64::from(horizon).days());
        let shown_name = shortened(name_of(scope, model), NAME_MAX);
        let lines = lines.map(|line| Ok((line, edition.past(line, range)?.days)));
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
    pub(crate) fn scopes(&self) -> impl Iterator<Item = Scope> {
        self.lines.iter().map(|line| line.0)
    }

    /// The name of the scope.
    pub(crate) fn name(&self) -> &'a str {
        name_of(self.scope, self.model)
    }

    /// Whether the chart has a line of what is expected.
    pub(crate) fn has_forecast(&self) -> bool {
        self.forecast.is_some()
    }

    /// What the chart of lines shows.
    pub(crate) fn history(&self) -> History<'_> {
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
