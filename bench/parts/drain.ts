/** How fast a full queue goes out to one domain, whose mail server takes all that comes. */
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
/** The domain that the recipients of `sendEmail` are in. */
const ZONE = { 'dst.test': { MX: ['10 mx.dst.test'] }, 'mx.dst.test': { A: ['127.0.0.1'] } };
/** The hosted domain has a key of each kind. */
const SIGNED = 'signed with rsa-2048 and with ed25519';

export async function drain(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const count = quick ? 200 : 10_000;
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
    if (received > messages) throw new Error(`the sink has ${received} messages in place of ${messages}`);
    return {
      toSink: (messages * 1000) / toSinkMs,
      toShown: (messages * 1000) / toShownMs,
      spent: microsEach(before, cpuSeconds(product.processes()), messages),
    };
  };
  // Code that has never run is not compiled yet, and the keys are not unsealed.
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
      `round ${round}: at the sink ${Math.round(toSink)}/s, shown as delivered ${Math.round(toShown)}/s, µs of CPU a message: ${formatUsage(spent)}`,
    );
    if (postfix === null) continue;
    const { drainPerSecond } = await postfix.acceptThenDrain(MESSAGE_BYTES, count);
    runs.add('postfix', drainPerSecond);
    log(`round ${round}: Postfix ${Math.round(drainPerSecond)}/s`);
  }

  const against =
    postfix === null ? {} : { baseline: { name: 'Postfix to the sink, unsigned', runs: runs.of('postfix') } };
  return [
    {
      measure: 'full queue to one domain, 2 kB, until the sink has all',
      note: SIGNED,
      unit: '/s',
      runs: runs.of('to sink'),
      ...against,
      goal: { on: 'ratio', sense: 'at least', limit: 0.8 },
    },
    {
      measure: 'full queue to one domain, 2 kB, until all show delivered',
      unit: '/s',
      runs: runs.of('to shown'),
      ...against,
    },
    {
      measure: 'CPU a message while the queue drains',
      note: formatUsage(spent),
      unit: 'µs',
      runs: runs.of('cpu'),
    },
  ];
}
