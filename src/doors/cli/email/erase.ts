import type { Database } from '../../../db/database.ts';
import { validationError } from '../../../model/app-error.ts';
import { type Erased, eraseAddress, eraseEmail } from '../../../retention/erase.ts';
import { findProjectByName } from '../../../accounts/projects/projects.ts';
import { idFrom, print, withDatabase } from '../command.ts';

export interface EraseOptions {
  project?: string;
  id?: string;
  address?: string;
  suppressions?: boolean;
  json?: boolean;
}

/** Erases an email or an address and prints the counts (docs/operate/retention.md, Erasing). */
export async function erase(options: EraseOptions): Promise<void> {
  const { project, id, address } = options;
  if ((id === undefined) === (address === undefined))
    throw validationError({ options: 'use either --id or --address to choose what to erase' });
  if (id !== undefined && project === undefined)
    throw validationError({ options: '--id requires --project' });
  await withDatabase(async ({ database }) => {
    const projectId = project === undefined ? null : await findProjectByName(database, project);
    print(options.json, shown(await run(database, projectId, options)));
  });
}

function run(
  database: Database,
  projectId: string | null,
  { id, address = '', suppressions = false }: EraseOptions,
): Promise<Erased> {
  if (id !== undefined && projectId !== null) return eraseEmail(database, projectId, idFrom('em', id));
  return eraseAddress(database, projectId, address, suppressions);
}

/** The counts by the names that the command prints. */
function shown(erased: Erased) {
  return {
    emails_deleted: erased.emailsDeleted,
    emails_redacted: erased.emailsRedacted,
    recipients_cancelled: erased.recipientsCancelled,
    webhook_deliveries_deleted: erased.webhookDeliveriesDeleted,
    sandbox_copies_deleted: erased.sandboxCopiesDeleted,
    people_deleted: erased.peopleDeleted,
    suppressions_deleted: erased.suppressionsDeleted,
    suppressions_kept: erased.suppressionsKept,
  };
}
