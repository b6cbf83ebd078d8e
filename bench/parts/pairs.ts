/**
 * Compares this version with an earlier version, given by `--before`. There are ten rounds, each of which measures both versions one after
 * the other, so that changes in the machine's speed affect both versions alike. A ratio is the median of the rounds' ratios.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MESSAGE_BYTES, startEndToEnd } from '../support/end-to-end.ts';
import { ImapConnection, type ImapEndpoint } from '../support/imap.ts';
import { fillFolder } from '../support/large-folder.ts';
import { runLoad, sendEmail } from '../support/load.ts';
import { createMailbox } from '../support/mailboxes.ts';
import { type Context, Runs } from '../support/part.ts';
import { MAX_PAUSE_MS, pauseWorkers, untilDrained } from '../support/paused-queue.ts';
import { freePort } from '../support/ports.ts';
import type { Product } from '../support/product.ts';
import type { Goal, Row } from '../support/table.ts';
import { runUploads } from '../support/uploads.ts';
import { cpuSeconds, memoryMb, microsEach, total } from '../support/usage.ts';

const ROUNDS = 10;
const MESSAGE = Buffer.from(
  `From: Acme <a@src.test>\r\nTo: b@src.test\r\nSubject: Your order has shipped\r\nDate: Fri, 20 Nov 2026 15:00:00 +0000\r\nMessage-ID: <m@src.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${'<p>The quick brown fox jumps over the lazy dog, order 12345 shipped.</p>\r\n'.repeat(130)}`,
);

/** The sizes of a run. The small sizes of a quick run only check whether the benchmark works. */
interface Sizes {
  rounds: number;
  emails: number;
  backlog: number;
  small: number;
  messages: number;
  bodies: number;
  hostileMs: number;
}

/** A running version of the product. */
interface Version {
  name: 'now' | 'before';
  product: Product;
  send: Awaited<ReturnType<typeof startEndToEnd>>['send'];
  token: string;
  smallToken: string;
  hostileToken: string;
  mailbox: ImapEndpoint;
  runs: Runs;
}

/** The measures. The limit of each ratio leaves a margin for noise. */
const MEASURES: Readonly<Record<string, { unit: string; goal: Goal }>> = {
  'accept 2 kB': { unit: '/s', goal: { on: 'ratio', sense: 'at least', limit: 0.97 } },
  'end to end 2 kB, until the sink has received all': {
    unit: '/s',
    goal: { on: 'ratio', sense: 'at least', limit: 0.97 },
  },
  'CPU per message, end to end': { unit: 'µs', goal: { on: 'ratio', sense: 'at most', limit: 1.03 } },
  'SELECT of the folder': { unit: 'ms', goal: { on: 'ratio', sense: 'at most', limit: 1.05 } },
  'FETCH of flags and envelopes': { unit: 'ms', goal: { on: 'ratio', sense: 'at most', limit: 1.05 } },
  'FETCH of whole messages': { unit: 'ms', goal: { on: 'ratio', sense: 'at most', limit: 1.05 } },
  'small emails of another project beside a backlog, 202, p99': {
    unit: 'ms',
    goal: { on: 'ratio', sense: 'at most', limit: 1.05 },
  },
  'small emails of another project beside a backlog, until sent, the slowest': {
    unit: 'ms',
    goal: { on: 'ratio', sense: 'at most', limit: 1.05 },
  },
  'small emails beside unfinished bodies, p99': {
    unit: 'ms',
    goal: { on: 'ratio', sense: 'at most', limit: 1.05 },
  },
  'memory, idle': { unit: 'MB', goal: { on: 'ratio', sense: 'at most', limit: 1 } },
  'memory at the end of a round': { unit: 'MB', goal: { on: 'ratio', sense: 'at most', limit: 1 } },
};

export async function pairs(context: Context): Promise<Row[]> {
  const { quick, folder, before, log } = context;
  if (before === null) {
    log('skipped: name a checkout of an earlier version with --before');
    return [];
  }
  const sizes: Sizes = quick
    ? { rounds: 1, emails: 200, backlog: 100, small: 5, messages: 200, bodies: 50, hostileMs: 300 }
    : {
        rounds: ROUNDS,
        emails: 5_000,
        backlog: 8_000,
        small: 20,
        messages: 10_000,
        bodies: 1_000,
        hostileMs: 3_000,
      };
  const now = await startVersion('now', join(folder, 'now'), undefined, sizes);
  const earlier = await startVersion('before', join(folder, 'before'), before, sizes);
  await sleep(quick ? 500 : 10_000);
  for (const version of [now, earlier]) {
    version.runs.add('memory, idle', total(memoryMb(version.product.processes())));
    // Warm up, because code is compiled at its first run.
    await version.send(sizes.emails / 5);
  }
  for (let round = 1; round <= sizes.rounds; round++) {
    // The order is the same in each round, so that each version has been idle for about as long before each run. A version that runs
    // twice in succession is a fifth faster at its second run.
    for (const version of [now, earlier])
      await measure(version, sizes, (text) => log(`round ${round}, ${version.name}: ${text}`));
  }
  return Object.entries(MEASURES).map(
    ([measure, { unit, goal }]): Row => ({
      measure,
      unit,
      runs: now.runs.of(measure),
      baseline: { name: 'before:', runs: earlier.runs.of(measure) },
      goal,
      isPaired: true,
    }),
  );
}

async function startVersion(
  name: Version['name'],
  folder: string,
  root: string | undefined,
  sizes: Sizes,
): Promise<Version> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const { product, send } = await startEndToEnd(folder, {
    settings: { POSTHORN_ROLES: 'http,smtp,worker,imap', POSTHORN_IMAP_PORT: String(port) },
    root,
  });
  const keyOf = async (project: string): Promise<string> => {
    await product.run('project', 'create', '--name', project);
    return product.createKey(project);
  };
  const token = await product.createKey();
  const mailbox = await createMailbox(product, token, 'reader', port);
  await fillMailbox(product, mailbox, sizes.messages);
  const [smallToken, hostileToken] = [await keyOf('small'), await keyOf('hostile')];
  return { name, product, send, token, smallToken, hostileToken, mailbox, runs: new Runs() };
}

async function fillMailbox(product: Product, mailbox: ImapEndpoint, count: number): Promise<void> {
  const connection = await ImapConnection.signIn(mailbox);
  await connection.append(
    'INBOX',
    Array.from({ length: Math.min(count, 1_000) }, () => MESSAGE),
  );
  connection.close();
  const [inbox] = await product.query<{ projectId: string; mailboxId: string; folderId: string }>(`
    select b.project_id as "projectId", b.id as "mailboxId", f.id as "folderId"
    from mailboxes b join folders f on f.mailbox_id = b.id and f.role = 'inbox' where b.local_part = 'reader'`);
  if (inbox === undefined) throw new Error('The mailbox has no inbox');
  await fillFolder(product, inbox, count);
}

async function measure(version: Version, sizes: Sizes, log: (text: string) => void): Promise<void> {
  const { product, send, runs } = version;
  const add = (name: keyof typeof MEASURES, value: number): void => {
    runs.add(name, value);
    log(`${name}: ${value.toFixed(1)} ${MEASURES[name]?.unit}`);
  };
  const usedBefore = cpuSeconds(product.processes());
  const { toSinkMs } = await send(sizes.emails);
  add('end to end 2 kB, until the sink has received all', (sizes.emails * 1_000) / toSinkMs);
  const used = microsEach(usedBefore, cpuSeconds(product.processes()), sizes.emails);
  add('CPU per message, end to end', total(used));

  const connection = await ImapConnection.signIn(version.mailbox);
  add('SELECT of the folder', await connection.time('SELECT INBOX'));
  add('FETCH of flags and envelopes', await connection.time('FETCH 1:* (FLAGS ENVELOPE)'));
  add('FETCH of whole messages', await connection.time(`FETCH 1:${sizes.bodies} (BODY.PEEK[])`));
  connection.close();

  const { perSecond, p99Ms, slowestMs } = await besideBacklog(version, sizes);
  add('accept 2 kB', perSecond);
  add('small emails of another project beside a backlog, 202, p99', p99Ms);
  add('small emails of another project beside a backlog, until sent, the slowest', slowestMs);
  add('small emails beside unfinished bodies, p99', await besideUploads(version, sizes));
  add('memory at the end of a round', total(memoryMb(product.processes())));
}

/**
 * Sends a backlog to the API while the workers are suspended, then sends small emails from another project while the workers send the
 * backlog.
 * @returns the rate at which the backlog was accepted; for the small emails, the response time and the longest time until one was sent
 */
async function besideBacklog(
  { product, token, smallToken }: Version,
  { backlog, small }: Sizes,
): Promise<{ perSecond: number; p99Ms: number; slowestMs: number }> {
  const [last] = await product.query<{ id: string }>('select max(id::text) as id from emails');
  const resume = pauseWorkers(product);
  const { perSecond } = await runLoad(sendEmail(product.port, MESSAGE_BYTES, token), {
    maxRequests: backlog,
    durationMs: MAX_PAUSE_MS,
  });
  resume();
  const { p99Ms } = await runLoad(sendEmail(product.port, MESSAGE_BYTES, smallToken, 'b####@small.test'), {
    connections: 2,
    ratePerSecond: 20,
    maxRequests: small,
    durationMs: 10_000,
  });
  await untilDrained(product);
  const [slowest] = await product.query<{ ms: number }>(`
    select max(1000 * extract(epoch from uuid_extract_timestamp(s.id) - uuid_extract_timestamp(e.id)))::float8 as ms
    from emails e join projects p on p.id = e.project_id and p.name = 'small'
    join events s on s.project_id = e.project_id and s.email_id = e.id and s.type = 'sent'
    where e.id::text > '${last?.id ?? ''}'`);
  return { perSecond, p99Ms, slowestMs: slowest?.ms ?? Number.NaN };
}

/** @returns the 99th percentile of small emails' response time in ms, while another key leaves request bodies unfinished */
async function besideUploads(
  { product, hostileToken, smallToken }: Version,
  { hostileMs }: Sizes,
): Promise<number> {
  const warmupMs = hostileMs;
  const [{ p99Ms }] = await Promise.all([
    runLoad(sendEmail(product.port, MESSAGE_BYTES, smallToken), {
      connections: 16,
      ratePerSecond: 100,
      warmupMs,
      durationMs: hostileMs,
      maxRequests: 1_000_000,
    }),
    runUploads({
      port: product.port,
      token: hostileToken,
      connections: 300,
      durationMs: warmupMs + hostileMs,
    }),
  ]);
  await untilDrained(product);
  return p99Ms;
}
