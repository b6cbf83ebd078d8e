/** GETQUOTA, GETQUOTAROOT and SETQUOTA (RFC 9208, section 4.1). */
import { formatAstring, formatMailbox } from '../../../rfc/imap/format-text.ts';
import { type Account, accountOf, ownAccount } from '../accounts.ts';
import { DELIMITER } from '../mailbox-list.ts';
import { type TaggedResponse, RESPONSES, no, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

/** The quota root of the own account. The root of a shared account is `Shared/<address>`. */
const ROOT = '';
/** The unit of STORAGE (RFC 9208, section 5.1). */
const KIB = 1_024;

export async function getQuota(
  session: SignedInSession,
  { root }: Named<'GETQUOTA'>,
): Promise<TaggedResponse> {
  if (root === ROOT) return sendQuota(session, ownAccount(session.mailbox));
  const { account, name } = await accountOf(session.mailbox, session.services.store, root);
  return account.grant !== null && name === ''
    ? sendQuota(session, account)
    : no('NONEXISTENT', 'The quota root does not exist');
}

/** GETQUOTAROOT. For a mailbox that does not exist, returns the quota root to which the mailbox would belong. */
export async function getQuotaRoot(
  session: SignedInSession,
  { mailbox }: Named<'GETQUOTAROOT'>,
): Promise<TaggedResponse> {
  const { isUtf8 } = session;
  const { account } = await accountOf(session.mailbox, session.services.store, mailbox);
  session.untagged(`QUOTAROOT ${formatMailbox(mailbox, isUtf8)} ${formatAstring(rootOf(account), isUtf8)}`);
  return sendQuota(session, account);
}

function rootOf({ prefix, grant }: Account): string {
  return grant === null ? ROOT : prefix.slice(0, -DELIMITER.length);
}

async function sendQuota(session: SignedInSession, account: Account): Promise<TaggedResponse> {
  const quota = await session.services.store.quota(account.key);
  if (quota === null) return RESPONSES.tryAgain;
  const [used, limit] = [Math.ceil(quota.octets / KIB), Math.floor(quota.quotaOctets / KIB)];
  session.untagged(`QUOTA ${formatAstring(rootOf(account), session.isUtf8)} (STORAGE ${used} ${limit})`);
  return ok('Quota completed');
}

export async function setQuota(): Promise<TaggedResponse> {
  return no('NOPERM', 'Quotas cannot be changed over IMAP');
}
