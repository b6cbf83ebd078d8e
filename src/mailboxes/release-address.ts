/** Lets operators release an address of the hosted domain for use by another project. */
import { recordChange } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { mailboxKey } from './local-part.ts';

/**
 * Deletes the record that a project once used an address of the hosted domain, so that any project can use the address.
 * @returns the public id of the project that used the address
 * @throws AppError validation-failed: the text is not an address; not-found: no project used the address, or the address was already
 * released
 */
export async function releaseAddress(database: Database, address: string): Promise<string> {
  const parsed = parseMailbox(address);
  if ('error' in parsed) throw validationError({ address: parsed.error });
  return database.transaction().execute(async (tx) => {
    const holder = await tx
      .deleteFrom('pastHolders')
      .using('domains as d')
      .whereRef('d.id', '=', 'pastHolders.domainId')
      .where('d.projectId', '=', HOSTED_PROJECT_ID)
      .where('d.name', '=', parsed.domain)
      .where('localPartKey', '=', mailboxKey(parsed.localPart))
      .returning('pastHolders.projectId')
      .executeTakeFirst();
    if (holder === undefined)
      throw new AppError('not-found', `No project used ${parsed.address} before, or it is already released.`);
    const projectId = encodeId('prj', holder.projectId);
    await recordChange(tx, {
      of: 'installation',
      action: 'address.release',
      target: parsed.address,
      before: { project_id: projectId },
    });
    return projectId;
  });
}
