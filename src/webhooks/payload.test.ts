import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_PAYLOADS } from '../contract/events.ts';
import { PAYLOAD_MEMBERS } from '../contract/payload-members.ts';
import { storedEvent } from '../contract/stored-event.ts';
import { EMAIL_STAGES } from '../model/email-status.ts';
import { encodeId, firstUuidAt, newUuid } from '../model/ids.ts';
import { emailPayload, type PayloadSource, testPayload } from './payload.ts';

const TIME = '2026-11-20T15:04:05.123Z';
const eventId = firstUuidAt(new Date(TIME));
const source: PayloadSource = {
  eventId,
  ...storedEvent({ type: 'sent', recipient: null, detail: {} }),
  emailId: newUuid(),
  sender: 'Acme <orders@acme.example>',
  toList: ['Ada <ada@example.org>', 'bob@example.net'],
  subject: 'Your order',
  tags: ['order'],
  providerMessageId: '<1@acme.example>',
};

/** @param fields may differ from the members of the current schema, as in rows of earlier versions */
function dataOf(
  fields: Pick<PayloadSource, 'type' | 'recipient'> & { detail: object },
): Record<string, unknown> {
  const body = emailPayload({ ...source, ...storedEvent(fields) });
  return (JSON.parse(body) as { data: Record<string, unknown> }).data;
}

test('the payload of email.sent matches docs/contract.md, Delivery payload, field by field and in order', () => {
  const expected = {
    id: encodeId('evt', eventId),
    type: 'email.sent',
    created_at: TIME,
    data: {
      email_id: encodeId('em', source.emailId),
      status: 'sent',
      from: 'Acme <orders@acme.example>',
      to: ['Ada <ada@example.org>', 'bob@example.net'],
      subject: 'Your order',
      provider_message_id: '<1@acme.example>',
      tags: ['order'],
      event_payload: null,
    },
  };
  assert.equal(emailPayload(source), JSON.stringify(expected));
});

test('all nine events have the same eight fields, with the stage of the event as status', () => {
  const fields = Object.keys(dataOf({ type: 'sent', recipient: null, detail: {} }));
  assert.equal(fields.length, 8);
  for (const stage of EMAIL_STAGES) {
    const data = dataOf({ type: stage, recipient: null, detail: {} });
    assert.deepEqual(Object.keys(data), fields);
    assert.equal(data['status'], stage);
  }
});

test('an event of one recipient contains only that recipient', () => {
  assert.deepEqual(dataOf({ type: 'delivered', recipient: 'ada@example.org', detail: {} })['to'], [
    'ada@example.org',
  ]);
  assert.deepEqual(dataOf({ type: 'failed', recipient: null, detail: {} })['to'], source.toList);
});

const RECIPIENT = 'ada@example.org';
const PAYLOADS: readonly [type: PayloadSource['type'], detail: object, payload: unknown][] = [
  ['queued', { smtp_code: 250 }, null],
  ['sending', {}, null],
  ['sent', { smtp_code: 250, provider_message_id: '<1@acme.example>' }, null],
  [
    'delivered',
    { remote_mta: 'mx.example.org', smtp_code: 250, response: '250 OK', tls: false, more: 1 },
    { recipient: RECIPIENT, remote_mta: 'mx.example.org', smtp_code: 250, response: '250 OK', tls: false },
  ],
  [
    'bounced',
    {
      recipient: RECIPIENT,
      type: 'soft',
      category: 'expired',
      suppressed: false,
      source: 'smtp',
      attempt: 9,
    },
    {
      recipient: RECIPIENT,
      type: 'soft',
      category: 'expired',
      smtp_code: null,
      enhanced_code: null,
      diagnostic: null,
      remote_mta: null,
      suppressed: false,
      source: 'smtp',
    },
  ],
  [
    'complained',
    { feedback_type: 'abuse' },
    { recipient: RECIPIENT, feedback_type: 'abuse', reporting_mta: null },
  ],
  [
    'failed',
    { reason: 'rejected', detail: '550 no', smtp_code: 550, tls: true },
    { recipient: RECIPIENT, reason: 'rejected', detail: '550 no' },
  ],
  [
    'opened',
    { ip: '192.0.2.1', user_agent: 'M', is_machine: true, url: 'https://x.example/' },
    { recipient: RECIPIENT, ip: '192.0.2.1', user_agent: 'M', is_machine: true },
  ],
  [
    'clicked',
    { url: 'https://x.example/', ip: '192.0.2.1', is_machine: false },
    {
      recipient: RECIPIENT,
      url: 'https://x.example/',
      ip: '192.0.2.1',
      user_agent: null,
      is_machine: false,
    },
  ],
];

for (const [type, detail, payload] of PAYLOADS) {
  test(`event_payload of email.${type} has the documented members and no others`, () => {
    const found = dataOf({ type, recipient: RECIPIENT, detail })['event_payload'];
    assert.deepEqual(found, payload);
    if (payload !== null) assert.deepEqual(Object.keys(found as object), Object.keys(payload as object));
  });
}

test('the test event names its webhook', () => {
  const webhookId = newUuid();
  assert.deepEqual(JSON.parse(testPayload({ eventId, webhookId })), {
    id: encodeId('evt', eventId),
    type: 'webhook.test',
    created_at: TIME,
    data: { webhook_id: encodeId('wh', webhookId) },
  });
});

test('event_payload has the documented members, in order', () => {
  for (const stage of EMAIL_STAGES) {
    const schema = EVENT_PAYLOADS[stage];
    assert.deepEqual(PAYLOAD_MEMBERS[stage], schema === null ? null : Object.keys(schema.properties));
  }
});
