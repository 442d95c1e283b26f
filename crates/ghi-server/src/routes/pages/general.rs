//! Functions shared by all pages, and the pages without data.

use askama::Template;
use ghi_display::name_of;
use ghi_engine::Scope;
use hyper::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY};
use hyper::{HeaderMap, Response};
use jiff::civil::Date;

use crate::http::caching::{encode, vary_by};
use crate::http::lists::{elements, quality};
use crate::http::paths;
use crate::http::problem::{Code, Description, KINDS, Problem};
use crate::http::site::Site;
use crate::net::Content;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::operations::assets::MOVEMENT;
use crate::routes::pages::frame::Frame;
use crate::routes::parameters::similar_scopes;

pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// The content security policy of pages: nothing from elsewhere, and no inline scripts or styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'; object-src 'none'";

/// The policy of the reference, whose script adds inline styles.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; \
                           style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                           font-src data:; connect-src 'self'; form-action 'none'; \
                           frame-ancestors 'none'; base-uri 'none'; object-src 'none'";

pub(crate) fn rendered(template: &impl Template) -> String {
    template.render().expect("writing to a string does not fail")
}

/// Fails if a page's query has a parameter that the page does not have.
pub(crate) fn check_names(context: &Context<'_>) -> Result<(), Problem> {
    let known = context.parameters;
    let name = context.query.unknown_name(known);
    name.map_or(Ok(()), |name| Err(Problem::unknown_parameter_of_page(name, known)))
}

pub(crate) fn page(response: Response<Content>) -> Response<Content> {
    with_policies(response, POLICY)
}

/// Sets the content security policy of a document, and disables the referrer of its links.
pub(crate) fn with_policies(
    mut response: Response<Content>,
    content: &'static str,
) -> Response<Content> {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(content));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Returns a page that doesn't change while the program runs.
fn static_page(
    context: &Context<'_>,
    path: &'static str,
    [title, description]: [&str; 2],
    render: impl FnOnce(Frame<'_>) -> String,
) -> Response<Content> {
    let frame = || Frame::new(context.site, path, title, description.into());
    page(context.fixed_file((path, ""), HTML, || render(frame())))
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: Frame<'a>,
    about: &'static Description,
    /// The detail of the problem with a request, if there was one.
    detail: Option<&'a str>,
    heading: &'static str,
    /// Whether the problem is that there is no page at the requested path.
    is_missing_page: bool,
    /// The nearest day with data, if it isn't today.
    covered_day: Option<Date>,
    /// The paths of pages of regions with similar names, and these names.
    similar_regions: Vec<(String, &'a str)>,
    has_scenarios: bool,
}

impl<'a> ProblemPage<'a> {
    fn new(site: &'a Site, about: &'static Description, detail: Option<&'a str>) -> Self {
        let path = paths::PROBLEM.replace("{code}", about.code);
        let is_missing_page = detail.is_some() && about.code == "not_found";
        let heading = if is_missing_page { "Page not found" } else { about.title };
        let title = format!("{heading} ({})", about.code);
        let mut frame = Frame::new(site, &path, &title, about.explanation.into());
        // An error response isn't at the path of the explanation.
        frame.url = frame.url.filter(|_| detail.is_none());
        let (covered_day, similar_regions) = (None, Vec::new());
        let has_scenarios = site.has_scenarios;
        Self {
            frame,
            about,
            detail,
            heading,
            is_missing_page,
            covered_day,
            similar_regions,
            has_scenarios,
        }
    }

    /// Links to the nearest day if today has no data and, for an unknown region, to regions with similar names.
    fn add_links(&mut self, context: &'a Context<'_>, code: Code) {
        let (today, model) = (context.today(), context.model());
        let nearest = model.nearest_covered(today);
        self.covered_day = (code == Code::NoFigures && nearest != today).then_some(nearest);
        if code == Code::UnknownRegion {
            let parameter = context.query.get("region_id").ok().flatten();
            let path = if parameter.is_some() { "explain?region_id=" } else { "regions/" };
            let given = parameter.unwrap_or(context.path_parameter);
            let regions = similar_scopes(given, model).filter(|scope| *scope != Scope::Global);
            let id = |scope: Scope| scope.region_id(model.registry());
            let link = |scope| (format!("{path}{}", id(scope)), name_of(scope, model));
            self.similar_regions = regions.map(link).collect();
        }
    }
}

/// Explains a kind of problem. The `type` of a problem document links here.
pub(crate) fn problem(context: &Context<'_>) -> HandlerResult {
    let code = context.path_parameter;
    let about = KINDS.iter().find(|about| about.code == code).ok_or_else(Problem::not_found)?;
    let html = || rendered(&ProblemPage::new(context.site, about, None));
    Ok(page(context.fixed_file((paths::PROBLEM, about.code), HTML, html)))
}

/// Returns a problem as a page, if the client accepts HTML. If the request has a context, the page links to what may
/// have been meant.
pub(crate) fn problem_page(
    site: &Site,
    headers: &HeaderMap,
    problem: Problem,
    context: Option<&Context<'_>>,
) -> HandlerResult {
    if !takes_pages(headers) {
        return Err(problem.varying_by_accept());
    }
    let mut page = ProblemPage::new(site, problem.describe(), Some(problem.detail()));
    if let Some(context) = context {
        page.add_links(context, problem.code);
    }
    let html = rendered(&page);
    Ok(error_page(site, headers, &problem, html))
}

pub(crate) fn error_page(
    site: &Site,
    headers: &HeaderMap,
    problem: &Problem,
    html: String,
) -> Response<Content> {
    let mut response = site.response(problem.describe().status, HTML, html);
    problem.set_headers(&mut response);
    vary_by(response.headers_mut(), ACCEPT);
    page(encode(response, headers))
}

/// Returns whether `Accept` names HTML, as a browser's does. A client that accepts anything is
/// assumed to be a program.
pub(crate) fn takes_pages(headers: &HeaderMap) -> bool {
    elements(headers, ACCEPT)
        .map(quality)
        .any(|(range, weight)| weight > 0 && range.eq_ignore_ascii_case("text/html"))
}

#[derive(Template)]
#[template(path = "problems.html")]
struct ProblemsPage<'a> {
    frame: Frame<'a>,
}

pub(crate) fn problems(context: &Context<'_>) -> HandlerResult {
    let texts = ["GHI API errors", "Every API error by code: what it means, and what to do."];
    let render = |frame: Frame<'_>| rendered(&ProblemsPage { frame });
    Ok(static_page(context, paths::PROBLEMS, texts, render))
}

/// The methodology, rendered from Markdown by the build.
const METHODOLOGY: &str = include_str!(concat!(env!("OUT_DIR"), "/methodology.html"));

#[derive(Template)]
#[template(path = "methodology.html")]
struct Methodology<'a> {
    frame: Frame<'a>,
    text: String,
}

pub(crate) fn methodology(context: &Context<'_>) -> HandlerResult {
    let texts = [
        "GHI methodology",
        "How every figure is calculated: formula, synthetic movement, rounding and dated series, \
         in enough detail to reproduce it without the code.",
    ];
    let picture = format!("src=\"{}/assets/{MOVEMENT}\"", context.site.prefix());
    let text = || METHODOLOGY.replacen(&format!("src=\"{MOVEMENT}\""), &picture, 1);
    let render = |frame: Frame<'_>| rendered(&Methodology { frame, text: text() });
    Ok(static_page(context, paths::METHODOLOGY, texts, render))
}

/// The list of operations, rendered from the OpenAPI document by the build.
const OPERATIONS: &str = include_str!(concat!(env!("OUT_DIR"), "/operations.html"));

#[derive(Template)]
#[template(path = "docs.html")]
struct Docs<'a> {
    frame: Frame<'a>,
}

/// Serves the interactive reference. Until its script runs, the page lists the operations.
pub(crate) fn docs(context: &Context<'_>) -> HandlerResult {
    let texts = [
        "GHI API reference",
        "Every GHI API operation, with parameters and responses. Send requests from the page.",
    ];
    let render = |frame: Frame<'_>| rendered(&Docs { frame });
    Ok(with_policies(static_page(context, paths::DOCS, texts, render), DOCS_POLICY))
}
