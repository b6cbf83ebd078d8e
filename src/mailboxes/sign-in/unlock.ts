import { recordChange } from '../../accounts/audit.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { findMailbox } from '../find-mailbox.ts';
import { guessedName, readUserName } from './find-accounts.ts';
import { accountGuess, forgive, knownGuess } from '../../accounts/passwords/guesses.ts';
import { knownNetworks } from './known-networks.ts';

/**
 * Forgives all wrong passwords for a mailbox. Those of a network stay: they may be guesses at others.
 * @param address of the mailbox, in any spelling
 * @throws AppError validation-failed, not-found
 */
export async function unlockMailbox(database: Database, projectId: string, address: string): Promise<void> {
  const mailboxId = await findMailbox(database, projectId, address);
  const name = readUserName(address);
  if (name === null) return;
  const guessed = guessedName(name);
  const networks = await knownNetworks(database, { projectId, mailboxId });
  await forgive(database, [
    accountGuess(guessed),
    ...networks.map((network) => knownGuess(guessed, network)),
  ]);
  await recordChange(database, {
    ...{ of: { projectId }, action: 'mailbox.unlock' },
    ...{ target: encodeId('mbx', mailboxId), targetName: address },
  });
}
