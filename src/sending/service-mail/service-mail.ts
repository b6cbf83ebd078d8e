/**
 * Mail that the installation itself sends: links and notices for users who sign in. Service mail is queued like all other mail but belongs
 * to no project. It is in no project's log, plan or export, it is not tracked, and suppression lists do not apply.
 */
import { prepareInRow } from '../../blobs/blobs.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { ensureServiceDomain } from '../../domains/service-domain.ts';
import type { Sealer } from '../../db/seal.ts';
import { newUuid, NIL_UUID, timeOf } from '../../model/ids.ts';
import { recordSender } from '../../mailboxes/reserved-addresses.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { compose } from '../../rfc/message/compose.ts';
import { insertSubmissions } from '../submit/insert-submissions.ts';
import { sealServiceBody } from './service-bodies.ts';
import { SERVICE_TOKEN_KEY, ServiceTokens } from './service-tokens.ts';

export interface ServiceContent {
  /** A valid address. */
  to: string;
  subject: string;
  text: string;
  /** Absent: the message has only a text. */
  html?: string;
  /** Further header fields. */
  headers?: readonly (readonly [name: string, value: string])[];
}

export interface ServiceMessage extends ServiceContent {
  /** UUID of the link in the text that opens an account. The message is stored sealed until the link ends. Absent: the text has no link. */
  linkId?: string;
}

export interface ServiceMailOptions {
  /** The value of POSTHORN_MAIL_FROM. Null: the sender is `posthorn@` of the hosted domain. */
  from: string | null;
  hostedDomain: string;
  /** Decrypts the keys of a domain claim that is copied to the installation. */
  sealer: Sealer;
  /** See `maySend`. */
  trustsManualVerification: boolean;
}

/** A message of the installation, not signed yet. */
export interface ComposedServiceMail {
  from: MailboxAddress;
  to: MailboxAddress;
  /** With angle brackets. */
  messageId: string;
  /** The message with CRLF line ends. */
  bytes: Buffer;
  /** Whether the message needs SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
}

const DISPLAY_NAME = 'Posthorn';

export class ServiceMail {
  readonly #options: ServiceMailOptions;
  readonly #tokens: ServiceTokens;

  constructor(options: ServiceMailOptions) {
    this.#options = options;
    this.#tokens = new ServiceTokens(options.sealer.deriveKey(SERVICE_TOKEN_KEY));
  }

  /**
   * Queues a message, in the transaction of the change that causes the message.
   * @returns UUID of the submission
   * @throws Error if the domain of POSTHORN_MAIL_FROM is not verified
   */
  async send(tx: Database | DatabaseTransaction, { linkId, ...content }: ServiceMessage): Promise<string> {
    const submissionId = newUuid();
    const { from, to, messageId, bytes, isUtf8 } = await this.compose(tx, submissionId, content);
    // Service mail must not belong to a project: mail within a project is delivered locally, so links that set other users' passwords would
    // reach the project's mailboxes.
    const projectId = HOSTED_PROJECT_ID;
    await insertSubmissions(tx, [
      {
        projectId,
        submissionId,
        mailboxId: NIL_UUID,
        kind: 'service',
        reversePath: '',
        fromAddress: from.address,
        fromDomain: from.domain,
        messageId,
        blob: prepareInRow(projectId, bytes),
        isSealed: linkId !== undefined,
        isUtf8,
        envelopeId: null,
        returns: null,
        recipients: [{ address: to.address, notify: 0, originalRecipient: null }],
        key: null,
      },
    ]);
    if (linkId !== undefined)
      await sealServiceBody(tx, this.#options.sealer, { submissionId, linkId, body: bytes });
    return submissionId;
  }

  /**
   * Composes a message without queueing it, and reserves its sender. The same id gives the same Message-ID and date.
   * @param id UUIDv7 of the message
   * @throws Error if the domain of POSTHORN_MAIL_FROM is not verified
   */
  async compose(
    tx: Database | DatabaseTransaction,
    id: string,
    { to: recipient, subject, text, html, headers = [] }: ServiceContent,
  ): Promise<ComposedServiceMail> {
    const from = senderOf(this.#options);
    const to = mailbox(recipient);
    const fault = await this.senderFault(tx);
    if (fault !== null) throw new Error(fault);
    await recordSender(tx, from);
    const messageId = this.#tokens.messageIdFor(id, from.domain);
    const message = compose({
      from: { ...from, displayName: from.displayName ?? DISPLAY_NAME },
      to: [to],
      cc: [],
      replyTo: [],
      subject,
      text,
      html: html ?? null,
      // This field prevents vacation replies to this message (RFC 3834, section 5).
      headers: [
        ['Auto-Submitted', 'auto-generated'],
        ['X-Auto-Response-Suppress', 'All'],
        ['X-Posthorn-Service', messageId],
        ...headers,
      ],
      messageId,
      date: timeOf(id),
    });
    const bytes = Buffer.concat([Buffer.from(`${message.header}\r\n`), message.body]);
    return { from, to, messageId, bytes, isUtf8: message.smtputf8 || to.unicode };
  }

  /** Why no message can be sent now, for operators. Null if the installation or a project has verified the domain of the sender. */
  async senderFault(tx: Database | DatabaseTransaction): Promise<string | null> {
    const { hostedDomain, sealer, trustsManualVerification } = this.#options;
    const { domain } = senderOf(this.#options);
    if (domain === hostedDomain) return null;
    const found = await ensureServiceDomain(tx, sealer, domain, trustsManualVerification);
    if (found === 'pending')
      return `POSTHORN_MAIL_FROM is at ${domain}, whose DNS records are not verified yet: posthorn domain show --installation --domain ${domain} lists them.`;
    if (found === 'unverified')
      return `POSTHORN_MAIL_FROM is at ${domain}, which no project here has verified: add it with posthorn domain add --installation --domain ${domain}, verify it in a project, or leave the variable out.`;
    return null;
  }
}

/** The sender address of service mail. */
export function senderOf({
  from,
  hostedDomain,
}: Pick<ServiceMailOptions, 'from' | 'hostedDomain'>): MailboxAddress {
  return mailbox(from ?? `posthorn@${hostedDomain}`);
}

function mailbox(text: string): MailboxAddress {
  const parsed = parseMailbox(text);
  if ('error' in parsed) throw new TypeError('an address of the service does not parse');
  return parsed;
}
