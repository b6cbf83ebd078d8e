/** The outcome of a message for one recipient, in words for people and in fields for programs. */
import type { EventDetail } from '../../contract/events.ts';
import type { RecipientStatus } from '../../rfc/dsn/format-status.ts';
import { classifyReply } from '../replies/classify-reply.ts';
import type { RetryEnd } from './retry-end.ts';
import { isReasonName, REASONS, type ReasonName } from './reasons.ts';

/** A recipient of a submission, as stored in its row. */
export interface NotifiedRecipient {
  address: string;
  /** The address of the ORCPT parameter. */
  originalRecipient: string | null;
  /** `delayed`: delivery is not finished yet. */
  outcome: 'delivered' | 'relayed' | 'failed' | 'delayed';
  /** The detail of the last event, as on timelines. */
  detail: RecipientDetail | null;
  /** When delivery finished. Null while it is not finished. */
  endedAt: Date | null;
  /** Present for delayed recipients. Otherwise null. */
  retryEnd: RetryEnd | null;
}

export type RecipientDetail = EventDetail<'bounced' | 'failed' | 'deferred' | 'delivered' | 'sent'>;

export interface RecipientInNotice {
  status: RecipientStatus;
  /** Present for failed recipients. Otherwise null. */
  reason: ReasonName | null;
  /** Whether the outcome is from a report that arrived after a server had accepted the message. */
  isReported: boolean;
  /** Present for delayed recipients. Otherwise null. */
  retryEnd: RetryEnd | null;
}

interface DetailFields {
  replyCode: number | null;
  enhancedCode: string | null;
  /** The full reply of a server, or the text that Posthorn wrote itself. */
  text: string | null;
  remoteMta: string | null;
}

/** The diagnostic type for texts that are not a server's reply. */
const OWN_DIAGNOSTIC = 'X-Posthorn';
const ENHANCED_CODE = /^([245])\.\d{1,3}\.\d{1,3}$/;
const CLASSES = { delivered: '2', relayed: '2', failed: '45', delayed: '4' } as const;

/** @param hostname the host name of this server; a recipient whose remote MTA has this name has a local mailbox */
export function describeRecipient(recipient: NotifiedRecipient, hostname: string): RecipientInNotice {
  const { address, originalRecipient, outcome, detail, endedAt, retryEnd } = recipient;
  const fields = detailFieldsOf(detail);
  const isHere = fields.remoteMta === hostname;
  const reason = outcome === 'failed' ? reasonOf(detail, fields) : null;
  const codeClass = ENHANCED_CODE.exec(fields.enhancedCode ?? '')?.[1];
  const isFitting = codeClass !== undefined && CLASSES[outcome].includes(codeClass);
  return {
    reason,
    retryEnd,
    isReported: detail !== null && 'source' in detail && detail.source === 'dsn',
    status: {
      finalRecipient: address,
      originalRecipient,
      // Another server has the message and was not asked to report on it (RFC 3461, section 5.2.2).
      action: outcome === 'delivered' && !isHere ? 'relayed' : outcome,
      status: isFitting ? (fields.enhancedCode ?? '') : statusOf(outcome, reason),
      remoteMta: isHere ? null : fields.remoteMta,
      diagnostic:
        fields.text === null
          ? null
          : { type: fields.replyCode === null ? OWN_DIAGNOSTIC : 'smtp', text: fields.text },
      // Without a remote server, there may have been no attempt.
      lastAttempt: fields.remoteMta === null ? null : endedAt,
      willRetryUntil: retryEnd !== null && 'until' in retryEnd ? retryEnd.until : null,
    },
  };
}

function detailFieldsOf(detail: RecipientDetail | null): DetailFields {
  if (detail === null) return { replyCode: null, enhancedCode: null, text: null, remoteMta: null };
  const text =
    'diagnostic' in detail ? detail.diagnostic : 'reason' in detail ? detail.detail : detail.response;
  return {
    replyCode: detail.smtp_code ?? null,
    enhancedCode: detail.enhanced_code ?? null,
    text: text ?? null,
    remoteMta: detail.remote_mta ?? null,
  };
}

function reasonOf(
  detail: RecipientDetail | null,
  { replyCode, enhancedCode, text }: DetailFields,
): ReasonName {
  if (detail !== null && 'category' in detail) return detail.category;
  if (detail !== null && 'reason' in detail && isReasonName(detail.reason)) return detail.reason;
  // Any other failure is a rejection by a mail server, whose reply gives the category.
  return classifyReply({ replyCode, enhancedCode, text: text ?? '' }).category;
}

function statusOf(outcome: NotifiedRecipient['outcome'], reason: ReasonName | null): string {
  if (reason !== null) return REASONS[reason].status;
  return outcome === 'delayed' ? '4.0.0' : '2.0.0';
}
