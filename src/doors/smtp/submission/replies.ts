/** Replies of the submission ports, besides the replies of every SMTP session. Codes: RFC 4954, section 6, RFC 3463 and RFC 5248. */
import * as clock from '../../../model/clock.ts';
import type { AppError, ErrorCode } from '../../../model/app-error.ts';
import { printable } from '../../../rfc/smtp/reply.ts';
import type { RejectedMail, SubmitRefusal } from '../../../sending/submit/submitted-mail.ts';
import type { PolicyReply } from '../policy.ts';

/** Replies without their last CRLF. */
export const REPLIES = {
  help: '214 2.0.0 Sign in with the address of a mailbox and its password, or with an API key as the password',
  signedIn: '235 2.7.0 Signed in',
  signedInAlready: '503 5.5.1 Already signed in',
  /** The reply is the same for a wrong user name and for a wrong password. Attack: guessing addresses. */
  refused: '535 5.7.8 The user name or the password is wrong',
  /** The reply is the same for a key that cannot be used from the address of the client. Attack: testing stolen keys. */
  keyRefused: '535 5.7.8 the API key is unknown or has expired',
  missingScope: '535 5.7.8 The API key lacks the scope emails:send',
  noMechanism: '504 5.5.4 Unsupported mechanism; use PLAIN or LOGIN',
  needsTls: '538 5.7.11 Passwords are accepted only over TLS: send STARTTLS first',
  needsTlsElsewhere: '538 5.7.11 Passwords are accepted only over TLS, and this server has no certificate',
  signInFirst: '530 5.7.0 Sign in first',
  signInLate: '421 4.7.0 Connected for too long without signing in',
  ended: '421 4.7.0 The password was changed, or the mailbox was deleted',
  senderMalformed: '501 5.1.7 The sender is not a valid address',
} as const;

/** A reply line has at most 512 octets (RFC 5321, section 4.5.3.1.5). Non-ASCII text is allowed only with SMTPUTF8. */
const MAX_TEXT = 440;
const NOT_ASCII = /[^\x20-\x7e]/g;

/** @param codes the reply code and the enhanced code @param text tells people what to change */
export function replyOf(codes: string, text: string): PolicyReply {
  return `${codes} ${printable(text.replaceAll(/\s+/g, ' '), MAX_TEXT).replace(NOT_ASCII, '?')}`;
}

/** The only mapping from error codes to reply codes. Clients may retry after `451` and `452`. */
const CODES = {
  'bad-request': '550 5.6.0',
  'malformed-json': '550 5.6.0',
  'unsupported-media-type': '550 5.6.1',
  'hosted-domain-protected': '550 5.7.1',
  'synced-member-protected': '550 5.7.1',
  'domain-in-use': '550 5.7.1',
  'missing-api-key': '530 5.7.0',
  'invalid-api-key': '535 5.7.8',
  'missing-scope': '535 5.7.8',
  'not-signed-in': '530 5.7.0',
  'sign-in-refused': '535 5.7.8',
  'confirmation-required': '535 5.7.8',
  'missing-role': '535 5.7.8',
  'stronger-sign-in-required': '535 5.7.8',
  'request-forged': '535 5.7.8',
  'invitation-outdated': '550 5.6.0',
  'upload-conflict': '550 5.6.0',
  'checksum-mismatch': '550 5.6.0',
  'tus-version': '550 5.6.0',
  'tus-media-type': '550 5.6.0',
  'not-found': '550 5.7.1',
  'method-not-allowed': '550 5.5.1',
  'payload-too-large': '552 5.3.4',
  'validation-failed': '550 5.6.0',
  'domain-not-verified': '550 5.7.1',
  'idempotency-key-reused': '550 5.6.0',
  'already-exists': '550 5.6.0',
  'plan-limit-exceeded': '452 4.3.1',
  'rate-limited': '452 4.7.1',
  'quota-exceeded': '452 4.7.1',
  internal: '451 4.3.0',
  unavailable: '451 4.3.0',
} as const satisfies Record<ErrorCode, string>;

/** More specific codes for some fields of a message. */
const CODES_OF_FIELDS = new Map([
  ['attachments', '550 5.6.1'],
  ['from', '550 5.7.1'],
  ['sender', '550 5.7.1'],
  ['to', '550 5.1.3'],
]);

/** The reply to an application whose email is rejected. */
export function replyToError({ code, message, errors = {}, retryAfterSeconds }: AppError): PolicyReply {
  const fields = Object.entries(errors);
  const [first] = fields;
  if (code === 'validation-failed' && first !== undefined)
    return replyOf(
      CODES_OF_FIELDS.get(first[0]) ?? CODES[code],
      fields.map(([name, error]) => `${name}: ${error}`).join('; '),
    );
  return replyOf(CODES[code], `${message}${freeAgain(retryAfterSeconds)}`);
}

function freeAgain(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  return ` Try again at ${new Date(clock.now().getTime() + seconds * 1_000).toISOString()}.`;
}

/** The only mapping from refusals of mailbox mail to reply codes. */
const REFUSAL_CODES = {
  senderNotAllowed: '550 5.7.1',
  badAddress: '553 5.1.3',
  unknownRecipient: '550 5.1.1',
  domainNotVerified: '550 5.7.1',
  dailyLimit: '452 4.7.1',
  // Same code as `dailyLimit`, so that one log search finds refusals for both limits. The code is temporary, because the message can be
  // sent once the limit is raised.
  overDailyLimit: '452 4.7.1',
  planLimit: '452 4.7.1',
  mailboxFull: '452 4.2.2',
  locked: '550 5.7.1',
  fileTooLarge: '552 5.3.4',
  badMessage: '550 5.6.0',
  loop: '554 5.4.6',
  tooManyRecipients: '550 5.5.3',
} as const satisfies Record<SubmitRefusal, string>;

/** The reply to a mail app whose message is rejected. */
export function replyToRefusal({ refusal, text }: RejectedMail): PolicyReply {
  return replyOf(REFUSAL_CODES[refusal], text);
}

/** The reply to a sign-in whose password was not checked, because there were too many attempts (RFC 4954, section 6). */
export function tryLater(afterSeconds: number): PolicyReply {
  return `454 4.7.0 Try again in ${afterSeconds} seconds`;
}
