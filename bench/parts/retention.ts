/** Measures how long it takes to delete a million expired emails, and how the deletion affects sending. */
import { join } from 'node:path';
import { pino } from 'pino';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { openDatabase } from '../../src/db/database.ts';
import { GROWING } from '../../src/db/partition-changes.ts';
import { RetentionRole } from '../../src/retention/retention.ts';
import { type LoadReport, sendEmail, tryLoad } from '../support/load.ts';
import { madeEmails } from '../support/made-emails.ts';
import { type Context, Runs } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { Row } from '../support/table.ts';

/** How many emails there are, of which some have not expired yet. */
const EMAILS = 1_100_000;
const SECONDS_APART = 2;
/** How many emails one statement inserts. */
const SLICE = 100_000;
const SENDS_A_SECOND = 100;

export async function retention({ quick, folder, log }: Context): Promise<Row[]> {
  const emails = quick ? 200_000 : EMAILS;
  const durationMs = quick ? 2_000 : 10_000;
  const product = await startProduct(join(folder, 'product'), { POSTHORN_ROLES: 'http' });
  const token = await product.createKey();
  const from = performance.now();
  await boundBefore(product);
  for (let first = 1; first <= emails; first += SLICE) await product.query(slice(emails, first));
  await product.query('vacuum (analyze)');
  await product.query('checkpoint');
  log(`filled with ${emails} emails in ${((performance.now() - from) / 1_000).toFixed(0)} s`);

  const runs = new Runs();
  const send = () =>
    tryLoad(sendEmail(product.port, 2_048, token), {
      maxRequests: 100_000,
      durationMs,
      warmupMs: 1_000,
      ratePerSecond: SENDS_A_SECOND,
    });
  const note = (name: string, { p99Ms, maxMs, unexpected, requests }: LoadReport): void => {
    const rejected = Object.values(unexpected).reduce((sum, count) => sum + count, 0);
    runs.add(`${name} p99`, p99Ms);
    runs.add(`${name} max`, maxMs);
    runs.add(`${name} refused`, rejected);
    log(
      `${name}: p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(1)} ms, ${rejected} of ${requests} rejected`,
    );
  };
  note('alone', await send());
  const before = await countOf(product);
  const beside = send();
  const ms = await deleteOld(product, durationMs / 4);
  note('beside', await beside);
  const gone = before - (await countOf(product));
  log(`${gone} emails deleted in ${ms.toFixed(0)} ms`);
  runs.add('seconds', ms / 1_000);
  runs.add('gone', gone);

  const beside100 = `beside ${SENDS_A_SECOND} emails a second`;
  return [
    { measure: 'expired emails deleted', unit: '', runs: runs.of('gone') },
    {
      measure: `duration of the deletion, ${beside100}`,
      unit: 's',
      runs: runs.of('seconds'),
      goal: { on: 'value', sense: 'below', limit: 5 },
    },
    {
      measure: 'an email accepted during the deletion: p99',
      unit: 'ms',
      runs: runs.of('beside p99'),
      baseline: { name: 'without deletion:', runs: runs.of('alone p99') },
    },
    { measure: 'an email accepted during the deletion: maximum', unit: 'ms', runs: runs.of('beside max') },
    {
      measure: 'emails rejected during the deletion',
      unit: '',
      runs: runs.of('beside refused'),
      goal: { on: 'value', sense: 'at most', limit: 0 },
    },
  ];
}

/** Deletes expired emails as a worker does, while a load runs. */
async function deleteOld(product: Product, afterMs: number): Promise<number> {
  const database = openDatabase(product.databaseUrl, { poolSize: 1 });
  try {
    await using retention = new RetentionRole({
      database,
      keepDays: 1,
      objects: new ObjectFiles('/nowhere/blobs'),
      logger: pino({ enabled: false }),
    });
    await new Promise((resolve) => {
      setTimeout(resolve, afterMs);
    });
    const from = performance.now();
    await retention.scan();
    return performance.now() - from;
  } finally {
    await database.destroy();
  }
}

/** Counts the emails made by `slice`. Their ids contain `-7000-8000-`, where the ids of the load's emails have random bits. */
async function countOf(product: Product): Promise<number> {
  const [row] = await product.query<{ count: number }>(
    `select count(*)::int as count from emails where id::text like '%-7000-8000-%'`,
  );
  return row?.count ?? 0;
}

/** Splits the oldest partition two days before today, because a new installation has a single partition for all earlier days. */
async function boundBefore(product: Product): Promise<void> {
  for (const { table } of GROWING) {
    await product.query(`
      do $$ declare
        bound text := (select substring(pg_get_expr(relpartbound, oid) from 'TO \\(''(.*)''\\)') from pg_class where relname = '${table}_first');
        ms text := lpad(to_hex((extract(epoch from date_trunc('day', now(), 'UTC') - interval '2 days') * 1000)::bigint), 12, '0');
        early text := substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7000-8000-000000000000';
      begin
        execute 'alter table ${table} detach partition ${table}_first';
        execute 'create table ${table}_second (like ${table}_first including all)';
        execute format('alter table ${table} attach partition ${table}_first for values from (minvalue) to (%L)', early);
        execute format('alter table ${table} attach partition ${table}_second for values from (%L) to (%L)', early, bound);
      end $$`);
  }
}

/** SQL that inserts delivered emails of 2 kB with their contents, recipients and timelines. */
function slice(emails: number, first: number): string {
  return `
    with made as materialized (
      select * from (${madeEmails(emails, SECONDS_APART)}) e where n between ${first} and ${first + SLICE - 1}
    ), email as (
      insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, status, reached, stages)
      select project_id, id, at, 'a@src.test', 'a@src.test', array['b' || n || '@dst.test'], 'Your order', '{}', 3, 2, '{3}' from made
    ), content as (
      insert into email_contents (project_id, email_id, cc, bcc, html)
      select project_id, id, '{}', '{}', left(repeat(md5(n::text) || md5(n || 'a') || md5(n || 'b') || md5(n || 'c'), 16), 2048) from made
    ), recipient as (
      insert into email_recipients (project_id, email_id, recipient_index, address)
      select project_id, id, 0, 'b' || n || '@dst.test' from made
    )
    insert into events (project_id, email_id, id, type, recipient, detail)
    select project_id, id, (left(id::text, 18) || substr(gen_random_uuid()::text, 19))::uuid, type,
      case when type = 'delivered' then 'b' || n || '@dst.test' end,
      case when type = 'delivered' then '{"smtp_code":250,"response":"250 OK"}'::json end
    from made, unnest(array['queued', 'sending', 'sent', 'delivered']) type`;
}
