import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REASONS, type ReasonName } from './reasons.ts';
import { type RecipientDetail, tellRecipient, type NotifiedRecipient } from './notified-recipient.ts';

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
    'the category and the code of a server',
    bounced({ category: 'mailbox_full', enhanced_code: '5.2.2' }),
    'mailbox_full',
    '5.2.2',
  ],
  ['a code for a server that gave none', bounced({ category: 'unknown_user' }), 'unknown_user', '5.1.1'],
  [
    'a code of class 4, of what was given up',
    bounced({ category: 'expired', smtp_code: 451, enhanced_code: '4.7.1' }),
    'expired',
    '4.7.1',
  ],
  ['no code that says that all is well', bounced({ enhanced_code: '2.0.0' }), 'other', '5.0.0'],
  ['no code that is none', bounced({ enhanced_code: '5.1.1\r\nAction: delivered' }), 'other', '5.0.0'],
  [
    'what a smart host refused, by its words',
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
    'a domain that does not exist',
    failed({ reason: 'no_such_domain', detail: 'there is no domain dst.test' }),
    'no_such_domain',
    '5.1.2',
  ],
  ['what was never sent', failed({ reason: 'internal', detail: 'the service failed' }), 'internal', '5.3.0'],
  ['something that nothing is known of', failed(null), 'other', '5.0.0'],
];

describe('a failed recipient is reported with', () => {
  for (const [what, recipient, reason, status] of CASES)
    it(what, () => {
      const told = tellRecipient(recipient, HOSTNAME);
      assert.deepEqual([told.reason, told.status.status, told.status.action], [reason, status, 'failed']);
      assert.equal(told.status.willRetryUntil, null);
    });
});

it('without a contacted server there is no time of an attempt and no SMTP diagnostic', () => {
  const { status } = tellRecipient(failed({ reason: 'internal', detail: 'the service failed' }), HOSTNAME);
  assert.equal(status.lastAttempt, null);
  assert.equal(status.remoteMta, null);
  assert.deepEqual(status.diagnostic, { type: 'X-Posthorn', text: 'the service failed' });
});

it('every reason says in sentences what happened and what to do', () => {
  for (const [name, { what, toDo, status }] of Object.entries(REASONS)) {
    assert.match(what, /^[A-Z].*\.$/, name);
    assert.match(toDo, /^[A-Z].*\.$/, name);
    assert.match(status, /^[45]\.\d\.\d$/, name);
  }
});
