//! Prints the worldwide average cost of mining one coin, for each of the last seven days.
//!
//! Start a server with `cargo run --release`, then run `cargo run --example client`.

use ghi_client::Client;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new("http://127.0.0.1:8000")?;
    let history = client.history("global").await?;
    for point in history.points {
        println!("{} {:.2}", point.date, point.avg_cost_usd);
    }
    Ok(())
}
