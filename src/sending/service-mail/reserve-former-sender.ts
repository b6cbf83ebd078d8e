/** Reserves the sender that the service had before `posthorn@` the hosted domain, once, where people were sent mail from it. */
import type { Database } from '../../db/database.ts';
import { recordSender } from '../../mailboxes/reserved-addresses.ts';
import { parseMailbox } from '../../rfc/address/index.ts';

/**
 * Written by code before the baseline where the audit log showed mail of the service from before the change: the hosted domains of that time, with
 * spaces between.
 */
const SETTING = 'former_sender_domains';
const FORMER_LOCAL_PART = 'noreply';

/**
 * For a start without POSTHORN_MAIL_FROM: with it another sender may have written the mail that the audit log shows. A new installation has no such
 * setting, and nothing is reserved.
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
