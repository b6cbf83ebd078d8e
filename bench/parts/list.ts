/** Whether a page of the list takes the same time however many emails the project has. */
import { join } from 'node:path';
import { type LoadJob, runLoad } from '../support/load.ts';
import { madeEmails } from '../support/made-emails.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { Goal, Row } from '../support/table.ts';

const PAGE = 50;
const MAX_PAGE = 200;
const GOAL: Goal = { on: 'ratio', sense: 'at most', limit: 1.5 };

interface Archive {
  name: string;
  emails: number;
}

interface Opened extends Archive {
  product: Product;
  token: string;
  deepCursor: string;
}

interface Page {
  data: unknown[];
  next_cursor: string | null;
}

export async function list(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const sizes = quick ? [500, 2_000] : [10_000, 1_000_000];
  // A server for each, so that they take turns and the small one has small indexes.
  const archives: Opened[] = [];
  for (const emails of sizes) {
    const name = emails.toLocaleString('en-GB');
    const product = await startProduct(join(folder, `product-${emails}`), { POSTHORN_ROLES: 'http' });
    const token = await product.createKey();
    log(`${name} emails: filling`);
    await fill(product, emails);
    archives.push({ name, emails, product, token, deepCursor: await walk(product, token, emails / 2) });
  }

  const runs = new Runs();
  const load = quick ? { maxRequests: 50, warmupMs: 50 } : { maxRequests: 1_500, warmupMs: 1_000 };
  for (const round of rounds(context)) {
    for (const archive of archives) {
      for (const [place, query] of [
        ['first', ''],
        ['deep', `&cursor=${archive.deepCursor}`],
      ]) {
        const { p50Ms, p99Ms } = await runLoad(getPage(archive, query ?? ''), {
          ...load,
          connections: 1,
          durationMs: 15_000,
        });
        runs.add(`${place} p50 ${archive.emails}`, p50Ms);
        runs.add(`${place} p99 ${archive.emails}`, p99Ms);
        log(
          `round ${round}, ${archive.name} emails, ${place} page: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
        );
      }
    }
  }

  const [small, large] = archives;
  if (small === undefined || large === undefined) throw new Error('nothing to compare');
  return ['first', 'deep'].flatMap((place) =>
    ['p50', 'p99'].map(
      (quantile): Row => ({
        measure: `list, ${place} page of ${PAGE} of ${large.name}: ${quantile}`,
        unit: 'ms',
        runs: runs.of(`${place} ${quantile} ${large.emails}`),
        baseline: { name: `of ${small.name}:`, runs: runs.of(`${place} ${quantile} ${small.emails}`) },
        goal: GOAL,
      }),
    ),
  );
}

function getPage(
  { product, token }: Opened,
  query: string,
): Pick<LoadJob, 'port' | 'method' | 'path' | 'headers' | 'body' | 'expectStatus'> {
  return {
    port: product.port,
    method: 'GET',
    path: `/v1/emails?limit=${PAGE}${query}`,
    headers: { authorization: `Bearer ${token}` },
    body: null,
    expectStatus: '200',
  };
}

/** Turns pages until `depth` emails have gone by. Returns the cursor for what follows. */
async function walk(product: Product, token: string, depth: number): Promise<string> {
  let cursor = '';
  for (let seen = 0; seen < depth; ) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`http://127.0.0.1:${product.port}/v1/emails?limit=${MAX_PAGE}${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (response.status !== 200)
      throw new Error(`GET /v1/emails answered ${response.status}: ${await response.text()}`);
    const page: Page = JSON.parse(await response.text());
    if (page.next_cursor === null) throw new Error(`the list ends after ${seen + page.data.length} emails`);
    seen += page.data.length;
    cursor = page.next_cursor;
  }
  return encodeURIComponent(cursor);
}

/** Emails of the last weeks, sent and done. Recipients and events are left out: the list does not read them. */
async function fill(product: Product, emails: number): Promise<void> {
  await product.query(`
    with made as materialized (${madeEmails(emails, 2)}), email as (
      insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, status, reached, stages)
      select project_id, id, at, 'a@src.test', 'a@src.test', array['b' || n || '@dst.test'], 'Your order ' || n,
        array['bench'], 2, 2, array[0::smallint]
      from made
    )
    insert into email_contents (project_id, email_id, cc, bcc, html)
    select project_id, id, '{}', '{}', '<p>Order ' || n || ' shipped.</p>' from made`);
  for (const table of ['emails', 'email_contents']) await product.query(`vacuum (analyze) ${table}`);
}
