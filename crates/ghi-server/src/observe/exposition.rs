//! The text formats of metrics, and which one a scrape gets.

use std::collections::HashSet;

use hyper::HeaderMap;
use hyper::header::ACCEPT;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use crate::http::lists::{elements, quality, split_unquoted, value_of};

/// A text format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The Prometheus text format, which every tool reads.
    Prometheus,
    /// OpenMetrics, the standard based on it.
    OpenMetrics,
}

impl Format {
    /// Returns OpenMetrics if the request accepts it by name and prefers nothing else, and otherwise
    /// Prometheus.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let named = |name: &str| {
            let ranges = elements(headers, ACCEPT).map(quality);
            let named = ranges.filter(|(range, _)| range.eq_ignore_ascii_case(name));
            named.map(|(_, weight)| weight).max()
        };
        let open_metrics = elements(headers, ACCEPT).filter(|range| is_open_metrics(range));
        let open_metrics = open_metrics.map(|range| quality(range).1).max().unwrap_or(0);
        // The most specific range that covers plain text applies.
        let plain_text = ["text/plain", "text/*", "*/*"].into_iter().find_map(named);
        match open_metrics > 0 && open_metrics >= plain_text.unwrap_or(0) {
            true => Self::OpenMetrics,
            false => Self::Prometheus,
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Returns the metrics of a registry in this format.
    pub(crate) fn expose(self, registry: &Registry) -> String {
        let mut text = String::new();
        encode(&mut text, registry).expect("a string takes any text");
        match self {
            Self::Prometheus => to_prometheus(&text),
            Self::OpenMetrics => text,
        }
    }
}

/// Returns metrics in the Prometheus text format, in which a family of counters has the name of its series.
fn to_prometheus(open_metrics: &str) -> String {
    let lines = || open_metrics.lines().filter(|line| *line != "# EOF");
    let types = lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let counters: HashSet<&str> = types.filter_map(|line| line.strip_suffix(" counter")).collect();
    let renamed = lines().map(|line| {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some(kind), Some(name), Some(rest)) if counters.contains(name) => {
                format!("# {kind} {name}_total {rest}\n")
            }
            _ => format!("{line}\n"),
        }
    });
    renamed.collect()
}

/// Returns whether a media range is OpenMetrics in the version written here, or in its draft, which doesn't
/// differ in the parts used here.
fn is_open_metrics(range: &str) -> bool {
    let mut parameters = split_unquoted(range, ';').skip(1);
    let version = parameters.find_map(|parameter| value_of(parameter, "version"));
    quality(range).0.eq_ignore_ascii_case("application/openmetrics-text")
        && matches!(version.as_deref(), None | Some("1.0.0" | "0.0.1"))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;
    use prometheus_client::metrics::counter::Counter;
    use prometheus_client::metrics::family::Family;
    use prometheus_client::metrics::gauge::ConstGauge;

    use super::*;

    #[track_caller]
    fn check(accept: &'static str, expected: Format) {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        assert_eq!(Format::accepted(&headers), expected, "{accept}");
    }

    #[test]
    fn open_metrics_is_used_if_it_is_accepted_by_name_and_nothing_is_preferred_to_it() {
        use Format::{OpenMetrics, Prometheus};
        assert_eq!(Format::accepted(&HeaderMap::new()), Prometheus);
        for prometheus_server in [
            "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1",
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
            "application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        ] {
            check(prometheus_server, OpenMetrics);
        }
        check(
            "application/vnd.google.protobuf;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3",
            Prometheus,
        );
        check("*/*", Prometheus);
        check("application/*", Prometheus);
        check("text/html,application/xml;q=0.9,*/*;q=0.8", Prometheus);
        check("application/openmetrics-text", OpenMetrics);
        check("Application/OpenMetrics-Text ; Version=\"1.0.0\"", OpenMetrics);
        check("application/openmetrics-text, text/plain", OpenMetrics);
        check("application/openmetrics-text;q=0.4, text/plain;q=0.5", Prometheus);
        check("application/openmetrics-text;q=0.5, */*;q=0.501", Prometheus);
        check("application/openmetrics-text;q=0.5, text/*;q=0.6, */*;q=0.1", Prometheus);
        check("application/openmetrics-text;q=0.5, text/plain;q=0.1, */*", OpenMetrics);
        check("application/openmetrics-text;q=0", Prometheus);
        check("application/openmetrics-text;version=2.0.0", Prometheus);
    }

    #[test]
    fn each_kind_of_metric_follows_its_format() {
        let mut registry = Registry::default();
        let labels = Family::<[(&str, &str); 1], Counter>::default();
        labels.get_or_create(&[("a", "x")]).inc();
        registry.register("x_requests", "All requests", labels);
        registry.register("x_memory_bytes", "Memory", ConstGauge::new(3.5));
        let text = |format: Format| format.expose(&registry);
        assert_eq!(
            text(Format::OpenMetrics),
            "# HELP x_requests All requests.\n\
             # TYPE x_requests counter\n\
             x_requests_total{a=\"x\"} 1\n\
             # HELP x_memory_bytes Memory.\n\
             # TYPE x_memory_bytes gauge\n\
             x_memory_bytes 3.5\n\
             # EOF\n"
        );
        assert_eq!(
            text(Format::Prometheus),
            "# HELP x_requests_total All requests.\n\
             # TYPE x_requests_total counter\n\
             x_requests_total{a=\"x\"} 1\n\
             # HELP x_memory_bytes Memory.\n\
             # TYPE x_memory_bytes gauge\n\
             x_memory_bytes 3.5\n"
        );
    }
}
