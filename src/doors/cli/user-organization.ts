/** What commands about people in an organisation have in common. Who runs them may do there what its owners may. */
import { Option } from 'commander';
import { ensureOrganization, findOrganization } from '../../accounts/organizations/organizations.ts';
import type { Database } from '../../db/database.ts';

export const SEES_BODIES = ['--sees-bodies <state>', 'whether a viewer may read what emails say'] as const;
export const NO_MEMBER = 'The user does not belong to this organisation. Name another one with --org.';

export function organizationOption(): Option {
  return new Option('--org <name>', 'the organisation, a name or org_...; default: the first one');
}

/** @returns its uuid @throws AppError not-found, bad-request */
export async function organizationNamed(database: Database, org: string | undefined): Promise<string> {
  if (org !== undefined) return (await findOrganization(database, org)).id;
  return database.transaction().execute(ensureOrganization);
}
