/** What a mailbox knows about senders: safe, known, or marked as spam (docs/operate/spam.md, What is learned). */
import { sql } from 'kysely';
import { columnsOf, shaped } from '../../db/columns.ts';
import { textArray, uuidArray } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import { domainAt, organizationAt, organizationOf } from '../../domains/domain-name.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import { isSharedDomain } from './rules/mail-providers.ts';
import type { SpamReason } from './verdict.ts';

export type SenderStanding = 'known' | 'spam';

/** The maximum number of known senders, and of marked ones, of a mailbox. The oldest are forgotten. */
const MAX_LEARNED = 5_000;
/** The maximum length of an address (RFC 5321, section 4.5.3.1). */
const MAX_SENDER = 320;

const REASONS: Readonly<Record<SenderStanding | 'safe', SpamReason>> = {
  safe: { rule: 'SENDER_SAFE', weight: -100 },
  known: { rule: 'SENDER_KNOWN', weight: -3 },
  spam: { rule: 'SENDER_MARKED', weight: Infinity },
};

/** The senders that a message names. */
export interface NamedSenders {
  /** The address in From, in lower case; empty if From has none. */
  readonly author: string;
  /** The List-Id, in lower case; empty if there is none. */
  readonly list: string;
}

/** The senders of a message, by whether they are proven. The names of lists begin with `list:`. */
export interface CheckedSenders {
  readonly proven: readonly string[];
  readonly claimed: readonly string[];
}

/**
 * The sender that owns an address: its organization, which can have any number of addresses there. At a domain that others share, it is
 * the subdomain or, without one, the address.
 */
export function ownerOf(address: string): string {
  const [domain, organization] = [domainAt(address), organizationAt(address)];
  if (!isSharedDomain(organization)) return organization;
  return domain === organization ? address.replace(/\+[^@]*@/, '@') : domain;
}

/**
 * An author is proven if DMARC passes, or if the domain publishes no DMARC and SPF or a DKIM signature is of the same organization. A mailing
 * list is proven if SPF or a DKIM signature is of the organization in its List-Id. Customers of one host, such as `a.github.io` and
 * `b.github.io`, are not one organization.
 *
 * Attack: a From field that two parsers read differently, such as `<a@evil.example> (<friend@safe.example>)`. So the author must be at the
 * domain that DMARC checked.
 */
export function checkSenders(
  { author, list }: NamedSenders,
  { dmarc, spf, dkim }: Pick<Authentication, 'dmarc' | 'spf' | 'dkim'>,
): CheckedSenders {
  const vouching = new Set(
    [
      ...(spf.result === 'pass' ? [spf.domain] : []),
      ...dkim.filter(({ result }) => result === 'pass').map(({ domain }) => domain),
    ].map(organizationOf),
  );
  const isAuthorProven =
    dmarc.domain !== null &&
    dmarc.domain === author.slice(author.lastIndexOf('@') + 1) &&
    (dmarc.result === 'pass' || (dmarc.result === 'none' && vouching.has(organizationOf(dmarc.domain))));
  const isListProven = list !== '' && vouching.has(organizationOf(list));
  const authors = author === '' ? [] : [author];
  return {
    proven: [...(isAuthorProven ? authors : []), ...(isListProven ? [`list:${list}`] : [])],
    claimed: isAuthorProven ? [] : authors,
  };
}

/**
 * For each of these mailboxes of a project, the reason that follows from what it and the project know about the senders; none for a mailbox
 * that knows nothing. Only proven senders are safe or known.
 */
export async function reasonsForSenders(
  database: Database,
  { projectId, mailboxIds }: { projectId: string; mailboxIds: readonly string[] },
  { proven, claimed }: CheckedSenders,
): Promise<ReadonlyMap<string, SpamReason>> {
  if (proven.length + claimed.length === 0) return new Map();
  const isOfMailbox = sql`project_id = ${projectId} and mailbox_id = any(${uuidArray(mailboxIds)}::uuid[])`;
  const given = textArray(proven);
  const safe = textArray(proven.flatMap((sender) => [sender, ...domainsAbove(sender)]));
  const { rows } = await columnsOf({ mailboxId: 'uuid?', standing: shaped<SenderStanding | 'safe'>('text') })
    .sql`
    select mailbox_id, standing from mailbox_senders
    where ${isOfMailbox} and (sender = any(${given}::text[]) and is_proven or sender = any(${textArray(claimed)}::text[]) and standing = 'spam')
    union all
    select mailbox_id, 'safe' from mailbox_safe_senders where ${isOfMailbox} and sender = any(${safe}::text[])
    union all
    select null, 'safe' from project_safe_senders where project_id = ${projectId} and sender = any(${safe}::text[])`.execute(
    database,
  );
  return new Map(
    mailboxIds.flatMap((id) => {
      const own = rows.filter(({ mailboxId }) => mailboxId === id || mailboxId === null);
      // Marking one address says more than a safe domain, or a safe sender of the whole project.
      const found = (['spam', 'safe', 'known'] as const).find((each) =>
        own.some(({ standing }) => standing === each),
      );
      return found === undefined ? [] : [[id, REASONS[found]] as const];
    }),
  );
}

/** The domain of an address and all domains above it. A mailing list has none: it is safe only if its authors are. */
export function domainsAbove(sender: string): string[] {
  const at = sender.lastIndexOf('@');
  if (at === -1) return [];
  const labels = sender.slice(at + 1).split('.');
  return labels.map((_, n) => labels.slice(n).join('.'));
}

/** Notes that the owner of the mailbox treated a message of these senders as spam, or as wanted. It replaces what was known before. */
export async function noteSenders(
  database: Database,
  mailbox: MailboxKey,
  { proven, claimed }: CheckedSenders,
  standing: SenderStanding,
): Promise<void> {
  if (standing === 'known') {
    await note(database, mailbox, proven, true, 'known');
    // An address that is not proven is not known. It is only no longer marked.
    await forgetMarks(database, mailbox, claimed);
    return;
  }
  // Spam on a mailing list does not make the other messages of the list spam.
  const authors = proven.filter((sender) => !sender.startsWith('list:'));
  await note(database, mailbox, authors, true, 'spam');
  await sql`
    delete from mailbox_safe_senders
    where project_id = ${mailbox.projectId} and mailbox_id = ${mailbox.mailboxId} and sender = any(${textArray(authors)}::text[])`.execute(
    database,
  );
  await note(database, mailbox, claimed, false, 'spam');
}

/** Notes that the owner of the mailbox wrote to these addresses. */
export async function noteRecipients(
  database: Database,
  mailbox: MailboxKey,
  addresses: readonly string[],
): Promise<void> {
  const senders = addresses.map((address) => address.toLowerCase());
  await note(database, mailbox, senders, true, 'known');
}

async function note(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  senders: readonly string[],
  isProven: boolean,
  standing: SenderStanding,
): Promise<void> {
  const given = [...new Set(senders)].filter((each) => each !== '' && each.length <= MAX_SENDER).sort();
  if (given.length === 0) return;
  await sql`
    insert into mailbox_senders (project_id, mailbox_id, sender, is_proven, standing, noted_at)
    select ${projectId}, ${mailboxId}, sender, ${isProven}::bool, ${standing}, ${clock.now()}
    from unnest(${textArray(given)}::text[]) as k (sender)
    where exists (select from mailboxes where project_id = ${projectId} and id = ${mailboxId})
    on conflict (project_id, mailbox_id, sender, is_proven) do update set standing = excluded.standing, noted_at = excluded.noted_at`.execute(
    database,
  );
  await sql`
    delete from mailbox_senders
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and standing = ${standing} and noted_at < (
      select noted_at from mailbox_senders
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and standing = ${standing}
      order by noted_at desc offset ${MAX_LEARNED - 1} limit 1)`.execute(database);
}

async function forgetMarks(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  senders: readonly string[],
): Promise<void> {
  if (senders.length === 0) return;
  await sql`
    delete from mailbox_senders
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and sender = any(${textArray(senders)}::text[]) and not is_proven`.execute(
    database,
  );
}
