/** Erases a person from a project in steps of limited duration, so that a page can show the progress. */
import type { ErasedStep, ErasePerson } from '../contract/dashboard/projects.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { decodeId, encodeId, NIL_UUID } from '../model/ids.ts';
import { validationError } from '../model/app-error.ts';
import { addressIn, eraseEntries, eraseFrom, findEmails, NOTHING, plus } from './erase.ts';

/**
 * How many recipients a step reads. It has to read all recipients of a project one after the other, because no index finds an address
 * regardless of case.
 */
const ROWS_PER_STEP = 20_000;
/** The maximum number of emails from which a step erases the address. */
const MOST = 200;

const EMAIL_ID = columnsOf({ emailId: 'uuid' });

/**
 * Erases the next step. The last step also erases all other data about the person.
 * @throws AppError validation-failed, unavailable
 */
export async function eraseInSteps(
  { database, reads }: { database: Database; reads: FairReads },
  projectId: string,
  { address: text, suppressions = false, after: begin }: ErasePerson,
): Promise<ErasedStep> {
  const address = addressIn(text);
  const after = begin === undefined ? NIL_UUID : decodeId('em', begin);
  if (after === null) throw validationError({ after: 'must be the `next` of an earlier response' });
  const { upTo, emails } = await reads.run(projectId, async (pool) => {
    const end = await endOfStep(pool, projectId, after);
    return {
      upTo: end,
      emails: await findEmails(pool, projectId, address, { after, upTo: end, most: MOST }),
    };
  });
  let erased = NOTHING;
  for (const { emailId } of emails)
    erased = plus(erased, await eraseFrom(database, projectId, emailId, address));
  const next = emails.length === MOST ? (emails.at(-1)?.emailId ?? null) : upTo;
  if (next === null) erased = plus(erased, await eraseEntries(database, projectId, address, suppressions));
  return {
    emails_deleted: erased.emailsDeleted,
    emails_redacted: erased.emailsRedacted,
    recipients_cancelled: erased.recipientsCancelled,
    people_deleted: erased.peopleDeleted,
    suppressions_deleted: erased.suppressionsDeleted,
    suppressions_kept: erased.suppressionsKept,
    next: next === null ? null : encodeId('em', next),
  };
}

/** Finds the last email that a step covers; null if the step covers all that remain. */
async function endOfStep(database: Database, projectId: string, after: string): Promise<string | null> {
  const { rows } = await EMAIL_ID.sql`
    select email_id from email_recipients where project_id = ${projectId} and email_id > ${after}
    order by email_id, recipient_index offset ${ROWS_PER_STEP} limit 1`.execute(database);
  return rows[0]?.emailId ?? null;
}
