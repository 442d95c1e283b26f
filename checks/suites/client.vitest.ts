// Tests of a client with Vitest, in TypeScript.
import { failing, type Sandbox, startSandbox } from "ghi-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
// @ts-expect-error: this client has no types.
import { week } from "./client.mjs";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ at: "2026-11-15T12:00:00Z" });
});
afterAll(() => sandbox.stop());

test("the clock is stopped", async () => {
  expect((await week(sandbox.url))["2026-11-15"]).toBe(56018.28);
});

test("a server stops at the end of the scope", async () => {
  let url: string;
  {
    await using failing = await startSandbox({ chaos: 50, strictParameters: true });
    url = failing.url;
    expect(Object.keys(await week(url))).toHaveLength(7);
  }
  await expect(fetch(url)).rejects.toThrow();
});

test("unknown options are an error", async () => {
  // @ts-expect-error: the option is misspelled.
  await expect(startSandbox({ choas: 50 })).rejects.toThrow("unknown option choas");
  const answer = await fetch(`${sandbox.url}/v1/ghi/network`, { headers: failing("code=500", { times: 1 }) });
  expect(answer.status).toBe(500);
});
