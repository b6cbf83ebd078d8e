/** Writes a year of chart data, like a worker after a million emails. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../src/db/tables.ts';
import { dayOf, writeMetrics as writeCounts } from '../../src/insights/counts/write-metrics.ts';
import { DAY_MS, HOUR_MS } from '../../src/model/day.ts';
import { rankOf } from '../../src/model/email-status.ts';
import { firstUuidAt } from '../../src/model/ids.ts';

/**
 * Writes the days of a year and the hours of the last eight days, for a project that sends about `perDay` emails a day. The tenth week
 * before today is empty.
 */
export async function writeMetrics(
  database: Kysely<Tables>,
  projectId: string,
  { perDay, tags = 12 }: { perDay: number; tags?: number },
): Promise<void> {
  await sql`
    insert into email_metrics
    select ${projectId}, span, dimension, begins_at, value = '*', case value when '*' then '' else value end,
           n, n, greatest(0, n - hard - soft - failed - waiting), hard, soft, complained, failed,
           floor(n * (0.3 + 0.1 * wave)), floor(n * 0.17), floor(n * 0.06),
           array(select floor(n * 0.97 * exp(-power((i - 8 - 3 * share - wave) / 2.6, 2)) / 4.6)::int from generate_series(0, 30) i)
    from (
      select *,
        ${rounded(sql`n * 0.004 * (1 + share)`)} as hard,
        ${rounded(sql`n * 0.006 * (1 + wave / 2)`)} as soft,
        ${rounded(sql`n * 0.001`)} as failed,
        ${rounded(sql`n * 0.0002 * (1 + share * 3 + wave)`)} as complained,
        -- Emails are in transit for at most two hours.
        case when span = 'day' or begins_at <= now() - interval '2 hours' then 0
             when begins_at <= now() - interval '1 hour' then ceil(n * 0.01)
             else ceil(n * 0.05) end as waiting
      from (
        select span, begins_at, wave, dimension, value, share, floor(perday * share * (0.7 + 0.3 * wave) * (case when extract(isodow from begins_at) > 5 then 0.45 else 1 end))::int as n
        from (
          select 'day' as span, t as begins_at, (1 + sin(extract(epoch from t) / 860000)) / 2 as wave, ${perDay}::float8 as perday
          from generate_series(date_trunc('day', now(), 'UTC') - interval '364 days', date_trunc('day', now(), 'UTC') - interval '1 day', interval '1 day') t
          where t not between now() - interval '70 days' and now() - interval '64 days'
          union all
          select 'hour', t, (1 + sin(extract(epoch from t) / 14000)) / 2, ${perDay}::float8 / 24
          from generate_series(date_trunc('hour', now()) - interval '8 days', date_trunc('hour', now()), interval '1 hour') t
        ) times
        cross join lateral (
          values ('all', '', 1.0), ('domain', 'mail.acme.example', 0.6), ('domain', 'news.acme.example', 0.3), ('domain', 'acme.example', 0.1),
                 ('stream', 'transactional', 0.65), ('stream', 'bulk', 0.35), ('provider', 'Gmail', 0.42), ('provider', 'Microsoft', 0.21), ('provider', 'Yahoo', 0.09),
                 ('provider', 'Apple', 0.07), ('provider', 'GMX and WEB.DE', 0.04), ('provider', '*', 0.17)
          union all
          select 'tag', 'tag-' || lpad(n::text, 2, '0'), 0.4 / (n + 1) from generate_series(1, ${tags}::int) n
          union all
          select 'tag', '', 0.2
          union all
          select 'tag', '*', 0.05
        ) parts (dimension, value, share)
      ) numbers
      window series as (partition by span, dimension, value order by begins_at)
    ) counts`.execute(database);
  await sql`
    insert into email_counts (project_id, hour, emails, recipients, delivered, opened, clicked, failed, bounced, complained, counted_at, next_at, metrics_at)
    select ${projectId}, date_trunc('hour', now()) - n * interval '1 hour', 0, 0, 0, 0, 0, 0, 0, 0, now(), 'infinity', now()
    from generate_series(0, 1) n
    on conflict do nothing`.execute(database);
  // Make the days agree with their hours, which some pages read instead.
  const today = dayOf(new Date()).getTime();
  for (let day = today - 7 * DAY_MS; day < today; day += DAY_MS)
    await database.transaction().execute((tx) => writeCounts(tx, projectId, new Date(day), null));
  await addEmails(database, projectId);
}

/** Adds so many emails before the current hour that pages count only the current hour themselves. */
async function addEmails(database: Kysely<Tables>, projectId: string): Promise<void> {
  const createdAt = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 1);
  const [prefix] = firstUuidAt(createdAt).split(/0{12}$/);
  await sql`
    insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, stages, status, reached)
    select ${projectId}, (${prefix} || lpad(to_hex(n), 12, '0'))::uuid, ${createdAt}, 'Acme <orders@acme.example>', 'orders@acme.example',
      array['customer' || n || '@example.com'], 'Your order ' || n || ' has shipped', array['order'], array[${rankOf('delivered')}::int2], ${rankOf('delivered')}::int2, ${rankOf('delivered')}::int2
    from generate_series(1, 5001) n
    on conflict do nothing`.execute(database);
  await sql`
    insert into email_recipients (project_id, email_id, recipient_index, address)
    select project_id, id, 0, to_list[1] from emails where project_id = ${projectId} and created_at = ${createdAt}
    on conflict do nothing`.execute(database);
}

/** Rounds an amount to whole emails so that the sum over time stays right: many small amounts add up to an email. */
function rounded(amount: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`floor(sum(${amount}) over series) - floor(sum(${amount}) over series - (${amount}))`;
}
