//! The answer: what one coin costs today, worldwide.

use askama::Template;
use ghi_display::{self as charts, Amount, Delta};
use ghi_engine::{Costs, Day, NoFigures};

use crate::edition::Edition;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;

/// Today's costs.
#[derive(Template)]
#[template(path = "blocks/today.html")]
pub(crate) struct Today {
    date: String,
    iso_date: String,
    average: Amount,
    shown: String,
    minimum: Amount,
    maximum: Amount,
    minimum_shown: String,
    maximum_shown: String,
    /// The regions that set minimum and maximum.
    low: String,
    high: String,
    changes: Vec<Since>,
    range_bar: String,
    /// A slot for what changes from minute to minute.
    reading: &'static str,
    get_data: GetData,
}

/// How the average changed since a day.
struct Since {
    change: Delta,
    day: String,
}

impl Today {
    pub(crate) fn new(
        edition: &Edition,
        site: &Site,
        reading: &'static str,
    ) -> Result<Self, NoFigures> {
        let (model, days) = (edition.model(), edition.days());
        let today = days.today()?;
        let Costs { min_usd, avg_usd, max_usd } = today.global;
        let since = |day: &Day, name: String| Since {
            change: Delta { from: day.global.avg_usd, to: avg_usd },
            day: name,
        };
        let yesterday = days.yesterday().ok().map(|day| since(day, "since yesterday".into()));
        let week_ago = days.week_ago().ok();
        let week_ago =
            week_ago.map(|day| since(day, day.date.strftime("since %-d %b").to_string()));
        let [low, high] =
            charts::extremes(model, today).map(|region| &*model.registry()[region].name);
        Ok(Self {
            date: today.date.strftime("%-d %B %Y").to_string(),
            iso_date: today.date.to_string(),
            average: Amount(avg_usd),
            shown: Amount(avg_usd).rounded(),
            minimum: Amount(min_usd),
            maximum: Amount(max_usd),
            minimum_shown: Amount(min_usd).rounded(),
            maximum_shown: Amount(max_usd).rounded(),
            low: low.into(),
            high: high.into(),
            changes: yesterday.into_iter().chain(week_ago).collect(),
            range_bar: charts::range_bar(&today.global),
            reading,
            get_data: GetData::new(
                site,
                "today's costs",
                Some(ghi_contract::paths::SNAPSHOT.into()),
                Some(paths::SNAPSHOT_CSV.into()),
                None,
            ),
        })
    }
}
