type History = { points: { date: string; avg_cost_usd: number }[] };

const url = "http://127.0.0.1:8000/v1/ghi/history?region_id=global";
const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
const { points } = (await answer.json()) as History;
for (const { date, avg_cost_usd } of points) console.log(date, avg_cost_usd.toFixed(2));
