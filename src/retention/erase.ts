/** Erases one email, or all data about one person (docs/operate/retention.md, Erasing). */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { eraseFromApiLog } from '../accounts/api-log/erase-rejected.ts';
import { recordChange } from '../accounts/audit.ts';
import { eraseFromContacts } from '../contacts/forget.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { ERASED } from '../model/erased.ts';
import { encodeId } from '../model/ids.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { noteChanges } from '../sending/events/changed-hours.ts';
import { deleteAnyEmails } from './delete-emails.ts';
import { deleting, lockRecipients } from './deleting.ts';
import { mentionsAddress, isSame } from './naming.ts';
import { redactEmail } from './redact-email.ts';
import { TIMINGS } from './timings.ts';

const EMAIL_KEY = columnsOf({ projectId: 'uuid', emailId: 'uuid' });

/** How many items of each kind were erased. */
export interface Erased {
  emailsDeleted: number;
  /** Emails with other recipients. The address and the content were removed from these emails. */
  emailsRedacted: number;
  recipientsCancelled: number;
  webhookDeliveriesDeleted: number;
  sandboxCopiesDeleted: number;
  peopleDeleted: number;
  suppressionsDeleted: number;
  suppressionsKept: number;
}

export const NOTHING: Erased = {
  emailsDeleted: 0,
  emailsRedacted: 0,
  recipientsCancelled: 0,
  webhookDeliveriesDeleted: 0,
  sandboxCopiesDeleted: 0,
  peopleDeleted: 0,
  suppressionsDeleted: 0,
  suppressionsKept: 0,
};

export function plus(one: Erased, other: Partial<Erased>): Erased {
  const sum = { ...one };
  for (const name of Object.keys(one) as (keyof Erased)[]) sum[name] += other[name] ?? 0;
  return sum;
}

type ErasingTimings = Pick<typeof TIMINGS, 'inFlightWaitMs' | 'inFlightRetryMs'>;

/** Deletes an email and cancels its pending recipients. @throws AppError not-found, unavailable */
export async function eraseEmail(
  database: Database,
  projectId: string,
  emailId: string,
  timings?: ErasingTimings,
): Promise<Erased> {
  const erased = await eraseFrom(database, projectId, emailId, null, timings);
  if (erased.emailsDeleted === 0)
    throw new AppError('not-found', 'There is no such email in this project. Check the id.');
  return erased;
}

/**
 * Erases an address, regardless of case.
 * @param projectId null to erase from all projects
 * @param suppressions whether to delete the address from suppression lists too, so that mail can be sent to the address again
 * @throws AppError validation-failed, unavailable
 */
export async function eraseAddress(
  database: Database,
  projectId: string | null,
  text: string,
  suppressions: boolean,
): Promise<Erased> {
  const address = addressIn(text);
  let erased = NOTHING;
  for (const email of await findEmails(database, projectId, address, {}))
    erased = plus(erased, await eraseFrom(database, email.projectId, email.emailId, address));
  return plus(erased, await eraseEntries(database, projectId, address, suppressions));
}

/** @throws AppError validation-failed */
export function addressIn(text: string): string {
  const mailbox = parseMailbox(text);
  if ('error' in mailbox) throw validationError({ address: mailbox.error });
  return mailbox.address;
}

/**
 * Finds the emails that were sent to the address, and those that may mention it. A match may be a part of a longer address, so `eraseFrom`
 * checks each email again while it is locked. All recipients are read, because no index finds an address regardless of case.
 */
export async function findEmails(
  database: Database,
  projectId: string | null,
  address: string,
  { after, upTo, most }: { after?: string; upTo?: string | null; most?: number },
): Promise<RowOf<typeof EMAIL_KEY>[]> {
  const inRange = sql`(${projectId}::uuid is null or project_id = ${projectId})
    ${after === undefined ? sql`` : sql`and email_id > ${after}`} ${upTo == null ? sql`` : sql`and email_id <= ${upTo}`}`;
  const { rows } = await EMAIL_KEY.sql`
    select project_id, email_id from email_recipients
    where lower(address) = lower(${address}) and ${inRange}
    union
    select project_id, email_id from email_contents
    where position(lower(${address}) in lower(coalesce(reply_to, '') || coalesce(headers::text, ''))) > 0
      and ${inRange}
    order by project_id, email_id ${most === undefined ? sql`` : sql`limit ${most}`}`.execute(database);
  return rows;
}

/**
 * Erases an address from an email, or the whole email.
 * @param address null to erase the whole email
 * @throws AppError unavailable if the email stays in flight
 */
export async function eraseFrom(
  database: Database,
  projectId: string,
  emailId: string,
  address: string | null,
  { inFlightWaitMs, inFlightRetryMs }: ErasingTimings = TIMINGS,
): Promise<Erased> {
  const untilMs = performance.now() + inFlightWaitMs;
  for (;;) {
    const erased = await retryingConflicts(() =>
      deleting(database, (tx) => eraseUnlessSent(tx, projectId, emailId, address)),
    );
    if (erased !== null) return plus(NOTHING, erased);
    if (performance.now() > untilMs)
      throw new AppError('unavailable', 'An email to that address is being sent. Try again in a moment.');
    await sleep(inFlightRetryMs);
  }
}

/** @returns null if the email is in flight to the address */
async function eraseUnlessSent(
  tx: DatabaseTransaction,
  projectId: string,
  emailId: string,
  address: string | null,
): Promise<Partial<Erased> | null> {
  const recipients = await lockRecipients(tx, projectId, [emailId]);
  noteChanges([{ projectId, emailId }]);
  const own = recipients.filter((recipient) => address === null || isSame(recipient.address, address));
  if (own.some(({ isInFlight }) => isInFlight)) return null;
  if (address !== null && (own.length === 0 || own.length < recipients.length)) {
    if (own.length === 0 && !(await mentionsAddress(tx, projectId, emailId, address))) return {};
    const recipientsCancelled = await redactEmail(tx, projectId, emailId, address, recipients);
    await record(tx, projectId, emailId, 'email.redact');
    return { emailsRedacted: 1, recipientsCancelled };
  }
  const { emailIds, deliveries, sandboxCopies } = await deleteAnyEmails(tx, projectId, [emailId]);
  if (emailIds.length > 0) await record(tx, projectId, emailId, 'email.erase');
  return {
    emailsDeleted: emailIds.length,
    recipientsCancelled: own.filter(({ hasWork }) => hasWork).length,
    webhookDeliveriesDeleted: deliveries,
    sandboxCopiesDeleted: sandboxCopies,
  };
}

/** Records the change in the audit log. The entry does not contain the address, because it must not remain anywhere. */
function record(
  tx: DatabaseTransaction,
  projectId: string,
  emailId: string,
  action: 'email.erase' | 'email.redact',
): Promise<void> {
  return recordChange(tx, { of: { projectId }, action, target: encodeId('em', emailId) });
}

/** Erases a person's data other than emails. Their mail in mailboxes stays until the owner deletes it. */
export async function eraseEntries(
  database: Database,
  projectId: string | null,
  address: string,
  suppressions: boolean,
): Promise<Partial<Erased>> {
  const ofProject = sql<boolean>`(${projectId}::uuid is null or project_id = ${projectId})`;
  // In its own transactions, because it reads the whole log.
  await eraseFromApiLog(database, projectId, address);
  return database.transaction().execute(async (tx) => {
    const people = await tx
      .deleteFrom('people')
      .where(sql<string>`lower(email)`, '=', address.toLowerCase())
      .where('mailboxId', 'is', null)
      .where(ofProject)
      .executeTakeFirst();
    const listed = await tx
      .selectFrom('suppressions')
      .select('addressKey')
      .where('addressKey', '=', sql<string>`lower(${address})`)
      .where(ofProject)
      .execute();
    if (suppressions)
      await tx
        .deleteFrom('suppressions')
        .where('addressKey', '=', sql<string>`lower(${address})`)
        .where(ofProject)
        .execute();
    // A saved search of the page Emails may name the person.
    await tx
      .deleteFrom('emailViews')
      .where(sql<boolean>`position(lower(${address}) in lower(name || ' ' || q)) > 0`)
      .where(ofProject)
      .execute();
    await eraseFromRoutes(tx, ofProject, address);
    await eraseFromContacts(tx, projectId, address);
    await eraseFromSamples(tx, ofProject, address);
    await eraseFromLog(tx, ofProject, address);
    return {
      peopleDeleted: Number(people.numDeletedRows),
      suppressionsDeleted: suppressions ? listed.length : 0,
      suppressionsKept: suppressions ? 0 : listed.length,
    };
  });
}

/** Deletes the messages that a person sent to routes. Routes pass them to programs, which store them as their owners decide. */
async function eraseFromRoutes(
  tx: DatabaseTransaction,
  ofProject: RawBuilder<boolean>,
  address: string,
): Promise<void> {
  await sql`
    with gone as (
      delete from route_messages
      where ${ofProject} and (lower(reverse_path) = lower(${address}) or lower(${address}) = any (string_to_array(lower(author), ', ')))
      returning project_id, octets
    )
    insert into storage_changes (project_id, id, bytes)
    select project_id, gen_random_uuid(), -sum(octets) from gone group by project_id`.execute(tx);
}

/**
 * Deletes the sample data of templates and the values of last emails that contain an address: a user may have copied it from an email to the
 * person.
 */
async function eraseFromSamples(
  tx: DatabaseTransaction,
  ofProject: RawBuilder<boolean>,
  address: string,
): Promise<void> {
  const quoted = JSON.stringify(address).slice(1, -1).toLowerCase();
  const hasAddress = sql`position(${quoted}::text in lower(sample)) > 0 and ${ofProject}`;
  await sql`
    delete from template_uses where position(${quoted}::text in lower(variables)) > 0 and ${ofProject}`.execute(
    tx,
  );
  await sql`update templates set sample = null where ${hasAddress}`.execute(tx);
  await sql`update template_shared_drafts set sample = '{}' where ${hasAddress}`.execute(tx);
  // Drafts of earlier versions.
  await sql`update template_drafts set sample = '{}' where ${hasAddress}`.execute(tx);
}

/**
 * Erases an address from the audit log. An entry that contains the address also loses its values and its target name, because they may
 * contain the person's name. The author and the time of the change stay.
 */
async function eraseFromLog(
  tx: DatabaseTransaction,
  ofProject: RawBuilder<boolean>,
  address: string,
): Promise<void> {
  // The log may contain the address as it is, or escaped in a JSON string.
  const [plain, quoted] = [address, JSON.stringify(address).slice(1, -1)].map((text) => text.toLowerCase());
  await sql`
    update audit_log set before = null, after = null, target_name = ${ERASED},
      target = case when lower(target) = ${plain} then ${ERASED} else target end
    where ${ofProject} and (lower(target) = ${plain} or lower(target_name) = ${plain}
      or position(${quoted}::text in lower(before::text)) > 0 or position(${quoted}::text in lower(after::text)) > 0)`.execute(
    tx,
  );
}
