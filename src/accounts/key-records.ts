/** API keys as people see them. Nobody sees a token again. */
import type { Database } from '../db/database.ts';
import { type GrantedScopes, isScope } from '../model/scopes.ts';
import { digestOf } from './api-keys.ts';

export interface KeyRecord {
  /** uuid */
  projectId: string;
  /** uuid */
  id: string;
  name: string;
  /** Null: full access. */
  scopes: GrantedScopes;
  createdAt: Date;
}

/** The keys of a project that were not revoked, oldest first. */
export async function listApiKeys(database: Database, projectId: string): Promise<KeyRecord[]> {
  const rows = await livingKeys(database).where('projectId', '=', projectId).orderBy('id').execute();
  return rows.map(recordOf);
}

/** The key with this token, whatever its project: whoever found a token need not know where it belongs. Null: there is none. */
export async function findApiKey(database: Database, token: string): Promise<KeyRecord | null> {
  const row = await livingKeys(database).where('tokenSha256', '=', digestOf(token)).executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

function livingKeys(database: Database) {
  return database
    .selectFrom('apiKeys')
    .select(['projectId', 'id', 'name', 'scopes', 'createdAt'])
    .where('revokedAt', 'is', null);
}

/** A scope of a later version is left out, as the API leaves it out. */
function recordOf<const Row extends { scopes: string[] | null }>(row: Row) {
  return { ...row, scopes: row.scopes?.filter(isScope) ?? null };
}
