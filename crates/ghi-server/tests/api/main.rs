//! The API as its clients see it, over real sockets.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;
mod html;

mod consistency;
mod contract;
mod decisions;
mod web;
mod compression;
mod limits;
mod scenarios;
mod recovery;
mod operations;
mod openapi;
mod site;
mod pages;
mod region_pages;
mod ranges;
mod series;
mod explain;
mod economics;
mod forecast;
mod docs;
mod architecture;
mod golden;
mod hostile;
mod corpus;
mod malformed;
mod abuse;
mod shutdown;
mod reload;
