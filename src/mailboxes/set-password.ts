/** Sets the passwords of existing mailboxes, for the command line and the dashboard. */
import { recordChange } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import type { ImportedHash } from '../accounts/passwords/imported-hash.ts';
import { generatePassword, hashPassword, passwordFault } from '../accounts/passwords/password.ts';
import { assertHasLogin } from './has-login.ts';

/** The uuids of the mailboxes of a project whose users have not signed in since their password hash was imported. */
export async function findImportedPasswords(database: Database, projectId: string): Promise<Set<string>> {
  const imported = await database
    .selectFrom('mailboxes')
    .select('id')
    .where('projectId', '=', projectId)
    .where('passwordHash', 'like', '{%')
    .execute();
  return new Set(imported.map(({ id }) => id));
}

/**
 * Sets the password of a mailbox. Sessions with the old password end within two seconds.
 *
 * @param password null to generate a password. An imported hash may only come from an operator, because its strength cannot be checked and
 * checking it can take long
 * @returns the stored address of the mailbox. Also the password if it was generated, because only its hash is stored
 * @throws AppError validation-failed, not-found
 */
export async function setPassword(
  database: Database,
  { projectId, mailboxId }: { projectId: string; mailboxId: string },
  password: string | ImportedHash | null,
): Promise<{ address: string; generated: string | null }> {
  const fault = typeof password === 'string' ? passwordFault(password) : null;
  if (fault !== null) throw validationError({ password: fault });
  const generated = password === null ? generatePassword() : null;
  const passwordHash =
    typeof password === 'object' && password !== null
      ? password.stored
      : await hashPassword(password ?? generated ?? '');
  return database.transaction().execute(async (tx) => {
    await assertHasLogin(tx, { projectId, mailboxId });
    const found = await tx
      .updateTable('mailboxes')
      .set({ passwordHash })
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      .returning(['localPart', 'domain'])
      .executeTakeFirst();
    if (found === undefined) throw new AppError('not-found', 'There is no such mailbox in the project.');
    const shown = `${found.localPart}@${found.domain}`;
    await recordChange(tx, {
      of: { projectId },
      action: 'mailbox.set-password',
      target: encodeId('mbx', mailboxId),
      targetName: shown,
    });
    return { address: shown, generated };
  });
}
