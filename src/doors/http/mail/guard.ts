/** Guards every operation of the web client before its body is read. Checks the session of the mailbox and the origin of the page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIRMED_MS } from '../../../accounts/limits.ts';
import type { WebSession } from '../../../accounts/calls.ts';
import { AppError } from '../../../model/app-error.ts';
import * as clock from '../../../model/clock.ts';
import { decodeId } from '../../../model/ids.ts';
import { onlyReads } from '../browser/add-operation.ts';
import {
  assertCsrfToken,
  assertOwnHost,
  assertOwnOrigin,
  assertSafeTransport,
} from '../browser/assert-own-page.ts';
import { type Address, isSecure } from '../browser/origin.ts';
import { mailTokenOf } from './cookies.ts';
import { isOfMailbox, type MailOperation } from './operation.ts';
import type { MailClientServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the mailbox in the path. Set before an operation on a mailbox runs. Null in other operations. */
    mailSession: { session: WebSession; token: string } | null;
  }
}

interface GuardOptions {
  services: Pick<MailClientServices, 'sessions'>;
  address: Address;
}

/** The guard hook of one operation. */
export function mailGuard({ services, address }: GuardOptions, operation: MailOperation) {
  const { needsConfirmation = false } = operation;
  const changes = !onlyReads(operation);

  /** @throws AppError not-signed-in, request-forged, bad-request, confirmation-required */
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
    const token = mailboxId === null ? null : mailTokenOf(request, mailboxId, isSecure(address, request));
    let session = token === null ? null : await services.sessions.find(token);
    // The name of the cookie proves nothing, so check that the session belongs to the mailbox.
    if (token === null || session === null || session.mailboxId !== mailboxId) throw notSignedIn();
    if (changes) {
      assertOwnOrigin(address, request);
      assertCsrfToken(request, token, '/mail/api/session');
    }
    request.mailSession = { session, token };
    if (!needsConfirmation || isConfirmed(session)) return;
    // The cached session may be older than a confirmation that another process accepted.
    session = await services.sessions.lookUp(token);
    if (session === null || !isConfirmed(session))
      throw new AppError(
        'confirmation-required',
        'Confirm your identity with POST /mail/api/mailboxes/{mailbox}/session/confirmation, then try again.',
      );
  };
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
