/** Measures the response time for a page of emails with any filter, and how slow lists affect other reads. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { APART, COMMON, fillArchive, RARE, settleArchives } from '../support/archive.ts';
import { type LoadReport, tryLoad } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { Goal, Row } from '../support/table.ts';

const PAGE = 50;
const SECONDS_APART = 2;
const OTHERS = ['other', 'small'];
const SLOW_CLIENTS = 5;
const EMAILS_A_SECOND = 50;
const LISTS_A_SECOND = 20;
const ID_LENGTH = 29;

const QUERIES: Readonly<Record<string, string>> = {
  all: '',
  'status queued, few': 'status=queued',
  'status sending, few': 'status=sending',
  'status complained, few': 'status=complained',
  'status bounced, many': 'status=bounced',
  'status delivered, many': 'status=delivered',
  'from, few': `from=${RARE.from}`,
  'from, many': `from=${COMMON.from}`,
  'to, few': `to=${RARE.to}`,
  'to, many': `to=${COMMON.to}`,
  'tag, few': `tag=${RARE.tag}`,
  'tag, many': `tag=${COMMON.tag}`,
  'tag many, status few': `tag=${COMMON.tag}&status=complained`,
  'tag many, status many': `tag=${COMMON.tag}&status=bounced`,
  'tag few, status many': `tag=${RARE.tag}&status=delivered`,
  'from many, to many': `from=${COMMON.from}&to=${COMMON.to}`,
  'from few, to many': `from=${RARE.from}&to=${COMMON.to}`,
  'all four, many': `from=${COMMON.from}&to=${COMMON.to}&tag=${COMMON.tag}&status=delivered`,
  'until, all': 'until=MIDDLE',
  'until, tag many': `until=MIDDLE&tag=${COMMON.tag}`,
  'until, status few': 'until=MIDDLE&status=complained',
  'since, to few': `since=MIDDLE&to=${RARE.to}`,
};
/** Pairs of filters that no email passes, so PostgreSQL has to check all emails that pass one of the filters. */
const NEVER_MEET: Readonly<Record<string, string>> = {
  'to of 1 %, from of most, without a match': `to=${COMMON.to}&from=${APART.from}`,
  'tag of 30 %, from of most, without a match': `tag=${COMMON.tag}&from=${APART.from}`,
};
const AT_MOST_50_MS: Goal = { on: 'value', sense: 'at most', limit: 50 };

/** A running version of the product whose database contains the archive. */
class ServerUnderTest {
  readonly product: Product;
  readonly token: string;
  readonly otherToken: string;
  readonly runs = new Runs();
  readonly slowest = { query: '', ms: 0 };

  private constructor(product: Product, token: string, otherToken: string) {
    this.product = product;
    this.token = token;
    this.otherToken = otherToken;
  }

  static async start(folder: string, root?: string): Promise<ServerUnderTest> {
    const product = await startProduct(join(folder, 'product'), { POSTHORN_ROLES: 'http' }, root);
    return new ServerUnderTest(product, await product.createKey(), '');
  }

  async withOthers(): Promise<ServerUnderTest> {
    return new ServerUnderTest(this.product, this.token, await this.product.createKey(OTHERS[0]));
  }

  target(path: string, token = this.token) {
    const headers = { authorization: `Bearer ${token}` };
    return {
      port: this.product.port,
      method: 'GET' as const,
      path,
      headers,
      body: null,
      expectStatus: '200',
    };
  }

  async get<Body>(path: string): Promise<Body> {
    const { headers, port } = this.target(path);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}`);
    return JSON.parse(await response.text()) as Body;
  }
}

export async function lists(context: Context): Promise<Row[]> {
  const { quick, folder, before, log } = context;
  const emails = quick ? 20_000 : 1_000_000;
  let server = await ServerUnderTest.start(folder, before ?? undefined);
  await fill(server.product, emails, log);
  server = await server.withOthers();
  const idsPath = join(folder, 'ids');
  writeFileSync(idsPath, (await someIds(server.product)).join('\n'));
  const middle = new Date(Date.now() - (emails / 2) * SECONDS_APART * 1_000).toISOString();

  let baseline: Runs | null = null;
  if (before !== null) {
    await measure(context, server, 'before', { middle, idsPath });
    baseline = server.runs;
    await server.product.stop();
    const from = performance.now();
    server = await (await ServerUnderTest.start(folder)).withOthers();
    log(`upgraded in ${((performance.now() - from) / 1_000).toFixed(1)} s`);
    await settleArchives(server.product);
  }
  await measure(context, server, 'now', { middle, idsPath });
  return rowsOf(server.runs, baseline, emails.toLocaleString('en-GB'));
}

async function fill(product: Product, emails: number, log: Context['log']): Promise<void> {
  const from = performance.now();
  log(`filling with ${emails.toLocaleString('en-GB')} emails`);
  await fillArchive(product, emails, { secondsApart: SECONDS_APART });
  for (const project of OTHERS) {
    await product.run('project', 'create', '--name', project);
    await fillArchive(product, emails / 50, { project, secondsApart: SECONDS_APART * 50 });
  }
  await settleArchives(product);
  log(`filled in ${Math.round((performance.now() - from) / 1_000)} s`);
}

/** The ids of emails from all over the archive. */
async function someIds(product: Product): Promise<string[]> {
  const rows = await product.query<{ id: string }>(
    `select id from emails where project_id = (select id from projects where name = 'default') and random() < 0.003`,
  );
  const { encodeId } = await import('../../src/model/ids.ts');
  const ids = rows.map(({ id }) => encodeId('em', id)).sort(() => Math.random() - 0.5);
  // The load generator needs a line per request, for up to the maximum number of requests.
  return Array.from({ length: 5_000 }, (_, at) => ids[at % ids.length] ?? '');
}

interface Inputs {
  /** The creation time of the email in the middle of the archive. */
  middle: string;
  idsPath: string;
}

async function measure(
  context: Context,
  server: ServerUnderTest,
  name: string,
  inputs: Inputs,
): Promise<void> {
  const { quick, log } = context;
  const load = quick ? { maxRequests: 20, durationMs: 2_000 } : { maxRequests: 300, durationMs: 3_000 };
  for (const round of rounds(context)) {
    for (const [title, query] of Object.entries({ ...QUERIES, ...NEVER_MEET })) {
      for (const [position, path] of await pagesOf(server, query, inputs)) {
        const report = await tryLoad(server.target(path), { ...load, connections: 1 });
        note(server, `${title}, ${position}`, report);
        log(`${name}, round ${round}: ${title}, ${position} page: ${show(report)}`);
        if (report.p50Ms > server.slowest.ms)
          Object.assign(server.slowest, { query: path, ms: report.p50Ms });
      }
    }
    const byId = { maxRequests: 5_000, durationMs: quick ? 1_000 : 5_000, linesPath: inputs.idsPath };
    const single = server.target(`/v1/emails/${'#'.repeat(ID_LENGTH)}`);
    const alone = await tryLoad(single, { ...byId, ratePerSecond: EMAILS_A_SECOND, connections: 16 });
    note(server, 'by id alone', alone);
    const [slow, beside, others] = await Promise.all([
      tryLoad(server.target(server.slowest.query), {
        ...byId,
        linesPath: null,
        connections: SLOW_CLIENTS,
        durationMs: byId.durationMs + 2_000,
      }),
      tryLoad(single, { ...byId, ratePerSecond: EMAILS_A_SECOND, connections: 32, warmupMs: 1_000 }),
      tryLoad(server.target(`/v1/emails?limit=${PAGE}`, server.otherToken), {
        ...byId,
        linesPath: null,
        ratePerSecond: LISTS_A_SECOND,
        connections: 32,
        warmupMs: 1_000,
      }),
    ]);
    note(server, 'by id beside', beside);
    note(server, 'others', others);
    log(
      `${name}, round ${round}: by id alone: ${show(alone)}; beside ${SLOW_CLIENTS} clients of ${server.slowest.query} (${show(slow)}): ${show(beside)}; lists of another project: ${show(others)}`,
    );
  }
}

/** The URLs of the first page, and of the page after the middle of the archive if there is one. */
async function pagesOf(
  server: ServerUnderTest,
  query: string,
  { middle }: Inputs,
): Promise<[string, string][]> {
  const filters = query === '' ? '' : `&${query.replace('MIDDLE', middle)}`;
  const first: [string, string] = ['first', `/v1/emails?limit=${PAGE}${filters}`];
  if (query.includes('MIDDLE') || Object.values(NEVER_MEET).includes(query)) return [first];
  const { next_cursor: cursor } = await server.get<{ next_cursor: string | null }>(
    `/v1/emails?limit=1&until=${middle}${filters}`,
  );
  return cursor === null ? [first] : [first, ['deep', `${first[1]}&cursor=${cursor}`]];
}

function note(
  server: ServerUnderTest,
  name: string,
  { p50Ms, p99Ms, unexpected, requests }: LoadReport,
): void {
  server.runs.add(`${name} p50`, p50Ms);
  server.runs.add(`${name} p99`, p99Ms);
  server.runs.add(
    `${name} refused`,
    (100 * Object.values(unexpected).reduce((sum, count) => sum + count, 0)) / requests,
  );
}

function show({ p50Ms, p99Ms, requests, unexpected }: LoadReport): string {
  const rejected = Object.keys(unexpected).length === 0 ? '' : `, rejected ${JSON.stringify(unexpected)}`;
  return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms of ${requests}${rejected}`;
}

function rowsOf(runs: Runs, baseline: Runs | null, emails: string): Row[] {
  const row = (measure: string, key: string, unit: string, goal?: Goal): Row => ({
    measure,
    unit,
    runs: runs.of(key),
    ...(baseline === null || baseline.of(key).length === 0
      ? {}
      : { baseline: { name: 'before:', runs: baseline.of(key) } }),
    ...(goal === undefined ? {} : { goal }),
  });
  const pages = Object.keys(QUERIES).flatMap((title) =>
    ['first', 'deep']
      .filter((position) => runs.of(`${title}, ${position} p99`).length > 0)
      .map((position) =>
        row(
          `list of ${emails}, ${title}, ${position}: p99`,
          `${title}, ${position} p99`,
          'ms',
          AT_MOST_50_MS,
        ),
      ),
  );
  const beside = `beside ${SLOW_CLIENTS} clients of the slowest list`;
  return [
    ...pages,
    ...Object.keys(NEVER_MEET).map((title) =>
      row(`list of ${emails}, ${title}: p99`, `${title}, first p99`, 'ms'),
    ),
    row('an email by its id: p99', 'by id alone p99', 'ms'),
    row(`an email by its id, ${beside}: p99`, 'by id beside p99', 'ms', {
      on: 'value',
      sense: 'below',
      limit: 20,
    }),
    row(`an email by its id, ${beside}: rejected`, 'by id beside refused', '%', {
      on: 'value',
      sense: 'at most',
      limit: 0,
    }),
    row(`a list of another project, ${beside}: p99`, 'others p99', 'ms'),
    row(`a list of another project, ${beside}: rejected`, 'others refused', '%', {
      on: 'value',
      sense: 'at most',
      limit: 0,
    }),
  ];
}
