/** API keys as listed in the dashboard, without tokens. */
import type { Database } from '../../db/database.ts';
import { type ProjectRole, type Role, roleInProject } from '../../model/roles.ts';
import { type GrantedScopes, isScope } from '../../model/scopes.ts';
import { digestOf } from './api-keys.ts';
import type { Restrictions } from '../restrictions/restrictions.ts';

export interface KeyRecord extends Restrictions {
  /** uuid */
  projectId: string;
  /** uuid */
  id: string;
  name: string;
  /** The last four characters of the token. Null if an earlier version created the key. */
  lastFour: string | null;
  /** Null for full access. */
  scopes: GrantedScopes;
  createdAt: Date;
  /** The uuid of the user who created the key in the dashboard. Null if the key was created on the command line or at the first start. */
  createdBy: string | null;
  /** Null if `createdBy` is null or the user was deleted. */
  createdByName: string | null;
  /** The creator's current role in the project. Null if the creator has no role, or if the key was not created by a user. */
  makerRole: Role | null;
  /** The time of the last use, accurate to a minute. Null if the key was never used. */
  lastUsedAt: Date | null;
}

/** The unrevoked keys of a project, including expired keys, oldest first. */
export async function listApiKeys(database: Database, projectId: string): Promise<KeyRecord[]> {
  const rows = await unrevokedKeys(database)
    .where('apiKeys.projectId', '=', projectId)
    .orderBy('apiKeys.id')
    .execute();
  return rows.map(recordOf);
}

/** @param keyId uuid @returns null if the project has no such key, or the key was revoked */
export async function readApiKey(
  database: Database,
  projectId: string,
  keyId: string,
): Promise<KeyRecord | null> {
  const row = await unrevokedKeys(database)
    .where('apiKeys.projectId', '=', projectId)
    .where('apiKeys.id', '=', keyId)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

/** Finds a key by its token in all projects, because the project of a leaked token is unknown. @returns null if there is no such key */
export async function findApiKey(database: Database, token: string): Promise<KeyRecord | null> {
  const row = await unrevokedKeys(database).where('tokenSha256', '=', digestOf(token)).executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

function unrevokedKeys(database: Database) {
  return database
    .selectFrom('apiKeys')
    .innerJoin('projects', 'projects.id', 'apiKeys.projectId')
    .leftJoin('users', 'users.id', 'apiKeys.createdBy')
    .leftJoin('memberships as m', (join) =>
      join
        .onRef('m.organizationId', '=', 'projects.organizationId')
        .onRef('m.userId', '=', 'apiKeys.createdBy'),
    )
    .leftJoin('projectRoles as r', (join) =>
      join
        .onRef('r.organizationId', '=', 'm.organizationId')
        .onRef('r.userId', '=', 'm.userId')
        .onRef('r.projectId', '=', 'apiKeys.projectId'),
    )
    .select([
      'apiKeys.projectId',
      'apiKeys.id',
      'apiKeys.name',
      'lastFour',
      'scopes',
      'apiKeys.createdAt',
      'lastUsedAt',
    ])
    .select(['createdBy', 'users.name as createdByName', 'm.role as inOrganization', 'r.role as inProject'])
    .select(['fromDomains', 'recipients', 'addresses', 'expiresAt'])
    .where('revokedAt', 'is', null);
}

/** Like the API, omits scopes that were added in later versions. */
function recordOf<
  const Row extends { scopes: string[] | null; inOrganization: Role | null; inProject: ProjectRole | null },
>({ inOrganization, inProject, ...row }: Row) {
  const makerRole = inOrganization === null ? null : roleInProject(inOrganization, inProject);
  return { ...row, scopes: row.scopes?.filter(isScope) ?? null, makerRole };
}
