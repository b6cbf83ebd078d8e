/** Checks what the schema of a send request cannot express: addresses, the caller's header fields and the number of recipients. */
import type { SendEmail } from '../../contract/emails.ts';
import { validationError } from '../../model/app-error.ts';
import { isRelayOrder } from '../../model/relay-orders.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';

export const MAX_RECIPIENTS = 50;
const MAX_VARIABLES_LENGTH = 1024 * 1024;

/** Header fields that Posthorn itself writes, and prefixes of such fields, in lower case (docs/contract.md, Header fields). */
const OWN_FIELDS = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'subject',
  'date',
  'message-id',
  'sender',
  'return-path',
  'received',
  'mime-version',
  'authentication-results',
]);
const OWN_PREFIXES = ['content-', 'dkim-', 'arc-', 'x-posthorn-'];

/** RFC 5322, section 3.6.8: printable ASCII except the colon. */
const FIELD_NAME = /^[!-9;-~]{1,76}$/;
const LINE_BREAK = /[\r\n]/;
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

export interface SubmittedEnvelope {
  from: MailboxAddress;
  /** Normalized forward-paths without duplicates, in the order of to, cc, bcc. */
  recipients: string[];
  /** The index in `recipients` of the first recipient from cc; `bccAt` is the index of the first recipient from bcc. */
  ccAt: number;
  bccAt: number;
}

/** @throws AppError validation-failed, with every invalid field */
export function checkEnvelope(send: SendEmail): SubmittedEnvelope {
  return checkAddresses(send, MAX_RECIPIENTS, contentErrors(send));
}

/**
 * @param maxRecipients maximum number of recipients in to, cc and bcc together
 * @param errors the errors of other fields
 * @throws AppError validation-failed, with every invalid field
 */
export function checkAddresses(
  send: Pick<SendEmail, 'from' | 'to' | 'cc' | 'bcc'>,
  maxRecipients: number,
  errors: Record<string, string> = {},
): SubmittedEnvelope {
  const from = parseMailbox(send.from);
  if ('error' in from) errors['from'] = from.error;
  const recipients = new Set<string>();
  checkList(send.to, 'to', recipients, errors, maxRecipients);
  const ccAt = recipients.size;
  if (send.cc !== undefined) checkList(send.cc, 'cc', recipients, errors, maxRecipients);
  const bccAt = recipients.size;
  if (send.bcc !== undefined) checkList(send.bcc, 'bcc', recipients, errors, maxRecipients);
  if (recipients.size > maxRecipients) {
    errors['to'] ??= `must have at most ${maxRecipients} recipients together with cc and bcc`;
  }
  if ('error' in from || Object.keys(errors).length > 0) throw validationError(errors);
  return { from, recipients: [...recipients], ccAt, bccAt };
}

function contentErrors(send: SendEmail): Record<string, string> {
  const errors: Record<string, string> = {};
  if (send.reply_to !== undefined) {
    const replyTo = parseMailbox(send.reply_to);
    if ('error' in replyTo) errors['reply_to'] = replyTo.error;
  }
  if (send.subject !== undefined && LINE_BREAK.test(send.subject)) {
    errors['subject'] = 'must not contain a line break';
  }
  if (send.headers !== undefined) {
    const error = headersError(send.headers, send.reply_to !== undefined);
    if (error !== null) errors['headers'] = error;
  }
  if (send.template_id !== undefined) Object.assign(errors, templateErrors(send));
  else if (send.variables !== undefined) errors['variables'] = 'require a template_id';
  else if (isEmpty(send.html) && isEmpty(send.text)) {
    for (const field of ['html', 'text']) errors[field] = 'html or text is required and must not be empty';
  }
  return errors;
}

function templateErrors(send: SendEmail): Record<string, string> {
  const given = (['subject', 'html', 'text'] as const).filter((field) => !isEmpty(send[field]));
  const errors: Record<string, string> = Object.fromEntries(
    given.map((field) => [field, 'comes from the template; omit it']),
  );
  if (given.length > 0)
    errors['template_id'] = 'replaces subject, html and text; send either these or the template';
  if (send.variables !== undefined && JSON.stringify(send.variables).length > MAX_VARIABLES_LENGTH)
    errors['variables'] = `must have at most ${MAX_VARIABLES_LENGTH} characters as JSON`;
  return errors;
}

/**
 * Whether a body part is missing or empty. An empty part counts as missing, because some mail clients would show it instead of the other
 * part.
 */
function isEmpty(content: string | undefined): boolean {
  return content === undefined || content === '';
}

function checkList(
  texts: readonly string[],
  field: string,
  found: Set<string>,
  errors: Record<string, string>,
  maxRecipients: number,
): void {
  for (const [at, text] of texts.entries()) {
    // Stop early, because the lists may be long, and further addresses would not improve the error message.
    if (found.size > maxRecipients) return;
    const mailbox = parseMailbox(text);
    if ('error' in mailbox) {
      errors[field] = `${field}[${at}]: ${mailbox.error}`;
      return;
    }
    found.add(mailbox.address);
  }
}

function headersError(headers: Readonly<Record<string, string>>, hasReplyTo: boolean): string | null {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    // The error does not quote the name, which may not be printable.
    if (!FIELD_NAME.test(name))
      return 'a field name must be 1 to 76 printable ASCII characters without a colon';
    // The errors of the schema have the same form. The API log finds names by it (`withoutContent` in contract/redact.ts).
    const at = `headers[${JSON.stringify(name)}]`;
    if (OWN_FIELDS.has(lower) || OWN_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
      return `${at}: the service sets this field; omit it`;
    }
    if (isRelayOrder(name)) return `${at}: this field controls the mail servers along the route; omit it`;
    if (seen.has(lower)) return `${at}: appears twice; send it once`;
    seen.add(lower);
    if (lower === 'reply-to') {
      if (hasReplyTo) return `${at}: repeats reply_to; send only one of the two`;
      const mailbox = parseMailbox(value);
      if ('error' in mailbox) return `${at}: ${mailbox.error}`;
    }
    if (CONTROL.test(value)) return `${at}: must not contain line breaks or other control characters`;
  }
  return null;
}
