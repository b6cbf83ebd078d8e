/** Shared parts of commands that manage members of an organization. The person who runs these commands has the rights of an owner. */
import { Option } from 'commander';
import { ensureOrganization, findOrganization } from '../../accounts/organizations/organizations.ts';
import type { Database } from '../../db/database.ts';

export const SEES_BODIES = [
  '--sees-bodies <state>',
  'whether a viewer may read the content of emails',
] as const;
export const NO_MEMBER = 'The user is not a member of this organization. Choose another one with --org.';

export function organizationOption(): Option {
  return new Option('--org <name>', 'the organization, by name or id (org_...); default: the first one');
}

/**
 * @returns the uuid of the organization; if `org` is undefined, the uuid of the first organization @throws AppError not-found, bad-request
 */
export async function organizationNamed(database: Database, org: string | undefined): Promise<string> {
  if (org !== undefined) return (await findOrganization(database, org)).id;
  return database.transaction().execute(ensureOrganization);
}
