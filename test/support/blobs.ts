/** Messages as far as bytes are concerned: rows that refer to them. */
import { sql } from 'kysely';
import type { Blobs } from '../../src/blobs/blobs.ts';
import { type StoredBlob, keepingBlobs } from '../../src/blobs/stored-blob.ts';
import type { Database } from '../../src/db/database.ts';
import { newUuid } from '../../src/model/ids.ts';

/** What a message refers to, in a mailbox that needs no row of its own. */
export async function referTo(database: Database, { projectId, digest, size }: StoredBlob): Promise<void> {
  await sql`
    insert into message_contents (project_id, mailbox_id, object_id, digest, octets, thread_id, subject, base_subject,
      addresses, preview, attachments, envelope, body_structure, text)
    values (${projectId}, ${newUuid()}, ${newUuid()}, ${digest}, ${size}, ${newUuid()}, '', '', '{}', '', 0, '', '', '')`.execute(
    database,
  );
}

/** Bytes with a message that refers to them, in one transaction. @returns their digest */
export async function deliverBytes(
  database: Database,
  blobs: Blobs,
  projectId: string,
  bytes: Buffer,
): Promise<Buffer> {
  const kept = await blobs.keep(projectId, bytes);
  await database.transaction().execute(async (tx) => {
    await sql`with ${keepingBlobs([kept]).sql} select`.execute(tx);
    await referTo(tx, kept);
  });
  return kept.digest;
}
