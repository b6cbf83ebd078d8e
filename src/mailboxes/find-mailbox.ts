import type { Database } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { localPartKey } from './local-part.ts';

/**
 * @param address the mailbox's address; upper and lower case are equivalent
 * @returns the uuid of the mailbox
 * @throws AppError validation-failed, not-found
 */
export async function findMailbox(database: Database, projectId: string, address: string): Promise<string> {
  const parsed = parseMailbox(address);
  if ('error' in parsed) throw validationError({ address: parsed.error });
  const found = await database
    .selectFrom('mailboxes')
    .select('id')
    .where('projectId', '=', projectId)
    .where('domain', '=', parsed.domain)
    .where('localPartKey', '=', localPartKey(parsed.localPart))
    .executeTakeFirst();
  if (found === undefined)
    throw new AppError('not-found', 'There is no mailbox with this address in the project.');
  return found.id;
}
