/** An application that signs in with an API key. Messages from the application become emails, as with `POST /v1/emails`. */
import type { Logger } from 'pino';
import type { ApiKeys, AuthenticatedKey } from '../../../accounts/keys/api-keys.ts';
import { AppError } from '../../../model/app-error.ts';
import { encodeId } from '../../../model/ids.ts';
import type { TokenBuckets } from '../../../concurrency/rate-limit.ts';
import { grants } from '../../../model/scopes.ts';
import { clientNetwork } from '../../../net/client-network.ts';
import { acceptedEmails } from '../../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import { parseMailbox } from '../../../rfc/address/index.ts';
import { recipientFault } from '../../../sending/accept/check-restrictions.ts';
import type { MailAcceptor } from '../../../sending/accept/mail/mail-acceptor.ts';
import type { SmtpArrival, PolicyReply } from '../policy.ts';
import { rejectedWith, replyToFailure } from './failures.ts';
import { REPLIES, replyOf, replyToError, tryLater } from './replies.ts';
import type { SubmissionResult, Writer } from './writer.ts';

/** A user name of applications, case-insensitive. With an API key as the password, any other user name works too. */
export const API_KEY_USER = 'apikey';

export interface ApiKeyServices {
  apiKeys: Pick<ApiKeys, 'authenticate'>;
  mails: Pick<MailAcceptor, 'accept'>;
  /** Rate limits by API key. Null for no limit. */
  requests: TokenBuckets | null;
  /** Limits failed sign-ins by client network. Null for no limit. */
  failures: TokenBuckets | null;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** The token and the client's IP address, which are verified again for each message. */
interface KeyCredentials {
  token: string;
  address: string;
}

/** Signs in with an API key. @returns the writer, or the reply that rejects the key */
export async function openForApiKey(
  services: ApiKeyServices,
  token: string,
  address: string,
): Promise<Writer | PolicyReply> {
  const credentials = { token, address };
  const key = await keyOf(services, credentials);
  if (key === REPLIES.keyRefused) return failureFrom(services, address);
  return typeof key === 'string' ? key : new ApiKeyWriter(services, credentials, key);
}

/** As in the API, the limit slows down guessing and never blocks a valid key. */
function failureFrom({ failures }: ApiKeyServices, address: string): PolicyReply {
  const limit = failures?.take(clientNetwork(address));
  return limit?.allowed === false ? tryLater(limit.retryAfterSeconds) : REPLIES.keyRefused;
}

async function keyOf(
  { apiKeys, logger }: ApiKeyServices,
  { token, address }: KeyCredentials,
): Promise<AuthenticatedKey | PolicyReply> {
  try {
    const key = await apiKeys.authenticate(token, address);
    if (key === null) return REPLIES.keyRefused;
    return grants(key.scopes, 'emails:send') ? key : REPLIES.missingScope;
  } catch (error) {
    return replyToFailure(error, logger);
  }
}

class ApiKeyWriter implements Writer {
  readonly kind = 'api_key';
  readonly #services: ApiKeyServices;
  readonly #credentials: KeyCredentials;
  #key: AuthenticatedKey;

  constructor(services: ApiKeyServices, credentials: KeyCredentials, key: AuthenticatedKey) {
    this.#services = services;
    this.#credentials = credentials;
    this.#key = key;
  }

  /**
   * Verifies the key again for each message, because the key may have been revoked, or its project may have changed plans. The envelope
   * sender need not be allowed, because emails are sent with our own return path. The From field is checked with the message.
   */
  async checkSender(reversePath: string): Promise<PolicyReply | null> {
    const key = await keyOf(this.#services, this.#credentials);
    if (typeof key === 'string') return key;
    this.#key = key;
    const limit = this.#services.requests?.take(key.keyId);
    if (limit?.allowed === false)
      return replyToError(
        new AppError('rate-limited', 'This API key has sent too many emails at once.', limit),
      );
    return reversePath !== '' && 'error' in parseMailbox(reversePath) ? REPLIES.senderMalformed : null;
  }

  async refuseRecipient(forwardPath: string): Promise<PolicyReply | null> {
    const mailbox = parseMailbox(forwardPath);
    if ('error' in mailbox) return replyOf('553 5.1.3', mailbox.error);
    const error = recipientFault(this.#key.restrictions, mailbox.address);
    return error === null ? null : replyOf('550 5.7.1', error);
  }

  async receive({ recipients }: SmtpArrival<string>, data: Buffer): Promise<SubmissionResult> {
    const { mails, logger } = this.#services;
    const key = this.#key;
    try {
      const addresses = recipients.map(({ addressee }) => addressee);
      const sender = { ...key, emitsEvents: key.smtpEvents };
      const { emailId: id, replayed } = await mails.accept(sender, addresses, data);
      const emailId = encodeId('em', id);
      const line = { door: 'submission', projectId: encodeId('prj', key.projectId), emailId };
      if (replayed) logger.info(line, LOG_MESSAGES.acceptedBefore);
      else {
        acceptedEmails.inc();
        logger.info({ ...line, recipients: addresses.length }, LOG_MESSAGES.accepted);
      }
      return replayed
        ? { outcome: 'replayed', reply: `250 2.0.0 Already queued as ${emailId}` }
        : { outcome: 'accepted', reply: `250 2.0.0 Queued as ${emailId}` };
    } catch (error) {
      return rejectedWith(replyToFailure(error, logger));
    }
  }

  [Symbol.dispose](): void {}
}
