/** Interprets responses of the SES API, as the table in docs/operate/ses.md describes. Pure functions. */
import { printable } from '../../../rfc/smtp/reply.ts';

export interface SesResponse {
  status: number;
  /** The name of the error without the suffix `Exception`, such as `MessageRejected`. Null if the response has no error. */
  errorType: string | null;
  /** The text of the error, for people. The text may contain addresses. */
  message: string;
  /** The id of an accepted message, with printable characters only. */
  messageId: string | null;
}

const MAX_MESSAGE_ID = 255;

export type SesVerdict =
  | 'taken'
  /** SES will never accept this message. */
  | 'refused'
  /** SES will accept this message once the operator has changed the configuration. */
  | 'not-yet'
  /** The sending rate is too high. */
  | 'too-fast'
  /** The daily quota is used up. */
  | 'quota'
  /** SES accepts no mail until the operator has fixed the account. */
  | 'account'
  /** SES accepts no mail until the operator has fixed the credentials. */
  | 'access'
  /** SES does not respond, or responds with a server error. */
  | 'away';

const BY_TYPE: Readonly<Record<string, SesVerdict>> = {
  TooManyRequests: 'too-fast',
  Throttling: 'too-fast',
  LimitExceeded: 'quota',
  SendingPaused: 'account',
  AccountSuspended: 'account',
  NotFound: 'account',
  // Errors of the request signature, whose names are the same for all AWS services. Some of these errors have status 400.
  ExpiredToken: 'access',
  IncompleteSignature: 'access',
  InvalidClientTokenId: 'access',
  InvalidSignature: 'access',
  MissingAuthenticationToken: 'access',
  OptInRequired: 'access',
  RequestExpired: 'access',
  SignatureDoesNotMatch: 'access',
  UnrecognizedClient: 'access',
  // `AccessDenied` can concern a single sender, if the IAM policy names identities, so mail from other senders continues.
  AccessDenied: 'not-yet',
  MailFromDomainNotVerified: 'not-yet',
  BadRequest: 'refused',
  MessageRejected: 'refused',
  InvalidParameterValue: 'refused',
  Validation: 'refused',
};

const BY_STATUS: Readonly<Record<number, SesVerdict>> = {
  401: 'access',
  403: 'access',
  404: 'account',
  413: 'refused',
  429: 'too-fast',
};

// Matched only at the beginning of the text, because the rest may quote the message, which can contain any text.
const ABOUT_QUOTA = /^daily (?:message|sending) quota\b/i;
const ABOUT_CONFIGURATION_SET = /^configuration set\b/i;
const ABOUT_IDENTITY = /\bnot verified\b|\bfailed the check\b/i;

export function judge(answer: SesResponse): SesVerdict {
  const { status, errorType, message } = answer;
  // A proxy in front of SES may reply 200 to anything. Only SES returns a message id.
  if (status === 200) return answer.messageId === null ? 'away' : 'taken';
  const isKnown = errorType !== null && Object.hasOwn(BY_TYPE, errorType);
  const verdict = (isKnown ? BY_TYPE[errorType] : undefined) ?? byStatus(status);
  if (verdict === 'too-fast' || verdict === 'refused') {
    if (ABOUT_QUOTA.test(message)) return 'quota';
    if (ABOUT_CONFIGURATION_SET.test(message)) return 'account';
  }
  return verdict === 'refused' && ABOUT_IDENTITY.test(message) ? 'not-yet' : verdict;
}

/** The verdict on an unknown error. It must never be a verdict that loses the message. */
function byStatus(status: number): SesVerdict {
  return status >= 500 || status < 400 ? 'away' : (BY_STATUS[status] ?? 'not-yet');
}

/** A namespace may precede the name of the error, and a URL may follow it. */
const ERROR_TYPE = /^(?:[\w.-]{1,100}#)?(\w{1,100})(?::|$)/;

/**
 * Parses a response.
 * @param errorTypeField the header field `x-amzn-errortype`
 * @param body JSON; any other body is ignored
 */
export function readSesResponse(status: number, errorTypeField: string | null, body: string): SesResponse {
  const json = parse(body);
  const named = errorTypeField ?? text(json['__type']) ?? text(json['code']);
  const messageId = text(json['MessageId']);
  return {
    status,
    errorType: ERROR_TYPE.exec(named ?? '')?.[1]?.replace(/Exception$/, '') ?? null,
    message: text(json['message']) ?? text(json['Message']) ?? '',
    messageId: messageId === null ? null : printable(messageId, MAX_MESSAGE_ID),
  };
}

/** The limits of an SES account, from GetAccount. */
export interface SesAccountLimits {
  /** Messages per second. */
  maxSendRate: number;
  /** Messages per 24 hours. -1: unlimited. */
  max24HourSend: number | null;
  sentLast24Hours: number | null;
  /** If false, SES sends only to verified identities. */
  productionAccess: boolean | null;
  sendingEnabled: boolean | null;
}

interface Account {
  ProductionAccessEnabled?: unknown;
  SendingEnabled?: unknown;
  SendQuota?: { MaxSendRate?: unknown; Max24HourSend?: unknown; SentLast24Hours?: unknown } | null;
}

/** Returns null if the response has no rate. */
export function readAccount(body: string): SesAccountLimits | null {
  const answer: Account = parse(body);
  const { MaxSendRate, Max24HourSend, SentLast24Hours } = answer.SendQuota ?? {};
  const maxSendRate = number(MaxSendRate);
  if (maxSendRate === null) return null;
  return {
    maxSendRate,
    max24HourSend: number(Max24HourSend),
    sentLast24Hours: number(SentLast24Hours),
    productionAccess: boolean(answer.ProductionAccessEnabled),
    sendingEnabled: boolean(answer.SendingEnabled),
  };
}

function parse(body: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function boolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
