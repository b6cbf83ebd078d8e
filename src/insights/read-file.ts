/** Reads a file of an email that an application submitted by SMTP. */
import type { Blobs } from '../blobs/blobs.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import type { FileRange } from '../model/message-layout.ts';
import { fileName, type FileName } from '../store/parts/file-name.ts';
import { partBytes } from '../store/parts/part-bytes.ts';

export interface EmailFile {
  name: string;
  /** The decoded octets, in pieces. */
  bytes: AsyncIterable<Buffer>;
}

/** @param at the index of the file @returns null if the project has no such email, or the email no such file */
export async function readFile(
  database: Database,
  blobs: Pick<Blobs, 'open'>,
  { projectId, emailId, at }: { projectId: string; emailId: string; at: number },
): Promise<EmailFile | null> {
  const row = await database
    .selectFrom('emailMessages')
    .select(['digest', 'layout'])
    .where((message) => rowIs(message, { projectId, emailId }))
    .executeTakeFirst();
  const file = row?.layout.files[at];
  if (row === undefined || file === undefined) return null;
  const blob = await blobs.open(projectId, row.digest);
  return blob === null ? null : { name: shownName(file, at).name, bytes: partBytes(blob, file) };
}

/** The name under which a file is shown and saved. */
export function shownName({ name, type }: FileRange, at: number): FileName {
  return fileName(name, type, `${at + 1}`);
}
