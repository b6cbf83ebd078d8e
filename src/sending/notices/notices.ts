/**
 * Notifies owners of mailboxes about the outcome of their mail (docs/mail-apps.md, Delivery reports): about recipients that failed or are
 * delayed for hours, and about recipients that got the mail if the sender requested it. Every worker process scans for outcomes. Each
 * recipient is reported once.
 */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Blobs } from '../../blobs/blobs.ts';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { encodeId, newUuid, NIL_UUID } from '../../model/ids.ts';
import * as clock from '../../model/clock.ts';
import { notices } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import { composeNotice, quotedOctets } from './compose-notice.ts';
import { fileNotices, type ComposedNotice, type NoticeAbout } from './file-notices.ts';
import { type DueSubmission, findDelayed, findEnded } from './find-notices.ts';

export interface NoticesOptions {
  database: Database;
  /** The storage for the bytes of sent messages. */
  blobs: Pick<Blobs, 'open'>;
  /** The host name of this installation. */
  hostname: string;
  logger: Logger;
}

/** The maximum number of notices per transaction. */
const MAX_NOTICES = 50;

export class Notices implements AsyncDisposable {
  readonly #options: NoticesOptions;
  readonly #facts = new FactsReader();
  /** The project that was served last. */
  #after = NIL_UUID;
  #scanning: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** Starts a pass unless a pass is running. Never throws. */
  tick(): void {
    if (this.#isStopped) return;
    this.#scanning ??= this.#scanAll()
      .catch((error: unknown) => {
        if (!this.#isStopped && !isDatabaseAway(error))
          this.#options.logger.error({ err: error }, LOG_MESSAGES.noticesFailed);
      })
      .finally(() => {
        this.#scanning = null;
      });
  }

  async #scanAll(): Promise<void> {
    while (!this.#isStopped && (await this.scan()) > 0) await setImmediate();
  }

  /** Stores some of the due notices. @returns the number of stored notices */
  async scan(): Promise<number> {
    const { database } = this.#options;
    let { due, next } = await findEnded(database, this.#after);
    if (due.length === 0 && this.#after !== NIL_UUID) ({ due, next } = await findEnded(database, NIL_UUID));
    this.#after = next;
    const failed = due.map((one) => ofOutcome(one, (outcome) => outcome === 'failed'));
    const succeeded = due.map((one) => ofOutcome(one, (outcome) => outcome !== 'failed'));
    const delayed = await findDelayed(database);
    return (
      (await this.#file('ended', 'failure', failed)) +
      (await this.#file('ended', 'success', succeeded)) +
      (await this.#file('waiting', 'delay', delayed))
    );
  }

  async #file(
    state: 'ended' | 'waiting',
    about: NoticeAbout,
    submissions: readonly DueSubmission[],
  ): Promise<number> {
    const due = submissions.filter(({ recipients }) => recipients.length > 0);
    let done = 0;
    for (let at = 0; at < due.length && !this.#isStopped; at += MAX_NOTICES) {
      const notices: ComposedNotice[] = [];
      for (const of of due.slice(at, at + MAX_NOTICES)) {
        notices.push({ about, of, message: await this.#make(of) });
        // Yield, because many projects share the event loop.
        await setImmediate();
      }
      const results = await fileNotices(this.#options.database, notices, state);
      for (const [index, notice] of notices.entries()) {
        const result = results[index] ?? null;
        if (result === null) continue;
        done++;
        this.#report(notice, result);
      }
    }
    return done;
  }

  async #make(of: DueSubmission): Promise<ComposedNotice['message']> {
    const { hostname } = this.#options;
    const { localPart, domain } = of;
    if (!of.isOwn || localPart === null || domain === null) return null;
    const original = await this.#read(of);
    const bytes = composeNotice({
      id: newUuid(),
      hostname,
      mailbox: { localPart, domain },
      submission: of,
      recipients: of.recipients,
      original,
      now: clock.now(),
    });
    return { bytes, facts: await this.#facts.read(bytes) };
  }

  /**
   * Reads the part of the message that the notice quotes. Empty if object storage fails: the notice is sent anyway, and other notices do
   * not wait.
   */
  async #read({ projectId, digest, octets }: DueSubmission): Promise<Buffer> {
    const { blobs, logger } = this.#options;
    const blob = await blobs.open(projectId, digest);
    try {
      return (await blob?.read({ start: 0, end: quotedOctets(octets) })) ?? Buffer.alloc(0);
    } catch (error) {
      logger.error({ err: error, projectId: encodeId('prj', projectId) }, LOG_MESSAGES.noticesFailed);
      return Buffer.alloc(0);
    }
  }

  #report({ about, of }: ComposedNotice, result: string): void {
    const line = {
      projectId: encodeId('prj', of.projectId),
      mailboxId: encodeId('mbx', of.mailboxId),
      // The same field name as in the log lines of delivery attempts.
      emailId: encodeId('sub', of.submissionId),
      about,
      recipients: of.recipients.length,
    };
    if (result === 'stored') {
      notices.inc({ about });
      this.#options.logger.info(line, LOG_MESSAGES.noticeFiled);
    } else if (of.isOwn) {
      this.#options.logger.warn(
        { ...line, why: of.localPart === null ? 'no-mailbox' : result },
        LOG_MESSAGES.noticeDropped,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#scanning;
    await this.#facts[Symbol.asyncDispose]();
  }
}

function ofOutcome(
  submission: DueSubmission,
  isIncluded: (outcome: DueSubmission['recipients'][number]['outcome']) => boolean,
): DueSubmission {
  return { ...submission, recipients: submission.recipients.filter(({ outcome }) => isIncluded(outcome)) };
}
