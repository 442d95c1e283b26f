//! Pages for people.

use bytes::Bytes;
use hyper::{Response, StatusCode};

use crate::api::Ask;
use crate::conventions::response;
use crate::problem::{Code, Problem};

/// Where the `type` of a problem leads: explains a kind of problem.
pub(crate) fn problem(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let asked_for = ask.path_parameter("code");
    let code = Code::ALL.into_iter().map(Code::describe).find(|code| code.word == asked_for);
    let code = code.ok_or_else(Problem::not_found)?;
    let page = format!(
        "<!doctype html>\n\
         <html lang=\"en\">\n\
         <meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} ({word})</title>\n\
         <h1>{title}</h1>\n\
         <p><code>{word}</code>, status {status}</p>\n\
         <p>{explanation}</p>\n\
         </html>\n",
        title = code.title,
        word = code.word,
        status = code.status,
        explanation = code.explanation,
    );
    Ok(response(StatusCode::OK, "text/html; charset=utf-8", page.into()))
}
