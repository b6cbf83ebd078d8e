import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';

/**
 * Lets a project send from a domain whose records are not in DNS, for trying out: nobody has shown that the domain is the
 * project's. So it counts on servers outside production alone, however the database came to them
 * (docs/decisions/0041-verified-by-hand.md).
 * @param name A-labels, lower case
 * @returns the uuid of the domain; null when the project has no such domain of its own
 */
export async function verifyByHand(
  database: Database,
  projectId: string,
  name: string,
): Promise<string | null> {
  const marked = await database
    .updateTable('domains')
    .set({ verifiedByHandAt: clock.now() })
    .where((row) => rowIs(row, { projectId, name }))
    .returning('id')
    .executeTakeFirst();
  return marked?.id ?? null;
}
