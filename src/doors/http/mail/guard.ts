/**
 * Guards every operation of the web client before its body is read. Checks the session of the mailbox, or of a member of the mailbox, and
 * the origin of the page.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIRMED_MS } from '../../../accounts/limits.ts';
import type { WebSession } from '../../../accounts/calls.ts';
import { findGrant } from '../../../mailboxes/sharing/grants.ts';
import { AppError } from '../../../model/app-error.ts';
import * as clock from '../../../model/clock.ts';
import { decodeId } from '../../../model/ids.ts';
import type { MailboxAccess } from '../../../model/mailbox-rights.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { onlyReads } from '../browser/add-operation.ts';
import {
  assertCsrfToken,
  assertOwnHost,
  assertOwnOrigin,
  assertSafeTransport,
  hasCsrfToken,
} from '../browser/assert-own-page.ts';
import { type Address, isSecure } from '../browser/origin.ts';
import { mailTokenOf, mailTokensOf } from './cookies.ts';
import { isOfMailbox, type MailOperation } from './operation.ts';
import type { MailClientServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The session with access to the mailbox in the path. Set before an operation on a mailbox runs. Null in other operations.
     */
    mailSession: MailSession | null;
  }
}

export interface MailSession {
  session: WebSession;
  token: string;
  /** The mailbox in the path. */
  mailbox: MailboxKey;
  /** The access of the member. Null: the session is that of the mailbox. */
  memberAccess: MailboxAccess | null;
}

interface GuardOptions {
  services: Pick<MailClientServices, 'sessions' | 'parts'>;
  address: Address;
}

/** The guard hook of one operation. */
export function mailGuard({ services, address }: GuardOptions, operation: MailOperation) {
  const { needsConfirmation = false } = operation;
  const changes = !onlyReads(operation);

  /** @throws AppError not-signed-in, missing-role, request-forged, bad-request, confirmation-required */
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    assertOwnHost(address, request);
    if (operation.signed === true) return;
    if (!isOfMailbox(operation)) {
      if (!changes) return;
      assertOwnOrigin(address, request);
      assertSafeTransport(address, request);
      return;
    }
    const mailboxId = decodeId('mbx', (request.params as { mailbox: string }).mailbox);
    if (mailboxId === null) throw notSignedIn();
    const isTls = isSecure(address, request);
    const found =
      (await findOwnSession(services, request, mailboxId, isTls)) ??
      (await findMemberSession(services, request, mailboxId, isTls));
    if (found === null) throw notSignedIn();
    const { token, memberAccess } = found;
    if (memberAccess !== null && !mayMember(operation, memberAccess)) throw ownerOnly(memberAccess);
    if (changes) {
      assertOwnOrigin(address, request);
      assertCsrfToken(request, token, '/mail/api/session');
    }
    request.mailSession = found;
    if (!needsConfirmation || isConfirmed(found.session)) return;
    // The cached session may be older than a confirmation that another process accepted.
    const session = await services.sessions.lookUp(token);
    if (session === null || !isConfirmed(session))
      throw new AppError(
        'confirmation-required',
        'Confirm your identity with POST /mail/api/mailboxes/{mailbox}/session/confirmation, then try again.',
      );
  };
}

async function findOwnSession(
  { sessions }: GuardOptions['services'],
  request: FastifyRequest,
  mailboxId: string,
  isTls: boolean,
): Promise<MailSession | null> {
  const token = mailTokenOf(request, mailboxId, isTls);
  const session = token === null ? null : await sessions.find(token);
  // The name of the cookie proves nothing, so check that the session belongs to the mailbox.
  if (token === null || session === null || session.mailboxId !== mailboxId) return null;
  return { session, token, mailbox: { projectId: session.projectId, mailboxId }, memberAccess: null };
}

/**
 * Finds a session of this browser whose mailbox is a member of the mailbox. If the page sent the token of a session, only that session
 * counts, so that a change is never made as another member. The grant is read for every request.
 */
async function findMemberSession(
  { sessions, parts }: GuardOptions['services'],
  request: FastifyRequest,
  mailboxId: string,
  isTls: boolean,
): Promise<MailSession | null> {
  const signedIn: { session: WebSession; token: string }[] = [];
  for (const [ownId, token] of mailTokensOf(request, isTls)) {
    const session = await sessions.find(token);
    if (session?.mailboxId === ownId) signedIn.push({ session, token });
  }
  const acting = signedIn.filter(({ token }) => hasCsrfToken(request, token));
  const members = acting.length === 0 ? signedIn : acting;
  const grant = await findGrant(
    parts.database,
    members.map(({ session }) => session),
    mailboxId,
  );
  const member = members.find(({ session }) => session.mailboxId === grant?.memberId);
  if (grant === null || member === undefined) return null;
  const mailbox = { projectId: member.session.projectId, mailboxId };
  return { ...member, mailbox, memberAccess: grant.access };
}

function mayMember({ member }: MailOperation, access: MailboxAccess): boolean {
  return member !== undefined && (member === 'read' || access === 'write');
}

function ownerOnly(access: MailboxAccess): AppError {
  return new AppError(
    'missing-role',
    access === 'read'
      ? 'You can only read this shared mailbox.'
      : 'Only the owner of the mailbox can do this.',
  );
}

/** The error for a request without a session of the mailbox. A mailbox that does not exist gets the same error. */
function notSignedIn(): AppError {
  return new AppError(
    'not-signed-in',
    'You are not signed in to this mailbox, or your session has ended. Sign in.',
  );
}

function isConfirmed({ confirmedAt }: WebSession): boolean {
  return confirmedAt.getTime() + CONFIRMED_MS > clock.nowMs();
}
