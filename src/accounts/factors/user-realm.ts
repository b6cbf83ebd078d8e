import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import { encodeId } from '../../model/ids.ts';
import { clientNetwork } from '../../net/client-network.ts';
import { actingAs, currentActor } from '../audit.ts';
import { knownGuess, strangersGuesses } from '../passwords/guesses.ts';
import { assertNotRequired } from '../required-sign-in.ts';
import { recordUserChange } from '../user-changes.ts';
import { userNetworks } from '../user-networks.ts';
import { guessedName } from '../user-sign-in.ts';
import { setVerified } from '../verification.ts';
import type { Holder, Realm } from './holder.ts';

const WAYS_IN = columnsOf({ passwordHash: 'text?', identities: 'int4' });

/** Users of the dashboard, identified by their uuid. */
export const USERS: Realm<string> = {
  door: 'dashboard',
  rpName: 'Posthorn',
  tables: { totp: 'user_totp', recoveryCodes: 'user_recovery_codes', passkeys: 'user_passkeys' },
  columns: sql`user_id`,
  keyKinds: { userId: 'uuid' },
  holder,
  read: (text) => text,
  idOf: ({ userId = '' }) => userId,
};

function holder(userId: string): Holder {
  return {
    text: userId,
    is: sql<boolean>`user_id = ${userId}`,
    values: sql`${userId}::uuid`,
    handle: Uint8Array.from(Buffer.from(userId.replaceAll('-', ''), 'hex')),
    logged: { userId: encodeId('usr', userId) },
    async lock(tx) {
      await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
    },
    async waysIn(database) {
      const { rows } = await WAYS_IN.sql`
        select u.password_hash, (select count(*)::int from user_identities i where i.user_id = u.id) as identities
        from users u where u.id = ${userId}`.execute(database);
      return rows[0] ?? null;
    },
    // If no link can be mailed to the address of an unverified account, adding the first second factor verifies the account.
    async settle(tx, isOn) {
      if (!isOn) return;
      const verifiesBySecondFactor = await tx
        .selectFrom('users')
        .select('id')
        .where('id', '=', userId)
        .where('verifiesBy', '=', 'second-factor')
        .executeTakeFirst();
      if (verifiesBySecondFactor !== undefined) await setVerified(tx, userId);
    },
    assertMayLoseLast: (tx, { identities }) =>
      assertNotRequired(tx, userId, { hasSecondFactor: false, identities }, 'second-factor'),
    async record(tx, verb, fields = {}) {
      const record = () => recordUserChange(tx, userId, { action: `user.${verb}`, ...fields });
      const actor = currentActor();
      if (actor.kind !== 'user' || actor.id !== null) return record();
      // A recovery code is used before the sign-in is complete, so the request has no user yet.
      const { email } = await tx
        .selectFrom('users')
        .select('email')
        .where('id', '=', userId)
        .executeTakeFirstOrThrow();
      return actingAs({ ...actor, id: userId, name: email }, record);
    },
    async guesses(database, address) {
      const user = await database
        .selectFrom('users')
        .select('emailKey')
        .where('id', '=', userId)
        .executeTakeFirst();
      if (user === undefined) return null;
      const network = clientNetwork(address);
      const name = guessedName(user.emailKey);
      const isKnown = (await userNetworks(database, userId)).includes(network);
      return isKnown ? [knownGuess(name, network)] : strangersGuesses(name, address, network);
    },
  };
}
