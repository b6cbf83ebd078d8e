/**
 * The accounts whose folders a session can name: the mailbox that is signed in, and the mailboxes that are shared with it, whose folders
 * have names below `Shared/<address>/` (docs/mail-apps.md, Shared mailboxes).
 */
import type { Grant } from '../../mailboxes/sharing/grants.ts';
import type { SignedInMailbox } from '../../mailboxes/sign-in/sign-in.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import { DELIMITER } from './mailbox-list.ts';
import { no } from './responses.ts';

/** The namespace of shared mailboxes (RFC 9051, section 6.3.10). */
export const SHARED = `Shared${DELIMITER}`;

export interface Account {
  key: MailboxKey;
  /** The start of the names of its folders. Empty for the own account. */
  prefix: string;
  /** Whether the session may change the mail of the account. */
  mayWrite: boolean;
  /** Null for the own account. */
  grant: Grant | null;
}

export const READ_GRANT = no('NOPERM', 'You can only read this shared mailbox');
export const GRANT_ENDED = no('NOPERM', 'Your access to this shared mailbox was changed or revoked');
export const OTHER_ACCOUNT = no(
  'CANNOT',
  'The folders belong to different mailboxes; copy the messages instead',
);

export function ownAccount({ projectId, mailboxId, access }: SignedInMailbox): Account {
  return { key: { projectId, mailboxId }, prefix: '', mayWrite: access === 'everything', grant: null };
}

/**
 * Reads the accounts of a session, its own first. Reads the grants each time, so that a revoked grant has no effect on the next command.
 */
export async function readAccounts(
  mailbox: SignedInMailbox,
  store: Pick<Store, 'folders'>,
): Promise<Account[]> {
  const own = ownAccount(mailbox);
  const grants = await mailbox.memberships();
  if (grants.length === 0) return [own];
  // An own folder that already has the name of a shared mailbox stays accessible and hides the shared mailbox: own mail must not disappear.
  const taken = (await store.folders(own.key)).map(({ name }) => `${name}${DELIMITER}`);
  const shared = grants.map((grant) => ({
    key: { projectId: mailbox.projectId, mailboxId: grant.mailboxId },
    prefix: `${SHARED}${grant.address}${DELIMITER}`,
    mayWrite: own.mayWrite && grant.access === 'write',
    grant,
  }));
  return [own, ...shared.filter(({ prefix }) => !taken.some((name) => name.startsWith(prefix)))];
}

/**
 * Finds the account of a folder. If the account is shared, the session ends from then on when the grant is changed or revoked, even in the
 * middle of a long response.
 * @returns the account, and the name of the folder in the account
 */
export async function accountOf(
  mailbox: SignedInMailbox,
  store: Pick<Store, 'folders'>,
  name: string,
): Promise<{ account: Account; name: string }> {
  const normal = name.normalize('NFC');
  if (normal.startsWith(SHARED))
    for (const account of await readAccounts(mailbox, store))
      if (
        account.grant !== null &&
        `${normal}${DELIMITER}`.startsWith(account.prefix) &&
        (await mailbox.useGrant(account.key.mailboxId, account.grant.access))
      )
        return { account, name: normal.slice(account.prefix.length) };
  return { account: ownAccount(mailbox), name };
}
