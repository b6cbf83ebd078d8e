/** What a report means, in one transaction. */
import { sql } from 'kysely';
import { storedEvent } from '../../contract/events.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { sameAddress } from '../bounces/addresses.ts';
import type { Report, ReportedRecipient } from '../bounces/report.ts';
import { recordEvents } from '../../sending/events/record-events.ts';
import { type ReturnPathOf, WHOLE_EMAIL } from '../return-path.ts';
import { suppress } from '../../sending/suppress/suppressing.ts';
import type { ReportEffect } from './observe-report.ts';
import { consequenceOfReport, type RecipientOfReport } from './report-consequence.ts';

const MAX_TRIES = 3;

/**
 * @param subjects each once, in the same order in every transaction
 * @returns for each of them, in order, what was committed
 */
export function commitReport(
  database: Database,
  report: Report,
  subjects: readonly ReturnPathOf[],
): Promise<ReportEffect[]> {
  const commit = () => database.transaction().execute((tx) => recordReport(tx, report, subjects));
  return retryingConflicts(commit, MAX_TRIES);
}

async function recordReport(
  tx: DatabaseTransaction,
  report: Report,
  subjects: readonly ReturnPathOf[],
): Promise<ReportEffect[]> {
  const effects: ReportEffect[] = [];
  for (const subject of subjects) {
    const recipient = await lockRecipient(tx, report, subject);
    const consequence = recipient === null ? null : consequenceOfReport(report, recipient);
    const events = consequence?.events ?? [];
    effects.push({ subject, events });
    const { projectId, emailId } = subject;
    if (events.length > 0) await recordEvents(tx, [{ projectId, emailId, events }]);
    if (recipient !== null && consequence !== null && consequence.suppression !== null) {
      const { recipientIndex, address } = recipient;
      await suppress(tx, [
        {
          projectId,
          address,
          ...consequence.suppression,
          cause: { emailId, recipientIndex },
          expiresAt: null,
        },
      ]);
    }
  }
  return effects;
}

/** What is known of the recipient, with its email locked; null where there is none, or it cannot be told which. */
async function lockRecipient(
  tx: DatabaseTransaction,
  report: Report,
  { projectId, emailId, recipientIndex }: ReturnPathOf,
): Promise<RecipientOfReport | null> {
  const email = await sql<{ reached: number; stages: number[] }>`
    select reached, stages from emails where project_id = ${projectId} and id = ${emailId}
    for no key update`.execute(tx);
  const [progress] = email.rows;
  if (progress === undefined) return null;
  const recipients = await tx
    .selectFrom('recipients')
    .select(['recipientIndex', 'address'])
    .where('projectId', '=', projectId)
    .where('emailId', '=', emailId)
    .orderBy('recipientIndex')
    .execute();
  const recipient =
    recipientIndex === WHOLE_EMAIL
      ? whoIsNamed(report, recipients)
      : recipients.find((row) => row.recipientIndex === recipientIndex);
  if (recipient === undefined) return null;
  const deferrals = await sql<{ type: 'deferred'; detail: object }>`
    select type, detail from events
    where project_id = ${projectId} and email_id = ${emailId} and type = 'deferred'
      and recipient = ${recipient.address} and detail ->> 'source' = 'dsn'`.execute(tx);
  return {
    ...recipient,
    reached: progress.reached,
    stage: progress.stages[recipient.recipientIndex] ?? 0,
    deferrals: deferrals.rows.map((row) => storedEvent(row).detail),
  };
}

/** Of an email that is known as a whole: the one that the report names, or the only one. */
function whoIsNamed<Row extends { address: string }>(
  report: Report,
  recipients: readonly Row[],
): Row | undefined {
  const named = report.kind === 'other' ? [] : report.recipients.flatMap(addressOf);
  const found = recipients.filter((row) => named.some((address) => sameAddress(address, row.address)));
  if (found.length === 0 && recipients.length === 1) return recipients[0];
  return found.length === 1 ? found[0] : undefined;
}

function addressOf(recipient: string | ReportedRecipient): string[] {
  if (typeof recipient === 'string') return [recipient];
  return recipient.address === null ? [] : [recipient.address];
}
