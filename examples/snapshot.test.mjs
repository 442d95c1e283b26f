import assert from "node:assert/strict";
import { test } from "node:test";
import { startSandbox } from "ghi-sandbox";

test("the snapshot has a cost", async () => {
  const sandbox = await startSandbox({ at: "2026-11-15T12:00:00Z" });
  const answer = await fetch(`${sandbox.url}/v1/ghi/snapshot`);
  assert.equal((await answer.json()).global_avg_cost_usd, 56018.28);
  await sandbox.stop();
});
