/**
 * Records opens and clicks of tracked messages, in the caller's transaction. The emails are locked before their timelines are read, so that
 * of two simultaneous requests only one counts as the first.
 */
import { type RawBuilder, sql } from 'kysely';
import type { EventDetail, EventFact } from '../../contract/events.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { rankOf, type TimelineType } from '../../model/email-status.ts';
import { ERASED } from '../../model/erased.ts';
import { ADDRESSED_ROW } from '../../queue/fragments.ts';
import { type EmailEvents, type NewEvent, recordEvents } from '../events/record-events.ts';
import type { TrackedRecipient } from './tracking-links.ts';

/** A request for the pixel or for a link of a message. */
export type TrackingHit = {
  of: TrackedRecipient;
  /** Null: the address is unknown. */
  ip: string | null;
  /** Printable ASCII. */
  userAgent: string | null;
  isMachine: boolean;
} & ({ kind: 'open' } | { kind: 'click'; url: string });

/**
 * `refused`: the recipient does not exist or was erased, or the email was not sent yet. `repeated`: the timeline already has enough events
 * of this kind.
 */
export type HitResult = 'recorded' | 'repeated' | 'refused';

/** The timeline event of a hit. */
export const EVENT_OF = { open: 'opened', click: 'clicked' } as const satisfies Record<
  TrackingHit['kind'],
  TimelineType
>;

/** The maximum number of clicks recorded per recipient. Stops this attack: a script follows a link endlessly. */
const MAX_CLICKS = 100;

const IS_MACHINE: keyof EventDetail<'opened'> = 'is_machine';

const SEEN = columnsOf({ ...ADDRESSED_ROW.kinds, opens: 'int4', opensByPersons: 'int4', clicks: 'int4' });
/** The numbers of opens and clicks of a recipient on the timeline. */
type Seen = RowOf<typeof SEEN>;
const SENT = columnsOf({ projectId: 'uuid', emailId: 'uuid' });

/** Records the hits. @returns one result per hit, in order */
export async function recordHits(
  tx: DatabaseTransaction,
  hits: readonly TrackingHit[],
): Promise<HitResult[]> {
  const sent = await lockSent(tx, hits);
  const recipients = await readSeen(
    tx,
    hits.filter(({ of }) => sent.has(emailKey(of))),
  );
  const changes: EmailEvents[] = [];
  const results = hits.map((hit) => {
    const seen = recipients.get(recipientKey(hit.of));
    if (seen === undefined) return 'refused';
    if (!isNew(seen, hit)) return 'repeated';
    count(seen, hit);
    const { projectId, emailId } = hit.of;
    changes.push({ projectId, emailId, events: [eventOf(hit, seen.address)] });
    return 'recorded';
  });
  if (changes.length > 0) await recordEvents(tx, changes);
  return results;
}

/** Locks the emails of the hits. @returns the keys of the emails whose sending has begun */
async function lockSent(tx: DatabaseTransaction, hits: readonly TrackingHit[]): Promise<Set<string>> {
  const { rows } = await SENT.sql`
    select project_id, id as email_id
    from emails e join ${emailsOf(hits)} using (project_id, id)
    where e.reached >= ${sql.lit(rankOf('sending'))}
    -- Ordered, so that two transactions never deadlock.
    order by project_id, id
    for no key update of e`.execute(tx);
  return new Set(rows.map(emailKey));
}

/** Recipients from links, as the table `w`. */
export const RECIPIENTS = rowsOf<TrackedRecipient>('w', {
  project_id: ['uuid', (of) => of.projectId],
  email_id: ['uuid', (of) => of.emailId],
  recipient_index: ['int2', (of) => of.recipientIndex],
});

async function readSeen(tx: DatabaseTransaction, hits: readonly TrackingHit[]): Promise<Map<string, Seen>> {
  if (hits.length === 0) return new Map();
  const recipients = [...new Map(hits.map(({ of }) => [recipientKey(of), of])).values()];
  const { rows } = await SEEN.sql`
    -- Materialized, because PostgreSQL might otherwise count all emails again for each recipient.
    with seen as materialized (
      select h.project_id, h.id as email_id, v.*
      from ${emailsOf(hits)} cross join lateral (
        select recipient, count(*) filter (where type = 'opened')::int as opens,
               count(*) filter (where type = 'opened' and detail ->> ${sql.lit(IS_MACHINE)} = 'false')::int as opens_by_persons,
               count(*) filter (where type = 'clicked')::int as clicks
        from events where project_id = h.project_id and email_id = h.id and type in ('opened', 'clicked')
        group by recipient
      ) v
    )
    select r.project_id, r.email_id, r.recipient_index, r.address, coalesce(s.opens, 0) as opens,
           coalesce(s.opens_by_persons, 0) as opens_by_persons, coalesce(s.clicks, 0) as clicks
    from ${RECIPIENTS.from(recipients)}
    join email_recipients r using (project_id, email_id, recipient_index)
    left join seen s on s.project_id = r.project_id and s.email_id = r.email_id and s.recipient = r.address
    where r.address <> ${ERASED}`.execute(tx);
  return new Map(rows.map((row) => [recipientKey(row), row]));
}

const EMAILS = rowsOf<TrackedRecipient>('h', {
  project_id: ['uuid', (of) => of.projectId],
  id: ['uuid', (of) => of.emailId],
});

/** The emails of the hits without duplicates, as the table `h` with project_id and id. */
function emailsOf(hits: readonly TrackingHit[]): RawBuilder<unknown> {
  const emails = [...new Map(hits.map(({ of }) => [emailKey(of), of])).values()];
  return EMAILS.from(emails);
}

function isNew(seen: Seen, hit: TrackingHit): boolean {
  if (hit.kind === 'click') return seen.clicks < MAX_CLICKS;
  return seen.opens === 0 || (seen.opensByPersons === 0 && !hit.isMachine);
}

/** Counts a hit, so that later hits of the same batch take it into account. */
function count(seen: Seen, hit: TrackingHit): void {
  if (hit.kind === 'click') seen.clicks += 1;
  else seen.opens += 1;
  if (hit.kind === 'open' && !hit.isMachine) seen.opensByPersons += 1;
}

function eventOf(hit: TrackingHit, recipient: string): NewEvent {
  const visit = { ip: hit.ip, user_agent: hit.userAgent, is_machine: hit.isMachine };
  const fact: EventFact =
    hit.kind === 'click'
      ? { type: 'clicked', detail: { recipient, url: hit.url, ...visit } }
      : { type: 'opened', detail: { recipient, ...visit } };
  return { ...fact, recipientIndex: hit.of.recipientIndex, recipient };
}

function emailKey({ projectId, emailId }: Pick<TrackedRecipient, 'projectId' | 'emailId'>): string {
  return `${projectId} ${emailId}`;
}

export function recipientKey({ projectId, emailId, recipientIndex }: TrackedRecipient): string {
  return `${projectId} ${emailId} ${recipientIndex}`;
}
