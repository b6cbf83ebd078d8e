import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import type { EventFact } from '../../../../src/contract/events.ts';
import { BOUNCE_CATEGORIES } from '../../../../src/model/bounce.ts';
import type { EmailStage } from '../../../../src/model/email-status.ts';
import { SUPPRESSION_REASONS } from '../../../../src/model/suppression-reasons.ts';
import { deferralOf } from '../../../../src/insights/deferral-of.ts';
import { DEFERRALS, doubtful, IN_DOUBT } from '../../../../src/model/deferral.ts';
import { ERASED } from '../../../../src/model/erased.ts';
import { play } from '../../../../src/sending/deliver/sandbox.ts';
import { type Recipient, troublesOf } from './troubles.ts';

const ADDRESS = 'b@dst.test';
const NOW_MS = Date.parse('2026-11-22T00:00:00.000Z');

function recipientWith(fields: Partial<Recipient> = {}): Recipient {
  return {
    address: ADDRESS,
    is_erased: false,
    field: 'to',
    status: 'failed',
    attempts: 0,
    next_attempt_at: null,
    waits_for: null,
    is_paused: false,
    deferral: null,
    was_relayed: false,
    is_in_doubt: false,
    can_try_now: false,
    is_abandoned: false,
    can_retry: false,
    suppression: null,
    other_provider: null,
    is_done: true,
    ...fields,
  };
}

function emailOf(
  recipients: readonly Recipient[],
  events: readonly (EventFact & { of?: string | null })[],
  fields: Partial<InspectedEmail> = {},
) {
  const email: InspectedEmail = {
    id: 'em_1',
    status: 'failed',
    created_at: '2026-11-20T15:04:05.123Z',
    scheduled_at: null,
    can_retry: false,
    sending_stopped: null,
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
    files: [],
    removed_fields: [],
    tracking: { opens: false, clicks: false, unsubscribe: false },
    is_done: true,
    recipients: [...recipients],
    events: events.map(({ of = ADDRESS, ...fact }, at) => ({
      event: { id: `evt_${at}`, created_at: '2026-11-20T15:04:05.123Z', recipient: of, ...fact },
      deliveries: [],
    })),
    events_left_out: 0,
    ...fields,
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
type Deferred = Extract<EventFact, { type: 'deferred' }>;
const deferred = (source?: 'dsn', response = '451 later'): Deferred => ({
  type: 'deferred',
  detail: {
    smtp_code: /^\d/.test(response) ? Number(response.slice(0, 3)) : null,
    enhanced_code: /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null,
    response,
    remote_mta: 'mx.dst.test',
    ...(source !== undefined && { source }),
  },
});
const DELIVERED: EventFact = {
  type: 'delivered',
  detail: { recipient: ADDRESS, remote_mta: null, smtp_code: 250, response: null, tls: true },
};
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
  return troubleIn(emailOf([recipientWith(fields)], events));
}

function troubleIn(email: InspectedEmail, nowMs = NOW_MS) {
  const [trouble, ...more] = troublesOf(email, nowMs);
  assert.deepEqual(more, []);
  if (trouble === undefined) return null;
  const { badge, what, cause, advice, remedies, retries, recipients } = trouble;
  const [{ statement, wasListed } = { statement: null, wasListed: null }] = recipients;
  return { badge: badge.name, what, cause, advice, remedies: remedies.join(), retries, statement, wasListed };
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
    { badge: 'Hard bounce', remedies: 'send-again', wasListed: true, cause: 'The address' },
  ],
  [
    'a hard bounce that suppressed nothing says that the address is not on the list',
    { type: 'hard', category: 'dns' },
    { badge: 'Hard bounce', remedies: '', wasListed: false, cause: 'The address' },
  ],
  [
    'a soft bounce concerns only this email',
    { category: 'mailbox_full' },
    { badge: 'Soft bounce', remedies: '', wasListed: null, cause: "The recipient's mailbox" },
  ],
  [
    'a bounce because of authentication leads to the domain',
    { category: 'auth' },
    { badge: 'Soft bounce', remedies: 'domain', wasListed: null, cause: 'Your domain' },
  ],
] as const)
  test(name, () => {
    const found = troubleOf({ status: 'bounced' }, bounced(detail));
    assert.ok(found !== null);
    const { badge, remedies, wasListed, cause } = found;
    assert.deepEqual({ badge, remedies, wasListed, cause }, expected);
  });

test('a bounce report has another name than the reply of a server', () => {
  const nameOf = (source: 'smtp' | 'dsn') =>
    troubleOf({ status: 'bounced' }, bounced({ source }))?.statement?.name;
  assert.deepEqual([nameOf('smtp'), nameOf('dsn')], ["Server's reply", 'Bounce report']);
});

for (const [reason, cause, remedies, statement] of [
  ['rejected', 'The service that relays your mail', '', 'said'],
  ['no_such_domain', 'The address', '', 'said'],
  ['no_route', 'The domain of the address', '', 'said'],
  ['domain_not_verified', 'Your domain', 'domain', null],
  ['cancelled', 'This project', '', null],
  ['withdrawn', 'An operator of this installation', '', 'said'],
  ['internal', 'The sending server', '', null],
  ['unheard_of', 'The sending server', '', 'said'],
] as const)
  test(`a failure with the reason ${reason} is explained`, () => {
    const found = troubleOf({ is_abandoned: reason === 'internal' }, failed(reason, 'said'));
    assert.deepEqual(
      [found?.cause, found?.remedies, found?.statement?.text ?? null],
      [cause, remedies, statement],
    );
    assert.equal(found?.badge, reason === 'cancelled' ? 'Cancelled' : 'Failed');
    assert.equal(found.what.includes('unheard of'), reason === 'unheard_of');
  });

test('a failure that the sandbox simulated is not explained as the rejection of a relay', () => {
  const outcome = play('failed+shop@example.com', { attempt: 1, messageId: '<1@acme.example>' });
  assert.ok(outcome.outcome === 'permanent');
  const { text, remoteMta } = outcome.reply;
  const found = troubleOf(
    {},
    {
      type: 'failed',
      detail: { recipient: ADDRESS, reason: 'rejected', detail: text, remote_mta: remoteMta },
    },
  );
  assert.equal(found?.cause, 'The sandbox');
  assert.match(found.what, /simulated/);
  assert.equal(found.statement?.text, 'rejected by the sandbox');
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
    found.map((each) => each?.remedies),
    SUPPRESSION_REASONS.map(() => ''),
  );
  const removed = troubleOf({}, failed('suppressed'));
  assert.equal(removed?.remedies, 'send-again');
  assert.match(removed.what, /was on the suppression list/);
});

test('a failure with the reason internal is a trouble until it is retried, also without the body', () => {
  const abandoned = { is_abandoned: true, can_retry: true };
  assert.equal(troubleOf(abandoned, failed('internal'))?.remedies, 'retry');
  // Another recipient was sent the email later.
  assert.equal(troubleOf({ is_abandoned: true }, failed('internal'), SENT)?.remedies, '');
  assert.equal(troubleOf({}, failed('internal'), SENT), null);
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
    ['Retrying', "The recipient's server defers mail from servers that it does not know yet", 'try'],
  ],
  [
    'a recipient at an unavailable destination waits for it',
    { waits_for: 'dst.test', deferral: 'no_answer' },
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
    assert.deepEqual(found && [found.badge, found.what, found.remedies], expected);
  });

test('no deferral advises to send the email again, because it is still in the queue', () => {
  for (const deferral of DEFERRALS)
    for (const how of [{}, { was_relayed: true }, { is_in_doubt: true }]) {
      const found = troubleOf({ ...QUEUED, deferral, ...how }, deferred());
      assert.ok(found !== null && found.remedies.startsWith('try'));
      assert.doesNotMatch(found.advice, /\bsend/i);
      assert.match(found.advice, /retries|next attempt/);
    }
});

const PATIENCE = "The recipient's server asked to retry later";
const LIMITS = "The recipient's server limits mail from this installation";
const NO_REPLY = 'The last attempt ended without a reply to the message';
/** Replies of servers in use, and texts that Posthorn writes itself. */
for (const [response, what, label] of [
  ['451 4.7.1 try again later', PATIENCE, "Server's reply"],
  ['421 4.7.0 Try again later, closing connection. (EHLO) a1-20020sm0.1 - gsmtp', PATIENCE, "Server's reply"],
  ['451 4.3.0 <b@dst.test>: Temporary lookup failure', PATIENCE, "Server's reply"],
  ['451 4.4.1 connection timed out', PATIENCE, "Server's reply"],
  ['451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)', PATIENCE, "Server's reply"],
  ['454 4.7.0 TLS not available due to local problem', PATIENCE, "Server's reply"],
  ['452 4.3.1 Insufficient system storage', PATIENCE, "Server's reply"],
  [
    '421 4.7.0 [192.0.2.1] Our system has detected an unusual rate of unsolicited mail originating from your IP address. To protect our users from spam, mail sent from your IP address has been temporarily rate limited.',
    LIMITS,
    "Server's reply",
  ],
  [
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints',
    LIMITS,
    "Server's reply",
  ],
  [
    '450 4.2.0 <b@dst.test>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/dst.test.html',
    "The recipient's server defers mail from servers that it does not know yet",
    "Server's reply",
  ],
  [
    '452 4.2.2 The email account that you tried to reach is over quota',
    'The mailbox is full',
    "Server's reply",
  ],
  [
    '421 4.7.26 This mail has been rate limited because it is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
    "The recipient's server could not verify your domain",
    "Server's reply",
  ],
  ['No connection to mx.dst.test [192.0.2.2]:25: connection refused', NO_REPLY, 'Details'],
  ['The MX records of dst.test could not be looked up: SERVFAIL', NO_REPLY, 'Details'],
  [
    doubtful('the message was accepted', 'after its end, the connection was closed'),
    'It is unknown whether an attempt delivered the message',
    'Details',
  ],
] as const)
  test(`“${response.slice(0, 60)}” is explained by what it says`, () => {
    const event = deferred(undefined, response);
    const found = troubleOf(
      { ...QUEUED, deferral: deferralOf(event.detail), is_in_doubt: response.startsWith(IN_DOUBT) },
      event,
    );
    assert.deepEqual([found?.what, found?.statement?.name], [what, label]);
  });

test('a server in transit is not mistaken for the server of the recipient', () => {
  const relayed = { was_relayed: true } as const;
  const expired = bounced({ category: 'expired' });
  const found = [
    ...DEFERRALS.map((deferral) => troubleOf({ ...QUEUED, ...relayed, deferral }, deferred())),
    troubleOf({ status: 'bounced', ...relayed }, expired),
  ];
  for (const each of found) assert.equal(each?.cause, 'The service that relays your mail');
  const direct = troubleOf({ status: 'bounced' }, expired);
  assert.deepEqual(
    [direct?.what, direct?.cause],
    ['The message could not be delivered within three days', "The recipient's server"],
  );
});

test('the server of the recipient is not blamed if nothing answered', () => {
  const waiting = { ...QUEUED, waits_for: 'dst.test', deferral: 'no_answer' } as const;
  const silence = 'No connection to mx.dst.test [192.0.2.2]:25: connection refused';
  const connection = 'The connection, or the DNS records that it needs';
  for (const [found, expected] of [
    [
      troubleOf(waiting, deferred(undefined, silence)),
      ['dst.test cannot be reached at the moment', connection],
    ],
    [
      troubleOf({ ...waiting, attempts: 0, deferral: null }),
      ['dst.test accepts no mail at the moment', "The recipient's server, or the connection to it"],
    ],
    [
      troubleOf(
        { status: 'bounced' },
        bounced({ category: 'expired', smtp_code: null, enhanced_code: null, diagnostic: silence }),
      ),
      ['The message could not be delivered within three days', connection],
    ],
  ] as const)
    assert.deepEqual([found?.what, found?.cause], expected);
});

test('how long another server retried is not known', () => {
  const found = troubleOf({ status: 'bounced' }, bounced({ category: 'expired', source: 'dsn' }));
  assert.doesNotMatch(`${found?.what} ${found?.advice}`, /three days/);
});

test('a bounce after an attempt without a known end says that the recipient may have the email', () => {
  const diagnostic = doubtful('the message was accepted', 'after its end, the connection was closed');
  const found = troubleOf(
    { status: 'bounced', is_in_doubt: true },
    bounced({ category: 'expired', smtp_code: null, enhanced_code: null, diagnostic }),
  );
  assert.match(found?.what ?? '', /unknown/);
  assert.match(found?.advice ?? '', /may have received it/);
  assert.equal(found?.statement?.name, 'Details');
});

test('after an earlier attempt in doubt, every card says that the recipient may have the email', () => {
  const isInDoubt = { is_in_doubt: true } as const;
  const found = [
    troubleOf({ ...QUEUED, ...isInDoubt, deferral: 'mailbox_full' }, deferred()),
    ...(['expired', 'mailbox_full', 'content'] as const).map((category) =>
      troubleOf({ status: 'bounced', ...isInDoubt }, bounced({ category })),
    ),
    ...['rejected', 'domain_not_verified', 'withdrawn'].map((reason) => troubleOf(isInDoubt, failed(reason))),
    troubleOf({ ...isInDoubt, is_abandoned: true, can_retry: true }, failed('internal')),
  ];
  for (const each of found) assert.match(each?.advice ?? '', /attempt ended before the server confirmed/);
});

test('an email that was cancelled after an attempt in doubt is not said to be unsent', () => {
  const found = troubleOf({ is_in_doubt: true }, failed('cancelled'));
  assert.equal(found?.what, 'The retries were cancelled; the recipient may have the email');
  assert.equal(found.badge, 'Cancelled');
  assert.doesNotMatch(found.advice, /send/i);
});

for (const [name, detail, isListed, expected] of [
  ['a dead address', { type: 'hard', category: 'unknown_user' }, false, /would bounce/],
  ['a dead domain', { type: 'hard', category: 'dns' }, false, /would bounce/],
  ['a suppressed address', { type: 'hard', category: 'unknown_user' }, true, /are not sent while/],
  [
    'a disabled mailbox',
    { type: 'soft', category: 'unknown_user', suppressed: true },
    true,
    /are not sent while/,
  ],
  [
    'a full mailbox that Amazon SES reports as permanent',
    { type: 'hard', category: 'mailbox_full' },
    false,
    /may be delivered/,
  ],
  ['a full mailbox', { type: 'soft', category: 'mailbox_full' }, false, /may be delivered/],
] as const)
  test(`what to expect of later emails after a bounce of ${name}`, () => {
    const suppression = isListed ? suppressionFor('bounce') : null;
    assert.match(troubleOf({ status: 'bounced', suppression }, bounced(detail))?.retries ?? '', expected);
  });

test('a delay that another server reports is a trouble for some days, unless the email is delivered since', () => {
  const delay = deferred('dsn');
  assert.match(troubleOf({ status: 'sent' }, delay)?.what ?? '', /reported a delay/);
  // The server that accepted the email reports the delay.
  assert.match(troubleOf({ status: 'delivered' }, DELIVERED, delay)?.what ?? '', /reported a delay/);
  assert.equal(troubleOf({ status: 'delivered' }, delay, DELIVERED), null);
  const email = emailOf([recipientWith({ status: 'sent' })], [delay]);
  assert.notEqual(troubleIn(email, NOW_MS), null);
  assert.equal(troubleIn(email, NOW_MS + 7 * 24 * 3_600_000), null);
});

test('mail that waits because nothing is sent at all says so, instead of the last attempt', () => {
  const recipient = recipientWith({ ...QUEUED, deferral: 'mailbox_full', waits_for: 'dst.test' });
  for (const [sending_stopped, words] of [
    ['paused', /Sending is paused/],
    ['no_provider', /cannot send mail/],
  ] as const) {
    const found = troubleIn(emailOf([recipient], [deferred()], { sending_stopped }));
    assert.deepEqual([found?.badge, found?.remedies], ['Paused', '']);
    assert.match(found?.what ?? '', words);
  }
  const done = emailOf([recipientWith({ status: 'delivered' })], [], { sending_stopped: 'paused' });
  assert.equal(troubleIn(done), null);
});

test('nothing is said of erased recipients, whose events cannot be told apart', () => {
  const erased = recipientWith({ address: ERASED, is_erased: true, status: 'bounced' });
  assert.equal(troubleIn(emailOf([erased, erased], [{ ...bounced(), of: ERASED }])), null);
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
  const troubles = troublesOf(emailOf(recipients, events), NOW_MS);
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
