import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMessage } from '../../../../../test/support/mail.ts';
import type { Invitation } from '../../../../contract/mail/invitations.ts';
import { zstdDecompressSync } from 'node:zlib';
import { encodeId, newUuid } from '../../../../model/ids.ts';
import { BERLIN, calendarOf } from '../../../../rfc/icalendar/calendar.fixture.ts';
import { readMessageFacts } from '../../../../store/facts/message-facts.ts';
import { Store } from '../../../../store/store.ts';
import { startMailClient, type TestMailClient, type TestOwner } from '../mail-client.fixture.ts';

let mail: TestMailClient;
let store: Store;
let bob: TestOwner;
let ann: TestOwner;
before(async () => {
  mail = await startMailClient();
  store = new Store(mail.db.database);
  [ann, bob] = [await mail.newOwner('ann'), await mail.newOwner('bob')];
});
after(() => mail[Symbol.asyncDispose]());

const INVITED = [
  'ORGANIZER;CN=Ann Lee:mailto:ann@hosted.example',
  'ATTENDEE;CN=Bob;PARTSTAT=NEEDS-ACTION:mailto:bob+team@hosted.example',
  'ATTENDEE;CN=Cy;PARTSTAT=ACCEPTED;ROLE=OPT-PARTICIPANT:mailto:cy@shop.example',
];

let count = 0;

/** Delivers a message that contains a calendar. @returns the id of the message */
async function bring(
  owner: TestOwner,
  calendar: string,
  {
    from = 'Ann <ann@hosted.example>',
    type = 'text/calendar; method=REQUEST; charset=utf-8',
    authentication = null,
    isIndexed = true,
    role = 'inbox',
  }: {
    from?: string;
    type?: string;
    authentication?: object | null;
    isIndexed?: boolean;
    role?: 'inbox' | 'junk' | 'trash';
  } = {},
): Promise<string> {
  const bytes = Buffer.from(
    [
      `From: ${from}`,
      'To: bob@hosted.example',
      'Subject: Invitation',
      `Message-ID: <${count++ === 0 ? 1 : newUuid()}@acme.example>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'You are invited.',
      '--b',
      `Content-Type: ${type}`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(calendar).toString('base64'),
      '--b--',
      '',
    ].join('\r\n'),
  );
  const facts = readMessageFacts(bytes);
  const [stored] = await store.append([
    newMessage(owner, {
      bytes,
      facts: isIndexed ? facts : { ...facts, event: null },
      authentication,
      folder: { role },
    }),
  ]);
  assert.equal(stored?.outcome, 'stored');
  return encodeId('msg', stored.objectId);
}

const read = (owner: TestOwner, id: string) => owner.get<Invitation>(`/messages/${id}/invitation`);

/** The message that was submitted last. */
async function lastSent(): Promise<{ from: string; to: string[]; text: string }> {
  const { rows } = await sql<{ fromAddress: string; to: string[]; bytes: Buffer }>`
    select s.from_address, b.bytes,
      (select array_agg(address) from submission_recipients r where r.project_id = s.project_id and r.submission_id = s.id) as to
    from submissions s join blobs b on b.project_id = s.project_id and b.digest = s.digest order by s.id desc limit 1`.execute(
    mail.db.database,
  );
  assert.ok(rows[0] !== undefined);
  return { from: rows[0].fromAddress, to: rows[0].to, text: zstdDecompressSync(rows[0].bytes).toString() };
}

test('a reply to an invitation is sent to the organizer from the invited address, and is stored', async () => {
  const id = await bring(bob, calendarOf(INVITED));
  const { body, status, text } = await read(bob, id);
  assert.equal(status, 200, text);
  assert.deepEqual(
    [body.kind, body.summary, body.start.at, body.part, body.can_answer, body.invited_as, body.answer],
    ['invitation', 'Planning', '2027-07-05T08:00:00.000Z', '2', true, 'bob+team@hosted.example', null],
  );
  assert.deepEqual(body.warnings, []);
  assert.deepEqual(
    body.attendees.map(({ is_me, is_optional, answer }) => [is_me, is_optional, answer]),
    [
      [true, false, 'none'],
      [false, true, 'accepted'],
    ],
  );
  const answered = await bob.post<Invitation>(`/messages/${id}/invitation`, { answer: 'tentative' });
  assert.equal(answered.status, 200, answered.text);
  assert.deepEqual([answered.body.answer?.answer, answered.body.answer?.is_current], ['tentative', true]);
  const sent = await lastSent();
  assert.deepEqual([sent.from, sent.to], ['bob+team@hosted.example', ['ann@hosted.example']]);
  assert.match(sent.text, /^Subject: Maybe: Planning\r$/m);
  assert.match(sent.text, /^In-Reply-To: <1@acme\.example>\r$/m);
  assert.match(sent.text, /^Content-Type: text\/calendar; charset=utf-8; method=REPLY/m);
  assert.match(sent.text, /^ATTENDEE;PARTSTAT=TENTATIVE:mailto:bob\+team@hosted\.example\r$/m);
  // Another message with the same event, after the organizer has changed it.
  const update = await bring(bob, calendarOf([...INVITED, 'SEQUENCE:1']));
  const again = (await read(bob, update)).body;
  assert.deepEqual(
    [again.kind, again.answer?.answer, again.answer?.is_current],
    ['update', 'tentative', false],
  );
});

test('a reply to an unknown message, without an invited address, or to another kind of calendar is rejected', async () => {
  const id = await bring(bob, calendarOf(INVITED));
  assert.equal((await read(ann, id)).status, 404);
  assert.equal((await ann.post(`/messages/${id}/invitation`, { answer: 'accepted' })).status, 404);
  const lines = (extra: readonly string[], method?: string) =>
    calendarOf([...INVITED, ...extra], method === undefined ? {} : { method });
  for (const [calendar, kind] of [
    [calendarOf(INVITED.slice(0, 1).concat('ATTENDEE:mailto:cy@shop.example')), 'invitation'],
    [lines([], 'CANCEL'), 'cancelled'],
    [lines(['STATUS:CANCELLED']), 'cancelled'],
    [lines([], 'REPLY'), 'reply'],
    [lines([], 'PUBLISH'), 'event'],
    [calendarOf(['ORGANIZER:mailto:bob@hosted.example', ...INVITED.slice(1)]), 'invitation'],
    [calendarOf(['ORGANIZER:https://shop.example/', ...INVITED.slice(1)]), 'invitation'],
  ] as const) {
    const message = await bring(bob, calendar);
    const { body } = await read(bob, message);
    assert.deepEqual([body.kind, body.can_answer], [kind, false]);
    assert.equal((await bob.post(`/messages/${message}/invitation`, { answer: 'accepted' })).status, 400);
  }
});

test('warnings name a sender who is not the organizer, and a time zone with a false definition', async () => {
  const lying = BERLIN.map((line) => line.replace(/^(TZOFFSETTO):.*/, '$1:-1100'));
  const id = await bring(bob, calendarOf(INVITED, { zones: lying }), { from: 'Boss <boss@evil.example>' });
  assert.deepEqual((await read(bob, id)).body.warnings, [
    'The organizer is ann@hosted.example, who did not send this message. Your reply is sent to the organizer.',
    'The time may be wrong: the file says that Europe/Berlin is at UTC−11:00 then, but it is at UTC+02:00.',
  ]);
});

test('a part that is not a calendar returns 404, and a hostile calendar is processed only for a limited time', async () => {
  assert.equal((await read(bob, await bring(bob, 'nothing'))).status, 404);
  assert.equal((await read(bob, await bring(bob, calendarOf(INVITED), { type: 'text/plain' }))).status, 404);
  const rule = 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31';
  const zones = BERLIN.map((line) => (line.startsWith('RRULE') ? rule : line)).map((line) =>
    line.replace('Europe/Berlin', 'Nowhere'),
  );
  const many = [
    ...zones.slice(0, 2),
    ...Array.from({ length: 80 }, () => zones.slice(2, 8)).flat(),
    zones.at(-1) ?? '',
  ];
  const id = await bring(
    bob,
    calendarOf([...INVITED, 'DTSTART;TZID=Nowhere:99991231T000000'], { zones: many }),
  );
  const { status } = await read(bob, id);
  assert.ok(status === 404 || status === 200);
  assert.equal((await read(bob, await bring(bob, calendarOf(INVITED)))).status, 200);
});

test('an invalid reply is rejected', async () => {
  const id = await bring(bob, calendarOf(INVITED));
  for (const body of [{}, { answer: 'yes' }, { answer: 'accepted', to: 'x@y.example' }])
    assert.equal((await bob.post(`/messages/${id}/invitation`, body)).status, 422);
});

const authenticated = (result: 'pass' | 'none') => ({
  spf: { result, domain: 'hosted.example' },
  dkim: [],
  dmarc: { result, domain: 'hosted.example', published: 'none' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'pass', name: null },
  policy: 'none',
});
const PASS = authenticated('pass');
const NONE = authenticated('none');

/** Invites Bob to an event with this UID. */
const invite = (uid: string, options: Parameters<typeof bring>[2] = {}) =>
  bring(bob, calendarOf([...INVITED, `UID:${uid}`]), { authentication: PASS, ...options });

const nextVersion = (
  uid: string,
  {
    method = 'REQUEST',
    lines = [],
    ...options
  }: { method?: string; lines?: string[] } & Parameters<typeof bring>[2] = {},
) =>
  bring(
    bob,
    calendarOf(
      [
        ...[...INVITED, 'SEQUENCE:1'].filter(
          (line) => !lines.some((each) => each.startsWith(line.slice(0, 8))),
        ),
        `UID:${uid}`,
        ...lines,
      ],
      { method },
    ),
    {
      authentication: PASS,
      ...options,
    },
  );

test('an update replaces the invitation, which shows the new time and accepts no reply', async () => {
  const id = await invite('moved');
  const update = await nextVersion('moved', {
    lines: ['DTSTART;TZID=Europe/Berlin:20270708T100000', 'DTEND;TZID=Europe/Berlin:20270708T110000'],
  });
  const { body } = await read(bob, id);
  assert.deepEqual(
    [body.newest?.kind, body.newest?.message, body.newest?.start?.local, body.can_answer, body.unproven],
    ['update', update, '2027-07-08T10:00:00', false, null],
  );
  const rejected = await bob.post<{ type: string; detail: string }>(`/messages/${id}/invitation`, {
    answer: 'accepted',
  });
  assert.deepEqual(
    [rejected.status, rejected.body.detail],
    [409, 'The organizer has changed this event since. Reply to the newest invitation.'],
  );
  const { body: newest } = await read(bob, update);
  assert.deepEqual([newest.newest, newest.can_answer], [null, true]);
});

test('a cancellation by the organizer cancels earlier invitations, also if the cancellation is in Trash', async () => {
  const id = await invite('cancelled');
  await nextVersion('cancelled', { method: 'CANCEL', role: 'trash' });
  const { body } = await read(bob, id);
  assert.deepEqual([body.newest?.kind, body.newest?.start, body.can_answer], ['cancelled', null, false]);
  const rejected = await bob.post<{ detail: string }>(`/messages/${id}/invitation`, { answer: 'accepted' });
  assert.deepEqual(
    [rejected.status, rejected.body.detail],
    [409, 'The organizer has cancelled this event, so no reply was sent.'],
  );
});

test('a version of the same SEQUENCE is newer if its DTSTAMP is later, and an older version changes nothing', async () => {
  const stamped = (uid: string, stamp: string) =>
    bring(bob, calendarOf([...INVITED, `UID:${uid}`, `DTSTAMP:${stamp}`]), { authentication: PASS });
  const [first, second] = [
    await stamped('stamp', '20270101T100000Z'),
    await stamped('stamp', '20270102T100000Z'),
  ];
  assert.equal((await read(bob, first)).body.newest?.message, second);
  assert.equal((await read(bob, second)).body.newest, null);
});

test('a cancellation that is not proven to be from the organizer only causes a warning', async () => {
  for (const [name, options] of Object.entries({
    'another sender': { from: 'Eve <eve@evil.example>' },
    'an unproven sender': { authentication: NONE },
    'several senders': { from: 'Ann <ann@hosted.example>, Eve <eve@evil.example>' },
    'a copy that was never checked': { authentication: null },
  })) {
    const id = await invite(name);
    const forged = await nextVersion(name, { method: 'CANCEL', ...options });
    const { body } = await read(bob, id);
    assert.deepEqual(
      [body.newest, body.can_answer, body.unproven?.kind, body.unproven?.message],
      [null, true, 'cancelled', forged],
      name,
    );
  }
  const id = await invite('other organizer');
  await nextVersion('other organizer', {
    method: 'CANCEL',
    lines: ['ORGANIZER:mailto:eve@evil.example'],
    from: 'Eve <eve@evil.example>',
  });
  const junk = await invite('in junk');
  await nextVersion('in junk', { method: 'CANCEL', role: 'junk' });
  for (const each of [id, junk]) {
    const { body } = await read(bob, each);
    assert.deepEqual([body.newest, body.unproven, body.can_answer], [null, null, true]);
  }
});

test('a flood of forged versions does not hide the cancellation by the organizer', async () => {
  const id = await invite('flood');
  await nextVersion('flood', { method: 'CANCEL' });
  for (let n = 0; n < 110; n++)
    await nextVersion('flood', { lines: [`DTSTAMP:2028010${n % 9}T100000Z`], authentication: NONE });
  assert.equal((await read(bob, id)).body.newest?.kind, 'cancelled');
});

test('one changed date of a series does not replace the series, and cancelling the series cancels the date', async () => {
  const series = await invite('series');
  const date = await nextVersion('series', { lines: ['RECURRENCE-ID;TZID=Europe/Berlin:20270712T100000'] });
  assert.equal((await read(bob, series)).body.newest, null);
  await nextVersion('series', { method: 'CANCEL', lines: ['SEQUENCE:2'] });
  for (const id of [series, date]) assert.equal((await read(bob, id)).body.newest?.kind, 'cancelled');
});

test('messages about an event share a conversation, in the mailbox only', async () => {
  const conversationOf = async (owner: TestOwner, id: string) =>
    (await owner.get<{ conversation: string }>(`/messages/${id}`)).body.conversation;
  const [first, second] = [await invite('thread'), await nextVersion('thread', { method: 'CANCEL' })];
  assert.equal(await conversationOf(bob, first), await conversationOf(bob, second));
  const other = await bring(ann, calendarOf([...INVITED, 'UID:thread']));
  assert.notEqual(await conversationOf(ann, other), await conversationOf(bob, first));
  assert.equal((await read(bob, first)).body.newest?.conversation, await conversationOf(bob, second));
});

test('mail that an earlier version stored is recognized once its invitation has been opened', async () => {
  const id = await invite('older', { isIndexed: false });
  const update = await nextVersion('older', { isIndexed: false });
  assert.equal((await read(bob, id)).body.newest, null);
  await read(bob, update);
  assert.equal((await read(bob, id)).body.newest?.message, update);
});

test('the reply of the mailbox is shown instead of an older status in the file', async () => {
  const id = await invite('replied');
  await bob.post(`/messages/${id}/invitation`, { answer: 'accepted' });
  const { body } = await read(bob, id);
  assert.deepEqual(
    body.attendees.map(({ is_me, answer }) => [is_me, answer]),
    [
      [true, 'accepted'],
      [false, 'accepted'],
    ],
  );
});

test('links in the location and the description are found, and the copies of the calendar are listed', async () => {
  const id = await bring(
    bob,
    calendarOf([
      ...INVITED,
      'LOCATION:https://meet.example/a?b=1',
      'DESCRIPTION:Join at www.meet.example\\njavascript:alert(1)',
    ]),
  );
  const { body } = await read(bob, id);
  assert.deepEqual(body.location, [
    { text: 'https://meet.example/a?b=1', href: 'https://meet.example/a?b=1' },
  ]);
  assert.deepEqual(body.description, [
    { text: 'Join at ' },
    { text: 'www.meet.example', href: 'https://www.meet.example/' },
    { text: '\njavascript:alert(1)' },
  ]);
  assert.deepEqual(body.copies, ['2']);
});
