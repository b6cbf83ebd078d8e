/** What a report means, in the caller's transaction. */
import { sql } from 'kysely';
import type { DatabaseTransaction } from '../../db/database.ts';
import { sameAddress } from '../bounces/addresses.ts';
import type { Report } from '../bounces/report.ts';
import { recordEvents } from '../events/record-events.ts';
import { type ReturnPathOf, WHOLE_EMAIL } from '../return-path.ts';
import { suppress } from '../suppress/suppressing.ts';
import { consequenceOfReport, type RecipientOfReport } from './report-consequence.ts';

/**
 * @param subjects each once, in the same order in every transaction
 * @returns how many events were written
 */
export async function recordReport(
  tx: DatabaseTransaction,
  report: Report,
  subjects: readonly ReturnPathOf[],
): Promise<number> {
  let events = 0;
  for (const subject of subjects) {
    const recipient = await lockRecipient(tx, report, subject);
    if (recipient === null) continue;
    const consequence = consequenceOfReport(report, recipient);
    const { projectId, emailId } = subject;
    if (consequence.events.length > 0)
      await recordEvents(tx, [{ projectId, emailId, events: consequence.events }]);
    if (consequence.suppression !== null) {
      const { n, address } = recipient;
      await suppress(tx, [
        { projectId, address, ...consequence.suppression, cause: { emailId, n }, expiresAt: null },
      ]);
    }
    events += consequence.events.length;
  }
  return events;
}

/** What is known of the recipient, with its email locked; null where there is none, or it cannot be told which. */
async function lockRecipient(
  tx: DatabaseTransaction,
  report: Report,
  { projectId, emailId, n }: ReturnPathOf,
): Promise<RecipientOfReport | null> {
  const email = await sql<{ reached: number; stages: number[] }>`
    select reached, stages from emails where project_id = ${projectId} and id = ${emailId}
    for no key update`.execute(tx);
  const [progress] = email.rows;
  if (progress === undefined) return null;
  const recipients = await tx
    .selectFrom('recipients')
    .select(['n', 'address'])
    .where('projectId', '=', projectId)
    .where('emailId', '=', emailId)
    .orderBy('n')
    .execute();
  const recipient =
    n === WHOLE_EMAIL ? whoComplained(report, recipients) : recipients.find((row) => row.n === n);
  if (recipient === undefined) return null;
  const deferrals = await sql<{ detail: Record<string, unknown> }>`
    select detail from events
    where project_id = ${projectId} and email_id = ${emailId} and type = 'deferred'
      and recipient = ${recipient.address} and detail ->> 'source' = 'dsn'`.execute(tx);
  return {
    ...recipient,
    reached: progress.reached,
    stage: progress.stages[recipient.n] ?? 0,
    deferrals: deferrals.rows.map((row) => row.detail),
  };
}

/** Of an email that is known as a whole: the one that the report names, or the only one. */
function whoComplained<Row extends { address: string }>(
  report: Report,
  recipients: readonly Row[],
): Row | undefined {
  const named = report.kind === 'complaint' ? report.recipients : [];
  const found = recipients.filter((row) => named.some((address) => sameAddress(address, row.address)));
  if (found.length === 0 && recipients.length === 1) return recipients[0];
  return found.length === 1 ? found[0] : undefined;
}
