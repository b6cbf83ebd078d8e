/** Accepts messages that applications submit by SMTP, with the same rules as the API (docs/submission.md). */
import { hash } from 'node:crypto';
import { AppError, validationError } from '../../../model/app-error.ts';
import { parseMailbox } from '../../../rfc/address/index.ts';
import type { Accepted, Acceptor } from '../accept-email.ts';
import { checkEnvelope } from '../check-envelope.ts';
import type { ExaminedEmail } from '../examine-email.ts';
import type { Sender } from '../sender.ts';
import type { MailReader } from './mail-reader.ts';
import type { ReadMail } from './read-mail.ts';

/** The sender, identified by an API key. */
export interface MailSender extends Sender {
  /** UUID of the API key. */
  keyId: string;
}

/** RFC 5321, section 4.5.3.1.8: every server must accept at least this number of recipients. */
const MAX_RECIPIENTS = 100;
/** The prefix of idempotency keys derived from messages. A key in an API request cannot contain this character. */
const OF_A_MESSAGE = '\u0001';

export interface MailAcceptorOptions {
  reader: Pick<MailReader, 'read'>;
  acceptor: Pick<Acceptor, 'accept'>;
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
   * @throws AppError as `Acceptor.accept`
   */
  async accept(sender: MailSender, recipients: readonly string[], raw: Buffer): Promise<Accepted> {
    const mail = await this.#options.reader.read(raw);
    if ('errors' in mail) throw validationError(mail.errors);
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
    const ofMessage = mail.messageId === null ? null : `${OF_A_MESSAGE}${fingerprint.toString('hex')}`;
    return this.#options.acceptor.accept(sender, send, mail.idempotencyKey ?? ofMessage, null, {
      fingerprint,
      envelope,
    });
  }
}

/** @throws AppError validation-failed */
function envelopeOf(
  { send, senderAddress }: ReadMail,
  recipients: readonly string[],
): Exclude<ExaminedEmail['envelope'], { errors: unknown }> {
  const envelope = checkEnvelope({ ...send, to: [...recipients], cc: [], bcc: [] }, MAX_RECIPIENTS);
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
