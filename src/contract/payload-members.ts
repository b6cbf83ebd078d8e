/** The members of event payloads, in a separate file so that workers need not load the schemas. */
import type { EmailStage } from '../model/email-status.ts';

/** The members of `event_payload`, in order. Null for an event without a payload. */
export const PAYLOAD_MEMBERS: Readonly<Record<EmailStage, readonly string[] | null>> = {
  queued: null,
  sending: null,
  sent: null,
  delivered: ['recipient', 'remote_mta', 'smtp_code', 'response', 'tls'],
  opened: ['recipient', 'ip', 'user_agent', 'is_machine'],
  clicked: ['recipient', 'url', 'ip', 'user_agent', 'is_machine'],
  failed: ['recipient', 'reason', 'detail'],
  bounced: [
    'recipient',
    'type',
    'category',
    'smtp_code',
    'enhanced_code',
    'diagnostic',
    'remote_mta',
    'suppressed',
    'source',
  ],
  complained: ['recipient', 'feedback_type', 'reporting_mta'],
};
