/**
 * A database with mail sent by mailboxes, and readers for the notices to the owners of the mailboxes. The tests of a file share the
 * database.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newSubmission } from '../../../test/support/submissions.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import { readDeliveryStatus } from '../../rfc/dsn/delivery-status.ts';
import { decodeText, fieldValue, readEntity } from '../../rfc/mime/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { insertSubmissions, type NewSubmission } from '../submit/insert-submissions.ts';
import { Notices } from './notices.ts';

export const RAW =
  'From: anna@acme.example\r\nSubject: Lunch?\r\nMessage-ID: <1@acme.example>\r\n\r\nAt noon?\r\n';

/** A UUIDv7 whose time is `ageMs` ago. */
export function uuidOf(ageMs: number): string {
  return firstUuidAt(new Date(Date.now() - ageMs)).slice(0, 19) + newUuid().slice(19);
}

interface ReadMessage {
  raw: string;
  field: (name: string) => string | null;
  types: string[];
  texts: string[];
  recipients: ReturnType<typeof readDeliveryStatus>['recipients'];
}

/** The resources of the notice tests. Hooks of the test file open and close the resources. */
export class NoticesWorld {
  declare db: TestDatabase;
  declare blobs: Blobs;
  declare notices: Notices;
  readonly logged: string[] = [];

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-notices-'));
    before(async () => {
      this.db = await testDatabase();
      this.blobs = new Blobs(this.db.database, new ObjectFiles(folder));
      this.notices = this.newNotices();
    });
    beforeEach(async () => {
      this.logged.length = 0;
      await sql`truncate submissions, submission_recipients, queue, destination_holds`.execute(
        this.db.database,
      );
      await sql`delete from settings where name like 'provider_%'`.execute(this.db.database);
    });
    after(async () => {
      await this.notices[Symbol.asyncDispose]();
      await this.db[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });
  }

  newNotices(from: Pick<Blobs, 'open'> = this.blobs): Notices {
    const logger = pino({}, { write: (line: string) => this.logged.push(line) });
    return new Notices({ database: this.db.database, blobs: from, hostname: 'mail.example', logger });
  }

  /** Submits a message from the mailbox in `fields`, or from a new mailbox. */
  async submit(
    fields: Partial<NewSubmission> = {},
    raw = RAW,
  ): Promise<MailboxKey & { submissionId: string }> {
    const mailbox =
      fields.mailboxId === undefined
        ? await newMailbox(this.db.database, fields)
        : { projectId: fields.projectId ?? '', mailboxId: fields.mailboxId };
    const submission = newSubmission({ messageId: '<1@acme.example>', ...fields, ...mailbox }, raw);
    await insertSubmissions(this.db.database, [submission]);
    return { ...mailbox, submissionId: submission.submissionId };
  }

  /** The messages in the Inbox, oldest first. */
  async inboxOf({ projectId, mailboxId }: MailboxKey): Promise<ReadMessage[]> {
    const { rows } = await sql<{ digest: Buffer }>`
    select c.digest from messages m join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.id = m.folder_id
    join message_contents c on c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and f.role = 'inbox' order by m.uid`.execute(
      this.db.database,
    );
    return Promise.all(
      rows.map(async ({ digest }) => {
        const raw = (await (await this.blobs.open(projectId, digest))?.read()) ?? Buffer.alloc(0);
        const message = readEntity(raw);
        const texts = message.parts.map((part) => decodeText(raw, part, 1_000_000));
        return {
          raw: raw.toString(),
          field: (name) => fieldValue(message.fields, name),
          types: message.parts.map(({ type }) => type),
          texts,
          recipients: readDeliveryStatus(texts[1] ?? '').recipients,
        };
      }),
    );
  }
}
