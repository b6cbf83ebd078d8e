/** Applies a report in one transaction, then logs and counts it for operators. */
import type { Logger } from 'pino';
import { storedEvent } from '../../contract/stored-event.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { ERASED } from '../../model/erased.ts';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { reports } from '../../observe/instruments.ts';
import { sameAddress } from '../bounces/addresses.ts';
import type { Report, ReportedRecipient } from '../bounces/report.ts';
import { countEvents, describeEvents } from '../../sending/events/observe-events.ts';
import { type NewEvent, recordEvents } from '../../sending/events/record-events.ts';
import { type ReturnPathOf, WHOLE_EMAIL } from '../return-path.ts';
import { suppress } from '../../sending/suppress/suppressing.ts';
import { consequenceOfReport, type RecipientOfReport } from './report-consequence.ts';

const MAX_TRIES = 3;

const PROGRESS = columnsOf({ reached: 'int2', stages: 'int2[]' });
const EARLIER = columnsOf({ type: shaped<'deferred' | 'bounced'>('text'), detail: shaped<object>('json') });

export interface RecordOptions {
  database: Database;
  logger: Logger;
  /** Called when events were written. */
  onEvents(): void;
}

/**
 * Resolves when the effects of the report are committed.
 * @param subjects the recipients or emails that the report is about: without duplicates, and in the same order in every transaction
 */
export async function recordReport(
  { database, logger, onEvents }: RecordOptions,
  report: Report,
  subjects: readonly ReturnPathOf[],
): Promise<void> {
  const commit = () => database.transaction().execute((tx) => commitReport(tx, report, subjects));
  const effects =
    report.kind === 'other'
      ? subjects.map((subject) => ({ subject, events: [] }))
      : await retryingConflicts(commit, MAX_TRIES);
  if (effects.some(({ events }) => events.length > 0)) onEvents();
  observeReport(logger, report, effects);
}

/** The changes that a report made for one recipient or email that it is about. `events` is empty if the report changed nothing. */
interface ReportEffect {
  subject: ReturnPathOf;
  events: readonly NewEvent[];
}

/** Logs and counts a report after its changes are committed: one log line per email, and metrics. */
export function observeReport(logger: Logger, report: Report, effects: readonly ReportEffect[]): void {
  reports.inc({ kind: report.kind === 'rejected' ? 'dsn' : report.kind });
  const said = { report: report.kind, why: report.kind === 'other' ? report.why : undefined };
  if (effects.length === 0) logger.info(said, LOG_MESSAGES.reported);
  for (const { subject, events } of effects) {
    const { projectId, emailId, recipientIndex } = subject;
    const line = {
      projectId: encodeId('prj', projectId),
      emailId: encodeId('em', emailId),
      recipientIndex: recipientIndex === WHOLE_EMAIL ? events[0]?.recipientIndex : recipientIndex,
      ...said,
      ...describeEvents(events),
    };
    logger.info(line, LOG_MESSAGES.reported);
    countEvents(events);
  }
}

async function commitReport(
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

/**
 * Locks the recipient's email and loads the state of the recipient. Null if the recipient does not exist, or if the report does not say
 * which recipient it is about.
 */
async function lockRecipient(
  tx: DatabaseTransaction,
  report: Report,
  { projectId, emailId, recipientIndex }: ReturnPathOf,
): Promise<RecipientOfReport | null> {
  const email = await PROGRESS.sql`
    select reached, stages from emails where project_id = ${projectId} and id = ${emailId}
    for no key update`.execute(tx);
  const [progress] = email.rows;
  if (progress === undefined) return null;
  const recipients = await tx
    .selectFrom('emailRecipients')
    .select(['recipientIndex', 'address'])
    .where('projectId', '=', projectId)
    .where('emailId', '=', emailId)
    .orderBy('recipientIndex')
    .execute();
  const recipient =
    recipientIndex === WHOLE_EMAIL
      ? namedRecipient(report, recipients)
      : recipients.find((row) => row.recipientIndex === recipientIndex);
  // A report must not bring back the address of a recipient who was erased.
  if (recipient === undefined || recipient.address === ERASED) return null;
  const earlier = await EARLIER.sql`
    select type, detail from events
    where project_id = ${projectId} and email_id = ${emailId} and recipient = ${recipient.address}
      and (type = 'bounced' or type = 'deferred' and detail ->> 'source' = 'dsn')`.execute(tx);
  const facts = earlier.rows.map(storedEvent);
  return {
    ...recipient,
    reached: progress.reached,
    stage: progress.stages[recipient.recipientIndex] ?? 0,
    deferrals: facts.flatMap((fact) => (fact.type === 'deferred' ? [fact.detail] : [])),
    wasSuppressed: facts.some((fact) => fact.type === 'bounced' && fact.detail.suppressed),
  };
}

/** The recipient for a report about a whole email: the recipient that the report names, or the only recipient of the email. */
function namedRecipient<Row extends { address: string }>(
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
