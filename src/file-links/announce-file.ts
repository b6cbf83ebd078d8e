/** Announces a file before its bytes are uploaded. Its size counts toward the plan's limit from then on. */
import type { Database } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { linkUploads } from '../observe/instruments.ts';
import { newUuid } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { takeAllowance } from './allowance.ts';
import { MAX_UNLINKED_FILES } from './limits.ts';

export interface AnnouncedFile {
  name: string;
  type: string;
  octets: number;
}

const NOT_IN_NAMES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/\\]+/gu;
const MAX_NAME = 255;
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

/** @returns the id of the file @throws AppError plan-limit-exceeded, validation-failed */
export async function announceFile(
  database: Database,
  mailbox: MailboxKey,
  file: AnnouncedFile,
): Promise<string> {
  try {
    const id = await insertFile(database, mailbox, file);
    linkUploads.inc({ result: 'begun' });
    if (file.octets === 0) linkUploads.inc({ result: 'whole' });
    return id;
  } catch (error) {
    if (error instanceof AppError) linkUploads.inc({ result: 'over_limit' });
    throw error;
  }
}

async function insertFile(
  database: Database,
  mailbox: MailboxKey,
  { name, type, octets }: AnnouncedFile,
): Promise<string> {
  const id = newUuid();
  await retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      await takeAllowance(tx, mailbox, octets);
      const { unlinked } = await tx
        .selectFrom('linkFiles')
        .select((row) => row.fn.countAll<string>().as('unlinked'))
        .where('projectId', '=', mailbox.projectId)
        .where('mailboxId', '=', mailbox.mailboxId)
        .where('goneAt', 'is', null)
        .where((row) => row.or([row('linkId', 'is', null), row('wholeAt', 'is', null)]))
        .executeTakeFirstOrThrow();
      if (Number(unlinked) >= MAX_UNLINKED_FILES)
        throw validationError({
          file: `${MAX_UNLINKED_FILES} files are being uploaded or are not in a link yet, which is the limit. Add these files to links, or wait a day.`,
        });
      const now = clock.now();
      await tx
        .insertInto('linkFiles')
        .values({
          projectId: mailbox.projectId,
          mailboxId: mailbox.mailboxId,
          id,
          name: fileNameOf(name),
          type: typeOf(type),
          octets,
          wholeAt: octets === 0 ? now : null,
          createdAt: now,
          touchedAt: now,
        })
        .execute();
    }),
  );
  return id;
}

/** A name that is safe on a page and on the recipient's disk. */
function fileNameOf(name: string): string {
  const safe = name.toWellFormed().normalize('NFC').replace(NOT_IN_NAMES, '_').trim();
  return [...safe].slice(-MAX_NAME).join('') || 'file';
}

function typeOf(type: string): string {
  const lower = type.toLowerCase();
  return TYPE.test(lower) ? lower : 'application/octet-stream';
}
