import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { addressOf, localPartKey } from '../local-part.ts';
import type { GuessedName } from '../../accounts/passwords/guesses.ts';
import { KNOWN_DAYS } from '../../accounts/passwords/limits.ts';

/** The address that a user signs in with, independent of its spelling. */
export interface UserName {
  /** A-labels, lower case. */
  domain: string;
  /** See `localPartKey`. */
  key: string;
}

/** The account that wrong passwords for this name are counted for. */
export function guessedName({ domain, key }: UserName): GuessedName {
  return [domain, key];
}

export interface MailboxAccountQuery {
  name: UserName;
  /** See `clientNetwork`. */
  network: string;
  /** The digest of the password, if it has the form of an app password. */
  digest: Buffer | null;
}

const ACCOUNT = columnsOf({
  projectId: 'uuid',
  mailboxId: 'uuid',
  passwordHash: 'text?',
  hasSecondFactor: 'bool',
  /** Incremented to end all sessions of the mailbox. */
  sessionsVersion: 'int4',
  /** Whether the owner has signed in from the network before. */
  isKnown: 'bool',
  /** Whether a sign-in from the network was already recorded today. */
  isNoted: 'bool',
});
const FOUND_ACCOUNT = columnsOf({
  ...ACCOUNT.kinds,
  at: 'int4',
  isProved: 'bool',
  localPart: 'text',
  domain: 'text',
  appPasswordId: 'uuid?',
  access: shaped<StoredAppPassword['access'] | null>('text?'),
  lastUsedAt: 'timestamptz?',
});

/** A mailbox with the address that was entered at sign-in. */
export interface MailboxAccount extends RowOf<typeof ACCOUNT> {
  address: string;
  /** The app password whose digest equals the digest of the entered password. */
  appPassword: StoredAppPassword | null;
}

export interface StoredAppPassword {
  id: string;
  access: 'read' | 'everything';
  /** The last use, accurate to an hour. */
  lastUsedAt: Date | null;
}

/**
 * The maximum number of mailboxes whose password is compared at one sign-in. While no claim on a domain is verified, several projects may
 * have mailboxes with the same address.
 */
const MAX_ACCOUNTS = 3;
/**
 * The maximum length of a user name in octets, like the limit on addresses (RFC 5321, section 4.5.3.1.3). A longer user name is not
 * parsed.
 */
const MAX_USER_OCTETS = 254;

/** Reads the entered address. Tags are not removed, so a tagged address finds no mailbox. @returns null if the text is not an address */
export function readUserName(user: string): UserName | null {
  if (user.length > MAX_USER_OCTETS || Buffer.byteLength(user) > MAX_USER_OCTETS) return null;
  const parsed = parseMailbox(user);
  if ('error' in parsed || parsed.displayName !== null) return null;
  return { domain: parsed.domain, key: localPartKey(parsed.localPart) };
}

const NO_DIGEST = Buffer.alloc(0);
const ACCOUNT_QUERIES = rowsOf<MailboxAccountQuery & { at: number }>('a', {
  at: ['int4', ({ at }) => at],
  domain: ['text', ({ name }) => name.domain],
  key: ['text', ({ name }) => name.key],
  network: ['text', ({ network }) => network],
  digest: ['bytea', ({ digest }) => digest ?? NO_DIGEST],
});

/**
 * Finds the mailboxes with an address. If one of them is on the hosted domain or on a verified claim, it is the only result. Otherwise
 * several unverified claims may have such a mailbox, because anyone can add a domain. Then the result contains the mailboxes of the oldest
 * claims, and the password decides which of them signs in. A shared
 * mailbox has no password, and no app password opens it.
 * @returns one list per query, in the order of the queries
 */
export async function findAccounts(
  database: Database,
  queries: readonly MailboxAccountQuery[],
): Promise<MailboxAccount[][]> {
  const { rows } = await FOUND_ACCOUNT.sql`
    select a.at, m.project_id, m.mailbox_id, m.local_part, m.domain, m.password_hash, m.has_second_factor, m.sessions_version, m.is_proved,
      p.id as app_password_id, p.access, p.last_used_at,
      coalesce(n.seen_at > now() - ${KNOWN_DAYS} * interval '1 day', false) as is_known,
      coalesce(n.seen_at > now() - interval '1 day', false) as is_noted
    from ${ACCOUNT_QUERIES.from(queries.map((each, at) => ({ ...each, at })))}
    cross join lateral (
      select b.project_id, b.id as mailbox_id, b.local_part, b.domain, b.password_hash,
        b.second_factor_since is not null as has_second_factor, b.sessions_version, b.is_shared,
        d.project_id = ${HOSTED_PROJECT_ID}::uuid or d.status in ('verified', 'warning') as is_proved,
        d.created_at as claimed_at, d.id as domain_id
      from mailboxes b join domains d on d.id = b.domain_id and d.project_id in (b.project_id, ${HOSTED_PROJECT_ID}::uuid)
      where b.domain = a.domain and b.local_part_key = a.key
      order by is_proved desc, claimed_at, domain_id
      limit ${MAX_ACCOUNTS}
    ) m
    left join app_passwords p on p.project_id = m.project_id and p.mailbox_id = m.mailbox_id and p.digest = a.digest and not m.is_shared
    left join sign_in_networks n on n.project_id = m.project_id and n.mailbox_id = m.mailbox_id and n.network = a.network
    order by a.at, m.is_proved desc, m.claimed_at, m.domain_id`.execute(database);
  const ofEach = Map.groupBy(rows, ({ at }) => at);
  return queries.map((_, at) => {
    const found = ofEach.get(at) ?? [];
    return (found[0]?.isProved === true ? found.slice(0, 1) : found).map(toAccount);
  });
}

function toAccount({
  localPart,
  domain,
  appPasswordId,
  access,
  lastUsedAt,
  ...row
}: RowOf<typeof FOUND_ACCOUNT>): MailboxAccount {
  const { projectId, mailboxId, passwordHash, hasSecondFactor, sessionsVersion, isKnown, isNoted } = row;
  return {
    projectId,
    mailboxId,
    passwordHash,
    hasSecondFactor,
    sessionsVersion,
    isKnown,
    isNoted,
    address: addressOf({ localPart, domain }),
    appPassword: appPasswordId === null || access === null ? null : { id: appPasswordId, access, lastUsedAt },
  };
}
