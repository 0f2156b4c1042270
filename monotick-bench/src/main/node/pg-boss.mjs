// pg-boss: a queue whose jobs carry the number, worked in batches.
import { PgBoss } from "pg-boss";
import { database, serve } from "./contender.mjs";

const QUEUE = "bench";
const BATCH = { batchSize: 1000, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
const SETTINGS = { DRAIN: BATCH, PICKUP: BATCH, IDLE: {} };

let boss;

async function started(options = {}) {
  if (!boss) {
    boss = new PgBoss({ ...database, max: 32, ...options });
    boss.on("error", (error) => console.error(error));
    await boss.start();
  }
  return boss;
}

await serve({
  async install(use) {
    await (await started()).createQueue(QUEUE, { notify: use === "PICKUP" });
  },
  async one(number) {
    await (await started()).send(QUEUE, { number });
  },
  async many(from, count) {
    const jobs = Array.from({ length: count }, (_, i) => ({ data: { number: from + i } }));
    await (await started()).insert(QUEUE, jobs);
  },
  async work(use, ran) {
    const worker = await started({ useListenNotify: use === "PICKUP" });
    await worker.work(QUEUE, SETTINGS[use], async (jobs) => {
      for (const job of jobs) ran(job.data.number);
    });
  },
  async rest() {
    await boss?.stop({ graceful: true, timeout: 5000 });
    boss = undefined;
  },
  async close() {
    await boss?.stop({ graceful: true, timeout: 5000 });
  },
});
