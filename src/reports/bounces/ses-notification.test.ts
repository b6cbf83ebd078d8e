import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  bounceEvent,
  complaintEvent,
  delayEvent,
  deliveryEvent,
  otherEvents,
  rejectEvent,
} from '../../../test/support/ses-events.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import type { Report } from './report.ts';
import { readSesNotification } from './ses-notification.ts';

const TAG = `b_${'a'.repeat(62)}_send_acme_example`;
const MESSAGE = {
  messageId: '0107-1',
  rcptTo: ['someone@rcpt.example'],
  tags: { posthorn: TAG },
  data: Buffer.from('X-Posthorn-Return: r+token\r\n @send.acme.example\r\nSubject: Hello\r\n\r\nHi\r\n'),
};

/** The action, type and category of each recipient. */
function outcome(report: Report | null): string[] {
  if (report?.kind !== 'dsn') return [report?.kind ?? 'nothing'];
  return report.recipients.map(({ address, action, bounceType, replyCode, enhancedCode, diagnostic }) => {
    const { type, category } = classifyReply({ replyCode, enhancedCode, text: diagnostic });
    return `${address} ${action} ${bounceType ?? `${type}, by its words`} ${category}`;
  });
}

test('an event as large as SNS allows can be read', () => {
  const event = JSON.parse(bounceEvent(MESSAGE)) as { mail: { commonHeaders: object } };
  const { mail } = event;
  const large = {
    ...event,
    mail: { ...mail, commonHeaders: { ...mail.commonHeaders, to: ['é'.repeat(240_000)] } },
  };
  // SES writes the bounce after the fields that the sender controls.
  const { bounce, ...others } = large as typeof large & { bounce: object };
  const text = JSON.stringify({ ...others, bounce });
  assert.deepEqual(outcome(readSesNotification(text)), ['someone@rcpt.example failed hard unknown_user']);
});

const bounces: [name: string, fields: Parameters<typeof bounceEvent>[1], expected: string][] = [
  ['of an unknown user', {}, 'hard unknown_user'],
  ['by policy', { status: '5.7.1', diagnosticCode: 'smtp; 550 5.7.1 relaying denied' }, 'hard policy'],
  [
    'of an address without a diagnostic',
    { subType: 'NoEmail', status: null, diagnosticCode: null },
    'hard unknown_user',
  ],
  [
    "on SES's own list",
    {
      subType: 'Suppressed',
      diagnosticCode:
        'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.',
    },
    'hard suppressed',
  ],
  ["on the account's list", { subType: 'OnAccountSuppressionList', diagnosticCode: null }, 'hard suppressed'],
  [
    'of a full mailbox',
    {
      type: 'Transient',
      subType: 'MailboxFull',
      status: '5.2.2',
      diagnosticCode: 'smtp; 552 5.2.2 mailbox full',
    },
    'soft mailbox_full',
  ],
  [
    'of a message that is too large, without a diagnostic',
    { type: 'Transient', subType: 'MessageTooLarge', status: null, diagnosticCode: null },
    'soft message_too_large',
  ],
  [
    'of content, without words',
    { type: 'Transient', subType: 'ContentRejected', status: null, diagnosticCode: null },
    'soft content',
  ],
  [
    'that SES cannot classify',
    { type: 'Undetermined', subType: 'Undetermined' },
    'hard, by its words unknown_user',
  ],
];

describe('an SES notification', () => {
  for (const [name, fields, expected] of bounces) {
    test(`of a bounce ${name} is ${expected}`, () => {
      assert.deepEqual(outcome(readSesNotification(bounceEvent(MESSAGE, fields))), [
        `someone@rcpt.example failed ${expected}`,
      ]);
    });
  }

  test('of an automatic reply is not a bounce', () => {
    const fields = { type: 'Transient', subType: 'General', status: null, diagnosticCode: null };
    assert.deepEqual(readSesNotification(bounceEvent(MESSAGE, fields)), { kind: 'other', why: 'auto-reply' });
    assert.equal(readSesNotification(bounceEvent(MESSAGE, { ...fields, status: '4.4.7' }))?.kind, 'dsn');
  });

  test("of a delivery contains the server's reply", () => {
    const report = readSesNotification(deliveryEvent(MESSAGE));
    assert.ok(report?.kind === 'dsn');
    assert.deepEqual(report.recipients, [
      {
        address: 'someone@rcpt.example',
        action: 'delivered',
        enhancedCode: '2.6.0',
        replyCode: 250,
        diagnostic: '250 2.6.0 Message received',
        remoteMta: '192.0.2.44',
        reportingMta: 'a8-70.smtp-out.test.amazonses.com',
      },
    ]);
  });

  test('of a delay is a deferral', () => {
    assert.deepEqual(outcome(readSesNotification(delayEvent(MESSAGE))), [
      'someone@rcpt.example delayed soft, by its words network',
    ]);
  });

  test('of a complaint names the recipient', () => {
    const report = readSesNotification(complaintEvent(MESSAGE));
    assert.partialDeepStrictEqual(report, {
      kind: 'complaint',
      feedbackType: 'abuse',
      recipients: ['someone@rcpt.example'],
    });
  });

  test('of a complaint for an address on the suppression list is a bounce, because the message was not sent', () => {
    const event = complaintEvent(MESSAGE, { subType: 'OnAccountSuppressionList' });
    assert.deepEqual(outcome(readSesNotification(event)), ['someone@rcpt.example failed hard suppressed']);
  });

  test('of a rejected message contains the reason', () => {
    assert.partialDeepStrictEqual(readSesNotification(rejectEvent(MESSAGE)), {
      kind: 'rejected',
      reason: 'Bad content',
      recipients: ['someone@rcpt.example'],
    });
  });

  test('of any other event is ignored', () => {
    for (const event of otherEvents(MESSAGE)) assert.equal(readSesNotification(event), null, event);
  });

  test('contains the return path from the tag, and the X-Posthorn-Return field if the event includes headers', () => {
    const report = readSesNotification(bounceEvent(MESSAGE));
    assert.ok(report?.kind === 'dsn');
    assert.equal(report.original?.returnPath, `b+${'a'.repeat(62)}@send.acme.example`);
    assert.deepEqual(report.original?.fields[0], {
      name: 'x-posthorn-return',
      value: 'r+token @send.acme.example',
    });
  });

  test('of an identity contains no tag, so its return path is the sender', () => {
    const report = readSesNotification(bounceEvent(MESSAGE, { asIdentity: 'without headers' }));
    assert.ok(report?.kind === 'dsn');
    assert.equal(report.original?.returnPath, 'hello@posthorn.localhost');
    assert.deepEqual(report.original?.fields, []);
  });

  test('never throws, whatever its members', () => {
    const event = fc.record(
      {
        eventType: fc.constantFrom('Bounce', 'Complaint', 'Delivery', 'DeliveryDelay', 'Reject', 'Send'),
        bounce: fc.anything(),
        complaint: fc.anything(),
        delivery: fc.anything(),
        deliveryDelay: fc.anything(),
        reject: fc.anything(),
        mail: fc.anything(),
      },
      { requiredKeys: ['eventType'] },
    );
    fc.assert(
      fc.property(event, (json) => {
        const text = JSON.stringify(json, (_, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        );
        readSesNotification(text);
      }),
    );
  });
});
