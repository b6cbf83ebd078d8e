import { findProjectByName } from '../accounts/projects.ts';
import { type Suppression, Suppressions } from '../sending/suppress/suppressions.ts';
import { encodeId } from '../model/ids.ts';
import { withDatabase } from './with-database.ts';

const PAGE = 1_000;

/** One entry a line, in the order of the addresses. */
export async function listSuppressions(options: { project: string; json?: boolean }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const suppressions = new Suppressions(database);
    let cursor: string | null = null;
    do {
      const page = await suppressions.list(projectId, { limit: PAGE, cursor });
      for (const entry of page.data.map(shownSuppression)) {
        const { address, reason, created_at, expires_at } = entry;
        const line = [address, reason, created_at, expires_at ?? 'for good'].join('\t');
        process.stdout.write(`${options.json === true ? JSON.stringify(entry) : line}\n`);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
  });
}

/** An entry under the names that people see. */
export function shownSuppression({ address, reason, detail, emailId, createdAt, expiresAt }: Suppression) {
  return {
    address,
    reason,
    email_id: emailId === null ? null : encodeId('em', emailId),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    ...(detail !== null && { detail }),
  };
}
