//! The text formats of metrics: which one a scrape gets, and how metrics are written in it.

use std::fmt::Debug;

use hyper::HeaderMap;
use hyper::header::ACCEPT;

use crate::http::lists::{elements, media_type, quality, split_unquoted, value_of};

/// The units of metrics, as the ends of their names.
const UNITS: [&str; 2] = ["seconds", "bytes"];

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
        let ranges = || elements(headers, ACCEPT).map(quality);
        let named = |name: &str| {
            let weights =
                ranges().filter(|(range, _)| media_type(range).eq_ignore_ascii_case(name));
            weights.map(|(_, weight)| weight).max()
        };
        let open_metrics = ranges().filter(|(range, _)| is_open_metrics(range));
        let open_metrics = open_metrics.map(|(_, weight)| weight).max().unwrap_or(0);
        // The most specific range that covers plain text applies.
        let plain_text = ["text/plain", "text/*", "*/*"].into_iter().find_map(named);
        if open_metrics > 0 && open_metrics >= plain_text.unwrap_or(0) {
            Self::OpenMetrics
        } else {
            Self::Prometheus
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Returns the text that ends an exposition.
    pub(crate) fn end(self) -> &'static str {
        match self {
            Self::Prometheus => "",
            Self::OpenMetrics => "# EOF\n",
        }
    }
}

/// Returns whether a media range is OpenMetrics in the version written here, or in its draft, which doesn't
/// differ in the parts used here.
fn is_open_metrics(range: &str) -> bool {
    let mut parameters = split_unquoted(range, ';').skip(1);
    let version = parameters.find_map(|parameter| value_of(parameter, "version"));
    media_type(range).eq_ignore_ascii_case("application/openmetrics-text")
        && matches!(version, None | Some("1.0.0" | "0.0.1"))
}

/// The text of metrics in a format, without its [end](Format::end). Metrics have the names of their series:
/// counters end in `_total`, info metrics in `_info`.
///
/// OpenMetrics names a family without that suffix, and states its unit.
pub(crate) struct Exposition {
    pub(crate) text: String,
    format: Format,
}

impl Exposition {
    pub(crate) fn new(format: Format) -> Self {
        Self { text: String::new(), format }
    }

    fn family(&mut self, name: &str, help: &str, kind: &str) {
        let (name, kind, unit) = match (self.format, kind) {
            (Format::Prometheus, "info") => (name, "gauge", None),
            (Format::Prometheus, _) => (name, kind, None),
            (Format::OpenMetrics, _) => {
                let end = if kind == "counter" { "_total" } else { "_info" };
                let name = name.strip_suffix(end).unwrap_or(name);
                (name, kind, UNITS.iter().find(|unit| name.ends_with(**unit)))
            }
        };
        self.text += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        if let Some(unit) = unit {
            self.text += &format!("# UNIT {name} {unit}\n");
        }
    }

    /// Writes a value; a float has a decimal point. Labels are ids, paths and words, so nothing needs
    /// escaping.
    fn series(&mut self, name: &str, labels: &[(&str, &str)], value: impl Debug) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels = match labels.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", labels.join(",")),
        };
        self.text += &format!("{name}{labels} {value:?}\n");
    }

    /// Writes a metric of a kind: `counter`, `gauge`, or `info`, which is always 1.
    pub(crate) fn metric<'l, L: AsRef<[(&'l str, &'l str)]>, V: Debug>(
        &mut self,
        kind: &str,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (L, V)>,
    ) {
        self.family(name, help, kind);
        series.into_iter().for_each(|(labels, value)| self.series(name, labels.as_ref(), value));
    }

    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: impl Debug) {
        self.metric("gauge", name, help, [([], value)]);
    }

    pub(crate) fn counter(&mut self, name: &str, help: &str, value: impl Debug) {
        self.metric("counter", name, help, [([], value)]);
    }

    /// Writes histograms: a label, the sum of the observations, and the count in each bucket by its upper
    /// bound.
    pub(crate) fn histograms<'l>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = ((&'l str, &'l str), f64, Vec<(f64, u64)>)>,
    ) {
        self.family(name, help, "histogram");
        for (label, sum, buckets) in series {
            let all: u64 = buckets.iter().map(|bucket| bucket.1).sum();
            self.series(&format!("{name}_sum"), &[label], sum);
            self.series(&format!("{name}_count"), &[label], all);
            let mut count = 0;
            for (bound, in_bucket) in buckets {
                count += in_bucket;
                let bound = match bound {
                    f64::INFINITY => "+Inf".into(),
                    whole if whole.fract() == 0.0 => format!("{whole:?}"),
                    part => part.to_string(),
                };
                self.series(&format!("{name}_bucket"), &[("le", &bound), label], count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

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

    fn of_each_kind(format: Format) -> String {
        let mut exposition = Exposition::new(format);
        let labels = [("a", "x")];
        exposition.metric("info", "x_build_info", "Build", [(labels, 1)]);
        exposition.counter("x_cpu_seconds_total", "Time", 1.5);
        exposition.metric("counter", "x_requests_total", "Requests", [(labels, 2)]);
        exposition.gauge("x_memory_bytes", "Memory", 3_u64);
        exposition.metric("gauge", "x_costs", "Costs", [(labels, 4.0)]);
        let buckets = vec![(0.000005, 1), (1.0, 0), (f64::INFINITY, 2)];
        exposition.histograms("x_took_seconds", "Took", [(labels[0], 6.5, buckets)]);
        exposition.text
    }

    #[test]
    fn each_kind_of_metric_follows_its_format() {
        assert_eq!(
            of_each_kind(Format::OpenMetrics),
            "# HELP x_build Build\n\
             # TYPE x_build info\n\
             x_build_info{a=\"x\"} 1\n\
             # HELP x_cpu_seconds Time\n\
             # TYPE x_cpu_seconds counter\n\
             # UNIT x_cpu_seconds seconds\n\
             x_cpu_seconds_total 1.5\n\
             # HELP x_requests Requests\n\
             # TYPE x_requests counter\n\
             x_requests_total{a=\"x\"} 2\n\
             # HELP x_memory_bytes Memory\n\
             # TYPE x_memory_bytes gauge\n\
             # UNIT x_memory_bytes bytes\n\
             x_memory_bytes 3\n\
             # HELP x_costs Costs\n\
             # TYPE x_costs gauge\n\
             x_costs{a=\"x\"} 4.0\n\
             # HELP x_took_seconds Took\n\
             # TYPE x_took_seconds histogram\n\
             # UNIT x_took_seconds seconds\n\
             x_took_seconds_sum{a=\"x\"} 6.5\n\
             x_took_seconds_count{a=\"x\"} 3\n\
             x_took_seconds_bucket{le=\"0.000005\",a=\"x\"} 1\n\
             x_took_seconds_bucket{le=\"1.0\",a=\"x\"} 1\n\
             x_took_seconds_bucket{le=\"+Inf\",a=\"x\"} 3\n"
        );
        assert_eq!(
            of_each_kind(Format::Prometheus),
            "# HELP x_build_info Build\n\
             # TYPE x_build_info gauge\n\
             x_build_info{a=\"x\"} 1\n\
             # HELP x_cpu_seconds_total Time\n\
             # TYPE x_cpu_seconds_total counter\n\
             x_cpu_seconds_total 1.5\n\
             # HELP x_requests_total Requests\n\
             # TYPE x_requests_total counter\n\
             x_requests_total{a=\"x\"} 2\n\
             # HELP x_memory_bytes Memory\n\
             # TYPE x_memory_bytes gauge\n\
             x_memory_bytes 3\n\
             # HELP x_costs Costs\n\
             # TYPE x_costs gauge\n\
             x_costs{a=\"x\"} 4.0\n\
             # HELP x_took_seconds Took\n\
             # TYPE x_took_seconds histogram\n\
             x_took_seconds_sum{a=\"x\"} 6.5\n\
             x_took_seconds_count{a=\"x\"} 3\n\
             x_took_seconds_bucket{le=\"0.000005\",a=\"x\"} 1\n\
             x_took_seconds_bucket{le=\"1.0\",a=\"x\"} 1\n\
             x_took_seconds_bucket{le=\"+Inf\",a=\"x\"} 3\n"
        );
    }
}
