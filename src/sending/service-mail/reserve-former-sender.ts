/**
 * Reserves, once, the address from which the installation sent mail before the sender became `posthorn@` of the hosted domain. Nothing is
 * reserved if the installation sent no such mail.
 */
import type { Database } from '../../db/database.ts';
import { recordSender } from '../../mailboxes/reserved-addresses.ts';
import { parseMailbox } from '../../rfc/address/index.ts';

/**
 * The former hosted domains, separated by spaces. Versions before the baseline wrote this setting if the audit log showed service mail from
 * before the sender changed.
 */
const SETTING = 'former_sender_domains';
const FORMER_LOCAL_PART = 'noreply';

/**
 * Called at a start without POSTHORN_MAIL_FROM. If the variable is set, service mail in the audit log may have been sent from the address
 * in the variable. A new installation does not have the setting, so nothing is reserved.
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
