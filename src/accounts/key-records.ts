/** API keys as people see them. Nobody sees a token again. */
import type { Database } from '../db/database.ts';
import { type GrantedScopes, isScope } from '../model/scopes.ts';
import { digestOf } from './api-keys.ts';
import type { Restrictions } from './restrictions/restrictions.ts';

export interface KeyRecord extends Restrictions {
  /** uuid */
  projectId: string;
  /** uuid */
  id: string;
  name: string;
  /** Null: full access. */
  scopes: GrantedScopes;
  createdAt: Date;
  /** The user who made it in the dashboard. Null: on the command line, at the first start, or by somebody who is gone. */
  createdByName: string | null;
  /** Within a minute. Null: it was never used. */
  lastUsedAt: Date | null;
}

/** The keys of a project that were not revoked, oldest first. Those that have expired are among them. */
export async function listApiKeys(database: Database, projectId: string): Promise<KeyRecord[]> {
  const rows = await livingKeys(database).where('projectId', '=', projectId).orderBy('apiKeys.id').execute();
  return rows.map(recordOf);
}

/** @param keyId uuid. @returns null: the project has no such key, or it was revoked */
export async function readApiKey(
  database: Database,
  projectId: string,
  keyId: string,
): Promise<KeyRecord | null> {
  const row = await livingKeys(database)
    .where('projectId', '=', projectId)
    .where('apiKeys.id', '=', keyId)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

/** The key with this token, whatever its project: whoever found a token need not know where it belongs. Null: there is none. */
export async function findApiKey(database: Database, token: string): Promise<KeyRecord | null> {
  const row = await livingKeys(database).where('tokenSha256', '=', digestOf(token)).executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

function livingKeys(database: Database) {
  return database
    .selectFrom('apiKeys')
    .leftJoin('users', 'users.id', 'apiKeys.createdBy')
    .select(['projectId', 'apiKeys.id', 'apiKeys.name', 'scopes', 'apiKeys.createdAt', 'lastUsedAt'])
    .select('users.name as createdByName')
    .select(['fromDomains', 'recipients', 'addresses', 'expiresAt'])
    .where('revokedAt', 'is', null);
}

/** A scope of a later version is left out, as the API leaves it out. */
function recordOf<const Row extends { scopes: string[] | null }>(row: Row) {
  return { ...row, scopes: row.scopes?.filter(isScope) ?? null };
}
