//! The network and, where there is a price, the margin of mining, with their last 30 days.

use askama::Template;
use ghi_display::{Amount, Delta, Percent, Range, long_date, sparkline, with_prefix};
use ghi_engine::{Day, Decimal, Economics, NoFigures, Scope};

use crate::edition::Edition;
use crate::http::site::Site;
use crate::routes::view::View;

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

/// The most regions whose margins are computed for each day of a sparkline.
const SPARKLINES_MAX: usize = 1_000;

/// Tiles about the price and about the network.
#[derive(Template)]
#[template(path = "blocks/network.html")]
pub(crate) struct NetworkBlock {
    /// Empty without a price.
    economics: Vec<FigureTile>,
    is_reader_price: bool,
    network: Vec<FigureTile>,
    /// The date of the next retarget, and its estimate.
    retarget: Option<(String, String, Delta)>,
    prefix: String,
    /// The query of the reader's price.
    price_query: String,
}

/// A figure with its sparkline.
struct FigureTile {
    label: &'static str,
    /// The published figure.
    plain: String,
    text: String,
    unit: String,
    /// Empty if it would take too long.
    sparkline: String,
}

impl NetworkBlock {
    pub(crate) fn new(edition: &Edition, view: &View, site: &Site) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let past = edition.past(Scope::Global, Range::Month)?;
        let dates = || past.days.iter().map(|day| day.0);
        let states: Vec<_> = dates().filter_map(|date| model.network(date).ok()).collect();
        let spark = |pick: fn(&ghi_engine::NetworkState) -> Decimal| {
            sparkline(&states.iter().map(pick).collect::<Vec<_>>())
        };
        let network = today.network;
        let difficulty = Decimal::new(network.difficulty, 0);
        let (hashrate, prefix) = with_prefix(network.hashrate_eh.to_f64() * HASHES_PER_EH);
        let hashrate = (hashrate, format!("{prefix}H/s"));
        let fee = (format!("${}", Amount(network.avg_fee_usd).rounded()), String::new());
        let price = view.price.or(network.price_usd);
        let retarget = model.next_retarget(today).map(|(date, estimate)| {
            let to = Decimal::new(estimate, 0);
            let (digits, prefix) = with_prefix(estimate as f64);
            (long_date(date), format!("{digits} {prefix}"), Delta { from: difficulty, to })
        });
        Ok(Self {
            economics: match price {
                Some(price) => economics(edition, view, today, price)?,
                None => Vec::new(),
            },
            is_reader_price: view.price.is_some(),
            network: vec![
                tile("Hashrate", network.hashrate_eh, hashrate, spark(|day| day.hashrate_eh)),
                tile(
                    "Difficulty",
                    difficulty,
                    with_prefix(network.difficulty as f64),
                    spark(|day| Decimal::new(day.difficulty, 0)),
                ),
                tile("Average fee", network.avg_fee_usd, fee, spark(|day| day.avg_fee_usd)),
            ],
            retarget,
            prefix: site.prefix().into(),
            price_query: view.price.map(|price| format!("&price={price}")).unwrap_or_default(),
        })
    }
}

/// Returns a tile with a published figure, and how it is written with its unit.
fn tile(
    label: &'static str,
    plain: Decimal,
    (text, unit): (String, String),
    sparkline: String,
) -> FigureTile {
    FigureTile { label, plain: plain.to_string(), text, unit, sparkline }
}

fn economics(
    edition: &Edition,
    view: &View,
    today: &Day,
    price: Decimal,
) -> Result<Vec<FigureTile>, NoFigures> {
    let model = edition.model();
    let Economics { price_to_cost, hashprice_usd_per_ph_day, hashrate_below_price_pct, .. } =
        model.economics(today, price)?;
    let past = edition.past(Scope::Global, Range::Month)?;
    let of_day = |date| {
        let day = model.day(date).ok()?;
        model.economics(&day, view.price.or(day.network.price_usd)?).ok()
    };
    let is_fast = today.regions.len() <= SPARKLINES_MAX;
    let days = past.days.iter().filter(|_| is_fast).filter_map(|day| of_day(day.0));
    let days: Vec<Economics> = days.collect();
    let under_water =
        |day: &Economics| Decimal::new(10_000 - day.hashrate_below_price_pct.count(), 2);
    let spark = |pick: &dyn Fn(&Economics) -> Decimal| match days.is_empty() {
        true => String::new(),
        false => sparkline(&days.iter().map(pick).collect::<Vec<_>>()),
    };
    let above = Decimal::new(10_000 - hashrate_below_price_pct.count(), 2);
    Ok(vec![
        tile(
            "Price over cost",
            price_to_cost,
            (format!("{:.2}", price_to_cost.to_f64()), "×".into()),
            spark(&|day| day.price_to_cost),
        ),
        tile(
            "Hashprice",
            hashprice_usd_per_ph_day,
            (format!("${}", Amount(hashprice_usd_per_ph_day).rounded()), "per PH/s and day".into()),
            spark(&|day| day.hashprice_usd_per_ph_day),
        ),
        tile(
            "Hashrate under water",
            above,
            (Percent(above).to_string(), String::new()),
            spark(&under_water),
        ),
    ])
}
