// Tests of a client with Vitest, in TypeScript.
import { type Sandbox, startSandbox } from "ghi-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
// @ts-expect-error: this client has no types.
import { week } from "./client.mjs";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ at: "2026-11-15T12:00:00Z" });
});
afterAll(() => sandbox.stop());

test("the clock is stopped", async () => {
  expect((await week(sandbox.url))["2026-11-15"]).toBe(56275.86);
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
