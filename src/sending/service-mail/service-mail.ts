/**
 * What the installation itself writes: links for people who sign in. It is in the queue like all other mail, and in no project's log, plan or
 * export; nothing in it is tracked, and no suppression list holds it back.
 */
import { keepInRow } from '../../blobs/blobs.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { maySend } from '../../domains/sending-domains.ts';
import { messageIdOf, newUuid, NIL_UUID, timeOf } from '../../model/ids.ts';
import { type Mailbox, parseMailbox } from '../../rfc/address/index.ts';
import { compose } from '../../rfc/message/compose.ts';
import { insertSubmissions } from '../submit/insert-submissions.ts';

export interface ServiceMessage {
  /** An address that parses. */
  to: string;
  subject: string;
  text: string;
  /** uuid of the sign-in link that the text carries: its end is the end of the text. Null: the text carries none. */
  linkId: string | null;
}

export interface ServiceMailOptions {
  /** POSTHORN_MAIL_FROM; null: `noreply@` of the hosted domain. */
  from: string | null;
  hostedDomain: string;
  /** See `maySend`. */
  trustsHand: boolean;
}

const DISPLAY_NAME = 'Posthorn';

export class ServiceMail {
  readonly #options: ServiceMailOptions;

  constructor(options: ServiceMailOptions) {
    this.#options = options;
  }

  /**
   * Puts a message into the queue, in the transaction of what it tells of.
   * @throws Error: nobody here may send from the domain of POSTHORN_MAIL_FROM
   */
  async send(
    tx: Database | DatabaseTransaction,
    { to: recipient, subject, text }: ServiceMessage,
  ): Promise<void> {
    const from = mailbox(this.#options.from ?? `noreply@${this.#options.hostedDomain}`);
    const to = mailbox(recipient);
    const projectId = await this.#senderOf(tx, from.domain);
    const submissionId = newUuid();
    const messageId = messageIdOf(submissionId, from.domain);
    const message = compose({
      from: { ...from, displayName: from.displayName ?? DISPLAY_NAME },
      to: [to],
      cc: [],
      replyTo: [],
      subject,
      text,
      html: null,
      // RFC 3834, section 5: nobody who is away answers it.
      headers: [
        ['Auto-Submitted', 'auto-generated'],
        ['X-Auto-Response-Suppress', 'All'],
      ],
      messageId,
      date: timeOf(submissionId),
    });
    const bytes = Buffer.concat([Buffer.from(`${message.header}\r\n`), message.body]);
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
        blob: keepInRow(projectId, bytes),
        isUtf8: message.smtputf8 || to.unicode,
        envelopeId: null,
        returns: null,
        recipients: [{ address: to.address, notify: 0, originalRecipient: null }],
        key: null,
      },
    ]);
  }

  /** Whose keys sign it: those of the installation, or of the project that has verified the domain. */
  async #senderOf(tx: Database | DatabaseTransaction, domain: string): Promise<string> {
    const { hostedDomain, trustsHand } = this.#options;
    if (domain === hostedDomain) return HOSTED_PROJECT_ID;
    const claim = await tx
      .selectFrom('domains')
      .select('projectId')
      .where('name', '=', domain)
      .where(maySend(trustsHand))
      .orderBy('projectId')
      .limit(1)
      .executeTakeFirst();
    if (claim === undefined)
      throw new Error(
        `POSTHORN_MAIL_FROM is at ${domain}, which no project here has verified: add the domain to a project, or leave the variable out.`,
      );
    return claim.projectId;
  }
}

function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text);
  if ('error' in parsed) throw new TypeError('an address of the service does not parse');
  return parsed;
}
