/**
 * The API keys that a member of an organization created in the dashboard. The keys keep working after the member leaves, unless they are
 * revoked.
 */
import type { MemberKeyList } from '../../contract/dashboard/api-keys.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import { isScope } from '../../model/scopes.ts';
import { recordChange } from '../audit.ts';

/** Unrevoked keys, oldest first. @returns null if the organization has no such member */
export async function listMemberKeys(
  database: Database,
  organizationId: string,
  userId: string,
): Promise<MemberKeyList | null> {
  const member = await database
    .selectFrom('memberships')
    .select('userId')
    .where((row) => rowIs(row, { organizationId, userId }))
    .executeTakeFirst();
  if (member === undefined) return null;
  const keys = await database
    .selectFrom('apiKeys as k')
    .innerJoin('projects as p', 'p.id', 'k.projectId')
    .select(['k.id', 'k.name', 'k.projectId', 'p.name as projectName', 'k.scopes', 'k.lastUsedAt'])
    .where('p.organizationId', '=', organizationId)
    .where('k.createdBy', '=', userId)
    .where('k.revokedAt', 'is', null)
    .orderBy('k.id')
    .execute();
  return {
    data: keys.map(({ id, name, projectId, projectName, scopes, lastUsedAt }) => ({
      id: encodeId('key', id),
      name,
      scopes: scopes?.filter(isScope) ?? null,
      project_id: encodeId('prj', projectId),
      project_name: projectName,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  };
}

/** Revokes a member's keys. Running servers reject the keys within two seconds. Must be called after `lockOrganization`. */
export async function revokeMemberKeys(
  tx: DatabaseTransaction,
  organizationId: string,
  userId: string,
): Promise<void> {
  const revoked = await tx
    .updateTable('apiKeys as k')
    .from('projects as p')
    .set({ revokedAt: clock.now() })
    .whereRef('p.id', '=', 'k.projectId')
    .where('p.organizationId', '=', organizationId)
    .where('k.createdBy', '=', userId)
    .where('k.revokedAt', 'is', null)
    .returning(['k.id', 'k.projectId', 'k.name'])
    .execute();
  for (const { id, projectId, name } of revoked)
    await recordChange(tx, {
      of: { projectId },
      action: 'api-key.revoke',
      target: encodeId('key', id),
      targetName: name,
      before: { name },
    });
}
