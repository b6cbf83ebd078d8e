/** Events for tests. Each event has a detail that matches its type. */
import type { EventFact } from '../../src/contract/events.ts';
import type { TimelineType } from '../../src/model/email-status.ts';
import type { NewEvent } from '../../src/sending/events/record-events.ts';

const REPLY = {
  smtp_code: 250,
  enhanced_code: '2.0.0',
  response: '250 2.0.0 OK',
  remote_mta: 'mx.test',
  tls: true,
};
const PERSON = { ip: '192.0.2.1', user_agent: 'Firefox', is_machine: false };

/** @param recipientIndex null for events of the whole email. `recipient` is then null too */
export function newEvent(
  type: TimelineType,
  recipientIndex: number | null,
  recipient: string | null,
): NewEvent {
  return { ...factsOf(recipient ?? 'b@dst.test')[type], recipientIndex, recipient };
}

function factsOf(recipient: string): { [T in TimelineType]: EventFact<T> } {
  return {
    queued: { type: 'queued', detail: null },
    sending: { type: 'sending', detail: null },
    sent: { type: 'sent', detail: { ...REPLY, provider_message_id: '<1@src.test>' } },
    delivered: { type: 'delivered', detail: { recipient, ...REPLY } },
    opened: { type: 'opened', detail: { recipient, ...PERSON } },
    clicked: { type: 'clicked', detail: { recipient, url: 'https://acme.example/', ...PERSON } },
    failed: { type: 'failed', detail: { recipient, reason: 'rejected', detail: '550 no' } },
    bounced: {
      type: 'bounced',
      detail: {
        recipient,
        type: 'soft',
        category: 'mailbox_full',
        smtp_code: 452,
        enhanced_code: '4.2.2',
        diagnostic: '452 4.2.2 full',
        remote_mta: 'mx.test',
        suppressed: false,
        source: 'smtp',
      },
    },
    complained: { type: 'complained', detail: { recipient, feedback_type: 'abuse', reporting_mta: null } },
    deferred: {
      type: 'deferred',
      detail: { ...REPLY, attempt: 1, next_attempt_at: '2026-11-20T15:04:05.123Z' },
    },
  };
}

/** The detail of an event with any type, for tests that read the detail's members without the static type. */
export function detailOf(event: EventFact | undefined): Readonly<Record<string, unknown>> | null | undefined {
  return event?.detail;
}
