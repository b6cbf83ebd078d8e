import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMessage } from '../../../../../test/support/mail.ts';
import type { Invitation } from '../../../../contract/mail/invitations.ts';
import { zstdDecompressSync } from 'node:zlib';
import { encodeId } from '../../../../model/ids.ts';
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

/** Delivers a message that contains a calendar. @returns the id of the message */
async function bring(
  owner: TestOwner,
  calendar: string,
  { from = 'Ann <ann@hosted.example>', type = 'text/calendar; method=REQUEST; charset=utf-8' } = {},
): Promise<string> {
  const bytes = Buffer.from(
    [
      `From: ${from}`,
      'To: bob@hosted.example',
      'Subject: Invitation',
      'Message-ID: <1@acme.example>',
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
  const [stored] = await store.append([newMessage(owner, { bytes, facts: readMessageFacts(bytes) })]);
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
