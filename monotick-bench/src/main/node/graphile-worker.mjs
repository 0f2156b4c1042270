// graphile-worker: a task whose payload is the number.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { database, serve } from "./contender.mjs";

const CONCURRENT_JOBS = 24;
const pool = new pg.Pool({ ...database, max: CONCURRENT_JOBS + 8 });
pool.on("error", (error) => console.error(error));
const logger = new Logger(() => (level, message) => {
  if (level === "error" || level === "warning") console.error(message);
});

// What each use is to be good at; idle is as it is by default.
const SETTINGS = {
  DRAIN: {
    concurrentJobs: CONCURRENT_JOBS,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
  PICKUP: { concurrentJobs: CONCURRENT_JOBS },
  IDLE: {},
};

let utils;
let runner;

async function tools() {
  utils ??= await makeWorkerUtils({ pgPool: pool, logger });
  return utils;
}

await serve({
  async install() {
    await (await tools()).migrate();
  },
  async one(number) {
    await (await tools()).addJob("bench", { number });
  },
  async many(from, count) {
    const jobs = Array.from({ length: count }, (_, i) => ({
      identifier: "bench",
      payload: { number: from + i },
    }));
    await (await tools()).addJobs(jobs);
  },
  async work(use, ran) {
    runner = await run({
      preset: { worker: SETTINGS[use] },
      pgPool: pool,
      logger,
      noHandleSignals: true,
      taskList: { bench: async ({ number }) => ran(number) },
    });
  },
  async rest() {
    await runner?.stop();
    runner = undefined;
  },
  async close() {
    await runner?.stop();
    await utils?.release();
    await pool.end();
  },
});
