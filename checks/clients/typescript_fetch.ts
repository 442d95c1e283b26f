// Reads the API with the client that openapi-generator's typescript-fetch made. An argument: the base URL.

import {
  Configuration,
  ForecastToJSON,
  HistoryToJSON,
  IndexApi,
  IndicatorToJSON,
  MetadataToJSON,
  NetworkToJSON,
  type Problem,
  ProblemFromJSON,
  ProblemToJSON,
  RegionDetailToJSON,
  RegionsToJSON,
  ResponseError,
  SnapshotToJSON,
} from "./client/index.js";

const api = new IndexApi(new Configuration({ basePath: process.argv[2] }));

async function readProblem(answer: Promise<unknown>): Promise<Problem> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const problem = ProblemFromJSON(await error.response.json());
    if (problem.status !== error.response.status) throw error;
    return problem;
  }
  throw new Error("no problem");
}

const metadata = await api.getMetadata();
const regions = await api.listRegions();
const id = regions.regions[0].id;
const regionDetail = await api.getRegionDetail({ id });
const snapshot = await api.getSnapshot();
const reducedSnapshot = await api.getSnapshot({ prefer: "return=minimal" });
const history = await api.getHistory();
const regionHistory = await api.getHistory({ regionId: id });
const network = await api.getNetwork();
const forecast = await api.getForecast({ forecastDays: 30 });
const indicator = await api.getIndicator();
const unknownRegion = await readProblem(api.getRegionDetail({ id: "atlantis" }));
const invalidParameter = await readProblem(api.getForecast({ forecastDays: 366 }));

const documents = {
  metadata: MetadataToJSON(metadata),
  regions: RegionsToJSON(regions),
  region_detail: RegionDetailToJSON(regionDetail),
  snapshot: SnapshotToJSON(snapshot),
  reduced_snapshot: SnapshotToJSON(reducedSnapshot),
  history: HistoryToJSON(history),
  region_history: HistoryToJSON(regionHistory),
  network: NetworkToJSON(network),
  forecast: ForecastToJSON(forecast),
  indicator: IndicatorToJSON(indicator),
  unknown_region: ProblemToJSON(unknownRegion),
  invalid_parameter: ProblemToJSON(invalidParameter),
};
// By the fields' types: what they rule out, the compiler refuses.
const conclusions = {
  global_avg_cost_usd: snapshot.globalAvgCostUsd,
  regions_of_snapshot: snapshot.regions?.map((region) => region.avgCostUsd),
  reduced_has_regions: reducedSnapshot.regions !== undefined || reducedSnapshot.regionCount !== undefined,
  points: history.points.map((point) => point.date.toISOString().slice(0, 10)),
  is_next_release: metadata.apiCurrent === "1.2" && metadata.environment === "staging" && history.version === "1.2",
  is_region_retired: unknownRegion.code === "region_retired",
};
console.log(JSON.stringify({ documents, conclusions }));
