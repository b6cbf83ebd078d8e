/** A mail app that signs in to a mailbox and submits mail as that mailbox. */
import type { Logger } from 'pino';
import type { SignedInMailbox, SignIn } from '../../../mailboxes/sign-in/sign-in.ts';
import { encodeId } from '../../../model/ids.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import type { RejectedMail } from '../../../sending/submit/submitted-mail.ts';
import type { Submitter } from '../../../sending/submit/submitter.ts';
import type { ClientConnection } from '../../tcp/client-connection.ts';
import type { SmtpArrival, PolicyReply } from '../policy.ts';
import { rejectedWith, replyToFailure } from './failures.ts';
import { REPLIES, replyToRefusal, tryLater } from './replies.ts';
import type { Credentials } from './submission-policy.ts';
import type { SubmissionResult, Writer } from './writer.ts';

export interface MailboxServices {
  signIn: Pick<SignIn, 'signIn'>;
  submitter: Pick<Submitter, 'checkSender' | 'checkRecipient' | 'submit'>;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** Signs in to a mailbox. @returns the writer, or the reply that rejects the credentials */
export async function openForMailbox(
  services: MailboxServices,
  credentials: Credentials,
  connection: ClientConnection,
): Promise<Writer | PolicyReply> {
  const { address } = connection;
  try {
    const attempt = { ...credentials, address, door: 'submission', access: 'everything' } as const;
    const result = await services.signIn.signIn(attempt);
    if (result.outcome === 'refused') return REPLIES.refused;
    if (result.outcome === 'try-later') return tryLater(result.afterSeconds);
    return new MailboxWriter(services, result.mailbox, connection);
  } catch (error) {
    return replyToFailure(error, services.logger);
  }
}

class MailboxWriter implements Writer {
  readonly kind = 'mailbox';
  readonly #services: MailboxServices;
  readonly #mailbox: SignedInMailbox;
  readonly #onEnded: () => void;

  constructor(services: MailboxServices, mailbox: SignedInMailbox, connection: ClientConnection) {
    this.#services = services;
    this.#mailbox = mailbox;
    this.#onEnded = () => connection.end(REPLIES.ended);
    mailbox.ended.addEventListener('abort', this.#onEnded);
    if (mailbox.ended.aborted) this.#onEnded();
  }

  checkSender(reversePath: string): Promise<PolicyReply | null> {
    return this.#refusal(this.#services.submitter.checkSender(this.#mailbox, reversePath));
  }

  refuseRecipient(forwardPath: string): Promise<PolicyReply | null> {
    return this.#refusal(this.#services.submitter.checkRecipient(this.#mailbox, forwardPath));
  }

  async receive(arrival: SmtpArrival<string>, raw: Buffer): Promise<SubmissionResult> {
    const { submitter, logger } = this.#services;
    const { projectId, mailboxId } = this.#mailbox;
    const { reversePath, isUtf8, envelopeId, returns, recipients, client } = arrival;
    try {
      const result = await submitter.submit(this.#mailbox, {
        reversePath,
        isUtf8,
        envelopeId,
        returns,
        recipients,
        raw,
        isTls: client.tls !== null,
      });
      if (result.outcome === 'refused') return rejectedWith(replyToRefusal(result));
      const submissionId = encodeId('sub', result.id);
      logger.info(
        {
          projectId: encodeId('prj', projectId),
          mailboxId: encodeId('mbx', mailboxId),
          submissionId,
          recipients: recipients.length,
          octets: raw.length,
          isReplay: result.isReplay,
        },
        LOG_MESSAGES.submitted,
      );
      return result.isReplay
        ? { outcome: 'replayed', reply: `250 2.0.0 Already queued as ${submissionId}` }
        : { outcome: 'accepted', reply: `250 2.0.0 Queued as ${submissionId}` };
    } catch (error) {
      return rejectedWith(replyToFailure(error, logger));
    }
  }

  [Symbol.dispose](): void {
    this.#mailbox.ended.removeEventListener('abort', this.#onEnded);
    this.#mailbox[Symbol.dispose]();
  }

  async #refusal(checked: Promise<RejectedMail | null>): Promise<PolicyReply | null> {
    try {
      const refused = await checked;
      return refused === null ? null : replyToRefusal(refused);
    } catch (error) {
      return replyToFailure(error, this.#services.logger);
    }
  }
}
