import { rowIs } from '../db/row-is.ts';
import { recordChange } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { encodeId } from '../model/ids.ts';

/**
 * Lets a project send from a domain without DNS records, to try out the service. Nothing proves that the domain belongs to the project,
 * so this verification counts only on servers outside production, even if a production server uses the same database
 * (docs/decisions/0041-verified-by-hand.md).
 * @param name A-labels, lower case
 * @returns uuid of the domain; null if the project has no such domain of its own
 */
export async function verifyManually(
  database: Database,
  projectId: string,
  name: string,
): Promise<string | null> {
  const verifiedAt = clock.now();
  return database.transaction().execute(async (tx) => {
    const marked = await tx
      .insertInto('domainsVerifiedByHand')
      .columns(['projectId', 'domainId', 'verifiedAt'])
      .expression((select) =>
        select
          .selectFrom('domains')
          .select(['projectId', 'id', select.val(verifiedAt).as('verifiedAt')])
          .where((row) => rowIs(row, { projectId, name })),
      )
      .onConflict((conflict) => conflict.columns(['projectId', 'domainId']).doUpdateSet({ verifiedAt }))
      .returning('domainId')
      .executeTakeFirst();
    if (marked === undefined) return null;
    const target = encodeId('dom', marked.domainId);
    await recordChange(tx, {
      of: { projectId },
      action: 'domain.verify-by-hand',
      target,
      targetName: name,
      after: { verified_by_hand: true },
    });
    return marked.domainId;
  });
}
