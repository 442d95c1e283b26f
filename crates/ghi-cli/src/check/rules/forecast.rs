//! The forecast.

use ghi_client::Resource;
use ghi_contract::{ForecastDays, paths};

use crate::check::case::Case;
use crate::check::exchange::shown_value;
use crate::check::fields::Shape;
use crate::check::parts::{Part, parts, resources};
use crate::check::request::Request;
use crate::check::rule::{Rule, contract, strict};

pub(super) const RULES: &[Rule] = &[
    contract(
        "forecast-is-constant",
        "2",
        "The prediction is the same for every horizon.",
        forecast_is_constant,
    ),
    contract(
        "forecast-echoes-the-days",
        "4.3",
        "The forecast has the `forecast_days` that were asked for.",
        forecast_echoes_the_days,
    ),
    strict(
        "forecast-days-default-to-seven",
        "4",
        "Without `forecast_days` the forecast is for 7 days.",
        forecast_days_default_to_seven,
    ),
];

fn forecast_is_constant(case: &mut Case<'_>) {
    let forecasts = parts(case, Shape::Forecast);
    let Some((first, others)) = forecasts.split_first() else { return };
    let Some(predicted) = first.get("predicted_avg_cost_usd") else { return };
    for forecast in others {
        // A day's forecast says nothing of that of the next.
        if forecast.exchange.day() != first.exchange.day() {
            case.skip("a day ended between two forecasts");
        } else if let Some(value) = forecast.get("predicted_avg_cost_usd") {
            // By value: 7 and 7.0 are the same number.
            let is_right = value.as_f64() == predicted.as_f64();
            let expected = format!("predicted_avg_cost_usd: {}", shown_value(Some(predicted)));
            let got = format!("predicted_avg_cost_usd: {}", shown_value(Some(value)));
            case.verify(&forecast.exchange, is_right, expected, got);
        }
    }
}

fn verify_echo(case: &mut Case<'_>, request: Request, days: u16) {
    if let Some(exchange) = case.document_by(request) {
        let part = Part::whole(exchange, Shape::Forecast);
        // That it is an integer is another rule's.
        if let Some(echo) = part.number("forecast_days").filter(|echo| echo.fract() == 0.0) {
            let expected = format!("forecast_days: {days}");
            let got = format!("forecast_days: {echo}");
            case.verify(&part.exchange, echo == f64::from(days), expected, got);
        }
    }
}

fn forecast_echoes_the_days(case: &mut Case<'_>) {
    for resource in resources(case, Shape::Forecast) {
        if let Resource::Forecast(days) = resource {
            verify_echo(case, Request::document(&resource), days.get());
        }
    }
}

fn forecast_days_default_to_seven(case: &mut Case<'_>) {
    verify_echo(case, Request::get(paths::FORECAST), ForecastDays::DEFAULT);
}
