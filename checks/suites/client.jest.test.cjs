// Tests of a client with Jest, in CommonJS.
const { startSandbox } = require("ghi-sandbox");

let sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ at: "2026-11-15T12:00:00Z" });
});
afterAll(() => sandbox.stop());

test("the clock is stopped", async () => {
  const answer = await fetch(`${sandbox.url}/v1/ghi/snapshot`);
  expect((await answer.json()).global_avg_cost_usd).toBe(56018.28);
});

test("a failed start has the message of the server", async () => {
  await expect(startSandbox({ at: "yesterday" })).rejects.toThrow("must be a UTC time such as");
});
