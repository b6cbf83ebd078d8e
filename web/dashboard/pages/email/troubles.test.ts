import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import type { EventFact } from '../../../../src/contract/events.ts';
import { BOUNCE_CATEGORIES } from '../../../../src/model/bounce.ts';
import type { EmailStage } from '../../../../src/model/email-status.ts';
import { SUPPRESSION_REASONS } from '../../../../src/model/suppression-reasons.ts';
import { type Recipient, troublesOf } from './troubles.ts';

const ADDRESS = 'b@dst.test';

function recipientWith(fields: Partial<Recipient> = {}): Recipient {
  return {
    address: ADDRESS,
    field: 'to',
    status: 'failed',
    attempts: 0,
    next_attempt_at: null,
    waits_for: null,
    is_paused: false,
    deferral: null,
    can_try_now: false,
    can_retry: false,
    suppression: null,
    other_provider: null,
    is_done: true,
    ...fields,
  };
}

function emailOf(recipients: readonly Recipient[], events: readonly (EventFact & { of?: string | null })[]) {
  const email: InspectedEmail = {
    id: 'em_1',
    status: 'failed',
    created_at: '2026-11-20T15:04:05.123Z',
    scheduled_at: null,
    can_retry: false,
    from: 'a@acme.example',
    to: [ADDRESS],
    cc: [],
    bcc: [],
    reply_to: null,
    tags: [],
    stream: 'transactional',
    subject: 'Hello',
    domain_id: null,
    message_id: '<1@acme.example>',
    content: 'kept',
    bodies_deleted_at: null,
    tracking: { opens: false, clicks: false, unsubscribe: false },
    is_done: true,
    recipients: [...recipients],
    events: events.map(({ of = ADDRESS, ...fact }, at) => ({
      event: { id: `evt_${at}`, created_at: '2026-11-20T15:04:05.123Z', recipient: of, ...fact },
      deliveries: [],
    })),
    events_left_out: 0,
  };
  return email;
}

type Bounce = Extract<EventFact, { type: 'bounced' }>;
function bounced(detail: Partial<Bounce['detail']> = {}): Bounce {
  return {
    type: 'bounced',
    detail: {
      recipient: ADDRESS,
      type: 'soft',
      category: 'other',
      smtp_code: 550,
      enhanced_code: '5.0.0',
      diagnostic: '550 5.0.0 no',
      remote_mta: 'mx.dst.test',
      suppressed: false,
      source: 'smtp',
      ...detail,
    },
  };
}

const failed = (reason: string, detail: string | null = null): EventFact => ({
  type: 'failed',
  detail: { recipient: ADDRESS, reason, detail },
});
const deferred = (source?: 'dsn'): EventFact => ({
  type: 'deferred',
  detail: {
    smtp_code: 451,
    enhanced_code: null,
    response: '451 later',
    remote_mta: 'mx.dst.test',
    ...(source !== undefined && { source }),
  },
});
const SENT: EventFact & { of: null } = {
  type: 'sent',
  of: null,
  detail: {
    smtp_code: 250,
    enhanced_code: null,
    response: '250 OK',
    remote_mta: null,
    tls: true,
    provider_message_id: null,
  },
};
const suppressionFor = (reason: (typeof SUPPRESSION_REASONS)[number]) => ({
  address: ADDRESS,
  reason,
  email_id: null,
  detail: null,
  created_at: '2026-11-20T15:04:05.123Z',
  expires_at: null,
});

/** The only trouble of an email to one recipient, in short. */
function troubleOf(fields: Partial<Recipient>, ...events: (EventFact & { of?: string | null })[]) {
  const [trouble, ...more] = troublesOf(emailOf([recipientWith(fields)], events));
  assert.deepEqual(more, []);
  if (trouble === undefined) return null;
  const { badge, what, cause, advice, remedy, retries, recipients } = trouble;
  const [{ statement, wasListed } = { statement: null, wasListed: null }] = recipients;
  return { badge: badge.name, what, cause, advice, remedy, retries, statement, wasListed };
}

test('each category of bounce has its own explanation, a cause, and advice', () => {
  const found = BOUNCE_CATEGORIES.map((category) => troubleOf({ status: 'bounced' }, bounced({ category })));
  assert.equal(new Set(found.map((each) => each?.what)).size, BOUNCE_CATEGORIES.length);
  for (const each of found) assert.ok(each !== null && each.cause !== '' && each.advice !== '');
});

for (const [name, detail, expected] of [
  [
    'a hard bounce is final for later emails, too',
    { type: 'hard', category: 'unknown_user', suppressed: true },
    { badge: 'Hard bounce', remedy: 'send-again', wasListed: true, cause: 'The address' },
  ],
  [
    'a hard bounce that suppressed nothing says that the address is not on the list',
    { type: 'hard', category: 'dns' },
    { badge: 'Hard bounce', remedy: null, wasListed: false, cause: 'The address' },
  ],
  [
    'a soft bounce concerns only this email',
    { category: 'mailbox_full' },
    { badge: 'Soft bounce', remedy: null, wasListed: null, cause: "The recipient's mailbox" },
  ],
  [
    'a bounce because of authentication leads to the domain',
    { category: 'auth' },
    { badge: 'Soft bounce', remedy: 'domain', wasListed: null, cause: 'Your domain' },
  ],
] as const)
  test(name, () => {
    const found = troubleOf({ status: 'bounced' }, bounced(detail));
    assert.ok(found !== null);
    const { badge, remedy, wasListed, cause } = found;
    assert.deepEqual({ badge, remedy, wasListed, cause }, expected);
    assert.match(found.retries ?? '', found.badge === 'Hard bounce' ? /would bounce/ : /may be delivered/);
  });

test('a bounce report has another name than the reply of a server', () => {
  const nameOf = (source: 'smtp' | 'dsn') =>
    troubleOf({ status: 'bounced' }, bounced({ source }))?.statement?.name;
  assert.deepEqual([nameOf('smtp'), nameOf('dsn')], ["Server's reply", 'Bounce report']);
});

for (const [reason, cause, remedy, statement] of [
  ['rejected', 'The service that relays your mail', null, 'said'],
  ['no_such_domain', 'The address', null, 'said'],
  ['no_route', 'The address', null, 'said'],
  ['domain_not_verified', 'Your domain', 'domain', null],
  ['cancelled', 'This project', null, null],
  ['withdrawn', 'An operator of this installation', null, 'said'],
  ['internal', 'The sending server', null, null],
  ['unheard_of', 'The sending server', null, 'said'],
] as const)
  test(`a failure with the reason ${reason} is explained`, () => {
    const found = troubleOf({}, failed(reason, 'said'));
    assert.deepEqual(
      [found?.cause, found?.remedy, found?.statement?.text ?? null],
      [cause, remedy, statement],
    );
    assert.equal(found?.badge, reason === 'cancelled' ? 'Cancelled' : 'Failed');
    assert.equal(found.what.includes('unheard of'), reason === 'unheard_of');
  });

test('a failure of the whole email concerns each recipient', () => {
  assert.equal(troubleOf({}, { ...failed('rejected'), of: null })?.badge, 'Failed');
});

test('a suppressed recipient is explained by the reason of the entry, and sent again after its removal', () => {
  const found = SUPPRESSION_REASONS.map((reason) =>
    troubleOf({ suppression: suppressionFor(reason) }, failed('suppressed')),
  );
  assert.equal(new Set(found.map((each) => each?.advice)).size, SUPPRESSION_REASONS.length);
  assert.deepEqual(
    found.map((each) => each?.remedy),
    SUPPRESSION_REASONS.map(() => null),
  );
  const removed = troubleOf({}, failed('suppressed'));
  assert.equal(removed?.remedy, 'send-again');
  assert.match(removed.what, /was on the suppression list/);
});

test('a failure with the reason internal can be retried, and is no trouble after a successful retry', () => {
  assert.equal(troubleOf({ can_retry: true }, failed('internal'), SENT)?.remedy, 'retry');
  assert.equal(troubleOf({}, failed('internal'), SENT), null);
  const delivered: EventFact = {
    type: 'delivered',
    detail: { recipient: ADDRESS, remote_mta: null, smtp_code: 250, response: null, tls: true },
  };
  assert.equal(troubleOf({}, failed('internal'), delivered), null);
  assert.equal(troubleOf({ status: 'bounced' }, failed('internal'), bounced())?.badge, 'Soft bounce');
});

test('a complaint names the kind of report', () => {
  const complained = (feedback_type: string | null): EventFact => ({
    type: 'complained',
    detail: { recipient: ADDRESS, feedback_type, reporting_mta: 'fbl.test' },
  });
  const what = (type: string | null) => troubleOf({ status: 'complained' }, complained(type))?.what;
  for (const [type, words] of [
    ['abuse', /as spam/],
    [null, /as spam/],
    ['fraud', /as fraud/],
    ['opt-out', /no more/],
  ] as const)
    assert.match(what(type) ?? '', words);
});

const QUEUED = { is_done: false, status: 'sending', attempts: 1 } as const;
for (const [name, fields, expected] of [
  [
    'a deferred recipient is retried',
    { deferral: 'mailbox_full' },
    ['Retrying', 'The mailbox is full', 'try'],
  ],
  [
    'a greylisted recipient needs nothing',
    { deferral: 'greylisting' },
    ['Retrying', "The recipient's server defers mail from senders that it does not know yet", 'try'],
  ],
  [
    'a recipient at an unavailable destination waits for it',
    { waits_for: 'dst.test', deferral: 'network' },
    ['Waiting', 'dst.test accepts no mail at the moment', 'destination'],
  ],
  [
    'a recipient whose destination rejects the sender waits',
    { waits_for: 'dst.test from acme.example', deferral: 'reputation' },
    ['Waiting', 'dst.test rejects mail from acme.example at the moment', 'destination'],
  ],
  [
    'a recipient at a paused destination waits for an operator, even before its first attempt',
    { is_paused: true, attempts: 0 },
    ['Paused', 'Mail to dst.test is paused', 'destination'],
  ],
  ['a recipient without any attempt is in no trouble', { attempts: 0 }, null],
  [
    'a recipient that waits for another provider is left to the timeline',
    { other_provider: 'real', deferral: 'other' },
    null,
  ],
] as const satisfies readonly (readonly [string, Partial<Recipient>, readonly string[] | null])[])
  test(name, () => {
    const found = troubleOf({ ...QUEUED, ...fields }, deferred());
    assert.deepEqual(found && [found.badge, found.what, found.remedy], expected);
  });

test('every deferral has an explanation', () => {
  for (const deferral of [...BOUNCE_CATEGORIES, 'greylisting'] as const)
    assert.ok(troubleOf({ ...QUEUED, deferral }, deferred())?.what);
});

test('a delay that another server reports is explained, and a delivery after a deferral is no trouble', () => {
  assert.match(troubleOf({ status: 'sent' }, deferred('dsn'))?.what ?? '', /reported a delay/);
  assert.equal(troubleOf({ status: 'delivered' }, deferred()), null);
});

test('an email that reached its recipient is in no trouble', () => {
  for (const status of ['queued', 'sending', 'sent', 'delivered', 'opened', 'clicked'] satisfies EmailStage[])
    assert.equal(troubleOf({ status }, SENT), null);
});

test('recipients in the same trouble share a card, and others have their own', () => {
  const addresses = ['a@x.test', 'b@x.test', 'c@x.test'];
  const events = addresses.map((of, at) => ({
    ...bounced({ recipient: of, category: at === 2 ? 'mailbox_full' : 'unknown_user', diagnostic: of }),
    of,
  }));
  const recipients = addresses.map((address) => recipientWith({ address, status: 'bounced' }));
  const troubles = troublesOf(emailOf(recipients, events));
  assert.deepEqual(
    troubles.map((each) =>
      each.recipients.map(({ recipient, statement }) => [recipient.address, statement?.text]),
    ),
    [
      [
        ['a@x.test', 'a@x.test'],
        ['b@x.test', 'b@x.test'],
      ],
      [['c@x.test', 'c@x.test']],
    ],
  );
});
