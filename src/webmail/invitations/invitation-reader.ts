/** Reads the calendar of a message in a mailbox. */
import type { Blobs } from '../../blobs/blobs.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { unavailable } from '../../model/app-error.ts';
import { copyInSteps } from '../../concurrency/copy-in-steps.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import type { Authentication } from '../../receiving/authenticate/authentication.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { CalendarPart } from './find-calendar.ts';
import { TIMINGS } from './timings.ts';

const MAX_WAITING = 20;
/** Larger messages are not searched for a calendar, so their calendars are shown as ordinary attachments. */
const MAX_OCTETS = 26_214_400;

export interface ReadInvitation extends CalendarPart {
  /** The authors in the From field. */
  from: readonly { name: string; address: string }[];
  /** Null if the message was not received over SMTP. */
  authentication: Omit<Authentication, 'header'> | null;
  /** Whether the stored message names its event, so that other messages about the event find it. */
  isIndexed: boolean;
}

export class InvitationReader implements AsyncDisposable {
  readonly #reads: FairReads;
  readonly #blobs: Pick<Blobs, 'open'>;
  /** Limits the messages in memory to one at a time. */
  readonly #slots = new FairSlots({
    slots: 1,
    slotsPerOwner: 1,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: () =>
      unavailable('Too many invitations of this project are being read. Try again in a few seconds.'),
  });
  readonly #thread = new AnsweringThread<{ found: CalendarPart | null }>({
    name: 'reading calendars',
    code: new URL('./thread.ts', import.meta.url),
    timings: TIMINGS,
  });

  constructor(reads: FairReads, blobs: Pick<Blobs, 'open'>) {
    this.#reads = reads;
    this.#blobs = blobs;
  }

  /** @returns null if the mailbox has no such message, or if the message has no readable calendar @throws AppError unavailable */
  async read(mailbox: MailboxKey, objectId: string): Promise<ReadInvitation | null> {
    const { projectId } = mailbox;
    const row = await this.#reads.run(projectId, (database) => findMessage(database, mailbox, objectId));
    if (row === null || row.octets > MAX_OCTETS) return null;
    return this.#slots.run(projectId, new AbortController().signal, async () => {
      const message = await (await this.#blobs.open(projectId, row.digest))?.read();
      if (message === null || message === undefined) return null;
      const answer = await this.#thread.ask(async () => {
        const raw = new Uint8Array(message.length);
        await copyInSteps(message, raw);
        return [raw, [raw.buffer]];
      });
      const { from, authentication, isIndexed } = row;
      return answer?.found == null ? null : { ...answer.found, from, authentication, isIndexed };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}

const MESSAGE = columnsOf({
  digest: 'bytea',
  octets: 'int4',
  from: shaped<{ name: string; address: string }[]>('json'),
  authentication: shaped<ReadInvitation['authentication']>('json?'),
  isIndexed: 'bool',
});

async function findMessage(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  objectId: string,
): Promise<RowOf<typeof MESSAGE> | null> {
  const { rows } = await MESSAGE.sql`
    select c.digest, m.octets, c.addresses -> 'from' as "from", c.authentication, c.event is not null as is_indexed
    from messages m join message_contents c
      on c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = ${objectId}
    limit 1`.execute(database);
  return rows[0] ?? null;
}
