/** Lists and creates the API keys of projects for the dashboard. */
import type { ApiKey, ApiKeyList, CreateApiKey, CreatedApiKey } from '../../contract/dashboard/api-keys.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { decodeId, encodeId, NIL_UUID } from '../../model/ids.ts';
import { SCOPE_TABLE } from '../../model/scopes.ts';
import { createApiKey, renameApiKey, revokeApiKey } from './api-keys.ts';
import { assertMayGrant, type LeastRoles, mayGrant } from './least-roles.ts';
import type { Principal } from '../principal.ts';
import { type KeyRecord, listApiKeys, readApiKey } from './key-records.ts';

export class ProjectKeys {
  readonly #database: Database;
  readonly #leastRoles: LeastRoles;

  constructor(database: Database, leastRoles: LeastRoles) {
    this.#database = database;
    this.#leastRoles = leastRoles;
  }

  async list(projectId: string): Promise<ApiKeyList> {
    const keys = await listApiKeys(this.#database, projectId);
    const { scopes, fullAccess } = this.#leastRoles;
    return {
      data: keys.map((key) => this.#shown(key)),
      scopes: SCOPE_TABLE.map((row) => ({ ...row, granted_by: scopes.get(row.scope) ?? fullAccess })),
      full_access_granted_by: fullAccess,
    };
  }

  /**
   * @param creator the user, with their role in the project
   * @throws AppError missing-role if the role may not grant a scope; validation-failed, not-found
   */
  async create(
    projectId: string,
    creator: Pick<Principal, 'userId' | 'role'>,
    given: CreateApiKey,
  ): Promise<CreatedApiKey> {
    assertMayGrant(this.#leastRoles, creator.role, given.scopes ?? null);
    const { id, token } = await createApiKey(this.#database, projectId, given.name, given.scopes ?? null, {
      createdBy: creator.userId,
      restrictions: {
        fromDomains: given.from_domains ?? null,
        recipients: given.recipients ?? null,
        addresses: given.addresses ?? null,
        expiresAt: given.expires_at === undefined ? null : new Date(given.expires_at),
      },
    });
    const key = await readApiKey(this.#database, projectId, decodeId('key', id) ?? NIL_UUID);
    if (key === null) throw new AppError('not-found', 'The key has just been revoked.');
    return { ...this.#shown(key), token };
  }

  /** @returns null if there is no such key @throws AppError validation-failed */
  async rename(projectId: string, keyId: string, name: string): Promise<ApiKey | null> {
    if (!(await renameApiKey(this.#database, projectId, keyId, name))) return null;
    const key = await readApiKey(this.#database, projectId, keyId);
    return key === null ? null : this.#shown(key);
  }

  /** @returns false if there is no such key */
  revoke(projectId: string, keyId: string): Promise<boolean> {
    return revokeApiKey(this.#database, projectId, keyId);
  }

  #shown(key: KeyRecord): ApiKey {
    return {
      id: encodeId('key', key.id),
      name: key.name,
      last_four: key.lastFour,
      scopes: listOf(key.scopes),
      from_domains: listOf(key.fromDomains),
      recipients: listOf(key.recipients),
      addresses: listOf(key.addresses),
      expires_at: key.expiresAt?.toISOString() ?? null,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
      created_by: key.createdByName,
      maker_role: key.makerRole,
      exceeds_maker: key.createdBy !== null && !mayGrant(this.#leastRoles, key.makerRole, key.scopes),
      created_at: key.createdAt.toISOString(),
    };
  }
}

function listOf<Entry>(list: readonly Entry[] | null): Entry[] | null {
  return list === null ? null : [...list];
}
