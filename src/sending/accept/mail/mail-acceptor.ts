/** Accepts messages that applications submit by SMTP, with the same rules as the API (docs/submission.md). */
import { hash } from 'node:crypto';
import type { Blobs } from '../../../blobs/blobs.ts';
import { AppError, unavailable, validationError } from '../../../model/app-error.ts';
import { PLAN_LIMITS } from '../../../model/plans.ts';
import { parseMailbox } from '../../../rfc/address/index.ts';
import type { Accepted, Acceptor } from '../accept-email.ts';
import { checkAddresses, type SubmittedEnvelope } from '../check-envelope.ts';
import type { Sender } from '../sender.ts';
import { acceptWithMessage } from './accept-with-message.ts';
import type { KeptMessages } from './kept-messages.ts';
import type { MailReader } from './mail-reader.ts';
import type { ReadMail } from './read-mail.ts';

/** The sender, identified by an API key. */
export interface MailSender extends Sender {
  /** UUID of the API key. */
  keyId: string;
  /** Whether tracking applies to messages that are submitted by SMTP. */
  smtpTracking: boolean;
}

/** RFC 5321, section 4.5.3.1.8: every server must accept at least this number of recipients. */
const MAX_RECIPIENTS = 100;
/** The prefix of idempotency keys derived from messages. A key in an API request cannot contain this character. */
const OF_A_MESSAGE = '\u0001';
const MB = 1024 * 1024;

export interface MailAcceptorOptions {
  reader: Pick<MailReader, 'read'>;
  acceptor: Pick<Acceptor, 'accept'>;
  blobs: Pick<Blobs, 'prepare' | 'discard'>;
  keptMessages: Pick<KeptMessages, 'areKept'>;
}

export class MailAcceptor {
  readonly #options: MailAcceptorOptions;

  constructor(options: MailAcceptorOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the commit. If the same message to the same recipients is submitted again within a day, the response is the same and the
   * message is not sent again.
   * @param recipients the recipients of the SMTP envelope, in any spelling; the message is sent to them, not to the addresses in its header
   * @throws AppError as `Acceptor.accept`; payload-too-large
   */
  async accept(sender: MailSender, recipients: readonly string[], raw: Buffer): Promise<Accepted> {
    const mail = await this.#options.reader.read(raw, sender.projectId);
    if (mail === null) throw unavailable('The message could not be read in time. Try again later.');
    if ('errors' in mail) throw validationError(mail.errors);
    checkFiles(mail, sender);
    const envelope = envelopeOf(mail, recipients);
    const send = { ...mail.send, bcc: notNamed(mail.send, envelope.recipients) };
    const isStored = mail.idempotencyKey !== null;
    const same = isStored ? mail.fingerprint : mail.digest;
    const fingerprint = hash(
      'sha256',
      Buffer.concat([
        same,
        // As in the API, an idempotency key that the caller sends is shared by the whole project.
        Buffer.from([...(isStored ? [] : [sender.keyId]), ...envelope.recipients.toSorted()].join('\0')),
      ]),
      'buffer',
    );
    const ofMessage = mail.hasMessageId ? `${OF_A_MESSAGE}${fingerprint.toString('hex')}` : null;
    return acceptWithMessage(
      this.#options.blobs,
      () => this.#store(sender.projectId, mail),
      (store) =>
        this.#options.acceptor.accept(
          { ...sender, tracks: sender.smtpTracking && mail.message.layout.html !== null },
          send,
          mail.idempotencyKey ?? ofMessage,
          null,
          { fingerprint, envelope },
          store,
        ),
    );
  }

  async #store(projectId: string, { isComplete, message }: ReadMail) {
    const { blobs, keptMessages } = this.#options;
    if (!(await keptMessages.areKept())) {
      if (isComplete) return null;
      throw unavailable(
        'The service is being upgraded. Until then, only messages with one text and one HTML part are accepted. Try again in an hour.',
      );
    }
    const { data, digest, bodyHash, messageId, layout } = message;
    const blob = await blobs.prepare(projectId, bufferOf(data), bufferOf(digest));
    return { blob, bodyHash: bufferOf(bodyHash), messageId, layout };
  }
}

/** @throws AppError payload-too-large */
function checkFiles({ largestFile }: ReadMail, { plan }: MailSender): void {
  const { fileBytes } = PLAN_LIMITS[plan];
  if (largestFile > fileBytes)
    throw new AppError(
      'payload-too-large',
      `A file in the message has ${inMb(largestFile)} MB. The plan of the project allows ${inMb(fileBytes)} MB per file.`,
    );
}

/** Rounded up, so that the size of a file that is one byte too large does not look equal to the limit. */
function inMb(octets: number): number {
  return Math.ceil((octets / MB) * 10) / 10;
}

/** Octets from another thread arrive as a Uint8Array. */
function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}

/** @throws AppError validation-failed */
function envelopeOf({ send, senderAddress }: ReadMail, recipients: readonly string[]): SubmittedEnvelope {
  const envelope = checkAddresses({ from: send.from, to: [...recipients] }, MAX_RECIPIENTS);
  if (senderAddress !== null && senderAddress !== envelope.from.address)
    throw new AppError(
      'validation-failed',
      'The Sender field and the From field have different addresses. Omit Sender.',
      {
        errors: { sender: 'must be the address of From; omit it' },
      },
    );
  return envelope;
}

/** The recipients that the header does not name. */
function notNamed({ to, cc = [] }: ReadMail['send'], recipients: readonly string[]): string[] {
  const named = new Set([...to, ...cc].map(addressOf));
  return recipients.filter((address) => !named.has(address));
}

function addressOf(text: string): string | null {
  const mailbox = parseMailbox(text);
  return 'error' in mailbox ? null : mailbox.address;
}
