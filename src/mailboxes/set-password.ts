/** Passwords of mailboxes that exist: set from the command line. */
import type { Database } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { localPartKey } from './local-part.ts';
import { generatePassword, hashPassword, passwordFault } from './password.ts';

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
  const found = await database
    .updateTable('mailboxes')
    .set({ passwordHash: await hashPassword(password ?? generated ?? '') })
    .where('projectId', '=', projectId)
    .where('domain', '=', parsed.domain)
    .where('localPartKey', '=', localPartKey(parsed.localPart))
    .returning(['localPart', 'domain'])
    .executeTakeFirst();
  if (found === undefined)
    throw new AppError('not-found', 'There is no mailbox with this address in the project.');
  return { address: `${found.localPart}@${found.domain}`, generated };
}
