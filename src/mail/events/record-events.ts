/**
 * The only writer of status. A change of an email is made in three steps inside the caller's transaction: lock its
 * row, work out the status as a pure function, write the status and the timeline together.
 */
import { sql } from 'kysely';
import { int2Array, textArray, uuidArray } from '../../db/arrays.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import {
  advance,
  EMAIL_STAGES,
  type EmailLevelStage,
  isEmailLevel,
  type Progress,
  rankOf,
  statusOf,
  type TimelineType,
} from '../../model/email-status.ts';
import { newUuid } from '../../model/ids.ts';

export interface EmailKey {
  projectId: string;
  emailId: string;
}

export interface NewEvent {
  type: TimelineType;
  /** Index of the recipient that a recipient-level event concerns. */
  n: number | null;
  /** That recipient's address. */
  recipient: string | null;
  detail: Record<string, unknown> | null;
}

export interface EmailEvents extends EmailKey {
  events: readonly NewEvent[];
}

interface LockedEmail extends EmailKey {
  reached: number;
  stages: number[];
}

/**
 * Appends events and moves the status. Emails that do not exist are left out. An event of the whole email
 * (`queued`, `sending`, `sent`) that the email already had is dropped: those are once per email.
 */
export async function recordEvents(tx: DatabaseTransaction, changes: readonly EmailEvents[]): Promise<void> {
  const byEmail = new Map<string, { key: EmailKey; events: NewEvent[] }>();
  for (const change of changes) {
    const entry = byEmail.get(change.emailId);
    if (entry === undefined) byEmail.set(change.emailId, { key: change, events: [...change.events] });
    else entry.events.push(...change.events);
  }
  const moved: (LockedEmail & { status: number })[] = [];
  const rows: EventRow[] = [];
  for (const locked of await lockEmails(
    tx,
    [...byEmail.values()].map(({ key }) => key),
  )) {
    const before = toProgress(locked);
    const { progress, kept } = apply(before, byEmail.get(locked.emailId)?.events ?? []);
    for (const event of kept) rows.push({ ...locked, ...event });
    if (progress !== before) {
      moved.push({ ...locked, ...fromProgress(progress), status: rankOf(statusOf(progress)) });
    }
  }
  if (moved.length > 0) await writeStatus(tx, moved);
  if (rows.length > 0) await insertEvents(tx, rows);
}

function apply(before: Progress, events: readonly NewEvent[]): { progress: Progress; kept: NewEvent[] } {
  let progress = before;
  const kept: NewEvent[] = [];
  for (const event of events) {
    if (isEmailLevel(event.type) && rankOf(event.type) <= rankOf(progress.reached)) continue;
    progress = advance(progress, event.type, event.n);
    kept.push(event);
  }
  return { progress, kept };
}

function toProgress(locked: LockedEmail): Progress {
  return {
    reached: (EMAIL_STAGES[locked.reached] ?? 'queued') as EmailLevelStage,
    recipients: locked.stages.map((rank) => EMAIL_STAGES[rank] ?? 'queued'),
  };
}

function fromProgress(progress: Progress): { reached: number; stages: number[] } {
  return { reached: rankOf(progress.reached), stages: progress.recipients.map(rankOf) };
}

/** In the order of the key, so that two transactions never wait for each other in a circle. */
async function lockEmails(tx: DatabaseTransaction, keys: readonly EmailKey[]): Promise<LockedEmail[]> {
  const { rows } = await sql<LockedEmail>`
    select e.project_id, e.id as email_id, e.reached, e.stages
    from unnest(${uuidArray(keys.map((key) => key.projectId))}::uuid[], ${uuidArray(keys.map((key) => key.emailId))}::uuid[])
      as k (project_id, id)
    join emails e using (project_id, id)
    order by e.project_id, e.id
    for no key update of e`.execute(tx);
  return rows;
}

async function writeStatus(
  tx: DatabaseTransaction,
  moved: readonly (LockedEmail & { status: number })[],
): Promise<void> {
  await sql`
    update emails e set status = m.status, reached = m.reached, stages = m.stages::smallint[]
    from unnest(
      ${uuidArray(moved.map((email) => email.projectId))}::uuid[], ${uuidArray(moved.map((email) => email.emailId))}::uuid[],
      ${int2Array(moved.map((email) => email.status))}::smallint[], ${int2Array(moved.map((email) => email.reached))}::smallint[],
      ${textArray(moved.map((email) => `{${email.stages.join(',')}}`))}::text[]
    ) as m (project_id, id, status, reached, stages)
    where e.project_id = m.project_id and e.id = m.id`.execute(tx);
}

interface EventRow extends EmailKey {
  type: TimelineType;
  recipient: string | null;
  detail: Record<string, unknown> | null;
}

async function insertEvents(tx: DatabaseTransaction, rows: readonly EventRow[]): Promise<void> {
  await sql`
    insert into events (project_id, email_id, id, type, recipient, detail)
    select * from unnest(
      ${uuidArray(rows.map((row) => row.projectId))}::uuid[], ${uuidArray(rows.map((row) => row.emailId))}::uuid[],
      ${uuidArray(rows.map(() => newUuid()))}::uuid[], ${textArray(rows.map((row) => row.type))}::text[],
      ${textArray(rows.map((row) => row.recipient))}::text[],
      ${textArray(rows.map((row) => (row.detail === null ? null : JSON.stringify(row.detail))))}::text[]::json[]
    )`.execute(tx);
}

/** The `queued` events of new emails, in the statement's own transaction that inserts them. */
export async function recordQueued(tx: DatabaseTransaction, emails: readonly EmailKey[]): Promise<void> {
  await insertEvents(
    tx,
    emails.map(({ projectId, emailId }) => ({
      projectId,
      emailId,
      type: 'queued',
      recipient: null,
      detail: null,
    })),
  );
}
