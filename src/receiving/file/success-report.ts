/**
 * The report of success that a sender requested with NOTIFY=SUCCESS (RFC 3461, section 6). Failures are reported by the reply to RCPT or to
 * the message, and never by mail.
 */
import { prepareInRow } from '../../blobs/blobs.ts';
import { TokenBuckets } from '../../concurrency/rate-limit.ts';
import { namedMailbox } from '../../mailboxes/named-mailbox.ts';
import { DAY_MS } from '../../model/day.ts';
import { messageIdOf, newUuid, timeOf } from '../../model/ids.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { composeDsn } from '../../rfc/dsn/compose-dsn.ts';
import type { RecipientStatus } from '../../rfc/dsn/format-status.ts';
import type { NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { AppendResult } from '../../store/append.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import type { ReportedRecipient, RoutedRecipient } from '../route/router.ts';
import type { MailFromOutside } from './mail-from-outside.ts';

/**
 * The maximum numbers of reports that a process sends to one return path, and to one domain, within any 24 hours. Mailboxes have no limit.
 * Attack: a sender who uses up the limit of one mailbox learns whether it is behind an alias, from which then no reports come.
 */
const MAX_TO_ADDRESS = 200;
const MAX_TO_DOMAIN = 10_000;
const MAX_SUBJECT = 200;
/** The maximum size of the returned header, in octets. Attack: the header makes the report much larger than a victim's own mail. */
const MAX_HEADER = 4_096;

/** A filed message, and its mailboxes. */
interface ReportedMessage {
  mail: MailFromOutside;
  /** One recipient for each mailbox. */
  recipients: readonly RoutedRecipient[];
  facts: Pick<MessageFacts, 'subject' | 'messageId'>;
  authentication: Authentication;
  /** The host name of this server. */
  hostname: string;
}

/**
 * Composes the reports for the transaction that files the message.
 * @param results in the order of the recipients; null for a mailbox that only forwards the message
 */
export type SuccessReports = (results: readonly (AppendResult | null)[]) => NewSubmission[];

/** The recipients of one report: their addresses are in one domain of one project. */
interface ReportGroup {
  mailbox: MailboxKey;
  domain: string;
  recipients: RecipientStatus[];
}

/** Limits the reports that this process sends, so that the same victim is not flooded through many mailboxes. */
export class ReportLimits {
  readonly #toAddress: TokenBuckets;
  readonly #toDomain: TokenBuckets;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#toAddress = bucketsPerDay(MAX_TO_ADDRESS, nowMs);
    this.#toDomain = bucketsPerDay(MAX_TO_DOMAIN, nowMs);
  }

  /** Whether one more report may be sent. */
  take({ address, domain }: MailboxAddress): boolean {
    return this.#toAddress.take(address.toLowerCase()).allowed && this.#toDomain.take(domain).allowed;
  }
}

/** A full bucket holds half of the tokens, and gets the other half within the day. So no 24 hours have more than `count`. */
function bucketsPerDay(count: number, nowMs: () => number): TokenBuckets {
  return new TokenBuckets((count * 500) / DAY_MS, count / 2, nowMs);
}

/** @returns null if the sender requested no report, or if the return path may be forged */
export function successReportsOf(
  message: ReportedMessage,
  limits: Pick<ReportLimits, 'take'>,
): SuccessReports | null {
  const { mail, recipients, authentication } = message;
  if (mail.reversePath === '' || recipients.every(({ reported }) => reported === undefined)) return null;
  const sender = parseMailbox(mail.reversePath);
  if ('error' in sender || !isProven(authentication, sender.domain)) return null;
  // The transaction may be retried, and a report takes its token only once.
  const tokens: boolean[] = [];
  return (results) =>
    groupsOf(recipients, results)
      .filter((_, at) => (tokens[at] ??= limits.take(sender)))
      .map((group) => compose(message, group, sender));
}

/**
 * Whether a server of the return path's domain sent the message. Attack: with a forged return path, each message makes this server send a
 * report to a victim. A DKIM signature proves nothing here: it does not cover the envelope, and anyone can send a signed message again.
 */
function isProven({ spf }: Authentication, domain: string): boolean {
  return spf.result === 'pass' && parseDomain(spf.domain) === domain;
}

/** Groups the recipients whose message was filed or forwarded, by any of their mailboxes. */
function groupsOf(
  recipients: readonly RoutedRecipient[],
  results: readonly (AppendResult | null)[],
): ReportGroup[] {
  const filed = new Map<ReportedRecipient, MailboxKey>();
  for (const [at, { mailbox, reported = [] }] of recipients.entries()) {
    const result = results[at];
    if (result !== null && result?.outcome !== 'stored') continue;
    for (const one of reported) if (!filed.has(one)) filed.set(one, mailbox);
  }
  const groups = new Map<string, ReportGroup>();
  for (const [reported, mailbox] of filed) {
    const domain = reported.address.slice(reported.address.lastIndexOf('@') + 1);
    const name = `${mailbox.projectId} ${domain}`;
    const group = groups.get(name) ?? { mailbox, domain, recipients: [] };
    group.recipients.push(statusOf(reported));
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** The report is sent from the domain to which the sender wrote, so that it does not reveal the mailboxes of an alias. */
function compose(
  { mail, facts, hostname }: ReportedMessage,
  { mailbox: { projectId, mailboxId }, domain, recipients }: ReportGroup,
  to: MailboxAddress,
): NewSubmission {
  const submissionId = newUuid();
  const date = timeOf(submissionId);
  const from = namedMailbox('MAILER-DAEMON', domain, 'Mail delivery');
  const messageId = messageIdOf(submissionId, domain);
  const subject = facts.subject.slice(0, MAX_SUBJECT).toWellFormed().trim();
  const bytes = composeDsn({
    from,
    to: { ...to, displayName: null },
    subject: `Delivered${subject === '' ? '' : `: ${subject}`}`,
    date,
    messageId,
    about: facts.messageId,
    text: textOf(recipients),
    status: { envelopeId: mail.envelopeId ?? null, reportingMta: hostname, arrivalDate: date, recipients },
    original: mail.raw,
    // RET applies only to failures (RFC 3461, section 4.3).
    isWhole: false,
    maxHeader: MAX_HEADER,
  });
  return {
    projectId,
    submissionId,
    mailboxId,
    kind: 'report',
    // No report is sent about a report (RFC 3461, section 6.1).
    reversePath: '',
    fromAddress: from.address,
    fromDomain: domain,
    messageId,
    blob: prepareInRow(projectId, bytes),
    isUtf8: to.unicode || recipients.some(({ finalRecipient }) => !/^[\x20-\x7e]*$/.test(finalRecipient)),
    envelopeId: null,
    returns: null,
    recipients: [{ address: to.address, notify: 0, originalRecipient: null }],
    key: null,
  };
}

/**
 * Always `delivered`, even if the mailbox only forwards the message. Mail in Junk is not forwarded, so with `relayed` a spammer would learn
 * which messages are recognized. Also, the forwarding is confidential (RFC 3461, section 5.2.7.4).
 */
function statusOf({ forwardPath, originalRecipient }: ReportedRecipient): RecipientStatus {
  return {
    finalRecipient: forwardPath,
    originalRecipient,
    action: 'delivered',
    status: '2.0.0',
    remoteMta: null,
    diagnostic: null,
    lastAttempt: null,
    willRetryUntil: null,
  };
}

function textOf(recipients: readonly RecipientStatus[]): string {
  const lines = recipients.map(({ finalRecipient }) => `${finalRecipient}\n`).join('');
  return `Your message was delivered to these recipients:\n\n${lines}`;
}
