import type { Account, Passkey } from '../../contract/dashboard/factors.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { readFactors } from './factors.ts';
import type { UserIdentities } from './identities.ts';
import { USERS } from './user-realm.ts';
import type { PasskeyRecord, Passkeys } from './passkeys.ts';

/** The ways in which a user can sign in. */
export async function describeAccount(
  {
    database,
    passkeys,
    identities,
  }: { database: Database; passkeys: Passkeys<string>; identities: UserIdentities },
  userId: string,
): Promise<Account> {
  const factors = await readFactors(database, USERS, userId);
  const linked = await identities.list(userId);
  return {
    has_password: factors.hasPassword,
    authenticator_app: factors.hasTotp,
    recovery_codes: factors.recoveryCodes,
    passkeys: (await passkeys.list(userId)).map(describePasskey),
    identities: linked.map(({ id, issuer, email, createdAt, usedAt }) => ({
      id: encodeId('idn', id),
      issuer,
      email,
      created_at: createdAt.toISOString(),
      last_used_at: usedAt.toISOString(),
    })),
    confirms_by: [
      ...(factors.hasPassword ? (['password'] as const) : []),
      ...(factors.hasTotp ? (['code'] as const) : []),
      ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
      ...(factors.identities > 0 ? (['openid'] as const) : []),
    ],
  };
}

export function describePasskey({ id, name, createdAt, usedAt }: PasskeyRecord): Passkey {
  return {
    id: encodeId('psk', id),
    name,
    created_at: createdAt.toISOString(),
    last_used_at: usedAt?.toISOString() ?? null,
  };
}
