/**
 * Decides what a report changes for a recipient, given the earlier events. A report proves only that its sender has seen the recipient's
 * return path. So the report affects only this recipient, and a repeated report changes nothing.
 */
import type { EventDetail, EventFact } from '../../contract/events.ts';
import { rankOf } from '../../model/email-status.ts';
import type { SuppressionReason } from '../../model/suppression-reasons.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { sameAddress } from '../bounces/addresses.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import type { Report, ReportedRecipient } from '../bounces/report.ts';
import type { NewEvent } from '../../sending/events/record-events.ts';
import type { SuppressionDetail } from '../../sending/suppress/suppressing.ts';

export interface RecipientOfReport {
  recipientIndex: number;
  address: string;
  /** The rank of the highest stage that the email as a whole reached. */
  reached: number;
  /** The rank of the recipient's own stage; 0 if the recipient has not reached `delivered`. */
  stage: number;
  /** The deferrals from earlier reports. */
  deferrals: readonly EventDetail<'deferred'>[];
  /** Whether an earlier bounce put the address on the suppression list. */
  wasSuppressed: boolean;
}

export interface ReportConsequence {
  events: NewEvent[];
  suppression: { reason: SuppressionReason; detail: SuppressionDetail } | null;
}

/** The maximum number of delay reports on the timeline. Attack: anyone who has a return path can send delay reports for a month. */
const MAX_DEFERRALS = 5;

/** The longest name in DNS, in characters. */
const MAX_NAME = 255;
const MAX_REASON = 1_000;

const NOTHING: ReportConsequence = { events: [], suppression: null };

export function consequenceOfReport(report: Report, recipientState: RecipientOfReport): ReportConsequence {
  // The message was never handed over to a server, so no report can be about this message.
  if (recipientState.reached < rankOf('sending')) return NOTHING;
  if (report.kind === 'complaint') return complained(report, recipientState);
  if (report.kind === 'rejected') return rejected(report.reason, recipientState);
  const reported = report.kind === 'dsn' ? fittingRecipient(report.recipients, recipientState.address) : null;
  switch (reported?.action) {
    case 'failed':
      return bounced(reported, recipientState);
    case 'delayed':
      return deferred(reported, recipientState);
    case 'delivered':
    case 'relayed':
    case 'expanded':
      return delivered(reported, recipientState);
    default:
      return NOTHING;
  }
}

const SEVERITY: readonly ReportedRecipient['action'][] = [
  'failed',
  'delayed',
  'relayed',
  'expanded',
  'delivered',
];

/**
 * Selects the report's statement about the address. If a forwarder's report names only other addresses, their actions must agree: if
 * one of these addresses got the message, delivery did not fail.
 */
function fittingRecipient(
  recipients: readonly ReportedRecipient[],
  address: string,
): ReportedRecipient | null {
  const named = recipients.filter((one) => one.address !== null && sameAddress(one.address, address));
  if (named.length === 0 && new Set(recipients.map(({ action }) => action)).size > 1) return null;
  const fitting = named.length > 0 ? named : recipients;
  return fitting.toSorted((a, b) => SEVERITY.indexOf(a.action) - SEVERITY.indexOf(b.action))[0] ?? null;
}

/**
 * A recipient bounces only once, and not after a complaint. The exception is a bounce that suppresses the address after one that did not,
 * for example "unknown user" after "mailbox full": without it, mail would be sent to an address that no longer exists.
 */
function bounced(reported: ReportedRecipient, recipientState: RecipientOfReport): ReportConsequence {
  if (recipientState.stage > rankOf('bounced')) return NOTHING;
  const { type, category, suppress } = classifyReply({
    replyCode: reported.replyCode,
    enhancedCode: reported.enhancedCode,
    text: reported.diagnostic,
  });
  // If the recipient's mail is also forwarded to another address, a report on the other address says nothing about the recipient's
  // address.
  const isOurs = reported.address === null || sameAddress(reported.address, recipientState.address);
  const suppressed = suppress && isOurs && reported.bounceType !== 'soft';
  const isSecond = recipientState.stage === rankOf('bounced');
  if (isSecond && (!suppressed || recipientState.wasSuppressed)) return NOTHING;
  const bounce: EventDetail<'bounced'> = {
    recipient: recipientState.address,
    type: reported.bounceType ?? type,
    category,
    smtp_code: reported.replyCode,
    enhanced_code: reported.enhancedCode,
    diagnostic: reported.diagnostic,
    remote_mta: shown(reported.remoteMta ?? reported.reportingMta),
    suppressed,
    source: 'dsn',
  };
  return happened(
    { type: 'bounced', detail: bounce },
    recipientState,
    suppressed ? { reason: 'bounce', detail: { diagnostic: reported.diagnostic } } : null,
  );
}

function deferred(reported: ReportedRecipient, recipientState: RecipientOfReport): ReportConsequence {
  const detail: EventDetail<'deferred'> = {
    smtp_code: reported.replyCode,
    enhanced_code: reported.enhancedCode,
    response: reported.diagnostic,
    remote_mta: shown(reported.remoteMta ?? reported.reportingMta),
    source: 'dsn',
  };
  const isKnown = recipientState.deferrals.some(
    (earlier) => JSON.stringify(earlier) === JSON.stringify(detail),
  );
  if (
    isKnown ||
    recipientState.deferrals.length >= MAX_DEFERRALS ||
    recipientState.stage > rankOf('delivered')
  )
    return NOTHING;
  return happened({ type: 'deferred', detail }, recipientState);
}

/** Records nothing if the recipient's server accepted the message directly from this service. */
function delivered(reported: ReportedRecipient, recipientState: RecipientOfReport): ReportConsequence {
  if (recipientState.stage >= rankOf('delivered')) return NOTHING;
  const detail: EventDetail<'delivered'> = {
    recipient: recipientState.address,
    remote_mta: shown(reported.remoteMta ?? reported.reportingMta),
    smtp_code: reported.replyCode,
    response: reported.diagnostic,
    tls: null,
  };
  return happened({ type: 'delivered', detail }, recipientState);
}

function complained(
  { feedbackType, reportingMta }: Extract<Report, { kind: 'complaint' }>,
  recipientState: RecipientOfReport,
): ReportConsequence {
  // RFC 5965, section 7.3: not-spam says that the mail is wanted.
  if (feedbackType === 'not-spam' || recipientState.stage >= rankOf('complained')) return NOTHING;
  const detail = { feedback_type: shown(feedbackType), reporting_mta: shown(reportingMta) };
  return happened(
    { type: 'complained', detail: { recipient: recipientState.address, ...detail } },
    recipientState,
    {
      reason: 'complaint',
      detail,
    },
  );
}

function rejected(reason: string, recipientState: RecipientOfReport): ReportConsequence {
  if (recipientState.stage >= rankOf('failed')) return NOTHING;
  const detail = {
    recipient: recipientState.address,
    reason: 'rejected',
    detail: printable(reason, MAX_REASON),
  };
  return happened({ type: 'failed', detail }, recipientState);
}

function happened(
  fact: EventFact,
  { recipientIndex, address }: RecipientOfReport,
  suppression: ReportConsequence['suppression'] = null,
): ReportConsequence {
  return { events: [{ ...fact, recipientIndex, recipient: address }], suppression };
}

/** Makes a name printable that an unauthenticated sender chose. PostgreSQL accepts JSON with an escaped NUL but cannot read it later. */
function shown(name: string | null): string | null {
  return name === null ? null : printable(name, MAX_NAME);
}
