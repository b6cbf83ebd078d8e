/**
 * Sends due messages: composes each message and passes it to submission. One transaction adds the message to the queue and the copy to
 * Sent, flags the original message and marks the draft's row as sent. If a process is killed, all of these changes are committed or none,
 * and another process sends the message if necessary. Each worker polls. A claim keeps two workers from sending the same message.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Blobs } from '../../blobs/blobs.ts';
import { rememberWritten } from '../../contacts/found-addresses.ts';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { MAX_DRAFT_RECIPIENTS } from '../../contract/mail/drafts.ts';
import { settleDraft } from '../../file-links/draft-links.ts';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { MailboxAddress } from '../../rfc/address/index.ts';
import type { SubmissionHandOver } from '../../sending/submit/accept-submissions.ts';
import type { Submitter } from '../../sending/submit/submitter.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import { FLAG } from '../../store/flags.ts';
import { lockForWriting } from '../../store/lock-for-writing.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import { composeDraft } from './compose-draft.ts';
import { type DraftContent, linkTokensOf, mailboxOf, recipientsOf } from './draft-content.ts';
import { DRAFT, type DraftRow, findDraft } from './draft-rows.ts';
import { bytesOf, type Drafts } from './drafts.ts';
import { notSentNotice } from './not-sent-notice.ts';
import { updating } from './outgoing.ts';
import { uploadsIn } from './pinned-uploads.ts';
import { type DraftSender, readSender } from './read-sender.ts';
import { TIMINGS } from './timings.ts';
import type { Uploads } from './uploads.ts';

export interface OutgoingSenderOptions {
  database: Database;
  store: Pick<Store, 'appendIn' | 'ensureFolders' | 'flagIn'>;
  blobs: Pick<Blobs, 'prepare'>;
  facts: Pick<FactsReader, 'read'>;
  uploads: Pick<Uploads, 'find' | 'read'>;
  drafts: Pick<Drafts, 'messageOf' | 'putBack'>;
  submitter: Pick<Submitter, 'submitWith'>;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** The maximum number of messages claimed per poll. Messages are composed one after the other, and each may have 40 MiB. */
const MAX_CLAIMED = 5;
/** After this many attempts the message becomes a draft again, and the owner is notified. */
const MAX_ATTEMPTS = 20;
const FORWARDED = '$Forwarded';

/** Condition on a row of `drafts`: the message is to be sent now, and no worker has claimed it. */
function isDue(): RawBuilder<unknown> {
  return sql`sends_at <= ${clock.now()} and sent_at is null and claimed_until < now()`;
}

/** Condition: a message is to be sent now. */
export function hasDueMessages(): RawBuilder<unknown> {
  return sql`exists (select from drafts where ${isDue()})`;
}

/** Adds the sender to Bcc if the identity asks for a copy of its messages and the message is not sent to the sender anyway. */
function withCopyToSelf(content: DraftContent, { from, bccSelf }: DraftSender): DraftContent {
  const recipients = recipientsOf(content);
  const isFull = recipients.length >= MAX_DRAFT_RECIPIENTS;
  if (
    !bccSelf ||
    isFull ||
    recipients.some(({ address }) => address.toLowerCase() === from.address.toLowerCase())
  )
    return content;
  return { ...content, bcc: [...content.bcc, { name: null, address: from.address }] };
}

export class OutgoingSender implements AsyncDisposable {
  readonly #options: OutgoingSenderOptions;
  #polling: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: OutgoingSenderOptions) {
    this.#options = options;
  }

  /** Starts a poll, unless one is running. Never throws. */
  tick(): void {
    if (this.#isStopped) return;
    this.#polling ??= this.#pollUntilDone()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#polling = null;
      });
  }

  async #pollUntilDone(): Promise<void> {
    while (!this.#isStopped && (await this.scan()) > 0);
  }

  /** Sends some due messages. @returns the number of claimed messages */
  async scan(): Promise<number> {
    const due = await this.#claim();
    for (const row of due) {
      if (this.#isStopped) break;
      try {
        await this.#send(row);
      } catch (error) {
        // After the claim has expired, the message is retried.
        this.#failed(error);
      }
    }
    return due.length;
  }

  /**
   * Claims the first message of each project before the second message of any project, so that a project with many messages does not delay
   * other projects.
   */
  async #claim(): Promise<DraftRow[]> {
    const { rows } = await DRAFT.sql`
      update drafts d set claimed_until = now() + ${TIMINGS.claimMs} * interval '1 millisecond', attempts = attempts + 1
      from (
        select project_id, mailbox_id, id from drafts join (
          select project_id, mailbox_id, id, row_number() over (partition by project_id order by sends_at) as turn
          from drafts where ${isDue()}) waiting using (project_id, mailbox_id, id)
        where ${isDue()} order by turn, sends_at limit ${MAX_CLAIMED} for update of drafts skip locked
      ) due
      where d.project_id = due.project_id and d.mailbox_id = due.mailbox_id and d.id = due.id
      returning d.*`.execute(this.#options.database);
    return rows;
  }

  async #send(row: DraftRow): Promise<void> {
    const { database, store, submitter, logger } = this.#options;
    const mailbox: MailboxKey = { projectId: row.projectId, mailboxId: row.mailboxId };
    if (row.attempts > MAX_ATTEMPTS)
      return this.#returnToDrafts(
        mailbox,
        row,
        'Sending failed repeatedly because of an internal error. Send it again.',
      );
    const sender = await readSender(database, mailbox, row.content);
    if (sender === null)
      return this.#returnToDrafts(mailbox, row, 'The mailbox may no longer send from that address.');
    const content = withCopyToSelf(row.content, sender);
    const raw = await this.#compose(mailbox, { ...row, content }, sender);
    if (raw === null) return this.#returnToDrafts(mailbox, row, 'An attached file no longer exists.');
    await store.ensureFolders([mailbox]);
    const result = await submitter.submitWith(
      mailbox,
      {
        reversePath: sender.from.address,
        isUtf8: true,
        recipients: recipientsOf(content).flatMap((person) => {
          const parsed = mailboxOf(person);
          return 'error' in parsed
            ? []
            : [{ forwardPath: parsed.address, notify: null, originalRecipient: null }];
        }),
        envelopeId: null,
        returns: null,
        raw,
        isTls: true,
        isFromPage: true,
        keepsCopy: true,
      },
      this.#handOver(mailbox, row, { ...mailbox, mailboxId: sender.mailboxId }),
    );
    if (result === null) return;
    if (result.outcome === 'refused') return this.#returnToDrafts(mailbox, row, result.text);
    logger.info(
      {
        projectId: encodeId('prj', row.projectId),
        mailboxId: encodeId('mbx', row.mailboxId),
        submissionId: encodeId('sub', result.id),
        recipients: recipientsOf(row.content).length,
        octets: raw.length,
        isReplay: result.isReplay,
      },
      LOG_MESSAGES.submitted,
    );
  }

  /** @param sender the mailbox of the sender address, in which the original message of a reply is flagged too */
  #handOver(mailbox: MailboxKey, { id }: DraftRow, sender: MailboxKey): SubmissionHandOver {
    const { store } = this.#options;
    return {
      async hold(tx) {
        if (!(await lockForWriting(tx, mailbox))) return false;
        const row = await findDraft(tx, mailbox, { id });
        return row !== null && row.sendsAt !== null && row.sentAt === null;
      },
      async done(tx) {
        const row = await findDraft(tx, mailbox, { id });
        if (row === null) return () => {};
        const { content } = row;
        await updating(tx, row)
          .set({
            sentAt: clock.now(),
            uploads: [],
            // The row stays for a day to list the outcome, which does not need the content.
            content: JSON.stringify({ ...content, html: null, text: '', quotedHtml: null, attachments: [] }),
          })
          .execute();
        await settleDraft(tx, mailbox, id, linkTokensOf(content), content.subject);
        await rememberWritten(tx, mailbox, validRecipients(content));
        if (content.inReplyTo === null || content.mode === null) return () => {};
        const { inReplyTo } = content;
        const marks =
          content.mode === 'reply'
            ? { flags: FLAG.answered, keywords: [] }
            : { flags: 0, keywords: [FORWARDED] };
        const committed = [await store.flagIn(tx, mailbox, inReplyTo, marks)];
        if (sender.mailboxId !== mailbox.mailboxId)
          committed.push(await store.flagIn(tx, sender, inReplyTo, marks));
        return () => {
          for (const one of committed) one();
        };
      },
    };
  }

  async #compose(
    mailbox: MailboxKey,
    { id, content }: DraftRow,
    { from, mailboxId, signatureHtml, replyTo }: DraftSender,
  ): Promise<Buffer | null> {
    const found = await this.#options.uploads.find(mailbox, content.attachments);
    const uploads = found.filter((upload) => upload !== null);
    if (uploads.length < found.length) return null;
    // The images of the signature of a shared mailbox are uploads of that mailbox.
    const owner = { ...mailbox, mailboxId };
    const shown = content.withSignature && content.html !== null ? uploadsIn(signatureHtml ?? '') : [];
    const images = (await this.#options.uploads.find(owner, shown)).filter(
      (image) => image !== null && !content.attachments.includes(image.id),
    );
    const composed = composeDraft(content, {
      draftId: id,
      from,
      replyTo,
      signatureHtml,
      uploads: [...uploads, ...images.filter((image) => image !== null)],
      savedAt: null,
      piecesOf: (upload) => () =>
        this.#options.uploads.read(content.attachments.includes(upload.id) ? mailbox : owner, upload.id),
    });
    try {
      return await bytesOf(composed);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not-found') return null;
      throw error;
    }
  }

  /** Puts a rejected message back into Drafts and adds a notice with the reason to the Inbox. */
  async #returnToDrafts(mailbox: MailboxKey, before: DraftRow, problem: string): Promise<void> {
    const { database, store, drafts, facts } = this.#options;
    const message = await drafts.messageOf(mailbox, before);
    const notice = await notSentNotice(database, mailbox, before, problem);
    const notices = notice === null ? [] : [{ ...notice.message, facts: await facts.read(notice.bytes) }];
    const committed = await retryingConflicts(() =>
      database.transaction().execute(async (tx) => {
        if (!(await lockForWriting(tx, mailbox))) return [];
        const row = await findDraft(tx, mailbox, { id: before.id });
        if (row === null || row.sendsAt === null || row.sentAt !== null) return [];
        const put = await drafts.putBack(tx, mailbox, row, message);
        await updating(tx, row).set({ problem }).execute();
        const appended = await store.appendIn(tx, notices);
        return [put.committed, appended.committed];
      }),
    );
    for (const one of committed) one();
  }

  #failed(error: unknown): void {
    if (!this.#isStopped && !isDatabaseAway(error))
      this.#options.logger.error({ err: error }, LOG_MESSAGES.sendingDraftFailed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#polling;
  }
}

function validRecipients(content: DraftRow['content']): MailboxAddress[] {
  return recipientsOf(content).flatMap((person) => {
    const parsed = mailboxOf(person);
    return 'error' in parsed ? [] : [parsed];
  });
}
