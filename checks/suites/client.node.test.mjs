// Tests of a client with node:test, which `checks/packages.py` runs in an empty project.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { failing, startSandbox } from "ghi-sandbox";
import { week } from "./client.mjs";

let sandbox;
before(async () => {
  process.env.GHI_SPEED = "variables of the environment are ignored";
  sandbox = await startSandbox({ at: "2026-11-15T12:00:00Z", accessLog: true });
  delete process.env.GHI_SPEED;
});
after(async () => {
  await sandbox.stop();
  assert.match(sandbox.log, /\/v1\/ghi\/history/);
});

test("the clock is stopped", async () => {
  assert.equal((await week(sandbox.url))["2026-11-15"], 56018.28);
});

for (const number of [1, 2, 3]) {
  test(`the client survives failures, ${number}`, async () => {
    const failing = await startSandbox({ chaos: 50 });
    assert.equal(Object.keys(await week(failing.url)).length, 7);
    await failing.stop();
    await failing.stop();
    await assert.rejects(fetch(failing.url));
  });
}

test("the client recovers", async () => {
  for (let round = 0; round < 2; round++) {
    const headers = failing("code=503", { times: 2 });
    const statuses = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      statuses.push((await fetch(`${sandbox.url}/v1/ghi/snapshot`, { headers })).status);
    }
    assert.deepEqual(statuses, [503, 503, 200]);
  }
  assert.equal((await fetch(`${sandbox.url}/v1/ghi/snapshot`, { headers: failing("code=429") })).status, 429);
});

test("a misspelled failure is an error", async () => {
  const answer = await fetch(`${sandbox.url}/v1/ghi/snapshot`, { headers: failing("cod=503") });
  assert.equal((await answer.json()).code, "unknown_preference");
  assert.throws(() => failing("code=503", 2), /unknown option 2; the only option is times/);
});

test("requests fail without a header", async () => {
  const failing = await startSandbox({ fail: ["code=503, times=1", "/v1/ghi/history: break=gap"] });
  assert.equal((await fetch(`${failing.url}/v1/ghi/snapshot`)).status, 503);
  assert.equal(Object.keys(await week(failing.url)).length, 6);
  await failing.stop();
});

test("the time may be a Date", async () => {
  const sandbox = await startSandbox({ at: new Date("2026-11-15T12:00:00Z") });
  assert.equal((await week(sandbox.url))["2026-11-15"], 56018.28);
  await sandbox.stop();
});

test("flags in camel case are used", async () => {
  const strict = await startSandbox({ strictParameters: true });
  assert.equal((await fetch(`${strict.url}/v1/ghi/snapshot?region=us`)).status, 400);
  await strict[Symbol.asyncDispose]();
  await assert.rejects(fetch(strict.url));
});

test("a failed start has the message of the server", async () => {
  await assert.rejects(startSandbox({ at: "yesterday" }), /--at.*must be a UTC time such as/);
  await assert.rejects(startSandbox({ choas: 20 }), /unknown option choas; the options are binary, at, speed, fail, chaos, /);
  await assert.rejects(startSandbox({ binary: "/nowhere/ghi" }), /ENOENT/);
});

test("a server that is not stopped does not keep the process running", async () => {
  await startSandbox();
});

test("the command is installed", () => {
  const printed = execFileSync("node_modules/.bin/ghi", ["show", "snapshot", "--at", "2026-11-15"]);
  assert.match(String(printed), /56,018\.28/);
});
