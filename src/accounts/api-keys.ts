/** API keys: `svc_live_` and 160 random bits, kept as a hash, shown once (docs/contract.md, Authentication). */
import { hash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { byteaArray } from '../db/arrays.ts';
import { type Database, type DatabaseTransaction, isMissingReference } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import { rowIs } from '../db/row-is.ts';
import { AppError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Plan } from '../model/plans.ts';
import { type GrantedScopes, isScope, type Scope } from '../model/scopes.ts';
import { projectGone } from './projects.ts';

const PREFIX = 'svc_live_';
const RANDOM_BYTES = 24;
/** Base64url of the random bytes. */
const TOKEN = /^svc_live_[A-Za-z0-9_-]{32}$/;
/** How long servers remember a key: a revocation or a change of plan counts after this at the latest. */
export const KEY_TTL_MS = 2_000;
const MAX_CACHED = 10_000;
/** All of a batch are answered at once: what others send meanwhile waits for as many answers. */
const MAX_BATCH = 64;
/** After so many wrong tokens at once the next ones are guesses too: they wait, so that who waits for the answer guesses slowly. */
const CROWD = 32;
const CROWD_PAUSE_MS = 50;
/** With pauses between all batches a new key waits for less than two seconds. */
const MAX_WAITING = 2_000;
const RETRY_SECONDS = 5;

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
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * @param scopes null: full access
 * @throws AppError not-found: the project was deleted a moment ago
 */
export async function createApiKey(
  database: Database | DatabaseTransaction,
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
      tokenSha256: digestOf(token),
      scopes: scopes === null ? null : [...scopes],
      createdAt: timeOf(id),
    })
    .execute()
    .catch((error: unknown) => {
      throw isMissingReference(error) ? projectGone() : error;
    });
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

type LookUps = GroupCommit<string, AuthenticatedKey | null>;

/** Finds the key of a bearer token: from memory for two seconds, then again from the database. */
export class ApiKeys {
  readonly #keys = new LoadingCache<AuthenticatedKey | null>({
    ttlMs: KEY_TTL_MS,
    maxEntries: MAX_CACHED,
    keeps: (key) => key !== null,
    nowMs: () => performance.now(),
  });
  /** Of tokens that nobody has used so far, and of those that were right before: guesses are in nobody's way. */
  readonly #ofStrangers: LookUps;
  readonly #ofKnown: LookUps;

  constructor(database: Database) {
    // One look-up at a time: however many tokens are tried, accepting has the other connections.
    const lookUps = (find: (tokens: string[]) => Promise<(AuthenticatedKey | null)[]>): LookUps =>
      new GroupCommit({ flights: 1, maxItems: MAX_BATCH, flush: find });
    let isCrowd = false;
    this.#ofStrangers = lookUps(async (tokens) => {
      if (isCrowd) await setTimeout(CROWD_PAUSE_MS);
      const keys = await findKeys(database, tokens);
      isCrowd = keys.filter((key) => key === null).length >= CROWD;
      return keys;
    });
    this.#ofKnown = lookUps((tokens) => findKeys(database, tokens));
  }

  /**
   * Null for a key that does not exist. A promise only when the database has to be asked.
   * @throws AppError unavailable
   */
  authenticate(token: string): MaybePromise<AuthenticatedKey | null> {
    return TOKEN.test(token) ? this.#keys.get(token, (before) => this.#load(token, before)) : null;
  }

  async #load(token: string, before: AuthenticatedKey | null | undefined): Promise<AuthenticatedKey | null> {
    if (before !== undefined) return this.#ofKnown.add(token);
    if (this.#ofStrangers.pending >= MAX_WAITING) {
      throw new AppError('unavailable', 'Too many API keys are being looked up at the moment.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    return this.#ofStrangers.add(token);
  }
}

/** For each token its key, or null. */
async function findKeys(database: Database, tokens: readonly string[]): Promise<(AuthenticatedKey | null)[]> {
  const digests = tokens.map(digestOf);
  const rows = await database
    .selectFrom('apiKeys')
    .innerJoin('projects', 'projects.id', 'apiKeys.projectId')
    .select(['apiKeys.id as keyId', 'apiKeys.projectId', 'apiKeys.scopes', 'tokenSha256'])
    .select(['projects.plan', 'projects.trackOpens', 'projects.trackClicks'])
    .where('tokenSha256', '=', sql<Buffer>`any(${byteaArray(digests)}::bytea[])`)
    .where('revokedAt', 'is', null)
    .execute();
  const found = new Map(
    rows.map(({ tokenSha256, scopes, ...key }) => [
      tokenSha256.toString('hex'),
      {
        ...key,
        kind: 'api-key' as const,
        scopes: scopes === null ? null : scopes.filter((scope): scope is Scope => isScope(scope)),
      },
    ]),
  );
  return digests.map((each) => found.get(each.toString('hex')) ?? null);
}
