/** Mail from outside that reports on mail that was sent from here. */
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
  /** A return path: what comes is about one recipient of one email. */
  | ({ kind: 'return-path' } & ReturnPathOf)
  /** A return path of what a mailbox forwards. */
  | ({ kind: 'forward' } & ForwardReturnPath)
  /** The address that feedback loops write to: what comes must say itself which email it is about. */
  | { kind: 'complaints' };

/** What a message means that came back to mailboxes. */
export interface CameBack {
  /** A server says in it what became of another one. */
  isReport: boolean;
  /** Ids of mailboxes whose owners do not need it: a notice tells them the same, or they did not want to hear of it. */
  told: ReadonlySet<string>;
}

export interface ReportReceiverOptions extends RecordOptions {
  returnPaths: ReturnPaths;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/**
 * How much of a message is read: what a report says stands in front of the message that it gives back, and so does the header of that one.
 */
const MAX_READ = 1_048_576;

export class ReportReceiver {
  readonly #options: ReportReceiverOptions;
  readonly #reading = new Semaphore(1);

  constructor(options: ReportReceiverOptions) {
    this.#options = options;
  }

  /** Null for every address that did not come from here, and for return paths that are too old. */
  readonly addresseeOf = (forwardPath: string): Addressee | null => {
    const { returnPaths } = this.#options;
    const of = returnPaths.verify(forwardPath);
    if (of !== null) return { kind: 'return-path', ...of };
    const forward = returnPaths.verifyForward(forwardPath);
    if (forward !== null) return { kind: 'forward', ...forward };
    return returnPaths.isComplaintAddress(forwardPath) ? { kind: 'complaints' } : null;
  };

  /** The mailbox that sent what comes back to the address; null for every other address. It may be gone. */
  mailboxOf(forwardPath: string): MailboxReturnPath | null {
    return this.#options.returnPaths.verifyMailbox(forwardPath);
  }

  /**
   * For what came back to mailboxes. What it says of their mail is committed when it resolves.
   * @param isBounce it has the null reverse-path, as what servers write
   */
  async receiveFor(
    mailboxes: readonly MailboxReturnPath[],
    data: Buffer,
    isBounce: boolean,
  ): Promise<CameBack> {
    const report = await this.#reading.run(() => readHead(data));
    const told = new Set<string>();
    for (const mailbox of mailboxes) {
      if (report.kind === 'complaint') {
        const { noteComplaint } = await import('./note-complaint.ts');
        await noteComplaint(this.#options.database, mailbox, report);
      } else if (isBounce && report.kind === 'dsn' && (await this.#isRecorded(mailbox, report))) {
        told.add(mailbox.mailboxId);
      }
    }
    return { isReport: isBounce && (report.kind === 'dsn' || report.kind === 'rejected'), told };
  }

  /** A server may refuse what it has just taken before it is written here that it took it. */
  async #isRecorded(mailbox: MailboxReturnPath, report: Report): Promise<boolean> {
    const { database, logger, timings = TIMINGS } = this.#options;
    const { recordMailedReport } = await import('./record-mailed-report.ts');
    let outcome = await recordMailedReport(database, mailbox, report);
    for (let looks = 1; outcome === 'tooSoon' && looks < timings.looks; looks++) {
      await setTimeout(timings.lookAgainMs);
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
   * Resolves when what the message means is committed. A message that is no report changes nothing.
   * @throws when that failed: the same message may be received again
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
 * Attack: a hostile message takes 0.1 s to read, and each connection may bring one. Between two of them the event loop
 * goes on, with the requests of the API.
 */
async function readHead(data: Buffer): Promise<Report> {
  // Loaded with the first report: until then the process is smaller.
  const { readReport } = await import('../bounces/read-report.ts');
  await setImmediate();
  return readReport(data.subarray(0, MAX_READ));
}

/** In the order of the key, so that two transactions do not wait for each other in a circle. */
function distinct(subjects: readonly ReturnPathOf[]): ReturnPathOf[] {
  const byKey = new Map(
    subjects.map(({ projectId, emailId, recipientIndex }) => [
      `${projectId} ${emailId} ${recipientIndex}`,
      { projectId, emailId, recipientIndex },
    ]),
  );
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, subject]) => subject);
}
