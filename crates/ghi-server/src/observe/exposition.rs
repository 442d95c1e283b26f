//! The text formats of metrics: which one a scrape gets, and how a metric is written in it.

use std::fmt;

use hyper::HeaderMap;
use hyper::header::ACCEPT;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, EncodeLabelSet, MetricEncoder,
    NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

use crate::http::lists::{elements, media_type, quality, split_unquoted, value_of};

/// The units of metrics, as their names end.
static UNITS: [(&str, Unit); 2] = [("_seconds", Unit::Seconds), ("_bytes", Unit::Bytes)];

/// A text format of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Prometheus' own, which every tool reads.
    Prometheus,
    /// The standard that came of it.
    OpenMetrics,
}

impl Format {
    pub(crate) const ALL: [Self; 2] = [Self::Prometheus, Self::OpenMetrics];

    /// OpenMetrics where the request asks for it by name and likes nothing better.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let ranges = || elements(headers, ACCEPT).map(quality);
        let named = |name: &str| {
            let weights =
                ranges().filter(|(range, _)| media_type(range).eq_ignore_ascii_case(name));
            weights.map(|(_, weight)| weight).max()
        };
        let open_metrics = ranges().filter(|(range, _)| is_open_metrics(range));
        let open_metrics = open_metrics.map(|(_, weight)| weight).max().unwrap_or(0);
        // The most specific range that covers plain text is the one that counts.
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

    /// What stands at the end of the whole text, once.
    pub(crate) fn end(self) -> &'static str {
        match self {
            Self::Prometheus => "",
            Self::OpenMetrics => "# EOF\n",
        }
    }
}

/// Whether a media range is OpenMetrics in the version that is written here, or in its draft, from
/// which nothing that is used here differs.
fn is_open_metrics(range: &str) -> bool {
    let mut parameters = split_unquoted(range, ';').skip(1);
    let version = parameters.find_map(|parameter| value_of(parameter, "version"));
    media_type(range).eq_ignore_ascii_case("application/openmetrics-text")
        && matches!(version, None | Some("1.0.0" | "0.0.1"))
}

/// What can be written in each format.
pub(crate) trait Exposed: fmt::Debug + Send + Sync + 'static {
    fn expose(&self, exposition: &mut Exposition<'_>) -> fmt::Result;
}

/// A text in a format, without its [end](Format::end).
pub(crate) fn text(metrics: impl Exposed, format: Format) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Formatted { metrics, format }));
    let mut text = String::new();
    encode_registry(&mut text, &registry).expect("writing to a string does not fail");
    text
}

#[derive(Debug)]
struct Formatted<M> {
    metrics: M,
    format: Format,
}

impl<M: Exposed> Collector for Formatted<M> {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.metrics.expose(&mut Exposition { encoder, format: self.format })
    }
}

/// Writes metrics. They are called as their series are: counters end in `_total`, information in
/// `_info`.
///
/// `prometheus_client` writes OpenMetrics alone. Prometheus' format differs in what a family is
/// called (as its series are), in the types that there are, and in that it knows no units.
pub(crate) struct Exposition<'a> {
    encoder: DescriptorEncoder<'a>,
    format: Format,
}

impl Exposition<'_> {
    fn family<'s>(
        &'s mut self,
        name: &'s str,
        help: &str,
        kind: MetricType,
    ) -> Result<MetricEncoder<'s>, fmt::Error> {
        if self.format == Format::Prometheus {
            let kind = if matches!(kind, MetricType::Info) { MetricType::Gauge } else { kind };
            return self.encoder.encode_descriptor(name, help, None, kind);
        }
        let suffix = match kind {
            MetricType::Counter => "_total",
            MetricType::Info => "_info",
            _ => "",
        };
        let name = name.strip_suffix(suffix).unwrap_or(name);
        let mut units = UNITS.iter();
        let with_unit = units.find_map(|(end, unit)| Some((name.strip_suffix(end)?, Some(unit))));
        let (name, unit) = with_unit.unwrap_or((name, None));
        self.encoder.encode_descriptor(name, help, unit, kind)
    }

    /// What is always 1 and says something in its labels.
    pub(crate) fn info(
        &mut self,
        name: &str,
        help: &str,
        labels: &impl EncodeLabelSet,
    ) -> fmt::Result {
        let format = self.format;
        let mut family = self.family(name, help, MetricType::Info)?;
        match format {
            Format::Prometheus => family.encode_family(labels)?.encode_gauge(&1_u64),
            Format::OpenMetrics => family.encode_info(labels),
        }
    }

    pub(crate) fn gauge(
        &mut self,
        name: &str,
        help: &str,
        value: impl EncodeGaugeValue,
    ) -> fmt::Result {
        self.family(name, help, MetricType::Gauge)?.encode_gauge(&value)
    }

    pub(crate) fn gauges<L: EncodeLabelSet, V: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (L, V)>,
    ) -> fmt::Result {
        let mut family = self.family(name, help, MetricType::Gauge)?;
        series
            .into_iter()
            .try_for_each(|(labels, value)| family.encode_family(&labels)?.encode_gauge(&value))
    }

    pub(crate) fn counter(
        &mut self,
        name: &str,
        help: &str,
        value: impl EncodeCounterValue + EncodeGaugeValue,
    ) -> fmt::Result {
        let format = self.format;
        count(&mut self.family(name, help, MetricType::Counter)?, &value, format)
    }

    pub(crate) fn counters<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (L, u64)>,
    ) -> fmt::Result {
        let format = self.format;
        let mut family = self.family(name, help, MetricType::Counter)?;
        series.into_iter().try_for_each(|(labels, value)| {
            count(&mut family.encode_family(&labels)?, &value, format)
        })
    }

    /// Histograms: the sum of what was observed, and the count in each bucket by its upper bound.
    pub(crate) fn histograms<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        series: impl IntoIterator<Item = (L, f64, Vec<(f64, u64)>)>,
    ) -> fmt::Result {
        let mut family = self.family(name, help, MetricType::Histogram)?;
        series.into_iter().try_for_each(|(labels, sum, buckets)| {
            let count = buckets.iter().map(|bucket| bucket.1).sum();
            let mut histogram = family.encode_family(&labels)?;
            histogram.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
        })
    }
}

/// Writes the value of a counter.
fn count(
    series: &mut MetricEncoder<'_>,
    value: &(impl EncodeCounterValue + EncodeGaugeValue),
    format: Format,
) -> fmt::Result {
    match format {
        // The name has its suffix, which no gauge is given.
        Format::Prometheus => series.encode_gauge(value),
        Format::OpenMetrics => series.encode_counter::<NoLabelSet, _, u64>(value, None),
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
    fn open_metrics_is_for_those_who_name_it_and_like_nothing_better() {
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

    #[derive(Debug)]
    struct OfEachKind;

    impl Exposed for OfEachKind {
        fn expose(&self, exposition: &mut Exposition<'_>) -> fmt::Result {
            let labels = || [("a", "x")];
            exposition.info("x_build_info", "Build", &labels())?;
            exposition.counter("x_cpu_seconds_total", "Time", 1.5)?;
            exposition.counters("x_requests_total", "Requests", [(labels(), 2)])?;
            exposition.gauge("x_memory_bytes", "Memory", 3_u64)?;
            exposition.gauges("x_costs", "Costs", [(labels(), 4.5)])?;
            let buckets = vec![(0.5, 1), (f64::INFINITY, 2)];
            exposition.histograms("x_took_seconds", "Took", [(labels(), 6.5, buckets)])
        }
    }

    #[test]
    fn each_kind_is_written_as_its_format_wants() {
        assert_eq!(
            text(OfEachKind, Format::OpenMetrics),
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
             x_costs{a=\"x\"} 4.5\n\
             # HELP x_took_seconds Took\n\
             # TYPE x_took_seconds histogram\n\
             # UNIT x_took_seconds seconds\n\
             x_took_seconds_sum{a=\"x\"} 6.5\n\
             x_took_seconds_count{a=\"x\"} 3\n\
             x_took_seconds_bucket{le=\"0.5\",a=\"x\"} 1\n\
             x_took_seconds_bucket{le=\"+Inf\",a=\"x\"} 3\n"
        );
        assert_eq!(
            text(OfEachKind, Format::Prometheus),
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
             x_costs{a=\"x\"} 4.5\n\
             # HELP x_took_seconds Took\n\
             # TYPE x_took_seconds histogram\n\
             x_took_seconds_sum{a=\"x\"} 6.5\n\
             x_took_seconds_count{a=\"x\"} 3\n\
             x_took_seconds_bucket{le=\"0.5\",a=\"x\"} 1\n\
             x_took_seconds_bucket{le=\"+Inf\",a=\"x\"} 3\n"
        );
    }
}
