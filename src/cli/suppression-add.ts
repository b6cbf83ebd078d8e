import { findProjectByName } from '../accounts/projects.ts';
import { Suppressions } from '../sending/suppress/suppressions.ts';
import { validationError } from '../model/app-error.ts';
import type { SuppressionReason } from '../model/suppression-reasons.ts';
import { shownSuppression } from './suppression-list.ts';
import { print, withDatabase } from './with-database.ts';

interface Options {
  project: string;
  address: string;
  reason: SuppressionReason;
  expires?: string;
  json?: boolean;
}

/** Prints the entry that stands then, which may have been stronger before. */
export async function addSuppression({ project, address, reason, expires, json }: Options): Promise<void> {
  const expiresAt = expires === undefined ? null : new Date(expires);
  if (Number.isNaN(expiresAt?.getTime())) {
    throw validationError({ expires: 'must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z' });
  }
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, project);
    const entry = await new Suppressions(database).add(projectId, { address, reason, expiresAt });
    print(json, shownSuppression(entry));
  });
}
