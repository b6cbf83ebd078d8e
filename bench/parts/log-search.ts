/** Measures how long it takes to find emails in a log of a million emails, and how searches, indexing and exports affect accepting. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { addMember } from '../../src/accounts/members/memberships.ts';
import { lockOrganization } from '../../src/accounts/organizations/organizations.ts';
import { beginSession } from '../../src/accounts/sessions.ts';
import { createUser } from '../../src/accounts/users.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { encodeId, newUuid } from '../../src/model/ids.ts';
import { EmailIndexer } from '../../src/insights/search/email-indexer.ts';
import { indexNext } from '../../src/insights/search/segments.ts';
import { COMMON, fillArchive, RARE, settleArchives } from '../support/archive.ts';
import { runLoad, sendEmail } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { Goal, Row } from '../support/table.ts';

const SECONDS_APART = 2;
/** How many searches per second a typing user causes, because the page searches after each pause. */
const SEARCHES_A_SECOND = 2;
const LF = 0x0a;
const atMost = (limit: number): Goal => ({ on: 'value', sense: 'at most', limit });

/** The searches, each with its time limit in ms. */
const SEARCHES: readonly [name: string, q: string, goal: Goal][] = [
  ['first rows', '', atMost(300)],
  ['an address, few', `to:${RARE.to}`, atMost(300)],
  ['an address, one in 200,000', 'b123@dst.test', atMost(300)],
  ['an address, many', `to:${COMMON.to}`, atMost(300)],
  ['the beginning of an address', 'b1234', atMost(300)],
  ['a letter', 'b', atMost(300)],
  ['a word in all subjects', 'subject:number', atMost(500)],
  ['a word in one subject', 'subject:4711', atMost(500)],
  ['two words', '"about number" 4711', atMost(500)],
  ['a word that no email has', 'zebra', atMost(500)],
  ['a tag and a status', `tag:${COMMON.tag} status:complained`, atMost(500)],
  ['two words that rarely occur together', `from:${COMMON.from} monitor`, atMost(500)],
];

export async function logSearch(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const emails = quick ? 20_000 : 1_000_000;
  const product = await startProduct(join(folder, 'product'), { POSTHORN_ROLES: 'http' });
  const database = openDatabase(product.databaseUrl, { poolSize: 2 });
  try {
    await fillArchive(product, emails, { secondsApart: SECONDS_APART });
    await settleArchives(product);
    log(`filled with ${emails} emails`);
    const viewer = await signIn(database, product);
    const runs = new Runs();
    const note = await index(database, product, viewer.projectId, emails, runs, log);
    await settleArchives(product);
    const load = quick ? { maxRequests: 10, durationMs: 2_000 } : { maxRequests: 100, durationMs: 4_000 };
    const found = new Map<string, number>();
    for (const _ of rounds(context)) {
      for (const [name, q] of SEARCHES) {
        const target = viewer.search(`?limit=50&q=${encodeURIComponent(q)}`);
        found.set(name, await countOf(target));
        const report = await runLoad(target, { ...load, connections: 1 });
        runs.add(name, report.p99Ms);
        log(
          `${name}: p50 ${report.p50Ms.toFixed(1)} ms, p99 ${report.p99Ms.toFixed(1)} ms, ${found.get(name)} on the page`,
        );
      }
      runs.add('scrolling', await scroll(viewer, quick ? 20 : 200));
    }
    await accepts(context, product, database, viewer, await product.createKey(), runs);
    return [
      { measure: 'indexing per email', unit: 'µs', runs: runs.of('indexing'), note },
      ...SEARCHES.map(
        ([name, , goal]): Row => ({
          measure: `search in ${emails.toLocaleString('en')} emails, ${name}: p99`,
          unit: 'ms',
          runs: runs.of(name),
          goal,
          note: `${found.get(name)} on the page`,
        }),
      ),
      {
        measure: 'scrolling: the slowest page of 200 emails',
        unit: 'ms',
        runs: runs.of('scrolling'),
        goal: atMost(300),
      },
      accepted(`beside ${SEARCHES_A_SECOND} searches per second and indexing`, 'beside', runs),
      {
        ...accepted('beside an export', 'beside export', runs),
        note: `${exported(runs, 'exported beside')} emails per second exported, ${exported(runs, 'exported alone')} alone`,
      },
    ];
  } finally {
    await database.destroy();
    await product.stop();
  }
}

function exported(runs: Runs, name: string): string {
  return Math.min(...runs.of(name)).toFixed(0);
}

function accepted(beside: string, name: string, runs: Runs): Row {
  return {
    measure: `emails accepted ${beside}`,
    unit: '/s',
    runs: runs.of(name),
    baseline: { name: 'alone:', runs: runs.of('alone') },
    goal: { on: 'ratio', sense: 'at least', limit: 0.95 },
  };
}

interface Viewer {
  projectId: string;
  search(rest: string): Target;
}

interface Target {
  port: number;
  method: 'GET';
  path: string;
  headers: Record<string, string>;
  body: null;
  expectStatus: string;
}

async function signIn(database: Database, product: Product): Promise<Viewer> {
  const { id: projectId, organizationId } = await database
    .selectFrom('projects')
    .select(['id', 'organizationId'])
    .where('name', '=', 'default')
    .executeTakeFirstOrThrow();
  const userId = await database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const email = `bench-${newUuid()}@src.test`;
    const id = await createUser(tx, { email, name: 'bench', passwordHash: null, isOperator: false });
    await addMember(tx, organizationId, id, { role: 'viewer', seesBodies: false });
    return id;
  });
  const { token } = await beginSession(database, userId, { address: '127.0.0.1', userAgent: 'bench' });
  const headers = { cookie: `posthorn_session=${token}`, host: `localhost:${product.port}` };
  return {
    projectId,
    search: (rest) => ({
      port: product.port,
      method: 'GET',
      headers,
      body: null,
      expectStatus: '200',
      path: `/dashboard/api/projects/${encodeId('prj', projectId)}/emails${rest}`,
    }),
  };
}

async function index(
  database: Database,
  product: Product,
  projectId: string,
  emails: number,
  runs: Runs,
  log: Context['log'],
): Promise<string> {
  const from = performance.now();
  while (await indexNext(database, projectId, newUuid()));
  runs.add('indexing', ((performance.now() - from) / emails) * 1_000);
  const [row] = await product.query<{ octets: number }>(
    `select (pg_total_relation_size('email_words') + pg_total_relation_size('email_segments'))::float8 as octets`,
  );
  const note = `${((row?.octets ?? 0) / emails).toFixed(0)} bytes an email`;
  log(`indexed, ${note}`);
  return note;
}

async function page(target: Target): Promise<{ data: unknown[]; next_cursor: string | null }> {
  const response = await fetch(`http://localhost:${target.port}${target.path}`, { headers: target.headers });
  return JSON.parse(await response.text()) as { data: unknown[]; next_cursor: string | null };
}

async function countOf(target: Target): Promise<number> {
  return (await page(target)).data.length;
}

/** @returns the response time of the slowest page, in milliseconds */
async function scroll(viewer: Viewer, pages: number): Promise<number> {
  let slowest = 0;
  for (let n = 0, cursor: string | null = ''; n < pages && cursor !== null; n++) {
    const from = performance.now();
    const one = await page(viewer.search(`?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`));
    slowest = Math.max(slowest, performance.now() - from);
    cursor = one.next_cursor;
  }
  return slowest;
}

/** Measures how fast the API accepts emails: alone, then beside searches and indexing, then beside an export, all within a minute. */
async function accepts(
  context: Context,
  product: Product,
  database: Database,
  viewer: Viewer,
  token: string,
  runs: Runs,
): Promise<void> {
  const { quick, log } = context;
  const durationMs = quick ? 2_000 : 10_000;
  const send = () =>
    runLoad(sendEmail(product.port, 2_048, token), { maxRequests: 1_000_000, durationMs, warmupMs: 500 });
  for (const round of rounds(context)) {
    const alone = await send();
    const indexing = new AbortController();
    const indexed = indexUntil(database, indexing.signal);
    const searches = runLoad(viewer.search(`?limit=50&q=${encodeURIComponent('to:b1234 about')}`), {
      maxRequests: 10_000,
      durationMs,
      warmupMs: 500,
      connections: 4,
      ratePerSecond: SEARCHES_A_SECOND,
    });
    const beside = await send();
    indexing.abort();
    const { p99Ms } = await searches;
    await indexed;
    runs.add('alone', alone.perSecond);
    runs.add('beside', beside.perSecond);
    // Wait, because the last accepted emails cause load for up to a second.
    await sleep(1_000);
    runs.add('exported alone', (await exportWhile(viewer, () => sleep(durationMs))).perSecond);
    const { result: besideExport, perSecond } = await exportWhile(viewer, send);
    runs.add('beside export', besideExport.perSecond);
    runs.add('exported beside', perSecond);
    log(
      `round ${round}: alone ${alone.perSecond.toFixed(0)}/s, beside ${beside.perSecond.toFixed(0)}/s; searches p99 ${p99Ms.toFixed(0)} ms; beside an export of ${perSecond.toFixed(0)} emails per second ${besideExport.perSecond.toFixed(0)}/s`,
    );
  }
}

/** Exports all emails repeatedly until the work has ended. @returns the result of the work, and the exported emails per second */
async function exportWhile<T>(
  viewer: Viewer,
  work: () => Promise<T>,
): Promise<{ result: T; perSecond: number }> {
  const over = new AbortController();
  const { port, path, headers } = viewer.search('/export?format=ndjson');
  let lines = 0;
  const exporting = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const response = await fetch(`http://localhost:${port}${path}`, { headers, signal: over.signal });
      if (!response.ok || response.body === null) throw new Error(`The export returned ${response.status}`);
      for await (const chunk of response.body as AsyncIterable<Uint8Array>)
        lines += chunk.reduce((sum, octet) => sum + Number(octet === LF), 0);
    }
  };
  const exported = exporting().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  const startMs = performance.now();
  const result = await work();
  const seconds = (performance.now() - startMs) / 1_000;
  over.abort();
  await exported;
  return { result, perSecond: lines / seconds };
}

/** Indexes emails, as a worker does. */
async function indexUntil(database: Database, signal: AbortSignal): Promise<void> {
  await using indexer = new EmailIndexer({ database, logger: pino({ enabled: false }) });
  while (!signal.aborted) {
    indexer.tick();
    await sleep(200, undefined, { signal }).catch(() => {});
  }
}
