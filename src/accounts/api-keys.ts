/** API keys: `svc_live_` and 160 random bits, kept as a hash, shown once (docs/contract.md, Authentication). */
import { hash, randomBytes } from 'node:crypto';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import * as clock from '../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Plan } from '../model/plans.ts';
import { type GrantedScopes, isScope, type Scope } from '../model/scopes.ts';

const PREFIX = 'svc_live_';
const RANDOM_BYTES = 24;
/** Base64url of the random bytes. */
const TOKEN = /^svc_live_[A-Za-z0-9_-]{32}$/;
/** How long servers remember a key: a revocation or a change of plan counts after this at the latest. */
export const KEY_TTL_MS = 2_000;
const MAX_CACHED = 10_000;

export interface CreatedKey {
  id: string;
  /** Shown once: only its hash is kept. */
  token: string;
  scopes: GrantedScopes;
}

export interface AuthenticatedKey {
  /** Tells a key from the other kinds of caller. */
  kind: 'api-key';
  /** uuid */
  keyId: string;
  /** uuid */
  projectId: string;
  /** The project's plan. */
  plan: Plan;
  /** The project's settings. */
  trackOpens: boolean;
  trackClicks: boolean;
  scopes: GrantedScopes;
}

/** The token cannot be guessed, so a fast hash protects it as well as a slow one. */
function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** @param scopes null: full access */
export async function createApiKey(
  database: Database,
  projectId: string,
  name: string,
  scopes: GrantedScopes,
): Promise<CreatedKey> {
  const token = PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
  const id = newUuid();
  await database
    .insertInto('apiKeys')
    .values({
      projectId,
      id,
      name,
      tokenSha256: digest(token),
      scopes: scopes === null ? null : [...scopes],
      createdAt: timeOf(id),
    })
    .execute();
  return { id: encodeId('key', id), token, scopes };
}

/**
 * Ends a key; running servers notice within two seconds.
 * @param keyId uuid
 * @returns false when the project has no such key, or it was revoked before
 */
export async function revokeApiKey(database: Database, projectId: string, keyId: string): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('apiKeys')
    .set({ revokedAt: clock.now() })
    .where((row) => rowIs(row, { projectId, id: keyId }))
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Finds the key of a bearer token: from memory for two seconds, then again from the database. */
export class ApiKeys {
  readonly #database: Database;
  readonly #keys = new LoadingCache<AuthenticatedKey | null>({
    ttlMs: KEY_TTL_MS,
    maxEntries: MAX_CACHED,
    keeps: (key) => key !== null,
    nowMs: () => performance.now(),
  });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Null for a key that does not exist. A promise only when the database has to be asked. */
  authenticate(token: string): MaybePromise<AuthenticatedKey | null> {
    return TOKEN.test(token) ? this.#keys.get(token, () => this.#load(token)) : null;
  }

  async #load(token: string): Promise<AuthenticatedKey | null> {
    const row = await this.#database
      .selectFrom('apiKeys')
      .innerJoin('projects', 'projects.id', 'apiKeys.projectId')
      .select(['apiKeys.id as keyId', 'apiKeys.projectId', 'apiKeys.scopes'])
      .select(['projects.plan', 'projects.trackOpens', 'projects.trackClicks'])
      .where('tokenSha256', '=', digest(token))
      .where('revokedAt', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return null;
    const scopes = row.scopes === null ? null : row.scopes.filter((scope): scope is Scope => isScope(scope));
    return { ...row, kind: 'api-key', scopes };
  }
}
