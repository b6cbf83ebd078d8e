/** Passwords of mailboxes that exist: set from the command line. */
import { recordChange } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { localPartKey } from './local-part.ts';
import { generatePassword, hashPassword, passwordFault } from '../accounts/passwords/password.ts';

/**
 * Sets the password of a mailbox.
 *
 * @param address of the mailbox, in any spelling
 * @param password null: one is generated
 * @returns the address as the mailbox has it, and the password if it was generated: only its hash is kept
 * @throws AppError validation-failed, not-found
 */
export async function setPassword(
  database: Database,
  projectId: string,
  address: string,
  password: string | null,
): Promise<{ address: string; generated: string | null }> {
  const parsed = parseMailbox(address);
  const fault = password === null ? null : passwordFault(password);
  if ('error' in parsed) throw validationError({ address: parsed.error });
  if (fault !== null) throw validationError({ password: fault });
  const generated = password === null ? generatePassword() : null;
  const passwordHash = await hashPassword(password ?? generated ?? '');
  return database.transaction().execute(async (tx) => {
    const found = await tx
      .updateTable('mailboxes')
      .set({ passwordHash })
      .where('projectId', '=', projectId)
      .where('domain', '=', parsed.domain)
      .where('localPartKey', '=', localPartKey(parsed.localPart))
      .returning(['id', 'localPart', 'domain'])
      .executeTakeFirst();
    if (found === undefined)
      throw new AppError('not-found', 'There is no mailbox with this address in the project.');
    const shown = `${found.localPart}@${found.domain}`;
    await recordChange(tx, {
      ...{ of: { projectId }, action: 'mailbox.set-password' },
      ...{ target: encodeId('mbx', found.id), targetName: shown },
    });
    return { address: shown, generated };
  });
}
