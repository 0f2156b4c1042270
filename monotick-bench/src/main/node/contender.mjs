// The process of a contender that runs on Node: the same commands and answers as ContenderMain in Java. An engine has
// install(use), one(number), many(from, count), work(use, ran), rest() and close().
import { createInterface } from "node:readline";

const CALL = 1000;

export const database = {
  host: "127.0.0.1",
  port: Number(process.env.BENCH_PORT),
  database: process.env.BENCH_DATABASE,
  user: process.env.BENCH_USER,
  password: process.env.BENCH_PASSWORD,
};

// Finer than Date.now(), and the same for all processes of the machine; only compared among processes on Node.
const micros = () => Number(process.hrtime.bigint() / 1000n);

class Tally {
  constructor(numbers, times) {
    this.numbers = numbers;
    this.count = 0;
    this.seen = Buffer.alloc(4 * (Math.floor(numbers / 32) + 1));
    this.starts = times ? new Array(numbers).fill(0) : [];
    this.perMilli = new Map();
  }

  ran(number) {
    if (number >= 0 && number < this.numbers) {
      this.seen[number >> 3] |= 1 << (number & 7);
      if (this.starts.length > 0 && this.starts[number] === 0) this.starts[number] = micros();
    }
    const now = Date.now();
    this.perMilli.set(now, (this.perMilli.get(now) ?? 0) + 1);
    this.count++;
  }

  report() {
    const times = [...this.perMilli].map(([milli, count]) => `${milli}:${count}`).join(",");
    return `${this.count} ${this.seen.toString("base64")} ${times}`;
  }

  begun() {
    return this.starts
      .map((at, number) => [number, at])
      .filter(([, at]) => at !== 0)
      .map(([number, at]) => `${number}:${at}`)
      .join(",");
  }
}

class Senders {
  constructor(engine) {
    this.engine = engine;
    this.next = 1_000_000_000;
  }

  async timed(add) {
    const start = process.hrtime.bigint();
    const count = await add();
    return `${count} ${process.hrtime.bigint() - start}`;
  }

  async until(millis, step) {
    const end = performance.now() + millis;
    let count = 0;
    while (performance.now() < end) count += await step();
    return count;
  }

  add(from, count) {
    return this.timed(async () => {
      for (let done = 0; done < count; done += CALL) {
        await this.engine.many(from + done, Math.min(CALL, count - done));
      }
      return count;
    });
  }

  bulk(millis) {
    return this.timed(() =>
      this.until(millis, async () => {
        await this.engine.many(this.next, CALL);
        this.next += CALL;
        return CALL;
      }),
    );
  }

  callers(callers, millis) {
    const one = async () => {
      await this.engine.one(this.next++);
      return 1;
    };
    return this.timed(async () => {
      const all = await Promise.all(Array.from({ length: callers }, () => this.until(millis, one)));
      return all.reduce((sum, count) => sum + count, 0);
    });
  }

  async pace(from, count, step) {
    const sent = [];
    const start = performance.now();
    for (let i = 0; i < count; i++) {
      const wait = start + i * step - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const begun = micros();
      await this.engine.one(from + i);
      sent.push(`${from + i}:${begun}:${micros()}`);
    }
    return sent.join(",");
  }
}

export async function serve(engine) {
  const senders = new Senders(engine);
  let tally;
  const answers = {
    hello: () => "ready",
    install: async (use) => {
      await engine.install(use);
      return "done";
    },
    add: (from, count) => senders.add(Number(from), Number(count)),
    bulk: (millis) => senders.bulk(Number(millis)),
    single: (millis) => senders.callers(1, Number(millis)),
    threads: (callers, millis) => senders.callers(Number(callers), Number(millis)),
    pace: (from, count, step) => senders.pace(Number(from), Number(count), Number(step)),
    work: async (use, numbers) => {
      tally = new Tally(Number(numbers), use === "PICKUP");
      await engine.work(use, (number) => tally.ran(number));
      return "working";
    },
    rest: async () => {
      await engine.rest();
      return "done";
    },
    count: () => tally.count,
    report: () => tally.report(),
    starts: () => tally.begun(),
    stop: async () => {
      await engine.close();
      return "stopped";
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, ...values] = line.split(" ");
    let answer;
    try {
      if (!(command in answers)) throw new Error(`there is no command ${command}`);
      answer = await answers[command](...values);
    } catch (error) {
      console.error(error);
      answer = `failed ${String(error).replaceAll("\n", " ")}`;
    }
    process.stdout.write(`@${answer}\n`);
    if (command === "stop") break;
  }
  process.exit(0);
}
