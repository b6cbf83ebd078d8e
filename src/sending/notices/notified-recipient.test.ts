import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REASONS, type ReasonName } from './reasons.ts';
import { type RecipientDetail, describeRecipient, type NotifiedRecipient } from './notified-recipient.ts';

const HOSTNAME = 'mail.example';
const ENDED = new Date('2026-11-23T02:00:00Z');

const failed = (detail: object | null): NotifiedRecipient => ({
  address: 'b@dst.test',
  originalRecipient: null,
  outcome: 'failed',
  detail: detail as RecipientDetail | null,
  endedAt: ENDED,
  retryEnd: null,
});

const bounced = (fields: object) =>
  failed({
    category: 'other',
    smtp_code: 550,
    enhanced_code: null,
    diagnostic: '550 no',
    remote_mta: 'mx.dst.test',
    ...fields,
  });

const CASES: [what: string, recipient: NotifiedRecipient, reason: ReasonName, status: string][] = [
  [
    'the category and enhanced code of the server',
    bounced({ category: 'mailbox_full', enhanced_code: '5.2.2' }),
    'mailbox_full',
    '5.2.2',
  ],
  [
    'a code by category if the server sent none',
    bounced({ category: 'unknown_user' }),
    'unknown_user',
    '5.1.1',
  ],
  [
    'a code of class 4 if the retries expired',
    bounced({ category: 'expired', smtp_code: 451, enhanced_code: '4.7.1' }),
    'expired',
    '4.7.1',
  ],
  ['a default code instead of a success code', bounced({ enhanced_code: '2.0.0' }), 'other', '5.0.0'],
  [
    'a default code instead of an invalid one',
    bounced({ enhanced_code: '5.1.1\r\nAction: delivered' }),
    'other',
    '5.0.0',
  ],
  [
    'the category of the text if a smart host rejected the message',
    failed({
      reason: 'rejected',
      detail: '550 5.1.1 User unknown',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      remote_mta: 'smart.test',
    }),
    'unknown_user',
    '5.1.1',
  ],
  [
    'its own reason if the domain does not exist',
    failed({ reason: 'no_such_domain', detail: 'there is no domain dst.test' }),
    'no_such_domain',
    '5.1.2',
  ],
  [
    'an internal reason if the message was never sent',
    failed({ reason: 'internal', detail: 'the service failed' }),
    'internal',
    '5.3.0',
  ],
  ['the default reason if no detail is known', failed(null), 'other', '5.0.0'],
];

describe('a failed recipient is reported with', () => {
  for (const [what, recipient, reason, status] of CASES)
    it(what, () => {
      const report = describeRecipient(recipient, HOSTNAME);
      assert.deepEqual(
        [report.reason, report.status.status, report.status.action],
        [reason, status, 'failed'],
      );
      assert.equal(report.status.willRetryUntil, null);
    });
});

it('the report of a failure without a contacted server has no time of the attempt and no SMTP diagnostic', () => {
  const { status } = describeRecipient(
    failed({ reason: 'internal', detail: 'the service failed' }),
    HOSTNAME,
  );
  assert.equal(status.lastAttempt, null);
  assert.equal(status.remoteMta, null);
  assert.deepEqual(status.diagnostic, { type: 'X-Posthorn', text: 'the service failed' });
});

it('every reason has sentences about the cause and the remedy', () => {
  for (const [name, { what, toDo, status }] of Object.entries(REASONS)) {
    assert.match(what, /^[A-Z].*\.$/, name);
    assert.match(toDo, /^[A-Z].*\.$/, name);
    assert.match(status, /^[45]\.\d\.\d$/, name);
  }
});
