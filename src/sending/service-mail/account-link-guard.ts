/**
 * Checks a mail with a link that opens an account at the time it is sent. Attack: between the request and the delivery, which may be retried for
 * days, someone creates a mailbox with the address here and opens the account of another person.
 */
import { hasSecondFactor, readFactors } from '../../accounts/factors/factors.ts';
import { USERS } from '../../accounts/factors/user-realm.ts';
import { isUserUnverified } from '../../accounts/verification.ts';
import type { Database } from '../../db/database.ts';
import { findLocal } from '../../mailboxes/local-addresses.ts';

/** `free`: may be delivered anywhere. `outside`: never to a local mailbox. `withdrawn`: not at all, because its link has just been disabled. */
export type LinkVerdict = 'free' | 'outside' | 'withdrawn';

/**
 * Whether the account needs a second factor to use a link mailed to a local mailbox: the account is verified and has a second factor. For an
 * unverified account a mailed link would remove the factor, so the factor gives no protection.
 */
export async function needsSecondFactor(
  database: Parameters<typeof isUserUnverified>[0],
  userId: string,
): Promise<boolean> {
  if (await isUserUnverified(database, userId)) return false;
  return hasSecondFactor(await readFactors(database, USERS, userId));
}

/**
 * @param submissionId uuid of a service mail
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

/** Disables the mailed link. The link that the inviter hands over in person still works. */
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
