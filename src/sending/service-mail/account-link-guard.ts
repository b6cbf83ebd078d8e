/**
 * Checks a mail with a link that opens an account, at the time when the mail is sent. Stops this attack: between the request and the
 * delivery, which may be retried for days, another person creates a local mailbox with the address and opens the account.
 */
import { hasSecondFactor, readFactors } from '../../accounts/factors/factors.ts';
import { USERS } from '../../accounts/factors/user-realm.ts';
import { isUserUnverified } from '../../accounts/verification.ts';
import type { Database } from '../../db/database.ts';
import { findLocal } from '../../mailboxes/local-addresses.ts';

/**
 * `free`: may be delivered to any mailbox. `outside`: never to a local mailbox. `withdrawn`: to no mailbox, because the link has just been
 * disabled.
 */
export type LinkVerdict = 'free' | 'outside' | 'withdrawn';

/**
 * Whether the account needs a second factor to use a link that was mailed to a local mailbox. True only for a verified account with a
 * second factor. In an unverified account a mailed link removes the second factor, so the factor gives no protection.
 */
export async function needsSecondFactor(
  database: Parameters<typeof isUserUnverified>[0],
  userId: string,
): Promise<boolean> {
  if (await isUserUnverified(database, userId)) return false;
  return hasSecondFactor(await readFactors(database, USERS, userId));
}

/**
 * @param submissionId UUID of a service mail
 * @param address the address of the mail's recipient
 */
export async function judgeAccountLink(
  database: Database,
  submissionId: string,
  address: string,
): Promise<LinkVerdict> {
  const link = await database
    .selectFrom('signInLinks')
    .select(['id', 'purpose', 'userId', 'mailedNeedsFactor'])
    .where('submissionId', '=', submissionId)
    .executeTakeFirst();
  // The mail has no link, or the link was used or replaced.
  if (link === undefined) return 'free';
  if (link.mailedNeedsFactor) {
    if (link.userId !== null && (await needsSecondFactor(database, link.userId))) return 'free';
  } else if ((await findLocal(database, address)) === null) return 'outside';
  await withdrawMailedToken(database, link);
  return 'withdrawn';
}

/** Disables the mailed link. The copy of the link that the inviter can hand over in person still works. */
async function withdrawMailedToken(
  database: Database,
  { id, purpose }: { id: string; purpose: 'welcome' | 'reset' | 'invitation' },
): Promise<void> {
  if (purpose === 'reset') await database.deleteFrom('signInLinks').where('id', '=', id).execute();
  else
    await database
      .updateTable('signInLinks')
      .set({ mailedTokenSha256: null, submissionId: null })
      .where('id', '=', id)
      .execute();
}
