/** Measures what tracking costs when sending, and how many opens and clicks are recorded per second. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/database.ts';
import { checkSecret } from '../../src/db/seal.ts';
import { TRACKING_KEY, TrackingLinks } from '../../src/sending/track/tracking-links.ts';
import { startFastify } from '../baselines/fastify.ts';
import { startEndToEnd } from '../support/end-to-end.ts';
import { type LoadJob, runLoad, sendEmail } from '../support/load.ts';
import { madeEmails } from '../support/made-emails.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import type { Product } from '../support/product.ts';
import type { Row } from '../support/table.ts';
import { cpuSeconds, formatUsage, microsEach, total, type Usage } from '../support/usage.ts';

const LINKS = 10;
const TARGET = 'https://shop.example.com/orders/12345?from=mail';
/** An HTML body of 2 kB with ten links. */
const HTML = `<body>${`<p>Your order has shipped: <a href="${TARGET}">where it is</a>. Thank you for shopping with us, and do come back.</p>${' '.repeat(40)}\n`.repeat(LINKS)}</body>`;
const PROJECT = 'tracked';

/** The kinds of events, with the request that causes each kind. */
const HITS = [
  {
    name: 'opens, each the first',
    event: 'opened',
    path: (token: string) => `/t/o/${token}`,
    expectStatus: '200',
  },
  { name: 'clicks', event: 'clicked', path: (token: string) => `/t/c/${token}`, expectStatus: '302' },
] as const;

export async function tracking(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const { product, send } = await startEndToEnd(folder);
  await product.run('project', 'create', '--name', PROJECT);
  await product.run('project', 'set', '--project', PROJECT, '--track-opens', 'on', '--track-clicks', 'on');
  const email = async (project: string) => {
    const target = sendEmail(product.port, 0, await product.createKey(project));
    return { ...target, body: JSON.stringify({ ...JSON.parse(target.body), html: HTML }) };
  };
  const targets = { plain: await email('default'), tracked: await email(PROJECT) };
  const count = quick ? 200 : 10_000;
  for (const target of Object.values(targets)) await send(quick ? 50 : 1_000, target);

  const runs = new Runs();
  const spent: Record<string, Usage> = {};
  for (const round of rounds(context)) {
    for (const [name, target] of Object.entries(targets)) {
      const before = cpuSeconds(product.processes());
      const { toSinkMs } = await send(count, target);
      const usage = microsEach(before, cpuSeconds(product.processes()), count);
      spent[name] = usage;
      runs.add(`${name} to sink`, (count * 1000) / toSinkMs);
      runs.add(`${name} cpu`, total(usage));
      log(
        `round ${round}, ${name}: at the sink ${Math.round((count * 1000) / toSinkMs)}/s, µs of CPU per message: ${formatUsage(usage)}`,
      );
    }
  }

  await measureHits(context, product, runs);
  return [
    {
      measure: `end to end 2 kB with ${LINKS} links, opens and clicks tracked`,
      unit: '/s',
      runs: runs.of('tracked to sink'),
      baseline: { name: 'not tracked', runs: runs.of('plain to sink') },
      goal: { on: 'ratio', sense: 'at least', limit: 0.9 },
    },
    {
      measure: 'CPU per tracked message',
      note: formatUsage(spent['tracked'] ?? {}),
      unit: 'µs',
      runs: runs.of('tracked cpu'),
      baseline: { name: 'not tracked', runs: runs.of('plain cpu') },
    },
    ...HITS.flatMap(({ name }): Row[] => [
      {
        measure: `${name}, events recorded`,
        unit: '/s',
        runs: runs.of(`${name} rate`),
        baseline: { name: 'plain Fastify, a pixel', runs: runs.of('echo rate') },
      },
      { measure: `${name}: p99 at half that rate`, unit: 'ms', runs: runs.of(`${name} p99`) },
    ]),
  ];
}

/** Measures opens and clicks of existing emails. Each recipient opens an email once. */
async function measureHits(context: Context, product: Product, runs: Runs): Promise<void> {
  const { quick, folder, log } = context;
  const tokens = await tokensOf(product, folder, quick ? 2_000 : 120_000);
  const echoPort = await startFastify('echo');
  const durationMs = quick ? 500 : 4_000;
  const requested = { opened: 0, clicked: 0 };
  for (const round of rounds(context)) {
    const echo = await runLoad(hit(echoPort, HITS[0], tokens.opened), { durationMs, maxRequests: 1_000_000 });
    runs.add('echo rate', echo.perSecond);
    for (const kind of HITS) {
      const lines = tokens[kind.event];
      // Each run uses other emails, so that each open is the first of its email.
      const share = Math.floor(lines.length / 2 / rounds(context).length);
      const run = async (at: number, rate: Partial<LoadJob>) => {
        const linesPath = join(folder, 'tokens');
        writeFileSync(linesPath, lines.slice(at, at + share).join('\n'));
        const job = { ...rate, linesPath, durationMs, maxRequests: share };
        const report = await runLoad(hit(product.port, kind, lines), job);
        requested[kind.event] += report.requests;
        return report;
      };
      const from = (round - 1) * 2 * share;
      const { perSecond } = await run(from, {});
      const { p50Ms, p99Ms, maxMs } = await run(from + share, { ratePerSecond: perSecond / 2 });
      runs.add(`${kind.name} rate`, perSecond);
      runs.add(`${kind.name} p99`, p99Ms);
      const latency = [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(' / ');
      log(
        `round ${round}, ${kind.name}: ${Math.round(perSecond)}/s, at half that p50 / p99 / max ${latency} ms`,
      );
    }
  }
  // Check that the events were recorded, because the results of requests that record nothing would be meaningless.
  const [written] = await product.query<{ opened: number; clicked: number }>(`
    select count(*) filter (where type = 'opened')::int as opened, count(*) filter (where type = 'clicked')::int as clicked
    from events`);
  log(`requested ${JSON.stringify(requested)}, recorded ${JSON.stringify(written)}`);
  if (written?.opened !== requested.opened || written.clicked !== requested.clicked)
    throw new Error('Events are missing');
}

function hit(port: number, { path, expectStatus }: (typeof HITS)[number], lines: readonly string[]) {
  return {
    port,
    method: 'GET' as const,
    path: path('#'.repeat(lines[0]?.length ?? 0)),
    headers: {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140 Safari/537.36',
    },
    body: null,
    expectStatus,
  };
}

/** Inserts emails in the state after sending. @returns the tokens of their links */
async function tokensOf(product: Product, folder: string, emails: number) {
  await product.query(`
    with made as materialized (${madeEmails(emails, 1)}), email as (
      insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, status, reached, stages)
      select project_id, id, at, 'a@src.test', 'a@src.test', array['b' || n || '@dst.test'], 'Order', '{}', 2, 2, array[0::smallint]
      from made
    )
    insert into email_recipients (project_id, email_id, recipient_index, address)
    select project_id, id, 0, 'b' || n || '@dst.test' from made`);
  for (const table of ['emails', 'email_recipients', 'events'])
    await product.query(`vacuum (analyze) ${table}`);
  const database = openDatabase(product.databaseUrl);
  const secret = readFileSync(join(folder, 'product', 'secret'), 'utf8').trim();
  const links = new TrackingLinks((await checkSecret(database, secret)).deriveKey(TRACKING_KEY));
  await database.destroy();
  const rows = await product.query<{ projectId: string; emailId: string }>(
    `select project_id as "projectId", id as "emailId" from emails where subject = 'Order' and tags = '{}' limit ${emails}`,
  );
  return {
    opened: rows.map((row) => links.pixel('', { ...row, recipientIndex: 0 }).slice('/t/o/'.length)),
    clicked: rows.map((row) =>
      (links.click('', { ...row, recipientIndex: 0 }, TARGET) ?? '').slice('/t/c/'.length),
    ),
  };
}
