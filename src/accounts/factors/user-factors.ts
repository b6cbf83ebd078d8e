/** The sign-in methods of users, other than the password. */
import type { Logger } from 'pino';
import type { SignInWays } from '../../contract/dashboard/factors.ts';
import type { Database } from '../../db/database.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import type { Sealer } from '../../db/seal.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import type { SignInRequirement } from '../../model/sign-in-requirements.ts';
import { hasUsers } from '../sign-in-links.ts';
import { UserIdentities } from './identities.ts';
import { OpenId, type OpenIdOptions } from './openid.ts';
import { Passkeys } from './passkeys.ts';
import { SecondFactors } from './second-factors.ts';
import { Tickets } from './tickets.ts';
import { USERS } from './user-realm.ts';

const NEEDS_OWNER_MS = 1_000;

export interface UserFactors {
  second: SecondFactors<string>;
  passkeys: Passkeys<string>;
  identities: UserIdentities;
  ways(): Promise<SignInWays>;
  /** Whether the installation has no user yet. Cached for a second, because anyone may ask. */
  needsOwner(): Promise<boolean>;
  /** @throws AppError not-found if no provider is set up */
  provider(): OpenId;
  /** Rejects a requirement that no one could meet. @throws AppError validation-failed if no provider is set up */
  assertMayRequire(required: SignInRequirement | null): void;
}

export interface UserFactorsOptions {
  database: Database;
  sealer: Sealer;
  logger: Logger;
  /** Returns the base URL of links. Passkeys are bound to the host in this URL. */
  baseUrl(): string;
  /** Null if no OpenID provider is configured. */
  provider: OpenIdOptions['provider'] | null;
  /** Whether the provider may be reached without TLS. */
  allowsHttp: boolean;
  /** Whether links can be sent by email. */
  sendsMail: boolean;
}

export function openUserFactors(options: UserFactorsOptions): UserFactors {
  const { database, sealer, logger, baseUrl, provider, allowsHttp, sendsMail } = options;
  const tickets = new Tickets(database, sealer, 'dashboard');
  const identities = new UserIdentities(database);
  const openid =
    provider === null ? null : new OpenId({ provider, allowsHttp, tickets, identities, baseUrl, logger });
  const withoutOwner = new LoadingCache<boolean>({
    ttlMs: NEEDS_OWNER_MS,
    maxEntries: 1,
    mayCache: () => true,
    nowMs: () => performance.now(),
  });
  const needsOwner = async () => withoutOwner.get('', async () => !(await hasUsers(database)));
  return {
    second: new SecondFactors({ realm: USERS, database, sealer, tickets, logger }),
    passkeys: new Passkeys({ realm: USERS, database, tickets, baseUrl }),
    identities,
    ways: async () => ({
      openid: openid === null ? null : { name: openid.name },
      passkeys_at: new URL(baseUrl()).origin,
      sends_mail: sendsMail,
      needs_owner: await needsOwner(),
    }),
    needsOwner,
    provider() {
      if (openid !== null) return openid;
      throw new AppError(
        'not-found',
        'No OpenID provider is set up. Ask an operator to set POSTHORN_OIDC_ISSUER.',
      );
    },
    assertMayRequire(required) {
      if (required === 'openid' && openid === null)
        throw validationError({
          required:
            'requires an OpenID provider, and none is set up: ask an operator to set POSTHORN_OIDC_ISSUER',
        });
    },
  };
}
