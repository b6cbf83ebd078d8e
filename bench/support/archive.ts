/** Creates a log of emails that were sent over months, with SQL, because creating it through the API would take an hour. */
import { EMAIL_STAGES, type EmailStage } from '../../src/model/email-status.ts';
import type { Product } from './product.ts';

/** How many emails one statement inserts. The progress is logged after each statement. */
const SLICE = 100_000;
const SECONDS_APART = 2;
/** One in this many emails has the values of `RARE`. These emails are spread evenly over the archive. */
const RARE_EVERY = 100_000;

/** Values that few emails have: 30 of 3,000,000. */
export const RARE = { from: 'rare@src.test', tag: 'vip', to: 'rare@dst.test' } as const;
/** Values that many emails have: 30% have the sender and the tag, and 1% have the recipient. */
export const COMMON = { from: 'orders@src.test', tag: 'order', to: 'monitor@dst.test' } as const;
/** Values that most other emails have. No email has values of both `APART` and `COMMON`. */
export const APART = { from: 'news@src.test', tag: 'newsletter' } as const;

/** How many of 10,000 emails have each outcome. All other emails are `delivered`. */
const SHARES: Partial<Record<EmailStage, number>> = {
  complained: 5,
  failed: 50,
  sent: 140,
  bounced: 200,
  clicked: 200,
  opened: 600,
};

/**
 * Gives a project emails from the last weeks, with contents, recipients, timelines and tags. The latest email was created just now. Some of
 * the latest emails are still `queued`. Unsent emails are in the queue, and due tomorrow.
 * @param secondsApart the time between two emails
 */
export async function fillArchive(
  product: Product,
  emails: number,
  { project = 'default', secondsApart = SECONDS_APART } = {},
): Promise<void> {
  // An earlier version of the product may lack these tables.
  const [{ tags, divided } = { tags: false, divided: false }] = await product.query<{
    tags: boolean;
    divided: boolean;
  }>(
    `select to_regclass('email_tags') is not null as tags, to_regclass('email_recipients') is not null as divided`,
  );
  const [{ now } = { now: '' }] = await product.query<{ now: string }>('select now()::text as now');
  for (let first = 1; first <= emails; first += SLICE) {
    const last = Math.min(emails, first + SLICE - 1);
    await product.query(slice({ project, emails, secondsApart, first, last, now, tags, divided }));
  }
}

/** Runs VACUUM, as autovacuum would. Call after all archives of a server are filled. */
export async function settleArchives(product: Product): Promise<void> {
  await product.query('vacuum (analyze)');
  // Run a checkpoint, because dirty pages would be written back during a measurement.
  await product.query('checkpoint');
}

interface Slice {
  project: string;
  emails: number;
  secondsApart: number;
  first: number;
  last: number;
  now: string;
  tags: boolean;
  divided: boolean;
}

/**
 * SQL that inserts a slice of the archive. `r` is a pseudo-random number below 10,000, the same in every run. Each id is a UUIDv7 with the
 * time of its email.
 */
function slice({ project, emails, secondsApart, first, last, now, tags, divided }: Slice): string {
  const rare = `n % ${RARE_EVERY} = ${RARE_EVERY / 2}`;
  const stage = (name: EmailStage) => EMAIL_STAGES.indexOf(name);
  let below = 0;
  const statuses = Object.entries(SHARES).map(([name, share]) => {
    below += share;
    return `when r < ${below} then ${stage(name as EmailStage)}`;
  });
  const uuid = (tail: string) =>
    `(substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7000-8000-' || lpad(to_hex(${tail}), 12, '0'))::uuid`;
  const insertTags = `, tagged as (
      insert into email_tags (project_id, tag, email_id) select project_id, tag, id from made, unnest(tags) tag
    )`;
  return `
    with made as materialized (
      select project_id, n, at, ms, ${uuid('n')} as id, kind || '@src.test' as sender, status,
        case when ${rare} then '${RARE.to}' when r % 100 = 7 then '${COMMON.to}'
          else 'b' || n % 200000 || '@dst.test' end as address,
        case kind when 'news' then array['${APART.tag}', 'campaign-' || n / 50000] when 'orders' then array['${COMMON.tag}']
          when 'rare' then array['${RARE.tag}'] else array['account'] end as tags
      from (select id as project_id from projects where name = '${project}') project,
        generate_series(${first}, ${last}) n,
        lateral (select timestamptz '${now}' - (${emails} - n) * interval '${secondsApart} seconds' as moment) m,
        lateral (select date_trunc('milliseconds', moment) as at) a,
        lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as ms) b,
        lateral (select n::bigint * 2654435761 % 1000003 % 10000 as r) c,
        lateral (select case when ${rare} then 'rare' when r % 10 < 6 then 'news' when r % 10 < 9 then 'orders'
          else 'reset' end as kind) d,
        lateral (select case when n > ${emails} - 500 then ${stage('queued')} when n % 300007 = 5 then ${stage('sending')}
          ${statuses.join(' ')} else ${stage('delivered')} end as status) e
    ), email as (
      insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, status, reached, stages)
      select project_id, id, at, 'Acme <' || sender || '>', sender, array[address], 'About number ' || n, tags, status,
        least(status, 2), array[case when status > 2 then status else 0 end::smallint]
      from made
    ), content as (
      insert into email_contents (project_id, email_id, cc, bcc, html)
      select project_id, id, '{}', '{}', '<p>This is number ' || n || '.</p>' from made
    ), recipient as (
      insert into ${divided ? 'email_recipients (project_id, email_id, recipient_index, address) select project_id, id, 0, address from made' : 'recipients (project_id, email_id, n, address, octets, attempts) select project_id, id, 0, address, 30, 1 from made'}
    ), queued as (
      insert into queue (project_id, email_id, recipient_index, address, octets, stream, next_attempt_at)
      select project_id, id, 0, address, 30, 'transactional', now() + interval '1 day' from made
      where status < ${stage('sent')} and ${divided}
    )${tags ? insertTags : ''}
    insert into events (project_id, email_id, id, type, recipient, detail)
    select project_id, made.id, ${uuid('n::bigint * 8 + step')}, type, case when step > 2 then address end,
      case when step = 2 then '{"provider_message_id":"<1@src.test>","smtp_code":250,"response":"250 OK"}'::json
        when step > 2 then json_build_object('recipient', address, 'smtp_code', 250, 'response', '250 OK', 'tls', true) end
    from made, unnest(array[${EMAIL_STAGES.map((name) => `'${name}'`).join(', ')}]) with ordinality as s (type, place),
      lateral (select place - 1 as step) p
    where step <= least(status, 2) or step = status`;
}
