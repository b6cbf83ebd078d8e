import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { localPartKey } from '../local-part.ts';

/** An address that somebody signs in with: one, however it was spelled. */
export interface UserName {
  /** A-labels, lower case. */
  domain: string;
  /** See `localPartKey`. */
  key: string;
}

/** A mailbox that an address names. */
export interface Account {
  projectId: string;
  mailboxId: string;
  address: string;
  passwordHash: string | null;
}

/** Where nobody has proved that a domain is theirs, several projects may have mailboxes with one address. */
const MAX_ACCOUNTS = 3;
/** In octets, as addresses are (RFC 5321, section 4.5.3.1.3). What is longer is not looked at. */
const MAX_USER_OCTETS = 254;

/** @returns null: no mailbox can have such an address. A tagged form of an address is not the address */
export function readUserName(user: string): UserName | null {
  if (user.length > MAX_USER_OCTETS || Buffer.byteLength(user) > MAX_USER_OCTETS) return null;
  const parsed = parseMailbox(user);
  if ('error' in parsed || parsed.displayName !== null) return null;
  return { domain: parsed.domain, key: localPartKey(parsed.localPart) };
}

/**
 * The mailboxes with an address: the one of the hosted domain or of the verified claim alone, where there is one. A claim that nobody
 * has verified is anybody's: with several, the oldest few, of which the password picks one.
 */
export async function findAccounts(database: Database, { domain, key }: UserName): Promise<Account[]> {
  const { rows } = await sql<Account & { isProved: boolean; localPart: string; domain: string }>`
    select m.project_id, m.id as mailbox_id, m.local_part, m.domain, m.password_hash,
      d.project_id = ${HOSTED_PROJECT_ID}::uuid or d.status in ('verified', 'warning') as is_proved
    from domains d join mailboxes m on m.domain_id = d.id and m.local_part_key = ${key}
    where d.name = ${domain}
    order by is_proved desc, d.created_at, d.id
    limit ${MAX_ACCOUNTS}`.execute(database);
  return (rows[0]?.isProved === true ? rows.slice(0, 1) : rows).map(
    ({ projectId, mailboxId, localPart, passwordHash, ...row }) => ({
      projectId,
      mailboxId,
      address: `${localPart.normalize('NFC')}@${row.domain}`,
      passwordHash,
    }),
  );
}
