import { sql } from 'kysely';
import type { Holder, Realm } from '../../accounts/factors/holder.ts';
import { recordChange } from '../../accounts/audit.ts';
import { knownGuess, strangersGuesses } from '../../accounts/passwords/guesses.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { encodeId } from '../../model/ids.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { guessedName } from './find-accounts.ts';
import { knownNetworks } from './known-networks.ts';

export interface MailboxId {
  projectId: string;
  mailboxId: string;
}

/** The realm of mailbox owners in the web client. */
export const MAILBOXES: Realm<MailboxId> = {
  door: 'web',
  rpName: 'Posthorn Mail',
  tables: { totp: 'mailbox_totp', recoveryCodes: 'mailbox_recovery_codes', passkeys: 'mailbox_passkeys' },
  columns: sql`project_id, mailbox_id`,
  keyKinds: { projectId: 'uuid', mailboxId: 'uuid' },
  holder,
  read(text) {
    const [projectId = '', mailboxId = ''] = text.split(' ');
    return { projectId, mailboxId };
  },
  idOf: ({ projectId = '', mailboxId = '' }) => ({ projectId, mailboxId }),
};

function holder({ projectId, mailboxId }: MailboxId): Holder {
  const find = (database: Database | DatabaseTransaction) =>
    database
      .selectFrom('mailboxes')
      .select(['localPart', 'localPartKey as key', 'domain', 'passwordHash'])
      .where((row) => rowIs(row, { projectId, id: mailboxId }));
  return {
    text: `${projectId} ${mailboxId}`,
    is: sql<boolean>`project_id = ${projectId} and mailbox_id = ${mailboxId}`,
    values: sql`${projectId}::uuid, ${mailboxId}::uuid`,
    handle: Uint8Array.from(Buffer.from(mailboxId.replaceAll('-', ''), 'hex')),
    logged: { projectId: encodeId('prj', projectId), mailboxId: encodeId('mbx', mailboxId) },
    async lock(tx) {
      await find(tx).forNoKeyUpdate().execute();
    },
    async waysIn(database) {
      const mailbox = await find(database).executeTakeFirst();
      return mailbox === undefined ? null : { passwordHash: mailbox.passwordHash, identities: 0 };
    },
    // The last second factor may always be removed, because organizations cannot require one for mailboxes.
    async assertMayLoseLast() {},
    async settle(tx, hasSecondFactor) {
      await sql`
        update mailboxes set second_factor_since = ${hasSecondFactor ? sql`now()` : null}
        where project_id = ${projectId} and id = ${mailboxId}`.execute(tx);
    },
    async record(tx, verb, fields = {}) {
      const mailbox = await find(tx).executeTakeFirst();
      if (mailbox === undefined) return;
      const target = encodeId('mbx', mailboxId);
      const targetName = `${mailbox.localPart}@${mailbox.domain}`;
      await recordChange(tx, {
        of: { projectId },
        action: `mailbox.${verb}`,
        target,
        targetName,
        ...fields,
      });
    },
    async guesses(database, address) {
      const mailbox = await find(database).executeTakeFirst();
      if (mailbox === undefined) return null;
      const network = clientNetwork(address);
      const name = guessedName(mailbox);
      const isKnown = (await knownNetworks(database, { projectId, mailboxId })).includes(network);
      return isKnown ? [knownGuess(name, network)] : strangersGuesses(name, address, network);
    },
  };
}
