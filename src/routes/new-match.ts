/** Checks what a new route receives. */
import type { CreateRoute } from '../contract/routes.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { isRole, localPartFault, localPartKey } from '../mailboxes/local-part.ts';
import {
  assertAddressFree,
  findAddress,
  findDomain,
  lockDomainForAddress,
  type NewAddress,
} from '../mailboxes/new-address.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';

/** The columns of a route that say what it receives. */
export type NewMatch =
  | { kind: 'address'; address: NewAddress; localPart: string }
  | { kind: 'domain'; domain: NewAddress['domain'] }
  | { kind: 'mailbox'; mailboxId: string; tag: string | null };

/**
 * Makes all checks that need no lock.
 * @throws AppError validation-failed
 */
export async function readMatch(
  database: Database,
  hostedDomain: string,
  projectId: string,
  { domain_id: domainId, local_part: localPart, mailbox_id: mailboxId, tag }: CreateRoute,
): Promise<NewMatch> {
  if ((domainId === undefined) === (mailboxId === undefined))
    throw validationError({ domain_id: 'give either domain_id or mailbox_id' });
  if (mailboxId !== undefined) {
    if (localPart !== undefined)
      throw validationError({ local_part: 'is only possible with domain_id: a mailbox has its addresses' });
    return { kind: 'mailbox', mailboxId: decodeMailbox(mailboxId), tag: readTag(tag) };
  }
  if (domainId === undefined || tag !== undefined)
    throw validationError({
      tag: 'is only possible with mailbox_id: a route on an address gets all its tagged forms',
    });
  if (localPart === undefined) {
    const domain = await findDomain(database, hostedDomain, projectId, domainId);
    if (domain === undefined || domain.projectId === HOSTED_PROJECT_ID)
      throw validationError({
        domain_id: 'must be the id of a domain of this project; at the hosted domain, give local_part too',
      });
    return { kind: 'domain', domain };
  }
  const errors: Record<string, string> = {};
  const body = { domain_id: domainId, local_part: localPart };
  const address = await findAddress(database, hostedDomain, projectId, body, errors);
  if (address === null) throw validationError(errors);
  if (isRole(address.localPartKey))
    throw validationError({ local_part: 'is for people: create a mailbox or an alias with this name' });
  return { kind: 'address', address, localPart };
}

/**
 * Checks the match in the transaction that creates the route, and locks it against mailboxes and aliases that are created meanwhile.
 * @throws AppError validation-failed, already-exists
 */
export async function checkMatch(tx: DatabaseTransaction, projectId: string, match: NewMatch): Promise<void> {
  if (match.kind === 'mailbox') return checkMailbox(tx, projectId, match);
  const domain = match.kind === 'address' ? match.address.domain : match.domain;
  await lockDomainForAddress(tx, domain, 'alone');
  if (match.kind === 'address') return assertAddressFree(tx, match.address);
  const route = await tx
    .selectFrom('routes')
    .select('id')
    .where((row) => rowIs(row, { domainId: domain.id, kind: 'domain' }))
    .executeTakeFirst();
  if (route !== undefined) throw taken({ domain_id: 'already has a route' });
  const catchAll = await tx
    .selectFrom('mailboxes')
    .select('id')
    .where((row) => rowIs(row, { domainId: domain.id, isCatchAll: true }))
    .executeTakeFirst();
  if (catchAll !== undefined)
    throw taken({
      domain_id: 'has a catch-all mailbox, which receives all mail that the route would receive',
    });
}

async function checkMailbox(
  tx: DatabaseTransaction,
  projectId: string,
  { mailboxId, tag }: Extract<NewMatch, { kind: 'mailbox' }>,
): Promise<void> {
  const mailbox = await tx
    .selectFrom('mailboxes')
    .select('apiAccess')
    .where((row) => rowIs(row, { projectId, id: mailboxId }))
    .forKeyShare()
    .executeTakeFirst();
  if (mailbox === undefined) throw unknownMailbox();
  // Attack: a program reads the mail of a person who does not know.
  if (!mailbox.apiAccess)
    throw validationError({
      mailbox_id: 'has no API access: an admin can allow it on the page of the mailbox in the dashboard',
    });
  const route = await tx
    .selectFrom('routes')
    .select('id')
    .where((row) => rowIs(row, { projectId, mailboxId }))
    .where('tag', 'is not distinct from', tag)
    .executeTakeFirst();
  if (route !== undefined) throw taken({ mailbox_id: 'already has a route with this tag, or without one' });
}

function decodeMailbox(id: string): string {
  const mailboxId = decodeId('mbx', id);
  if (mailboxId === null) throw unknownMailbox();
  return mailboxId;
}

/** The tag as it is compared with those of addresses. */
function readTag(tag: string | undefined): string | null {
  if (tag === undefined) return null;
  // A tag has the same characters as a name, and may contain +.
  const fault = localPartFault(tag.replaceAll('+', '.'), 'domain.test');
  if (fault !== null)
    throw validationError({ tag: 'must have the same characters as the part before the @' });
  return localPartKey(tag);
}

function unknownMailbox(): AppError {
  return validationError({ mailbox_id: 'must be the id of a mailbox of this project' });
}

function taken(errors: Record<string, string>): AppError {
  return new AppError('already-exists', 'Another route or mailbox already receives this mail.', { errors });
}
