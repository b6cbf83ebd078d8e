/** Compares copies with their originals on another server, byte for byte. */
import { hash } from 'node:crypto';
import { fittingKeywords, FLAG } from '../store/flags.ts';
import { rangesOf } from '../store/uid-ranges.ts';
import {
  type CopiedFolder,
  readCopiedFolders,
  readCopies,
  readSourceUids,
  type SourceKey,
} from './copied-messages.ts';
import type { CopyContext } from './copy-mailbox.ts';
import type { SourceMailbox, SourceMessage } from './source-mailbox.ts';

export interface VerifyReport {
  /** Copies with the bytes, flags, keywords and date of their originals. */
  verified: number;
  /** Copies that differ, or whose bytes are missing here. */
  differing: number;
}

/** Messages compared at once. Their bytes are in memory one by one. */
const CHUNK = 100;

/**
 * Reads all copied messages from both servers again. Messages that were expunged on either side in the meantime are skipped, and so are
 * keywords that do not fit here.
 */
export async function verifyCopies(
  context: CopyContext,
  source: SourceMailbox,
  key: SourceKey,
): Promise<VerifyReport> {
  const report: VerifyReport = { verified: 0, differing: 0 };
  for (const copied of await readCopiedFolders(context.database, key)) {
    const opened = await source.select(copied.name);
    if (opened?.uidValidity !== copied.uidValidity) continue;
    const all = await readSourceUids(context.database, copied, 0);
    for (let at = 0; at < all.length; at += CHUNK)
      await verifySome(context, source, copied, all.slice(at, at + CHUNK), report);
  }
  return report;
}

async function verifySome(
  { database, store, blobs, note }: CopyContext,
  source: SourceMailbox,
  copied: CopiedFolder,
  uids: readonly number[],
  report: VerifyReport,
): Promise<void> {
  const { projectId, mailboxId, folderId, name } = copied;
  const copies = await readCopies(database, copied, uids[0] ?? 0, uids.at(-1) ?? 0);
  const ranges = rangesOf(copies.flatMap(({ uid }) => uid ?? []));
  const here = new Map(
    (await store.messages({ projectId, mailboxId, folderId }, ranges)).map((message) => [
      message.uid,
      message,
    ]),
  );
  const described = new Map((await source.describe(uids)).map((message) => [message.uid, message]));
  const bySourceUid = new Map(
    copies.map(({ sourceUid, uid, isClaimed }) => {
      const copy = here.get(uid ?? 0);
      // Passes do not mark these messages as deleted.
      return [sourceUid, copy && { ...copy, compared: isClaimed ? ~FLAG.deleted : ~0 }];
    }),
  );
  for await (const { uid, raw } of source.read(uids)) {
    const [copy, original] = [bySourceUid.get(uid), described.get(uid)];
    if (copy === undefined || original === undefined) continue;
    const stored = await (await blobs.open(projectId, copy.digest))?.read();
    const differences = [
      stored == null || hash('sha256', stored) !== hash('sha256', raw) ? 'bytes' : null,
      ((copy.flags ^ original.flags) & copy.compared) === 0 ? null : 'flags',
      haveSameKeywords(copy.keywords, original) ? null : 'keywords',
      haveSameDate(copy.internalDate, original) ? null : 'date',
    ].filter((each) => each !== null);
    if (differences.length === 0) report.verified += 1;
    else {
      report.differing += 1;
      note(`Message ${uid} of ${name} differs from its copy: ${differences.join(', ')}.`);
    }
  }
}

/** The folder may spell keywords in another case, and may be full of other keywords. */
function haveSameKeywords(keywords: readonly string[], original: SourceMessage): boolean {
  const own = new Set(keywords.map((keyword) => keyword.toLowerCase()));
  const fitting = fittingKeywords([], original.keywords).keywords.map((keyword) => keyword.toLowerCase());
  return own.size <= fitting.length && fitting.filter((keyword) => own.has(keyword)).length === own.size;
}

/** IMAP has dates with seconds only. */
function haveSameDate(date: Date, { internalDate }: SourceMessage): boolean {
  return (
    internalDate === null || Math.floor(date.getTime() / 1_000) === Math.floor(internalDate.getTime() / 1_000)
  );
}
