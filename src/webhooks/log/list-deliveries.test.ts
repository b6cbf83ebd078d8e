import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { insertDelivery, newWebhook, type TestWebhook } from '../../../test/support/webhooks.ts';
import type { DeliveryPage, DeliveryQuery } from '../../contract/dashboard/webhooks.ts';
import { ensurePartitions } from '../../db/partitions.ts';
import { AppError } from '../../model/app-error.ts';
import { HOUR_MS } from '../../model/day.ts';
import { encodeId, firstUuidAt, newUuid, restartIds } from '../../model/ids.ts';
import type { DeliveryRow } from '../records.ts';
import { countDeliveries } from './count-deliveries.ts';
import { listDeliveries } from './list-deliveries.ts';

const db = await sealedDatabase();
after(() => db[Symbol.asyncDispose]());

const list = (webhook: TestWebhook, query: Partial<DeliveryQuery> = {}) =>
  listDeliveries((statement) => statement(db.database), webhook, { limit: 50, ...query });

/** Reads all pages of a list. */
async function walk(webhook: TestWebhook, query: Partial<DeliveryQuery>): Promise<DeliveryPage[]> {
  const pages: DeliveryPage[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: DeliveryPage = await list(webhook, cursor === undefined ? query : { ...query, cursor });
    pages.push(page);
    cursor = page.next_cursor;
  }
  return pages;
}

const add = async (webhook: TestWebhook, fields: Partial<DeliveryRow> = {}) =>
  encodeId('dlv', await insertDelivery(db.database, webhook, { attempts: 1, ...fields }));
const idsOf = (pages: readonly DeliveryPage[]) => pages.flatMap(({ data }) => data.map(({ id }) => id));

/** Inserts this many deliveries, each a second older than the previous one. */
async function addMany({ projectId, webhookId }: TestWebhook, count: number): Promise<void> {
  await sql`
    insert into deliveries (project_id, webhook_id, id, event_id, email_id, type, status, attempts)
    select ${projectId}, ${webhookId},
           (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n * 1000), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
           gen_random_uuid(), gen_random_uuid(), 'email.sent', 'delivered', 1
    from generate_series(1, ${count}::int) n`.execute(db.database);
}

test('all deliveries of a webhook, including pending deliveries, are listed once, newest first, on successive pages', async () => {
  const webhook = await newWebhook(db.database, db.sealer);
  const ids: string[] = [];
  for (const status of [
    'delivered',
    'pending',
    'failed',
    'pending',
    'delivered',
    'failed',
    'pending',
  ] as const)
    ids.push(await add(webhook, { status }));
  await add(await newWebhook(db.database, db.sealer, { projectId: webhook.projectId }));
  assert.deepEqual(idsOf(await walk(webhook, { limit: 2 })), ids.toReversed());
  const [page] = await walk(webhook, {});
  assert.deepEqual([page?.next_cursor, page?.looked_back_to, page?.leaves_out_pending], [null, null, false]);
});

const FILTERS: readonly [title: string, query: Partial<DeliveryQuery>, found: readonly string[]][] = [
  ['that failed', { status: 'failed' }, ['failed opened', 'failed sent']],
  ['that were delivered', { status: 'delivered' }, ['delivered sent']],
  ['that are pending', { status: 'pending' }, ['pending sent', 'pending opened']],
  ['of a type', { type: 'email.opened' }, ['failed opened', 'pending opened']],
  ['of a type that failed', { type: 'email.opened', status: 'failed' }, ['failed opened']],
  ['of a type that are pending', { type: 'email.opened', status: 'pending' }, ['pending opened']],
];
test('deliveries can be filtered by status and type', async () => {
  const webhook = await newWebhook(db.database, db.sealer);
  const names = new Map<string, string>();
  for (const [status, type] of [
    ['pending', 'opened'],
    ['delivered', 'sent'],
    ['failed', 'sent'],
    ['failed', 'opened'],
    ['pending', 'sent'],
  ] as const) {
    // Newer pending deliveries are due earlier, so that the two orders differ.
    const nextAttemptAt = new Date(Date.now() + 60_000 - names.size * 1_000);
    names.set(await add(webhook, { status, type: `email.${type}`, nextAttemptAt }), `${status} ${type}`);
  }
  for (const [title, query, found] of FILTERS)
    for (const limit of [1, 50])
      assert.deepEqual(
        idsOf(await walk(webhook, { ...query, limit })).map((id) => names.get(id)),
        found,
        title,
      );
});

test('`since` is an inclusive bound and `until` is an exclusive bound', async () => {
  const webhook = await newWebhook(db.database, db.sealer);
  const startedMs = Date.now();
  const ids: string[] = [];
  for (const [order, status] of (['delivered', 'failed', 'pending'] as const).entries()) {
    const id = firstUuidAt(new Date(startedMs + order));
    ids.push(encodeId('dlv', await insertDelivery(db.database, webhook, { id, status })));
  }
  const [page] = await walk(webhook, {});
  const [newest, middle] = page?.data ?? [];
  assert.ok(newest !== undefined && middle !== undefined);
  assert.deepEqual(idsOf(await walk(webhook, { since: middle.created_at })), ids.slice(1).toReversed());
  assert.deepEqual(idsOf(await walk(webhook, { until: newest.created_at })), ids.slice(0, 2).toReversed());
});

test('a filter without matches in a long log returns a short page that says how far back it searched', async () => {
  const webhook = await newWebhook(db.database, db.sealer);
  await addMany(webhook, 45_000);
  const [first, ...others] = await walk(webhook, { type: 'email.complained' });
  assert.deepEqual(first?.data, []);
  const lookedBack = Date.parse(first?.looked_back_to ?? '');
  assert.ok(Math.abs(Date.now() - lookedBack - 40_000_000) < 60_000, first?.looked_back_to ?? 'nothing');
  assert.equal(others.length, 1);
});

test('failed deliveries are found in a long log without reading other deliveries', async () => {
  const webhook = await newWebhook(db.database, db.sealer);
  const failed = await add(webhook, { status: 'failed' });
  await addMany(webhook, 45_000);
  const pages = await walk(webhook, { status: 'failed' });
  assert.deepEqual(pages.length, 1);
  assert.deepEqual(idsOf(pages), [failed]);
});

test('each partition of the log, including future partitions, has the index of failed deliveries', async () => {
  await ensurePartitions(db.database, 7);
  const { rows } = await sql<{ part: string; isIndexed: boolean }>`
    select p.inhrelid::regclass::text as part, exists (
      select from pg_index x join pg_inherits i on i.inhrelid = x.indexrelid
      where x.indrelid = p.inhrelid and x.indisvalid and i.inhparent = 'deliveries_failed'::regclass
    ) as is_indexed
    from pg_inherits p where p.inhparent = 'deliveries'::regclass`.execute(db.database);
  assert.ok(rows.length > 2);
  assert.deepEqual(
    rows.filter(({ isIndexed }) => !isIndexed),
    [],
  );
});

test('more than 1,000 pending deliveries are omitted from the list of all deliveries, but listed with the status pending', async () => {
  const webhook = await newWebhook(db.database, db.sealer);
  await sql`
    insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, next_attempt_at)
    select ${webhook.projectId}, ${webhook.webhookId}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'email.sent',
           now() + n % 10 * interval '1 microsecond'
    from generate_series(1, 1001) n`.execute(db.database);
  const over = await add(webhook, { status: 'delivered' });
  const [page] = await walk(webhook, {});
  assert.deepEqual([page?.leaves_out_pending, page?.data.map(({ id }) => id)], [true, [over]]);
  const waiting = idsOf(await walk(webhook, { status: 'pending', limit: 100 }));
  assert.deepEqual([waiting.length, new Set(waiting).size], [1_001, 1_001]);
});

for (const cursor of [
  'x',
  '',
  ...[
    '2026-99-99 00:00:00+00',
    '2026-02-31 00:00:00+00',
    '0000-01-01 00:00:00+00',
    '2026-01-01 24:00:01+00',
    '2026-01-01 00:00:00+99',
  ].map((time) => Buffer.from(`${time} 00000000-0000-0000-0000-000000000000`).toString('base64url')),
])
  for (const status of ['pending', 'failed'] as const)
    test(`the cursor ${JSON.stringify(cursor)} is rejected in the list of status ${status}`, async () => {
      const webhook = await newWebhook(db.database, db.sealer);
      await assert.rejects(
        async () => list(webhook, { cursor, status }),
        (error) => error instanceof AppError && error.code === 'validation-failed',
      );
    });

const STATUSES = ['pending', 'delivered', 'failed'] as const;

test('the number of deliveries with a status since a time is the number of rows of its list', async () => {
  const made = fc.record({ status: fc.constantFrom(...STATUSES), hoursAgo: fc.nat(30) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(made, { maxLength: 12 }),
      fc.nat(30),
      fc.integer({ min: 1, max: 14 }),
      async (deliveries, hours, most) => {
        const webhook = await newWebhook(db.database, db.sealer);
        await add(await newWebhook(db.database, db.sealer, { projectId: webhook.projectId }));
        const nowMs = Date.now();
        for (const { status, hoursAgo } of deliveries) {
          restartIds();
          await add(webhook, { status, id: newUuid(nowMs - hoursAgo * HOUR_MS) });
        }
        restartIds();
        const since = new Date(nowMs - hours * HOUR_MS);
        const exact = await countDeliveries(db.database, webhook, since);
        const limited = await countDeliveries(db.database, webhook, since, most);
        for (const status of STATUSES) {
          const rows = idsOf(await walk(webhook, { status, since: since.toISOString(), limit: 5 })).length;
          assert.deepEqual(exact[status], { count: rows, has_more: false }, status);
          const { count, has_more } = limited[status];
          assert.ok(
            has_more ? count <= rows : count === rows,
            `${status}: ${count} of ${rows}, up to ${most}`,
          );
        }
      },
    ),
    { numRuns: 30 },
  );
});
