/**
 * The only code that writes the status and the timeline of emails. Recording is part of a larger statement, so that the events are
 * committed or rolled back with the change that caused them. The statement locks the email's row, updates its progress, and appends the
 * events together with their deliveries to subscribed webhooks.
 *
 * The status follows the order of `model/email-status.ts`: the highest stage if it is above `delivered`, otherwise the lowest stage. The
 * status is computed from the locked row alone, so that two workers that finish two recipients at once cannot overwrite each other's result
 * with stale data. `record-events.test.ts` compares the status with the same rule as a pure function. `stored-status.ts` describes how the
 * column `status` differs from it before an email is sent.
 */
import { type RawBuilder, sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { type Cte, cte } from '../../db/cte.ts';
import type { EventFact } from '../../contract/events.ts';
import { storedDetail } from '../../contract/stored-event.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { isEmailLevel, rankOf, type TimelineType } from '../../model/email-status.ts';
import { newUuid } from '../../model/ids.ts';
import { markingOpens, noteChanges } from './changed-hours.ts';
import { storedStatus } from './stored-status.ts';
import { recordingDeliveries } from '../../webhooks/deliver/recording-deliveries.ts';

export interface EmailKey {
  projectId: string;
  emailId: string;
}

/** An event for the timeline, and the recipient that the event concerns. */
export type NewEvent<T extends TimelineType = TimelineType> = EventFact<T> & {
  /** The index of the recipient. Null if the event concerns the whole email. */
  recipientIndex: number | null;
  /** The recipient's address. */
  recipient: string | null;
  /** Whether the event is about an attempt at a server in transit, not at the recipient's own server. Absent: unknown, or it is not. */
  isRelayed?: true;
};

export interface EmailEvents extends EmailKey {
  events: readonly NewEvent[];
}

/** The changes of a batch to one email. */
interface Change extends EmailKey {
  /** The highest stage among the events that concern the whole email, or 0. */
  lift: number;
  /** For each recipient, the highest stage among its events, or 0. Trailing zeros are left out. */
  marks: number[];
  events: NewEvent[];
}

const DELIVERED = sql.lit(rankOf('delivered'));
/** A rank above every stage, so that an event of a recipient is appended whatever stage the email has reached. */
const ALWAYS = 32_767;
/** The recipient index of an event that concerns the whole email. */
const NO_RECIPIENT = -1;

const CHANGES = rowsOf<Change>('c', {
  project_id: ['uuid', (email) => email.projectId],
  id: ['uuid', (email) => email.emailId],
  lift: ['int2', (email) => email.lift],
  marks: ['int2[]', (email) => email.marks],
});

const EVENTS = rowsOf<EmailKey & NewEvent>('v', {
  project_id: ['uuid', (event) => event.projectId],
  email_id: ['uuid', (event) => event.emailId],
  id: ['uuid', () => newUuid()],
  type: ['text', (event) => event.type],
  recipient: ['text', (event) => event.recipient],
  detail: ['json', (event) => storedDetail(event.detail, event.isRelayed)],
  above: ['int2', ({ type }) => (isEmailLevel(type) ? rankOf(type) : ALWAYS)],
  recipient_index: ['int2', (event) => event.recipientIndex ?? NO_RECIPIENT],
});

/**
 * Common table expressions that append events and update the status. Emails that do not exist are ignored. `queued`, `sending` and `sent`
 * occur once per email, so repeated events of these types are dropped.
 * @param gate a CTE with project_id, email_id and recipient_index: only emails in the CTE are updated, and events of a recipient are
 * appended only for recipients in the CTE
 */
export function recordingEvents(changes: readonly EmailEvents[], gate: Cte | null): RawBuilder<unknown> {
  const emails = fold(changes);
  noteChanges(emails);
  const rows = emails.flatMap(({ projectId, emailId, events }) =>
    events.map((event) => ({ projectId, emailId, ...event })),
  );
  const gated =
    gate === null
      ? sql``
      : sql`where exists (select from ${gate.name} g where g.project_id = c.project_id and g.email_id = c.id)`;
  const ofGated =
    gate === null
      ? sql``
      : sql`and (v.recipient_index = ${sql.lit(NO_RECIPIENT)}
          or (v.project_id, v.email_id, v.recipient_index) in (select g.project_id, g.email_id, g.recipient_index from ${gate.name} g))`;
  const appended = cte(
    'appended',
    sql`
      insert into events (project_id, email_id, id, type, recipient, detail)
      select v.project_id, v.email_id, v.id, v.type, v.recipient, v.detail
      from ${EVENTS.from(rows)}
      join locked l on l.project_id = v.project_id and l.id = v.email_id
      where v.above > l.reached ${ofGated}
      returning project_id, email_id, id, type`,
  );
  return sql`
    locked as (
      select project_id, id, e.status, e.reached, e.stages, e.emits_events, c.lift, c.marks::smallint[] as marks
      from ${CHANGES.from(emails)}
      join emails e using (project_id, id)
      ${gated}
      -- Ordered, so that two transactions never deadlock.
      order by project_id, id
      for no key update of e
    ), moved as (
      update emails e
      set reached = greatest(l.reached, l.lift), stages = s.stages,
          status = ${storedStatus(sql`l.status`, sql`case when s.most > ${DELIVERED} then s.most else s.least end`)}
      from locked l cross join lateral (
        select array_agg(greatest(stage, mark) order by n) as stages,
               max(greatest(stage, mark, l.reached, l.lift)) as most, min(greatest(stage, mark, l.reached, l.lift)) as least
        from (select * from unnest(l.stages, l.marks) with ordinality as u (stage, mark, n) where stage is not null) u
      ) s
      where e.project_id = l.project_id and e.id = l.id and (l.lift > l.reached or s.stages <> l.stages)
    ), ${appended.sql}, ${recordingDeliveries(
      appended,
      emails.map((email) => email.projectId),
      EMITS_EVENTS,
    )}${markingOpens(rows.filter(isByPerson))}`;
}

/** As Metrics counts (`IS_PERSON` in `insights/counts/outcomes.ts`). */
function isByPerson({ type, detail }: NewEvent): boolean {
  return (type === 'opened' || type === 'clicked') && detail.is_machine !== true;
}

const EMITS_EVENTS = sql`not exists (select from locked l where l.project_id = e.project_id and l.id = e.email_id and not l.emits_events)`;

/** Appends events and updates the status, in the caller's transaction. */
export async function recordEvents(tx: DatabaseTransaction, changes: readonly EmailEvents[]): Promise<void> {
  await sql`with ${recordingEvents(changes, null)} select`.execute(tx);
}

/** Combines the changes of each email into one. An event that concerns the whole email occurs only once in the result. */
function fold(changes: readonly EmailEvents[]): Change[] {
  const byEmail = new Map<string, Change>();
  for (const { projectId, emailId, events } of changes) {
    let change = byEmail.get(emailId);
    if (change === undefined) {
      change = { projectId, emailId, lift: 0, marks: [], events: [] };
      byEmail.set(emailId, change);
    }
    for (const event of events) add(change, event);
  }
  return [...byEmail.values()];
}

function add(change: Change, event: NewEvent): void {
  const { type, recipientIndex } = event;
  if (isEmailLevel(type)) {
    if (change.events.some((earlier) => earlier.type === type)) return;
    change.lift = Math.max(change.lift, rankOf(type));
  } else if (type !== 'deferred' && recipientIndex !== null) {
    while (change.marks.length <= recipientIndex) change.marks.push(0);
    change.marks[recipientIndex] = Math.max(change.marks[recipientIndex] ?? 0, rankOf(type));
  }
  change.events.push(event);
}

const QUEUED = rowsOf<EmailKey>('q', {
  project_id: ['uuid', (email) => email.projectId],
  email_id: ['uuid', (email) => email.emailId],
  id: ['uuid', () => newUuid()],
});

/** The CTEs that write the `queued` events, and their webhook deliveries, for emails that the same statement inserts. */
export function recordingQueued(
  emails: readonly (EmailKey & { emitsEvents: boolean })[],
): RawBuilder<unknown> {
  const queued = cte(
    'queued',
    sql`
      insert into events (${QUEUED.names}, type) select ${QUEUED.values}, 'queued' from ${QUEUED.from(emails)}
      returning project_id, email_id, id, type`,
  );
  const projectIds = emails.map((email) => email.projectId);
  const silent = emails.filter(({ emitsEvents }) => !emitsEvents).map(({ emailId }) => emailId);
  const isAudible = sql`e.email_id <> all(${uuidArray(silent)}::uuid[])`;
  return sql`${queued.sql}, ${recordingDeliveries(queued, projectIds, isAudible)}`;
}
