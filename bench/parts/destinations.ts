/** Measures how long mail for dead and slow destinations delays mail for working destinations. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DestinationCounts,
  destinationsOf,
  type Recipient,
  shuffledRecipients,
  zoneOf,
} from '../support/destinations.ts';
import { startDirect, type World } from '../support/direct.ts';
import { startDns } from '../support/dns.ts';
import { MESSAGE_BYTES } from '../support/end-to-end.ts';
import { sendEmail } from '../support/load.ts';
import { mxAddress, type MxServers, startMx } from '../support/mx.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { fillPausedQueue } from '../support/paused-queue.ts';
import type { Product } from '../support/product.ts';
import { waitForStage } from '../support/stages.ts';
import type { Row } from '../support/table.ts';

const TIMEOUT_MS = 180_000;
const FULL = { live: 400, slow: 50, silent: 25, refusing: 25 } satisfies DestinationCounts;
const QUICK = { live: 8, slow: 2, silent: 1, refusing: 1 } satisfies DestinationCounts;
const MESSAGES_EACH = 20;
/** The DNS records of the domain for the warm-up mail. */
const WARM_UP = { 'warm.test': { MX: ['10 mx.warm.test'] }, 'mx.warm.test': { A: [mxAddress('live', 999)] } };

export async function destinations(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const counts = quick ? QUICK : FULL;
  const all = destinationsOf(counts);
  const mx = await startMx(folder);
  const world = { mxPort: mx.port, dns: await startDns(folder, { ...zoneOf(all), ...WARM_UP }) };
  const recipients = shuffledRecipients(all, MESSAGES_EACH);
  const live = recipients.filter(({ kind }) => kind === 'live');

  const runs = new Runs();
  for (const round of rounds(context, 1)) {
    // Each run has its own server, because a server would still be sending mail that is left over from an earlier run.
    for (const [name, mail] of [
      ['live', live],
      ['all', recipients],
    ] as const) {
      const badBefore = countBad(mx);
      const { product, seconds } = await run(join(folder, `${name}-${round}`), world, mx, mail, quick);
      const bad = countBad(mx);
      const [closed] = await product.query<{ count: number }>(
        'select count(*)::int as count from destinations where failures > 0',
      );
      // A working destination that is closed for a moment delays its mail by a minute.
      const working = mail.filter(({ kind }) => kind === 'live').map(({ address }) => address.split('@')[1]);
      const unexpected = await product.query<{ name: string; reply: object }>(
        `select name, reply from destinations where failures > 0 and name in ('${[...new Set(working)].join("', '")}')`,
      );
      for (const { name, reply } of unexpected) log(`${name} works, but is closed: ${JSON.stringify(reply)}`);
      await product.stop();
      runs.add(name, seconds);
      log(
        `round ${round}, ${mail.length} messages: the working destinations have received all after ${seconds.toFixed(2)} s; by then ` +
          `slow ones have received ${bad.slow - badBefore.slow}, silent ones have got ${bad.silent - badBefore.silent} connections, ${closed?.count} destinations are closed`,
      );
    }
  }
  return [
    {
      measure: `${live.length} messages to ${counts.live} destinations, beside ${recipients.length - live.length} to ${counts.slow} slow and ${counts.silent + counts.refusing} dead ones`,
      unit: 's',
      runs: runs.of('all'),
      baseline: { name: 'without those', runs: runs.of('live') },
      goal: { on: 'ratio', sense: 'at most', limit: 1.5 },
    },
  ];
}

function countBad(mx: MxServers) {
  return { slow: mx.count('slow'), silent: mx.count('silent') };
}

/** @returns the seconds from the moment when the workers resume until every working destination has received its mail */
async function run(
  folder: string,
  world: World,
  mx: MxServers,
  mail: readonly Recipient[],
  quick: boolean,
): Promise<{ product: Product; seconds: number }> {
  const product = await startDirect(folder, world);
  const token = await product.createKey();
  const email = (to: string) => sendEmail(product.port, MESSAGE_BYTES, token, to);
  (await fillPausedQueue(product, email('b####@warm.test'), quick ? 50 : 1_000))();
  await waitForStage(product, 'delivered', TIMEOUT_MS);

  const linesPath = join(folder, 'recipients');
  writeFileSync(linesPath, mail.map(({ address }) => address).join('\n'));
  const to = '#'.repeat(mail[0]?.address.length ?? 0);
  const before = mx.count('live');
  const resume = await fillPausedQueue(product, email(to), mail.length, { linesPath });
  const startedAt = resume();
  const expected = mail.filter(({ kind }) => kind === 'live').length;
  const seconds = ((await mx.waitFor('live', before + expected, TIMEOUT_MS)) - startedAt) / 1000;
  const received = mx.count('live') - before;
  if (received > expected)
    throw new Error(`The working destinations have ${received} messages instead of ${expected}`);
  return { product, seconds };
}
