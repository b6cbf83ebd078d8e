import { recordChange } from '../../accounts/audit.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError } from '../../model/app-error.ts';
import { guessedName } from './find-accounts.ts';
import { accountGuess, forgive, knownGuess } from '../../accounts/passwords/guesses.ts';
import { knownNetworks } from './known-networks.ts';

/**
 * Resets the counts of wrong passwords for a mailbox. Wrong passwords are also counted by network. Those counts are not reset, because they
 * may include guesses at other mailboxes.
 * @throws AppError not-found
 */
export async function unlockMailbox(
  database: Database,
  { projectId, mailboxId }: { projectId: string; mailboxId: string },
): Promise<void> {
  const mailbox = await database
    .selectFrom('mailboxes')
    .select(['domain', 'localPart', 'localPartKey as key'])
    .where((row) => rowIs(row, { projectId, id: mailboxId }))
    .executeTakeFirst();
  if (mailbox === undefined) throw new AppError('not-found', 'There is no such mailbox in the project.');
  const guessed = guessedName(mailbox);
  const networks = await knownNetworks(database, { projectId, mailboxId });
  await forgive(database, [
    accountGuess(guessed),
    ...networks.map((network) => knownGuess(guessed, network)),
  ]);
  await recordChange(database, {
    of: { projectId },
    action: 'mailbox.unlock',
    target: encodeId('mbx', mailboxId),
    targetName: `${mailbox.localPart}@${mailbox.domain}`,
  });
}
