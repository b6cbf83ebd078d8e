/** The queue by destination. Whose mail it is, and to whom it goes, nobody is told. */
import { type RawBuilder, sql } from 'kysely';
import type { QueueDestination, QueueQuery, SystemQueue } from '../contract/dashboard/system.ts';
import type { Database } from '../db/database.ts';
import { timeOf } from '../model/ids.ts';
import { IS_LATER } from '../queue/fragments.ts';
import { readPause } from '../queue/pause.ts';

/** Rows of the queue that are looked at: about 0.3 s. */
const MAX_ROWS = 200_000;
const PAGE = 50;

/** An AttemptReply of sending/deliver, as it is stored: fit for everybody. */
interface StoredReply {
  replyCode: number | null;
  enhancedCode: string | null;
  text: string;
  remoteMta: string | null;
}

interface Row {
  domain: string;
  waiting: number;
  inFlight: number;
  oldest: string | null;
  heldAt: Date | null;
  failingSince: Date | null;
  failures: number;
  nextAttemptAt: Date | null;
  refusedSenders: number;
  reply: StoredReply | null;
}

const WANTED: Readonly<Record<NonNullable<QueueQuery['state']>, RawBuilder<unknown>>> = {
  closed: sql`failures > 0`,
  held: sql`held_at is not null`,
  refusing: sql`refused_senders > 0`,
};

/**
 * The queue in the parts `waiting`, for `with`: rows, but for those of emails that are to be sent later, and
 * `destinations_seen`: each destination that something waits for, or that is held.
 */
const SEEN = sql`
  waiting as materialized (
    select coalesce(split_part(destination, ' ', 1), lower(split_part(address, '@', -1))) as domain, email_id, in_flight
    from queue
    where not ${IS_LATER}
    limit ${sql.lit(MAX_ROWS + 1)}
  ), counted as (
    select domain, count(*)::int as waiting, count(*) filter (where in_flight)::int as in_flight, min(email_id::text) as oldest
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
      k.failing_since, coalesce(k.failures, 0) as failures, k.next_attempt_at, coalesce(k.refused_senders, 0) as refused_senders, k.reply
    from counted c full join held h using (domain) left join known k using (domain)
  )`;

export async function readQueue(
  database: Database,
  { q = '', state, page = 1 }: QueueQuery,
): Promise<SystemQueue> {
  const wanted = state === undefined ? sql`true` : WANTED[state];
  const { rows } = await sql<{
    waiting: number;
    inFlight: number;
    oldest: string | null;
    found: number;
    data: Row[];
  }>`
    with ${SEEN}, found as materialized (
      select * from destinations_seen where position(${q.trim().toLowerCase()}::text in domain) > 0 and ${wanted}
    ), shown as (
      select * from found order by waiting desc, domain limit ${PAGE} offset ${(page - 1) * PAGE}
    )
    select (select count(*)::int from waiting) as waiting,
      (select coalesce(sum(in_flight), 0)::int from counted) as in_flight,
      (select min(oldest) from counted) as oldest,
      (select count(*)::int from found) as found,
      (select coalesce(json_agg(json_build_object('domain', domain, 'waiting', waiting, 'inFlight', in_flight, 'oldest', oldest,
        'heldAt', held_at, 'failingSince', failing_since, 'failures', failures, 'nextAttemptAt', next_attempt_at,
        'refusedSenders', refused_senders, 'reply', reply) order by waiting desc, domain), '[]') from shown) as data`.execute(
    database,
  );
  const [read] = rows;
  if (read === undefined) throw new TypeError('a select of one row has one');
  const paused = await readPause(database);
  return {
    paused: paused && { since: paused.since.toISOString(), because: paused.because },
    waiting: Math.min(read.waiting, MAX_ROWS),
    is_longer: read.waiting > MAX_ROWS,
    in_flight: read.inFlight,
    oldest_at: read.oldest === null ? null : timeOf(read.oldest).toISOString(),
    destinations: read.found,
    page,
    pages: Math.max(1, Math.ceil(read.found / PAGE)),
    data: read.data.map(describe),
  };
}

function describe(row: Row): QueueDestination {
  const { domain, waiting, inFlight, oldest, heldAt, failures, reply } = row;
  return {
    domain,
    state: heldAt !== null ? 'held' : failures > 0 ? 'closed' : 'open',
    waiting,
    in_flight: inFlight,
    oldest_at: oldest === null ? null : timeOf(oldest).toISOString(),
    held_since: iso(heldAt),
    failing_since: iso(row.failingSince),
    failures,
    next_try_at: heldAt === null ? iso(row.nextAttemptAt) : null,
    refused_senders: row.refusedSenders,
    last_words: reply && {
      text: [reply.replyCode, reply.enhancedCode, reply.text].filter((part) => part !== null).join(' '),
      server: reply.remoteMta,
    },
  };
}

/** JSON has times as text. */
function iso(time: Date | string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
