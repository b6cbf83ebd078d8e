/** Reserves the address from which the service sent mail before it used `posthorn@` the hosted domain, once, if it ever sent mail from there. */
import type { Database } from '../../db/database.ts';
import { recordSender } from '../../mailboxes/reserved-addresses.ts';
import { parseMailbox } from '../../rfc/address/index.ts';

/**
 * The hosted domains of that time, separated by spaces. Written by versions before the baseline if the audit log showed service mail from before
 * the change.
 */
const SETTING = 'former_sender_domains';
const FORMER_LOCAL_PART = 'noreply';

/**
 * Call at a start without POSTHORN_MAIL_FROM. If the variable is set, service mail in the audit log may have been sent from its address instead. A new
 * installation does not have the setting, and nothing is reserved.
 */
export async function reserveFormerSender(database: Database): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const noted = await tx
      .deleteFrom('settings')
      .where('name', '=', SETTING)
      .returning('value')
      .executeTakeFirst();
    for (const domain of noted?.value.split(' ') ?? []) {
      const sender = parseMailbox(`${FORMER_LOCAL_PART}@${domain}`);
      if (!('error' in sender)) await recordSender(tx, sender);
    }
  });
}
