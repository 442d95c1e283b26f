//! The network and, if there is a price, mining margins, each with its last 30 days.

use askama::Template;
use ghi_display::{
    Delta, Past, Range, hashprice, long_date, rounded, share_in_words, sparkline, with_prefix,
};
use ghi_engine::{Decimal, Economics, NetworkState, NoFigures, Provenance, Scope};

use crate::routes::pages::view::PageInput;

#[derive(Template)]
#[template(path = "blocks/network.html")]
pub(crate) struct NetworkBlock<'a> {
    prefix: &'a str,
    economics: Vec<FigureTile>,
    /// The query of the reader's price. Empty without one.
    price_query: String,
    network: Vec<FigureTile>,
    has_synthetic_price: bool,
    /// A sentence about the next retarget. Empty if every block adjusts the difficulty.
    retarget: String,
}

/// A figure as published and as displayed, with its unit and its sparkline.
struct FigureTile {
    label: &'static str,
    plain: Decimal,
    text: String,
    unit: String,
    sparkline: String,
}

impl<'a> NetworkBlock<'a> {
    pub(crate) fn new(input: &PageInput<'a>) -> Result<Self, NoFigures> {
        let PageInput { edition, model, today, site, view, .. } = *input;
        let retarget = match model.next_retarget(today) {
            Some((date, estimate)) => {
                let [from, to] = [today.network.difficulty, estimate].map(|n| Decimal::new(n, 0));
                format!(
                    "Next retarget on {}. At today's hashrate, the difficulty would be {} ({}).",
                    long_date(date),
                    with_prefix(estimate as f64),
                    Delta { from, to }.difference()
                )
            }
            None if model.has_series() => {
                "The next retarget can't be estimated from the operator's data.".into()
            }
            None => String::new(),
        };
        let Past { before, days } = edition.past(Scope::Global, Range::Month)?;
        let dates = before.into_iter().chain(days).map(|day| day.0);
        let economics = |date| {
            let day = model.day(date).ok()?;
            model.economics(&day, view.price.or(day.network.price_usd)?).ok()
        };
        let priced: Vec<Economics> = dates.clone().filter_map(economics).collect();
        let states: Vec<NetworkState> = dates.filter_map(|date| model.network(date).ok()).collect();
        // What the model adds to an operator's data is marked. On other servers, all figures have the same origin.
        let generated = match model.provenance(Scope::Global, today.date)? {
            Provenance::Mixed(generated) => generated,
            _ => Vec::new(),
        };
        Ok(Self {
            prefix: site.prefix(),
            economics: economics_tiles(&priced),
            price_query: view.price.map(|price| format!("&price={price}")).unwrap_or_default(),
            has_synthetic_price: generated.contains(&"price"),
            network: network_tiles(&states, &generated),
            retarget,
        })
    }
}

/// Returns the tiles for the last of these days, given the names of the data that the model generates.
fn network_tiles(days: &[NetworkState], generated: &[&str]) -> Vec<FigureTile> {
    let origin = |name| if generated.contains(&name) { "synthetic".into() } else { String::new() };
    let hashrate = |eh: Decimal| (with_prefix(eh.to_f64() * 1e18) + "H/s", origin("hashrate"));
    let difficulty = |value: Decimal| (with_prefix(value.to_f64()), origin("difficulty"));
    let fee = |usd| (format!("${}", rounded(usd)), origin("fee"));
    let figures = [
        tile("Hashrate", days, |day| day.hashrate_eh, hashrate),
        tile("Difficulty", days, |day| Decimal::new(day.difficulty, 0), difficulty),
        tile("Average fee", days, |day| day.avg_fee_usd, fee),
    ];
    figures.into_iter().flatten().collect()
}

fn economics_tiles(days: &[Economics]) -> Vec<FigureTile> {
    let above = |day: &Economics| Decimal::new(10_000 - day.hashrate_below_price_pct.count(), 2);
    let ratio = |value: Decimal| match value.to_f64() {
        ratio @ 0.1..1e3 => (format!("{ratio:.2}×"), String::new()),
        _ => (format!("{}×", rounded(value)), String::new()),
    };
    let percent = |value| (share_in_words(value, "100%", "0%"), "of hashrate".into());
    let figures = [
        tile("Price / cost", days, |day| day.price_to_cost, ratio),
        tile("Hashprice", days, |day| day.hashprice_usd_per_ph_day, hashprice),
        tile("Unprofitable", days, above, percent),
    ];
    figures.into_iter().flatten().collect()
}

/// Returns a tile with the last day's figure, if there is one. `write` returns a figure and its unit.
fn tile<T>(
    label: &'static str,
    days: &[T],
    pick: impl Fn(&T) -> Decimal,
    write: impl Fn(Decimal) -> (String, String),
) -> Option<FigureTile> {
    let figures: Vec<Decimal> = days.iter().map(pick).collect();
    let plain = *figures.last()?;
    let (text, unit) = write(plain);
    Some(FigureTile { label, plain, text, unit, sparkline: sparkline(&figures) })
}
