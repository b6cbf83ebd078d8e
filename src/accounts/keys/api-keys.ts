/** API keys: `svc_live_` and 192 random bits, stored as a hash, shown once (docs/contract.md, Authentication). */
import { hash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { byteaArray } from '../../db/arrays.ts';
import { type Database, type DatabaseTransaction, inTransaction } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import { rowIs } from '../../db/row-is.ts';
import { unavailable, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { oneLineFault } from '../../model/one-line.ts';
import type { Plan } from '../../model/plans.ts';
import { type GrantedScopes, isScope, type Scope, SCOPES } from '../../model/scopes.ts';
import { Networks } from '../../net/networks.ts';
import { recordChange } from '../audit.ts';
import { type KeyUse, KeyUses } from './key-uses.ts';
import { lockProject } from '../projects/projects.ts';
import { readRestrictions, type Restrictions, UNRESTRICTED } from '../restrictions/restrictions.ts';
import { SendingRestrictions } from '../restrictions/sending-restrictions.ts';

/** The beginning of every API key. */
export const KEY_PREFIX = 'svc_live_';
const RANDOM_BYTES = 24;
/** The number of characters at the end of a token that are stored, to identify a leaked key. They leave 168 random bits to guess. */
const STORED_ENDING = 4;
/** A prefix, and 24 random bytes in base64url. */
const TOKEN = /^svc_live_[A-Za-z0-9_-]{32}$/;
/** How long servers cache a key. A revocation or a change of plan takes effect within this time. */
export const KEY_TTL_MS = 2_000;
const MAX_CACHED = 10_000;
/** Maximum number of look-ups in a batch. All look-ups of a batch finish together, so a larger batch would delay each of them. */
const MAX_BATCH = 64;
/** If a batch has this many wrong tokens, the next batch starts after a pause, which slows down an attacker who guesses tokens. */
const CROWD = 32;
const CROWD_PAUSE_MS = 50;
/**
 * Maximum number of tokens that wait for their first look-up. With this limit, a new key waits for less than two seconds, even if there is
 * a pause before every batch.
 */
const MAX_WAITING = 2_000;
/** Maximum number of keys per project, not counting revoked keys. */
export const MAX_KEYS = 1_000;
const MAX_NAME_LENGTH = 100;

export interface KeyDetails {
  /** Default: no restrictions. */
  restrictions?: Restrictions;
  /** The uuid of the user who creates the key in the dashboard. */
  createdBy?: string;
}

export interface CreatedKey {
  id: string;
  /** The token is shown only once, because only its hash is stored. */
  token: string;
  scopes: GrantedScopes;
}

export interface AuthenticatedKey {
  /** Distinguishes a key from other kinds of callers. */
  kind: 'api-key';
  /** uuid */
  keyId: string;
  /** The key's display name. */
  name: string;
  /** uuid */
  projectId: string;
  /** The project's plan. */
  plan: Plan;
  /** `trackOpens`, `trackClicks`, `smtpTracking` and `smtpEvents` are settings of the project. */
  trackOpens: boolean;
  trackClicks: boolean;
  smtpTracking: boolean;
  smtpEvents: boolean;
  scopes: GrantedScopes;
  /** Null if any sender of the project and any recipient are allowed. */
  restrictions: SendingRestrictions | null;
}

interface KnownKey {
  key: AuthenticatedKey;
  /** The IP addresses from which the key may be used; null for any address. */
  sources: Networks | null;
  expiresAtMs: number;
  /** Whether the key's last recorded use was more than a minute ago at the time of the look-up. */
  isUseDue: boolean;
}

/** A fast hash is enough, because the token cannot be guessed. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * @param scopes null for full access
 * @throws AppError validation-failed; not-found if the project was deleted a moment ago
 */
export async function createApiKey(
  database: Database | DatabaseTransaction,
  projectId: string,
  name: string,
  scopes: GrantedScopes,
  { restrictions = UNRESTRICTED, createdBy }: KeyDetails = {},
): Promise<CreatedKey> {
  checkName(name);
  const normal = readRestrictions(restrictions);
  return inTransaction(database, async (tx) => {
    await lockProject(tx, projectId);
    const { count } = await tx
      .selectFrom('apiKeys')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('projectId', '=', projectId)
      .where('revokedAt', 'is', null)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_KEYS)
      throw validationError({
        name: `the project has ${MAX_KEYS} API keys, which is the limit: revoke one first`,
      });
    const token = KEY_PREFIX + randomBytes(RANDOM_BYTES).toString('base64url');
    const id = newUuid();
    await tx
      .insertInto('apiKeys')
      .values({
        projectId,
        id,
        name,
        tokenSha256: digestOf(token),
        lastFour: token.slice(-STORED_ENDING),
        scopes: listOf(scopes),
        createdAt: timeOf(id),
        fromDomains: listOf(normal.fromDomains),
        recipients: listOf(normal.recipients),
        addresses: listOf(normal.addresses),
        expiresAt: normal.expiresAt,
        createdBy: createdBy ?? null,
        grantsRoutes: true,
      })
      .execute();
    const shownId = encodeId('key', id);
    await recordChange(tx, {
      of: { projectId },
      action: 'api-key.create',
      target: shownId,
      targetName: name,
      after: {
        name,
        scopes,
        from_domains: normal.fromDomains,
        recipients: normal.recipients,
        addresses: normal.addresses,
        expires_at: normal.expiresAt?.toISOString() ?? null,
      },
    });
    return { id: shownId, token, scopes };
  });
}

function listOf(list: readonly string[] | null): string[] | null {
  return list === null ? null : [...list];
}

/** @throws AppError validation-failed */
function checkName(name: string): void {
  const fault =
    name.trim() === ''
      ? 'must not be blank: enter the purpose of the key'
      : name.length > MAX_NAME_LENGTH
        ? `must have at most ${MAX_NAME_LENGTH} characters`
        : oneLineFault(name);
  if (fault !== null) throw validationError({ name: fault });
}

/**
 * Revokes a key. Running servers reject the key within two seconds.
 * @param keyId uuid
 * @returns false if the project has no such key, or the key was revoked before
 */
export function revokeApiKey(database: Database, projectId: string, keyId: string): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    const revoked = await tx
      .updateTable('apiKeys')
      .set({ revokedAt: clock.now() })
      .where((row) => rowIs(row, { projectId, id: keyId }))
      .where('revokedAt', 'is', null)
      .returning('name')
      .executeTakeFirst();
    if (revoked === undefined) return false;
    const { name } = revoked;
    const target = encodeId('key', keyId);
    await recordChange(tx, {
      of: { projectId },
      action: 'api-key.revoke',
      target,
      targetName: name,
      before: { name },
    });
    return true;
  });
}

/**
 * @param keyId uuid
 * @returns false if the project has no such key, or the key was revoked
 * @throws AppError validation-failed
 */
export function renameApiKey(
  database: Database,
  projectId: string,
  keyId: string,
  name: string,
): Promise<boolean> {
  checkName(name);
  return inTransaction(database, async (tx) => {
    const key = await tx
      .selectFrom('apiKeys')
      .select('name')
      .where((row) => rowIs(row, { projectId, id: keyId }))
      .where('revokedAt', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (key === undefined) return false;
    if (key.name === name) return true;
    await tx
      .updateTable('apiKeys')
      .set({ name })
      .where((row) => rowIs(row, { projectId, id: keyId }))
      .execute();
    await recordChange(tx, {
      of: { projectId },
      action: 'api-key.rename',
      target: encodeId('key', keyId),
      targetName: name,
      before: { name: key.name },
      after: { name },
    });
    return true;
  });
}

type LookUps = GroupCommit<string, KnownKey | null>;

/** Finds the key of a bearer token. A key is cached for two seconds, then read again from the database. */
export class ApiKeys {
  readonly #keys = new LoadingCache<KnownKey | null>({
    ttlMs: KEY_TTL_MS,
    maxEntries: MAX_CACHED,
    mayCache: (key) => key !== null,
    nowMs: () => performance.now(),
  });
  /** Separate queues for tokens never seen before and for tokens that were valid before, so guesses do not delay real keys. */
  readonly #ofStrangers: LookUps;
  readonly #ofKnown: LookUps;
  readonly #uses: KeyUses;

  constructor(database: Database) {
    this.#uses = new KeyUses(database);
    // Each queue looks up one batch at a time, so that the other connections stay free for accepting mail, however many tokens are tried.
    const lookUps = (find: (tokens: string[]) => Promise<(KnownKey | null)[]>): LookUps =>
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
   * Authenticates a request by its token. Returns a promise only when the database has to be queried.
   * @param address the client's IP address
   * @returns null for a key that does not exist, has expired, or may not be used from this address. The client does not learn the reason
   * @throws AppError unavailable
   */
  authenticate(token: string, address: string): MaybePromise<AuthenticatedKey | null> {
    if (!TOKEN.test(token)) return null;
    const found = this.#keys.get(token, (before) => this.#load(token, before));
    return found instanceof Promise
      ? found.then((known) => this.#admit(known, address))
      : this.#admit(found, address);
  }

  #admit(known: KnownKey | null, address: string): AuthenticatedKey | null {
    if (known === null || known.expiresAtMs <= clock.nowMs()) return null;
    if (known.sources?.includes(address) === false) return null;
    if (known.isUseDue) {
      known.isUseDue = false;
      this.#uses.note(known.key);
    }
    return known.key;
  }

  async #load(token: string, before: KnownKey | null | undefined): Promise<KnownKey | null> {
    if (before !== undefined) return this.#ofKnown.add(token);
    if (this.#ofStrangers.pending >= MAX_WAITING) {
      throw unavailable('Too many API keys are being looked up. Try again in a few seconds.');
    }
    return this.#ofStrangers.add(token);
  }
}

/** Finds the key of each token; null for a token without a key. */
async function findKeys(database: Database, tokens: readonly string[]): Promise<(KnownKey | null)[]> {
  const digests = tokens.map(digestOf);
  const rows = await database
    .selectFrom('apiKeys')
    .innerJoin('projects', 'projects.id', 'apiKeys.projectId')
    .select([
      'apiKeys.id as keyId',
      'apiKeys.name',
      'apiKeys.projectId',
      'apiKeys.scopes',
      'tokenSha256',
      'grantsRoutes',
    ])
    .select(['fromDomains', 'recipients', 'addresses', 'expiresAt', 'lastUsedAt'])
    .select(['projects.plan', 'projects.trackOpens', 'projects.trackClicks'])
    .select(['projects.smtpTracking', 'projects.smtpEvents'])
    .where('tokenSha256', '=', sql<Buffer>`any(${byteaArray(digests)}::bytea[])`)
    .where('revokedAt', 'is', null)
    .execute();
  const found = new Map(rows.map((row) => [row.tokenSha256.toString('hex'), knownKey(row)]));
  return digests.map((each) => found.get(each.toString('hex')) ?? null);
}

interface KeyRow
  extends KeyUse,
    Restrictions,
    Pick<AuthenticatedKey, 'name' | 'plan' | 'trackOpens' | 'trackClicks' | 'smtpTracking' | 'smtpEvents'> {
  scopes: readonly string[] | null;
  grantsRoutes: boolean;
}

/** A key with full access that was created before routes existed does not read mail through them. */
function scopesOf({ scopes, grantsRoutes }: KeyRow): GrantedScopes {
  if (scopes !== null) return scopes.filter((scope): scope is Scope => isScope(scope));
  return grantsRoutes ? null : SCOPES.filter((scope) => !scope.startsWith('routes:'));
}

/** Parses the restrictions of a key once, for all requests that use the cached key. */
function knownKey(row: KeyRow): KnownKey {
  const { keyId, name, projectId, plan, trackOpens, trackClicks, smtpTracking, smtpEvents } = row;
  const { addresses, expiresAt } = row;
  return {
    key: {
      kind: 'api-key',
      keyId,
      name,
      projectId,
      plan,
      trackOpens,
      trackClicks,
      smtpTracking,
      smtpEvents,
      scopes: scopesOf(row),
      restrictions: row.fromDomains === null && row.recipients === null ? null : new SendingRestrictions(row),
    },
    sources: addresses === null ? null : new Networks(addresses),
    expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    isUseDue: KeyUses.isDue(row),
  };
}
