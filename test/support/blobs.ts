/** Minimal messages for tests of blobs: rows that refer to a blob, without a mailbox. */
import { sql } from 'kysely';
import type { Blobs } from '../../src/blobs/blobs.ts';
import { type PreparedBlob, writingBlobs } from '../../src/blobs/prepared-blob.ts';
import type { Database } from '../../src/db/database.ts';
import { newUuid } from '../../src/model/ids.ts';

/** Inserts a message that refers to the blob, in a mailbox without a row. */
export async function referTo(database: Database, { projectId, digest, size }: PreparedBlob): Promise<void> {
  await sql`
    insert into message_contents (project_id, mailbox_id, object_id, digest, octets, thread_id, subject, base_subject,
      addresses, preview, attachments, envelope, body_structure, text)
    values (${projectId}, ${newUuid()}, ${newUuid()}, ${digest}, ${size}, ${newUuid()}, '', '', '{}', '', 0, '', '', '')`.execute(
    database,
  );
}

/** Stores bytes and a message that refers to the bytes, in one transaction. @returns the digest of the bytes */
export async function deliverBytes(
  database: Database,
  blobs: Blobs,
  projectId: string,
  bytes: Buffer,
): Promise<Buffer> {
  const blob = await blobs.prepare(projectId, bytes);
  await database.transaction().execute(async (tx) => {
    await sql`with ${writingBlobs([blob]).sql} select`.execute(tx);
    await referTo(tx, blob);
  });
  return blob.digest;
}
