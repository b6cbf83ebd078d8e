/** Lists the queue by destination, without senders and recipients. */
import { type RawBuilder, sql } from 'kysely';
import type { QueueDestination, QueueQuery, SystemQueue } from '../../contract/dashboard/system.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { timeOf } from '../../model/ids.ts';
import { IS_LATER } from '../../queue/fragments.ts';
import { readPause } from '../../queue/pause.ts';
import { IS_SANDBOX, IS_SET_ASIDE } from '../../queue/provider-kind.ts';
import { DOMAIN, IS_DEFERRED, MAX_SCANNED } from '../../queue/deferred.ts';
import { redactReply } from '../../sending/deliver/redact-reply.ts';

const PAGE = 50;

/** A stored `AttemptReply` from `src/sending/deliver`. The reply contains no private data. */
interface StoredReply {
  replyCode: number | null;
  enhancedCode: string | null;
  text: string;
  remoteMta: string | null;
}

/** A row of the query, as JSON. */
interface QueueListRow {
  domain: string;
  waiting: number;
  inFlight: number;
  oldest: string | null;
  heldAt: string | null;
  failingSince: string | null;
  failures: number;
  nextAttemptAt: string | null;
  refusedSenders: number;
  reply: StoredReply | null;
  putOff: number;
  putOffUntil: string | null;
  deferral: Deferral | null;
}

/** The reply that deferred a recipient, from the timeline of the email. Only the sender may see the unredacted reply. */
interface Deferral {
  senderDomain: string;
  response: string;
  remoteMta: string | null;
}

const READ = columnsOf({
  waiting: 'int4',
  inFlight: 'int4',
  oldest: 'text?',
  found: 'int4',
  others: 'int4',
  isSandbox: 'bool?',
  data: shaped<QueueListRow[]>('json'),
});

const QUEUE_STATES: Readonly<Record<NonNullable<QueueQuery['state']>, RawBuilder<unknown>>> = {
  closed: sql`failures > 0`,
  held: sql`held_at is not null`,
  refusing: sql`refused_senders > 0`,
};

/**
 * Common table expressions over the queue. `looked_at`: rows that do not belong to scheduled emails. `waiting`: rows of `looked_at`,
 * without rows that a worker has set aside because they were accepted for another kind of provider (sandbox or real) than its own.
 * `destinations_seen`: each destination that has waiting rows or is paused.
 */
const SEEN = sql`
  looked_at as materialized (
    select ${DOMAIN} as domain, project_id, email_id, recipient_index, in_flight, next_attempt_at, ${IS_DEFERRED} as is_put_off,
      is_sandbox <> ${IS_SANDBOX} as is_other, ${IS_SET_ASIDE} as is_set_aside
    from queue
    where not ${IS_LATER}
    limit ${sql.lit(MAX_SCANNED + 1)}
  ), waiting as (
    select * from looked_at where not is_set_aside
  ), counted as (
    select domain, count(*)::int as waiting, count(*) filter (where in_flight)::int as in_flight, min(email_id::text) as oldest,
      count(*) filter (where is_put_off)::int as put_off, min(next_attempt_at) filter (where is_put_off) as put_off_until,
      max(email_id::text || ' ' || project_id::text || ' ' || recipient_index::text) filter (where is_put_off) as newest_put_off
    from waiting group by domain
  ), known as (
    select domain, coalesce(max(failures) filter (where name = domain), 0)::int as failures,
      max(failing_since) filter (where name = domain) as failing_since,
      min(next_attempt_at) filter (where failures > 0) as next_attempt_at,
      count(*) filter (where name <> domain and failures > 0)::int as refused_senders,
      (array_agg(reply order by name = domain desc, next_attempt_at) filter (where failures > 0))[1] as reply
    from destinations group by domain
  ), held as (
    select domain, held_at from destination_holds where resumed_at is null
  ), destinations_seen as (
    select domain, coalesce(c.waiting, 0) as waiting, coalesce(c.in_flight, 0) as in_flight, c.oldest, h.held_at,
      k.failing_since, coalesce(k.failures, 0) as failures, k.next_attempt_at, coalesce(k.refused_senders, 0) as refused_senders, k.reply,
      coalesce(c.put_off, 0) as put_off, c.put_off_until, c.newest_put_off
    from counted c full join held h using (domain) left join known k using (domain)
  )`;

/**
 * For the newest recipient that the destination `s` has deferred: the last reply. The recipient may belong to an email from the API or to a
 * message from a mailbox.
 */
const DEFERRAL = sql`
  select json_build_object('senderDomain', said.sender_domain, 'response', said.detail ->> 'response', 'remoteMta', said.detail ->> 'remote_mta')
  from (
    select split_part(s.newest_put_off, ' ', 1)::uuid as email_id, split_part(s.newest_put_off, ' ', 2)::uuid as project_id,
      split_part(s.newest_put_off, ' ', 3)::smallint as recipient_index
  ) n, lateral (
    (select split_part(e.sender_address, '@', -1) as sender_domain, v.detail
      from email_recipients r join emails e on e.project_id = r.project_id and e.id = r.email_id
        join events v on v.project_id = r.project_id and v.email_id = r.email_id and v.recipient = r.address and v.type = 'deferred'
      where r.project_id = n.project_id and r.email_id = n.email_id and r.recipient_index = n.recipient_index
      order by v.id desc limit 1)
    union all
    (select u.from_domain, t.detail::json
      from submission_recipients t join submissions u on u.project_id = t.project_id and u.id = t.submission_id
      where t.project_id = n.project_id and t.submission_id = n.email_id and t.recipient_index = n.recipient_index)
  ) said
  where said.detail ->> 'response' is not null limit 1`;

export async function readQueue(
  database: Database,
  { q = '', state, page = 1 }: QueueQuery,
): Promise<SystemQueue> {
  const filter = state === undefined ? sql`true` : QUEUE_STATES[state];
  const { rows } = await READ.sql`
    with ${SEEN}, found as materialized (
      select * from destinations_seen where position(${q.trim().toLowerCase()}::text in domain) > 0 and ${filter}
    ), shown as (
      select s.*, case when reply is null and newest_put_off is not null then (${DEFERRAL}) end as deferral
      from (select * from found order by waiting desc, domain limit ${PAGE} offset ${(page - 1) * PAGE}) s
    )
    select (select count(*)::int from looked_at) as waiting,
      (select count(*)::int from looked_at where is_other) as others, ${IS_SANDBOX} as is_sandbox,
      (select coalesce(sum(in_flight), 0)::int from counted) as in_flight,
      (select min(email_id::text) from looked_at) as oldest,
      (select count(*)::int from found) as found,
      (select coalesce(json_agg(json_build_object('domain', domain, 'waiting', waiting, 'inFlight', in_flight, 'oldest', oldest,
        'heldAt', held_at, 'failingSince', failing_since, 'failures', failures, 'nextAttemptAt', next_attempt_at,
        'refusedSenders', refused_senders, 'reply', reply, 'putOff', put_off, 'putOffUntil', put_off_until,
        'deferral', deferral) order by waiting desc, domain), '[]') from shown) as data`.execute(database);
  const [read] = rows;
  if (read === undefined) throw new TypeError('the query of the queue returned no row');
  const paused = await readPause(database);
  return {
    paused: paused && { since: paused.since.toISOString(), because: paused.because },
    waiting: Math.min(read.waiting, MAX_SCANNED),
    is_longer: read.waiting > MAX_SCANNED,
    in_flight: read.inFlight,
    oldest_at: read.oldest === null ? null : timeOf(read.oldest).toISOString(),
    other_kind:
      read.others === 0 ? null : { kind: read.isSandbox === true ? 'real' : 'sandbox', waiting: read.others },
    destinations: read.found,
    page,
    pages: Math.max(1, Math.ceil(read.found / PAGE)),
    data: read.data.map(describe),
  };
}

function describe(row: QueueListRow): QueueDestination {
  const { domain, waiting, inFlight, oldest, heldAt, failures } = row;
  return {
    domain,
    state: heldAt !== null ? 'held' : failures > 0 ? 'closed' : 'open',
    waiting,
    in_flight: inFlight,
    oldest_at: oldest === null ? null : timeOf(oldest).toISOString(),
    held_since: iso(heldAt),
    failing_since: iso(row.failingSince),
    failures,
    next_try_at: heldAt === null ? nextTry(row) : null,
    refused_senders: row.refusedSenders,
    put_off: row.putOff,
    last_words: lastWords(row),
  };
}

/** The time of the next attempt. Deferred mail is not retried while its destination is closed. */
function nextTry({ failures, nextAttemptAt, putOffUntil }: QueueListRow): string | null {
  const ofDestination = iso(nextAttemptAt);
  const ofRecipients = iso(putOffUntil);
  if (failures > 0 || ofRecipients === null) return ofDestination;
  return ofDestination === null || ofRecipients < ofDestination ? ofRecipients : ofDestination;
}

function lastWords({ reply, deferral }: QueueListRow): QueueDestination['last_words'] {
  if (reply !== null) {
    const parts = [reply.replyCode, reply.enhancedCode, reply.text].filter((part) => part !== null);
    return { text: parts.join(' '), server: reply.remoteMta };
  }
  if (deferral === null) return null;
  const { senderDomain, response, remoteMta } = deferral;
  const lastReply = {
    replyCode: null,
    enhancedCode: null,
    text: response,
    remoteMta,
    tls: false,
    dialogue: null,
  };
  return { text: redactReply(lastReply, `bounces.${senderDomain}`).text, server: remoteMta };
}

/** @param time as PostgreSQL writes it in JSON */
function iso(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
