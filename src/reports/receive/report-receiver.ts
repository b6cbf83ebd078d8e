/** Receives mail from outside that reports on mail sent from here. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { isDatabaseAway } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { reports } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { Report } from '../bounces/report.ts';
import type { ForwardReturnPath, MailboxReturnPath, ReturnPathOf, ReturnPaths } from '../return-path.ts';
import { findReference } from './find-reference.ts';
import { recordForwardReport } from './record-forward-report.ts';
import type { RecordOptions } from './record-report.ts';
import { TIMINGS } from './timings.ts';

/** A recipient for whom mail from outside is accepted. */
export type Addressee =
  /** A return path: the report is about one recipient of one email. */
  | ({ kind: 'return-path' } & ReturnPathOf)
  /** The return path of a message that a mailbox forwarded. */
  | ({ kind: 'forward' } & ForwardReturnPath)
  /** The address for feedback loops. Only the content of the report shows which email it is about. */
  | { kind: 'complaints' };

/** The result of reading a message that was sent to return paths of mailboxes. */
export interface ReturnedMail {
  /** Whether the message is a delivery report from a server. */
  isReport: boolean;
  /** Mailboxes that need not get the message: a notice tells their owners the same, or the owners declined such notices. */
  notified: ReadonlySet<string>;
}

export interface ReportReceiverOptions extends RecordOptions {
  returnPaths: ReturnPaths;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/**
 * The number of octets read from each message. This is enough, because the text of a report precedes the original message, and the header
 * of the original message precedes its body.
 */
const MAX_READ = 1_048_576;

export class ReportReceiver {
  readonly #options: ReportReceiverOptions;
  readonly #reading = new Semaphore(1);

  constructor(options: ReportReceiverOptions) {
    this.#options = options;
  }

  /** Returns null for an address that was not minted here, and for an expired return path. */
  readonly addresseeOf = (forwardPath: string): Addressee | null => {
    const { returnPaths } = this.#options;
    const verified = returnPaths.verify(forwardPath);
    if (verified !== null) return { kind: 'return-path', ...verified };
    const forward = returnPaths.verifyForward(forwardPath);
    if (forward !== null) return { kind: 'forward', ...forward };
    return returnPaths.isComplaintAddress(forwardPath) ? { kind: 'complaints' } : null;
  };

  /** The mailbox of a return path, even if the mailbox has since been deleted; null for any other address. */
  mailboxOf(forwardPath: string): MailboxReturnPath | null {
    return this.#options.returnPaths.verifyMailbox(forwardPath);
  }

  /**
   * Receives mail that was sent to return paths of mailboxes. Resolves after the effects are committed.
   * @param isBounce whether the mail has the null reverse-path, as reports from servers do
   */
  async receiveFor(
    mailboxes: readonly MailboxReturnPath[],
    data: Buffer,
    isBounce: boolean,
  ): Promise<ReturnedMail> {
    const report = await this.#reading.run(() => readHead(data));
    const notified = new Set<string>();
    for (const mailbox of mailboxes) {
      if (report.kind === 'complaint') {
        const { noteComplaint } = await import('./note-complaint.ts');
        await noteComplaint(this.#options.database, mailbox, report);
      } else if (isBounce && report.kind === 'dsn' && (await this.#isRecorded(mailbox, report))) {
        notified.add(mailbox.mailboxId);
      }
    }
    return { isReport: isBounce && (report.kind === 'dsn' || report.kind === 'rejected'), notified };
  }

  /**
   * Retries while the message is in flight: the recipient's server may report a failure before its acceptance of the message is recorded
   * here.
   */
  async #isRecorded(mailbox: MailboxReturnPath, report: Report): Promise<boolean> {
    const { database, logger, timings = TIMINGS } = this.#options;
    const { recordMailedReport } = await import('./record-mailed-report.ts');
    let outcome = await recordMailedReport(database, mailbox, report);
    for (let attempts = 1; outcome === 'tooSoon' && attempts < timings.maxAttempts; attempts++) {
      await setTimeout(timings.retryMs);
      outcome = await recordMailedReport(database, mailbox, report);
    }
    if (outcome !== 'recorded') return false;
    reports.inc({ kind: 'dsn' });
    const { projectId, mailboxId } = mailbox;
    const line = {
      projectId: encodeId('prj', projectId),
      mailboxId: encodeId('mbx', mailboxId),
      report: report.kind,
    };
    logger.info(line, LOG_MESSAGES.reported);
    return true;
  }

  /**
   * Resolves when the effects of the message are committed. A message that is not a report has no effects.
   * @throws if the commit failed. The sender then retries, so the same message may be received again
   */
  readonly receive = async (addressees: readonly Addressee[], data: Buffer): Promise<void> => {
    const { logger } = this.#options;
    try {
      const { report, subjects } = await this.#reading.run(() => this.#read(addressees, data));
      const { recordReport } = await import('./record-report.ts');
      await recordReport(this.#options, report, subjects);
      const forwards = addressees.filter((one) => one.kind === 'forward');
      if (forwards.length > 0) await recordForwardReport(this.#options.database, report, forwards);
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.reportFailed);
      throw error;
    }
  };

  async #read(
    addressees: readonly Addressee[],
    data: Buffer,
  ): Promise<{ report: Report; subjects: ReturnPathOf[] }> {
    const report = await readHead(data);
    const subjects: ReturnPathOf[] = addressees.filter((one) => one.kind === 'return-path');
    if (report.kind === 'complaint' && addressees.some(({ kind }) => kind === 'complaints')) {
      const reference = findReference(report, data.subarray(0, MAX_READ), this.#options.returnPaths);
      if (reference !== null) subjects.push(reference);
    }
    return { report, subjects: distinct(subjects) };
  }
}

/**
 * Attack: a hostile message takes 0.1 s to read, and each connection may send one. So let the event loop run between messages: API requests
 * would otherwise be blocked.
 */
async function readHead(data: Buffer): Promise<Report> {
  // The module is loaded for the first report, so that a process without reports stays small.
  const { readReport } = await import('../bounces/read-report.ts');
  await setImmediate();
  return readReport(data.subarray(0, MAX_READ));
}

/** Removes duplicates, and sorts by key to prevent deadlocks between transactions. */
function distinct(subjects: readonly ReturnPathOf[]): ReturnPathOf[] {
  const byKey = new Map(
    subjects.map(({ projectId, emailId, recipientIndex }) => [
      `${projectId} ${emailId} ${recipientIndex}`,
      { projectId, emailId, recipientIndex },
    ]),
  );
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, subject]) => subject);
}
