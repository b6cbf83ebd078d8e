/** The vacation reply of a mailbox (docs/rules.md, Vacation). */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { changeFilters } from '../rules/change-filters.ts';

export const VACATION = columnsOf({
  /** The subject of the reply. Null if it is made from the subject of the message. */
  subject: 'text?',
  text: 'text',
  html: 'text?',
  startsAt: 'timestamptz?',
  endsAt: 'timestamptz?',
  /** Each sender gets at most one reply in this many days. */
  days: 'int2',
});

export type Vacation = RowOf<typeof VACATION>;

const MAX_SUBJECT = 200;
const MAX_TEXT_OCTETS = 16 * 1_024;
const MAX_HTML_OCTETS = 64 * 1_024;
const MAX_DAYS = 30;

/** Sets the vacation reply. Senders who got an earlier reply also get the new reply. @throws AppError validation-failed, not-found */
export async function setVacation(
  database: Database,
  mailbox: MailboxKey,
  vacation: Vacation,
): Promise<void> {
  await changeFilters(database, mailbox, { action: 'mailbox.set-vacation' }, (tx) =>
    storeVacation(tx, mailbox, vacation),
  );
}

/** Does the work of `setVacation` in a transaction of `changeFilters`. @throws AppError validation-failed */
export async function storeVacation(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  vacation: Vacation,
): Promise<void> {
  const faults = faultsOf(vacation);
  if (Object.keys(faults).length > 0) throw validationError(faults);
  const { subject, text, html, startsAt, endsAt, days } = vacation;
  await sql`
    insert into mailbox_vacations (project_id, mailbox_id, subject, text, html, starts_at, ends_at, days, set_at)
    values (${projectId}, ${mailboxId}, ${subject}, ${text}, ${html}, ${startsAt}, ${endsAt}, ${days}, ${clock.now()})
    on conflict (project_id, mailbox_id) do update set subject = excluded.subject, text = excluded.text, html = excluded.html,
      starts_at = excluded.starts_at, ends_at = excluded.ends_at, days = excluded.days, set_at = excluded.set_at`.execute(
    tx,
  );
  await sql`delete from vacation_answers where project_id = ${projectId} and mailbox_id = ${mailboxId}`.execute(
    tx,
  );
}

/**
 * @returns false if the vacation reply was off
 * @throws AppError not-found
 */
export async function endVacation(database: Database, mailbox: MailboxKey): Promise<boolean> {
  return changeFilters(database, mailbox, { action: 'mailbox.end-vacation' }, async (tx) => {
    const { numAffectedRows } = await sql`
      delete from mailbox_vacations
      where project_id = ${mailbox.projectId} and mailbox_id = ${mailbox.mailboxId}`.execute(tx);
    return (numAffectedRows ?? 0n) > 0n;
  });
}

/** @returns null if vacation replies are off */
export async function readVacation(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<Vacation | null> {
  const { rows } = await VACATION.sql`
    select subject, text, html, starts_at, ends_at, days from mailbox_vacations
    where project_id = ${projectId} and mailbox_id = ${mailboxId}`.execute(database);
  return rows[0] ?? null;
}

function faultsOf({ subject, text, html, startsAt, endsAt, days }: Vacation): Record<string, string> {
  const faults: Record<string, string> = {};
  const isText = (value: string | null) => value === null || (value.isWellFormed() && !value.includes('\0'));
  if (subject !== null && (subject.length > MAX_SUBJECT || /\p{Cc}/u.test(subject)))
    faults['subject'] = `must have at most ${MAX_SUBJECT} characters, on one line`;
  if (text.trim() === '' || Buffer.byteLength(text) > MAX_TEXT_OCTETS || !isText(text))
    faults['text'] = `must have 1 to ${MAX_TEXT_OCTETS} bytes`;
  if (html !== null && (Buffer.byteLength(html) > MAX_HTML_OCTETS || !isText(html)))
    faults['html'] = `must have at most ${MAX_HTML_OCTETS} bytes`;
  if (startsAt !== null && endsAt !== null && startsAt >= endsAt)
    faults['until'] = 'must be later than the start';
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) faults['days'] = `must be 1 to ${MAX_DAYS}`;
  return faults;
}
