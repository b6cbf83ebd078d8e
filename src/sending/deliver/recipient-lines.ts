/** Log lines about recipients, except the lines about attempts. */
import type { Logger } from 'pino';
import type { QueueStream } from '../../model/streams.ts';
import { encodeId } from '../../model/ids.ts';
import { attempts } from '../../observe/instruments.ts';
import { destinationLabel } from '../../observe/destination-label.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { RowKey } from '../../queue/fragments.ts';
import type { NewEvent } from '../events/record-events.ts';
import { destinationOf } from './destination-of.ts';

export type RecipientRow = RowKey & { address: string; stream?: QueueStream };

/** Identifies a recipient by the ids that users see. Only the domain of the address is logged. */
export function nameOf({ projectId, emailId, recipientIndex, address, stream }: RecipientRow) {
  return {
    projectId: encodeId('prj', projectId),
    emailId: encodeId(stream === 'mailbox' ? 'sub' : 'em', emailId),
    recipientIndex,
    destination: destinationOf(address),
  };
}

/** The time of the next attempt, if an event contains it. */
export function nextAttemptAtOf(events: readonly NewEvent[]): string | undefined {
  return events.find((event) => event.type === 'deferred')?.detail.next_attempt_at;
}

/** Logs that a recipient was not attempted because its destination is unavailable. */
export function logWaiting(logger: Logger, recipient: RecipientRow, events: readonly NewEvent[]): void {
  logger.info({ ...nameOf(recipient), nextAttemptAt: nextAttemptAtOf(events) }, LOG_MESSAGES.waiting);
}

export function logUnsent(logger: Logger, recipient: RecipientRow, reason: keyof typeof UNSENT): void {
  logger.info(nameOf(recipient), UNSENT[reason]);
}

const UNSENT = {
  suppressed: LOG_MESSAGES.suppressed,
  domain_not_verified: LOG_MESSAGES.notVerified,
  locked: LOG_MESSAGES.notSentLocked,
  link_ended: LOG_MESSAGES.notSentLinkEnded,
};

/**
 * `expired`: the retry period of three days is over. `internal`: the message failed in our own code or crashed workers too often, and an
 * operator should investigate.
 */
export function logAbandoned(logger: Logger, recipient: RecipientRow, reason: 'expired' | 'internal'): void {
  const line = { ...nameOf(recipient), reason };
  if (reason === 'internal') logger.warn(line, LOG_MESSAGES.recipientAbandoned);
  else logger.info(line, LOG_MESSAGES.recipientAbandoned);
}

/**
 * Logged before the retry, because the row was in flight at earlier crashes. If this worker crashes too, its last log line names the row.
 */
export function logRetriedAlone(logger: Logger, recipient: RecipientRow & { crashes: number }): void {
  logger.warn({ ...nameOf(recipient), crashes: recipient.crashes }, LOG_MESSAGES.triedAlone);
}

/** Logs and counts an attempt that failed in our own code. */
export function observeCrash(
  logger: Logger,
  recipient: RecipientRow & { attempts: number; crashes: number },
  error: unknown,
): void {
  const name = nameOf(recipient);
  attempts.inc({ destination: destinationLabel(name.destination), outcome: 'crashed' });
  const { attempts: earlier, crashes } = recipient;
  logger.error(
    { ...name, attempt: earlier + 1, crashes: crashes + 1, err: error },
    LOG_MESSAGES.attemptFailed,
  );
}
