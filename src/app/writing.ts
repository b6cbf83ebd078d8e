/** Builds the services for writing mail in the web client. The process that serves the client and the worker use them. No logic. */
import type { Database } from '../db/database.ts';
import { PartsReader } from '../store/facts/parts-reader.ts';
import { Drafts } from '../webmail/write/drafts.ts';
import { ForeignDrafts } from '../webmail/write/foreign-drafts.ts';
import { DraftFileImporter } from '../webmail/write/draft-file-importer.ts';
import { Uploads } from '../webmail/write/uploads.ts';
import type { MailServices } from './mail-services.ts';

export interface WritingParts {
  database: Database;
  parts: PartsReader;
  uploads: Uploads;
  fileImporter: DraftFileImporter;
  drafts: Drafts;
}

export function openWriting(
  stack: AsyncDisposableStack,
  { database, store, blobs, facts }: Pick<MailServices, 'database' | 'store' | 'blobs' | 'facts'>,
): WritingParts {
  const parts = stack.use(new PartsReader());
  const uploads = new Uploads(database, blobs);
  const fileImporter = new DraftFileImporter({ database, blobs, parts, uploads });
  const foreign = new ForeignDrafts({ database, blobs, parts, fileImporter });
  const drafts = new Drafts({ database, store, blobs, facts, uploads, foreign });
  return { database, parts, uploads, fileImporter, drafts };
}
