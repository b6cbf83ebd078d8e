/** The inbox of `posthorn dev`: the messages of one project that the sandbox has received, by SMTP or through the API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { BoundedMap } from '../concurrency/bounded-map.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { EMAIL_STAGES, type EmailStage } from '../model/email-status.ts';
import { AppError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { deleteAnyEmails } from '../retention/delete-emails.ts';
import { BATCH, deleting, lockRecipients } from '../retention/deleting.ts';
import { filterConditions, type MailFilter, searchConditions } from './mail-query.ts';
import type { MessageReader } from './message-reader.ts';
import type { CaughtMessage } from './read-message.ts';
import { TIMINGS } from './timings.ts';

const HEAD = columnsOf({
  emailId: 'uuid',
  createdAt: 'timestamptz',
  /** The author, or the sender of the envelope if the header names no author. */
  senderAddress: 'text',
  /** Recipients of the envelope that the header does not name. */
  undisclosed: 'text[]',
  tags: 'text[]',
  octets: 'int4',
});
const RAW = columnsOf({ message: 'bytea' });
const COUNT = columnsOf({ count: 'int4' });
const RECIPIENT = columnsOf({ address: 'text', stage: 'int2' });

export type MailHead = RowOf<typeof HEAD>;

/** A message without its bodies and files, for lists. */
export interface MailSummary
  extends MailHead,
    Pick<CaughtMessage, 'messageId' | 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'preview'> {
  attachments: number;
}

export interface OpenedMail extends MailHead, CaughtMessage {
  raw: Buffer;
}

export interface MailRecipient {
  address: string;
  status: EmailStage;
}

const MAX_SUMMARIES = 1_000;
const NOTHING = 'This inbox has no such email. It may have been deleted.';

export class DevInbox {
  readonly #database: Database;
  readonly #projectId: string;
  readonly #reader: Pick<MessageReader, 'read'>;
  /** What lists show of messages, which never change. */
  readonly #read = new BoundedMap<string, Omit<MailSummary, keyof MailHead>>(MAX_SUMMARIES);

  constructor(database: Database, projectId: string, reader: Pick<MessageReader, 'read'>) {
    this.#database = database;
    this.#projectId = projectId;
    this.#reader = reader;
  }

  /** The number of messages. @param query a search; empty for all messages */
  async count(query = ''): Promise<number> {
    const { rows } =
      await COUNT.sql`select count(*)::int4 as count from ${this.#all(searchConditions(query))}`.execute(
        this.#database,
      );
    return rows[0]?.count ?? 0;
  }

  /** Messages, newest first. @param query a search; empty for all messages */
  async list({
    query = '',
    start,
    limit,
  }: {
    query?: string;
    start: number;
    limit: number;
  }): Promise<MailSummary[]> {
    const heads = await this.#heads(searchConditions(query), sql`limit ${limit} offset ${start}`);
    const summaries: MailSummary[] = [];
    // One after the other, so that only one message is in memory.
    for (const head of heads) {
      const summary = await this.#summaryOf(head.emailId);
      if (summary !== null) summaries.push({ ...head, ...summary });
    }
    return summaries;
  }

  /** @param emailId a uuid, or `latest` @throws AppError not-found */
  async open(emailId: string): Promise<OpenedMail> {
    const which = emailId === 'latest' ? [] : [sql<boolean>`m.email_id = ${emailId}`];
    const [head] = await this.#heads(which, sql`limit 1`);
    const raw = head === undefined ? null : await this.#raw(head.emailId);
    if (head === undefined || raw === null) throw new AppError('not-found', NOTHING);
    return { ...head, ...(await this.#reader.read(raw)), raw };
  }

  /** The recipients of the envelope, with the stage that each has reached. */
  async recipients(emailId: string): Promise<MailRecipient[]> {
    const { rows } = await RECIPIENT.sql`
      select r.address, e.stages[r.recipient_index + 1] as stage from email_recipients r
      join emails e on e.project_id = r.project_id and e.id = r.email_id
      where r.project_id = ${this.#projectId} and r.email_id = ${emailId}
      order by r.recipient_index`.execute(this.#database);
    return rows.map(({ address, stage }) => ({ address, status: EMAIL_STAGES[stage] ?? 'queued' }));
  }

  /**
   * Resolves with the newest message that matches, once there is one.
   * @returns null at the end of the time, or when the signal is aborted
   */
  async wait(filter: MailFilter, timeoutMs: number, signal: AbortSignal): Promise<OpenedMail | null> {
    let conditions = filterConditions(filter);
    const newer = filterConditions({ since: new Date(clock.nowMs() - TIMINGS.commitMs) });
    for (const untilMs = performance.now() + timeoutMs; ; ) {
      const [head] = await this.#heads(conditions, sql`limit 1`);
      if (head !== undefined) return this.open(head.emailId);
      if (signal.aborted || performance.now() >= untilMs) return null;
      // Emails that did not match a moment ago are not read again, unless their status matters.
      if (filter.status === undefined) conditions = [...filterConditions(filter), ...newer];
      await sleep(Math.min(TIMINGS.pollMs, Math.max(0, untilMs - performance.now())), undefined, {
        signal,
      }).catch(() => {});
    }
  }

  /**
   * Deletes messages with their emails, timelines and pending work.
   * @param query a search; empty for all messages
   * @throws AppError unavailable if a message stays in flight
   */
  async deleteMatching(query = ''): Promise<void> {
    const conditions = searchConditions(query);
    for (let after = 'ffffffff-ffff-ffff-ffff-ffffffffffff'; ; ) {
      const older = [...conditions, sql<boolean>`m.email_id < ${after}`];
      const heads = await this.#heads(older, sql`limit ${BATCH}`);
      await this.delete(heads.map(({ emailId }) => emailId));
      const last = heads.at(-1);
      if (last === undefined || heads.length < BATCH) return;
      after = last.emailId;
    }
  }

  /** @param emailIds at most `BATCH` uuids @throws AppError unavailable if a message stays in flight */
  async delete(emailIds: readonly string[]): Promise<void> {
    for (const untilMs = performance.now() + TIMINGS.deleteWaitMs; ; ) {
      const hasDeleted = await deleting(this.#database, async (tx) => {
        const recipients = await lockRecipients(tx, this.#projectId, emailIds);
        if (recipients.some(({ isInFlight }) => isInFlight)) return false;
        await deleteAnyEmails(tx, this.#projectId, emailIds);
        return true;
      });
      if (hasDeleted) return;
      if (performance.now() > untilMs)
        throw new AppError('unavailable', 'An email is being sent. Try again in a moment.');
      await sleep(TIMINGS.deleteRetryMs);
    }
  }

  async #summaryOf(emailId: string): Promise<Omit<MailSummary, keyof MailHead> | null> {
    const known = this.#read.get(emailId);
    if (known !== undefined) return known;
    const raw = await this.#raw(emailId);
    if (raw === null) return null;
    const { messageId, from, to, cc, replyTo, subject, preview, files } = await this.#reader.read(raw);
    const attachments = files.filter(({ isInline }) => !isInline).length;
    const summary = { messageId, from, to, cc, replyTo, subject, preview, attachments };
    this.#read.set(emailId, summary);
    return summary;
  }

  async #raw(emailId: string): Promise<Buffer | null> {
    const { rows } = await RAW.sql`
      select message from sandbox_messages where project_id = ${this.#projectId} and email_id = ${emailId}`.execute(
      this.#database,
    );
    return rows[0]?.message ?? null;
  }

  async #heads(conditions: readonly RawBuilder<boolean>[], range: RawBuilder<unknown>): Promise<MailHead[]> {
    const { rows } = await HEAD.sql`
      select m.email_id, e.created_at, e.sender_address, c.bcc as undisclosed, e.tags, octet_length(m.message) as octets
      from ${this.#all(conditions)} order by m.email_id desc ${range}`.execute(this.#database);
    return rows;
  }

  #all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<unknown> {
    const where = conditions.map((condition) => sql`and ${condition}`);
    return sql`sandbox_messages m
      join emails e on e.project_id = m.project_id and e.id = m.email_id
      join email_contents c on c.project_id = m.project_id and c.email_id = m.email_id
      where m.project_id = ${this.#projectId} ${sql.join(where, sql` `)}`;
  }
}
