/** Checks a message when the user sends it. All other checks happen at the send time of the message. */
import type { Database } from '../../db/database.ts';
import { mayWrite, mayWriteFrom, ownAddresses, writable } from '../../mailboxes/own-addresses.ts';
import { addressesOf, readSharedSenders } from '../../mailboxes/sharing/shared-senders.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import type { RejectedMail } from '../../sending/submit/submitted-mail.ts';
import type { Submitter } from '../../sending/submit/submitter.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { type DraftContent, mailboxOf, recipientsOf } from './draft-content.ts';
import type { StoredDraft } from './drafts.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';

export interface SendChecksOptions {
  database: Database;
  submitter: Pick<Submitter, 'checkSender' | 'checkRecipient' | 'checkLimits'>;
}

const MB = 1024 * 1024;
const MAX_RECIPIENTS = 100;

export class SendChecks {
  readonly #options: SendChecksOptions;

  constructor(options: SendChecksOptions) {
    this.#options = options;
  }

  /** @throws AppError validation-failed, domain-not-verified, plan-limit-exceeded */
  async assertMaySend(
    mailbox: MailboxKey,
    { row: { content }, octets, uploads }: StoredDraft,
  ): Promise<void> {
    const { submitter } = this.#options;
    const addresses = readRecipients(content);
    if (uploads.length < content.attachments.length)
      throw validationError({ attachments: 'An attached file no longer exists. Attach it again.' });
    if (octets > MAX_MESSAGE_BYTES) throw validationError({ attachments: tooLarge(octets) });
    const from = await this.#senderOf(mailbox, content.from);
    throwIfRejected(await submitter.checkSender(mailbox, from.address), 'from');
    // Together, so that one statement finds the local recipients among them.
    const refusals = await Promise.all(
      addresses.map((address) => submitter.checkRecipient(mailbox, address, from.domain)),
    );
    for (const refusal of refusals) throwIfRejected(refusal, 'to');
    throwIfRejected(await submitter.checkLimits(mailbox, addresses), 'to');
  }

  /** The sender address, parsed. */
  async #senderOf({ projectId, mailboxId }: MailboxKey, from: string | null): Promise<MailboxAddress> {
    const { database } = this.#options;
    const own = await ownAddresses(database, projectId, mailboxId);
    if (own.length === 0) throw new AppError('not-found', 'The mailbox is deleted.');
    const may = addressesOf({ own, shared: await readSharedSenders(database, { projectId, mailboxId }) });
    const [first, ...others] = writable(may);
    if (first === undefined) throw validationError({ from: `This mailbox ${mayWrite(may)}.` });
    const parsed = parseMailbox(from ?? first.address);
    if ('error' in parsed || !mayWriteFrom(parsed, may))
      throw validationError({
        from: `from: this mailbox can send from ${[first, ...others]
          .map(({ address }) => address)
          .slice(0, 3)
          .join(', ')}.`,
      });
    return parsed;
  }
}

/** @throws AppError validation-failed if there are no recipients or too many, or if a recipient is not a valid address */
function readRecipients(content: DraftContent): string[] {
  const errors: Record<string, string> = {};
  const addresses = new Set<string>();
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const person of content[field]) {
      const mailbox = mailboxOf(person);
      if ('error' in mailbox) errors[field] ??= `${person.address}: ${mailbox.error}.`;
      else addresses.add(mailbox.address);
    }
  }
  if (recipientsOf(content).length === 0) errors['to'] = 'Add at least one recipient.';
  if (addresses.size > MAX_RECIPIENTS)
    errors['to'] =
      `A message can have at most ${MAX_RECIPIENTS} recipients, but this one has ${addresses.size}.`;
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return [...addresses];
}

/** The error message for a message that is too large, with the excess size. */
export function tooLarge(octets: number): string {
  const over = Math.ceil(((octets - MAX_MESSAGE_BYTES) / MB) * 10) / 10;
  return `With its files, the message exceeds the ${MAX_MESSAGE_BYTES / MB} MB limit of mail servers by ${over} MB, because files grow by a third in a message. Remove a file, and send it as a link instead.`;
}

function throwIfRejected(rejected: RejectedMail | null, field: 'from' | 'to'): void {
  if (rejected === null) return;
  const { refusal, text } = rejected;
  if (refusal === 'domainNotVerified')
    throw new AppError('domain-not-verified', text, { errors: { from: text } });
  if (refusal === 'dailyLimit' || refusal === 'planLimit')
    throw new AppError('plan-limit-exceeded', text, { errors: { to: text } });
  throw validationError({ [field]: text });
}
