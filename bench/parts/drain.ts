/** Measures how fast a full queue for one domain drains if the domain's mail server accepts mail at any rate. */
import { startPostfix } from '../baselines/postfix.ts';
import { startDirect } from '../support/direct.ts';
import { startDns } from '../support/dns.ts';
import { MESSAGE_BYTES } from '../support/end-to-end.ts';
import { sendEmail } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { fillPausedQueue } from '../support/paused-queue.ts';
import { freePort } from '../support/ports.ts';
import { startSink } from '../support/sink.ts';
import { waitForStage } from '../support/stages.ts';
import type { Row } from '../support/table.ts';
import { cpuSeconds, formatUsage, microsEach, total, type Usage } from '../support/usage.ts';

const TIMEOUT_MS = 180_000;
/** The domain to which `sendEmail` sends. */
const ZONE = { 'dst.test': { MX: ['10 mx.dst.test'] }, 'mx.dst.test': { A: ['127.0.0.1'] } };
/** The lengths of queues whose cost per message is compared. */
const DEPTHS = [1_000, 10_000, 100_000];
/** The signatures on every message, because the hosted domain has a key of each kind. */
const SIGNED = 'signed with rsa-2048 and with ed25519';

export async function drain(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const [count, ofPostfix] = quick ? [200, 200] : [10_000, 5_000];
  const sinkPort = await freePort();
  const sink = await startSink(sinkPort, folder);
  const product = await startDirect(folder, { dns: await startDns(folder, ZONE), mxPort: sinkPort });
  const target = sendEmail(product.port, MESSAGE_BYTES, await product.createKey());
  const postfix = context.postfixMissing === null ? await startPostfix(folder) : null;

  const drainOnce = async (messages: number) => {
    const resume = await fillPausedQueue(product, target, messages);
    const [before, already] = [cpuSeconds(product.processes()), sink.count()];
    const startedAt = resume();
    const toSinkMs = (await sink.waitFor(already + messages, TIMEOUT_MS)) - startedAt;
    await waitForStage(product, 'delivered', TIMEOUT_MS);
    const toShownMs = Date.now() - startedAt;
    const received = sink.count() - already;
    if (received > messages) throw new Error(`The sink has ${received} messages instead of ${messages}`);
    return {
      toSink: (messages * 1000) / toSinkMs,
      toShown: (messages * 1000) / toShownMs,
      spent: microsEach(before, cpuSeconds(product.processes()), messages),
    };
  };
  // Warm up: the first run also compiles code and unseals keys.
  await drainOnce(quick ? 50 : 1_000);

  const runs = new Runs();
  let spent: Usage = {};
  for (const round of rounds(context)) {
    const { toSink, toShown, ...rest } = await drainOnce(count);
    ({ spent } = rest);
    runs.add('to sink', toSink);
    runs.add('to shown', toShown);
    runs.add('cpu', total(spent));
    log(
      `round ${round}: at the sink ${Math.round(toSink)}/s, shown as delivered ${Math.round(toShown)}/s, µs of CPU per message: ${formatUsage(spent)}`,
    );
    if (postfix === null) continue;
    const { drainPerSecond } = await postfix.acceptThenDrain(MESSAGE_BYTES, ofPostfix);
    runs.add('postfix', drainPerSecond);
    log(`round ${round}: Postfix ${Math.round(drainPerSecond)}/s`);
  }
  const depths = quick ? [100, 200] : DEPTHS;
  for (const depth of depths) {
    const { toShown, spent: ofDepth } = await drainOnce(depth);
    runs.add(`depth ${depth}`, total(ofDepth));
    log(`a queue of ${depth}: ${Math.round(toShown)}/s, µs of CPU per message: ${formatUsage(ofDepth)}`);
  }
  const [shortest = 0, longest = 0] = [depths.at(0), depths.at(-1)];

  const against =
    postfix === null ? {} : { baseline: { name: 'Postfix to the sink, unsigned', runs: runs.of('postfix') } };
  return [
    {
      measure: 'full queue to one domain, 2 kB, until the sink has received all',
      note: SIGNED,
      unit: '/s',
      runs: runs.of('to sink'),
      ...against,
      goal: { on: 'ratio', sense: 'at least', limit: 1.2 },
    },
    {
      measure: 'full queue to one domain, 2 kB, until all have status delivered',
      unit: '/s',
      runs: runs.of('to shown'),
      ...against,
    },
    {
      measure: 'CPU per message while the queue drains',
      note: formatUsage(spent),
      unit: 'µs',
      runs: runs.of('cpu'),
    },
    {
      measure: `CPU per message of a queue of ${longest.toLocaleString('en-GB')}`,
      unit: 'µs',
      runs: runs.of(`depth ${longest}`),
      baseline: {
        name: `a queue of ${shortest.toLocaleString('en-GB')}`,
        runs: runs.of(`depth ${shortest}`),
      },
      goal: { on: 'ratio', sense: 'at most', limit: 1.1 },
    },
  ];
}
