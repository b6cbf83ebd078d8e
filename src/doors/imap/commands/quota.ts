/** GETQUOTA, GETQUOTAROOT and SETQUOTA (RFC 9208, section 4.1). */
import { formatAstring, formatMailbox } from '../../../rfc/imap/format-text.ts';
import { type TaggedResponse, RESPONSES, no, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

/** The only quota root, to which all mailboxes of an account belong. */
const ROOT = '';
/** The unit of STORAGE (RFC 9208, section 5.1). */
const KIB = 1_024;

export async function getQuota(
  session: SignedInSession,
  { root }: Named<'GETQUOTA'>,
): Promise<TaggedResponse> {
  return root === ROOT ? sendQuota(session) : no('NONEXISTENT', 'The quota root does not exist');
}

/** GETQUOTAROOT. For a mailbox that does not exist, returns the quota root to which the mailbox would belong. */
export async function getQuotaRoot(
  session: SignedInSession,
  { mailbox }: Named<'GETQUOTAROOT'>,
): Promise<TaggedResponse> {
  const { isUtf8 } = session;
  session.untagged(`QUOTAROOT ${formatMailbox(mailbox, isUtf8)} ${formatAstring(ROOT, isUtf8)}`);
  return sendQuota(session);
}

async function sendQuota(session: SignedInSession): Promise<TaggedResponse> {
  const quota = await session.services.store.quota(session.mailbox);
  if (quota === null) return RESPONSES.tryAgain;
  const [used, limit] = [Math.ceil(quota.octets / KIB), Math.floor(quota.quotaOctets / KIB)];
  session.untagged(`QUOTA ${formatAstring(ROOT, session.isUtf8)} (STORAGE ${used} ${limit})`);
  return ok('Quota completed');
}

export async function setQuota(): Promise<TaggedResponse> {
  return no('NOPERM', 'Quotas cannot be changed over IMAP');
}
