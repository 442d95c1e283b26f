// Reads the API with openapi-fetch, by types that openapi-typescript generated. An argument: the base URL.

import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Problem = components["schemas"]["Problem"];
type Answer<Document> = { data?: Document; error?: Problem; response: Response };

const client = createClient<paths>({ baseUrl: process.argv[2] });

function read<Document>({ data, response }: Answer<Document>): Document {
  if (data === undefined) throw new Error(`${response.status} of ${response.url}`);
  return data;
}

function readProblem({ error, response }: Answer<unknown>): Problem {
  if (error === undefined || error.status !== response.status) throw new Error(`${response.status} of ${response.url}`);
  return error;
}

const metadata = read(await client.GET("/v1/ghi/metadata"));
const regions = read(await client.GET("/v1/ghi/regions"));
const id = regions.regions[0].id;
const region_detail = read(await client.GET("/v1/ghi/regions/{id}", { params: { path: { id } } }));
const snapshot = read(await client.GET("/v1/ghi/snapshot"));
const reduced_snapshot = read(
  await client.GET("/v1/ghi/snapshot", { params: { header: { Prefer: "return=minimal" } } }),
);
const history = read(await client.GET("/v1/ghi/history"));
const region_history = read(await client.GET("/v1/ghi/history", { params: { query: { region_id: id } } }));
const network = read(await client.GET("/v1/ghi/network"));
const forecast = read(await client.GET("/v1/ghi/forecast", { params: { query: { forecast_days: 30 } } }));
const indicator = read(await client.GET("/v1/ghi/indicator"));
const unknown_region = readProblem(
  await client.GET("/v1/ghi/regions/{id}", { params: { path: { id: "atlantis" } } }),
);
const invalid_parameter = readProblem(
  await client.GET("/v1/ghi/forecast", { params: { query: { forecast_days: 366 } } }),
);

const documents = {
  metadata,
  regions,
  region_detail,
  snapshot,
  reduced_snapshot,
  history,
  region_history,
  network,
  forecast,
  indicator,
  unknown_region,
  invalid_parameter,
};
// By the fields' types: what they rule out, the compiler refuses.
const conclusions = {
  global_avg_cost_usd: snapshot.global_avg_cost_usd,
  regions_of_snapshot: snapshot.regions?.map((region) => region.avg_cost_usd),
  reduced_has_regions: reduced_snapshot.regions !== undefined || reduced_snapshot.region_count !== undefined,
  points: history.points.map((point) => point.date),
  is_next_release: metadata.api_current === "1.2" && metadata.environment === "staging" && history.version === "1.2",
  is_region_retired: unknown_region.code === "region_retired",
};
console.log(JSON.stringify({ documents, conclusions }));
