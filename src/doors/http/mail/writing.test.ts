/** Tests operations of the web client for writing mail: files, drafts, sending and undo, replies, addresses. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import PostalMime, { type Email } from 'postal-mime';
import { pino } from 'pino';
import type { Draft, Reply, SaveDraft } from '../../../contract/mail/drafts.ts';
import type { Outgoing, OutgoingList } from '../../../contract/mail/outgoing.ts';
import type { Upload } from '../../../contract/mail/uploads.ts';
import { openWriting } from '../../../app/writing.ts';
import { harvest } from '../../../contacts/harvest.ts';
import { recordSender } from '../../../mailboxes/reserved-addresses.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import { FLAG } from '../../../store/flags.ts';
import { OutgoingSender } from '../../../webmail/write/outgoing-sender.ts';
import { newAlias, newMailbox } from '../../../../test/support/mail.ts';
import { HOSTED_DOMAIN } from '../../../../test/support/api.ts';
import { csrfTokenOf } from '../browser/csrf.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';

let mail: TestMailClient;
let ann: TestOwner;
let bob: TestOwner;
let sender: OutgoingSender;
const stack = new AsyncDisposableStack();

before(async () => {
  mail = stack.use(await startMailClient());
  [ann, bob] = [await mail.newOwner('ann'), await mail.newOwner('bob')];
  sender = newSender();
});
after(() => stack.disposeAsync());

function newSender(): OutgoingSender {
  const { mail: services, submitter } = mail;
  return stack.use(
    new OutgoingSender({
      ...services,
      ...openWriting(stack, services),
      submitter,
      logger: pino({ level: 'error' }),
    }),
  );
}

const client = (): string => randomBytes(12).toString('hex');

function draft(fields: Partial<SaveDraft> = {}): Partial<SaveDraft> {
  return {
    client: client(),
    to: [{ name: 'Bob', address: bob.address }],
    subject: 'The offer',
    html: '<p>Here it is.</p>',
    text: '',
    ...fields,
  };
}

async function saved(fields: Partial<SaveDraft> = {}, owner = ann): Promise<Draft> {
  const { status, body, text } = await owner.post<Draft>('/drafts', draft(fields));
  assert.equal(status, 201, text);
  return body;
}

async function upload(
  bytes: Buffer,
  query = 'name=a.pdf&type=application/pdf',
  owner = ann,
): Promise<{ status: number; body: Upload & { errors?: Record<string, string> } }> {
  const response = await fetch(`${mail.baseUrl}/mail/api/mailboxes/${owner.mailbox}/uploads?${query}`, {
    method: 'POST',
    headers: {
      cookie: mailCookie(owner),
      'x-csrf-token': csrfTokenOf(owner.token),
      origin: mail.baseUrl,
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, body: (await response.json()) as Upload };
}

interface FoundMessage {
  objectId: string;
  flags: number;
  keywords: string[];
  mail: Email;
}

/** The messages that a mail app would find in a folder, newest last. */
async function found({ projectId, mailboxId }: TestOwner, role: string): Promise<FoundMessage[]> {
  const { rows } = await sql<{ objectId: string; digest: Buffer; flags: number; keywords: string[] }>`
    select m.object_id, c.digest, m.flags, m.keywords from messages m join message_contents c using (project_id, mailbox_id, object_id)
    join folders f on f.id = m.folder_id
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and f.role = ${role}
    order by m.uid`.execute(mail.db.database);
  return Promise.all(
    rows.map(async ({ digest, ...row }) => {
      const bytes = await (await mail.mail.blobs.open(projectId, digest))?.read();
      return { ...row, mail: await PostalMime.parse(bytes ?? '') };
    }),
  );
}

/** Makes all scheduled drafts due. */
async function makeDue(): Promise<void> {
  await sql`update drafts set sends_at = now() - interval '1 second' where sends_at is not null and sent_at is null`.execute(
    mail.db.database,
  );
}

async function send(id: string, body: object = {}, owner = ann): Promise<Outgoing> {
  const sent = await owner.post<Outgoing>(`/drafts/${id}/send`, body);
  assert.equal(sent.status, 202, sent.text);
  return sent.body;
}

async function aliasOf({ projectId, mailboxId }: TestOwner, localPart: string): Promise<string> {
  await newAlias(mail.db.database, localPart, [{ projectId, mailboxId }], { domain: HOSTED_DOMAIN });
  return `${localPart}@${HOSTED_DOMAIN}`;
}

async function submissionsOf({
  mailboxId,
}: TestOwner): Promise<{ id: string; recipients: number; digest: Buffer }[]> {
  return mail.db.database
    .selectFrom('submissions')
    .select(['id', 'recipients', 'digest'])
    .where('mailboxId', '=', mailboxId)
    .orderBy('id')
    .execute();
}

suite('files', () => {
  test('are returned unchanged, and only to the mailbox that uploaded them', async () => {
    const bytes = randomBytes(2_500_000);
    const { status, body } = await upload(bytes);
    assert.equal(status, 201);
    assert.deepEqual([body.name, body.type, body.octets], ['a.pdf', 'application/pdf', bytes.length]);
    const get = (owner: TestOwner) =>
      fetch(`${mail.baseUrl}${body.url.replace(ann.mailbox, owner.mailbox)}`, {
        headers: { cookie: mailCookie(owner) },
      });
    const response = await get(ann);
    assert.equal(response.headers.get('content-type'), 'application/octet-stream');
    assert.match(response.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
    assert.equal((await get(bob)).status, 404);
  });

  test('that are larger than the plan allows are rejected', async () => {
    const tooLarge = await upload(Buffer.alloc(25 * 1024 * 1024 + 1));
    assert.equal(tooLarge.status, 422);
    assert.match(tooLarge.body.errors?.['file'] ?? '', /larger than 25 MB.*link/);
  });

  test('get safe names and types', async () => {
    const { body } = await upload(
      Buffer.from('x'),
      `name=${encodeURIComponent('../a\r\nX: y"\u202e.pdf')}&type=multipart/mixed`,
    );
    assert.equal(body.type, 'application/octet-stream');
    assert.doesNotMatch(body.name, /[\r\n/\u202e]/);
    assert.equal((await upload(Buffer.from('x'), 'name=')).status, 422);
  });
});

test('slow uploads of one project leave upload slots for other projects', async () => {
  const { uploads } = openWriting(stack, mail.mail);
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  // These uploads never finish, so they need no mailbox in the database.
  async function* slow(): AsyncGenerator<Buffer> {
    yield await over.promise;
  }
  const receive = (projectId: string, mailboxId: string) =>
    uploads.receive(
      { projectId, mailboxId },
      { name: 'a', type: '', source: null, octets: slow(), declared: null },
    );
  const boxes = Array.from({ length: 4 }, newUuid);
  const held = boxes.flatMap((id) => Array.from({ length: 4 }, () => receive(ann.projectId, id)));
  await assert.rejects(receive(ann.projectId, newUuid()), { code: 'rate-limited' });
  held.push(receive(newUuid(), newUuid()));
  over.reject(new Error('broken off'));
  const ends = await Promise.allSettled(held);
  assert.ok(ends.every((end) => end.status === 'rejected' && end.reason.message === 'broken off'));
});

suite('drafts', () => {
  test('are messages that mail apps can read, and each save replaces the previous message', async () => {
    const cara = await mail.newOwner('cara');
    const first = await saved({ bcc: [{ address: 'dora@dst.example' }], subject: 'Ünï' }, cara);
    const [message, ...others] = await found(cara, 'drafts');
    assert.equal(others.length, 0);
    assert.equal(message?.flags, FLAG.draft | FLAG.seen);
    assert.equal(message.mail.subject, 'Ünï');
    assert.equal(message.mail.bcc?.[0]?.address, 'dora@dst.example');
    assert.match(message.mail.text ?? '', /Here it is/);
    const second = await cara.put<Draft>(
      `/drafts/${first.id}`,
      draft({ client: 'another-composer-1', subject: 'Two' }),
    );
    assert.equal(second.body.conflict, null);
    assert.notEqual(second.body.id, first.id);
    assert.deepEqual(
      (await found(cara, 'drafts')).map((one) => one.mail.subject),
      ['Two'],
    );
    assert.equal((await cara.get(`/drafts/${first.id}`)).status, 404);
    assert.equal((await cara.get<Draft>(`/drafts/${second.body.id}`)).body.subject, 'Two');
  });

  test('are stored once if a composer repeats a save', async () => {
    const cara = await mail.newOwner('twice');
    const one = draft();
    const [a, b] = await Promise.all([cara.post<Draft>('/drafts', one), cara.post<Draft>('/drafts', one)]);
    assert.deepEqual([a.status, b.status, a.body.id], [201, 201, b.body.id]);
    const newer = await cara.put<Draft>(`/drafts/${a.body.id}`, { ...one, subject: 'Newer' });
    const again = await cara.put<Draft>(`/drafts/${a.body.id}`, { ...one, subject: 'Newer' });
    const newest = await cara.put<Draft>(`/drafts/${a.body.id}`, { ...one, subject: 'Newest' });
    assert.equal(again.body.id, newer.body.id);
    assert.deepEqual([newest.status, newest.body.conflict], [200, null]);
    assert.deepEqual(
      (await found(cara, 'drafts')).map((message) => message.mail.subject),
      ['Newest'],
    );
  });

  test('keep the newer text when an older save of the same composer arrives late', async () => {
    const cara = await mail.newOwner('late');
    const [one, at] = [draft(), (second: number) => `2026-11-20T15:04:0${second}.000Z`];
    const first = await cara.post<Draft>('/drafts', { ...one, written_at: at(1) });
    const path = `/drafts/${first.body.id}`;
    const newer = await cara.put<Draft>(path, { ...one, written_at: at(3), subject: 'Newer' });
    const late = await cara.put<Draft>(path, { ...one, written_at: at(2), subject: 'Older' });
    assert.deepEqual([late.body.id, late.body.subject, late.body.conflict], [newer.body.id, 'Newer', null]);
    const latest = await cara.post<Draft>('/drafts', { ...one, written_at: at(1) });
    assert.equal(latest.body.id, newer.body.id);
    assert.deepEqual(
      (await found(cara, 'drafts')).map((message) => message.mail.subject),
      ['Newer'],
    );
  });

  test('that two composers change concurrently are both kept', async () => {
    const cara = await mail.newOwner('both');
    const [tab, other] = [client(), client()];
    const first = await saved({ client: tab, subject: 'First' }, cara);
    await cara.put<Draft>(`/drafts/${first.id}`, draft({ client: other, subject: 'Of the other tab' }));
    const late = await cara.put<Draft>(`/drafts/${first.id}`, draft({ client: tab, subject: 'Of this tab' }));
    assert.match(late.body.conflict ?? '', /elsewhere/);
    const subjects = (await found(cara, 'drafts')).map((message) => message.mail.subject);
    assert.deepEqual(subjects, ['Of the other tab', 'Of this tab']);
    const next = await cara.put<Draft>(`/drafts/${late.body.id}`, draft({ client: tab, subject: 'On' }));
    assert.equal(next.body.conflict, null);
  });

  test('that a mail app saved can be continued with their text, recipients, images and files', async () => {
    const cara = await mail.newOwner('app');
    await mail.deliver(
      cara,
      'drafts',
      [
        `From: ${cara.address}`,
        'To: Bob <bob@dst.example>',
        'Bcc: hidden@dst.example',
        'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
        'In-Reply-To: <first@dst.example>',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: multipart/related; boundary=r',
        '',
        '--r',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p onclick="x()">Hi<script>x</script><img src="cid:pic@app"></p>',
        '--r',
        'Content-Type: image/png',
        'Content-ID: <pic@app>',
        'Content-Transfer-Encoding: base64',
        '',
        'iVBORw0KGgo=',
        '--r--',
        '--b',
        'Content-Type: application/pdf; name="a.pdf"',
        'Content-Disposition: attachment; filename="a.pdf"',
        'Content-Transfer-Encoding: base64',
        '',
        'SGVsbG8=',
        '--b--',
        '',
      ].join('\r\n'),
      FLAG.draft,
    );
    const [made] = await found(cara, 'drafts');
    const opened = await cara.get<Draft>(`/drafts/${encodeId('msg', made?.objectId ?? '')}`);
    const { subject, bcc, html, attachments } = opened.body;
    assert.deepEqual([subject, bcc[0]?.address], ['Grüße', 'hidden@dst.example']);
    assert.deepEqual(
      attachments.map(({ name, is_inline: isInline }) => [name, isInline]),
      [
        ['picture.png', true],
        ['a.pdf', false],
      ],
    );
    assert.equal(html, `<p>Hi<img src="${attachments[0]?.url}"></p>`);
    const again = await cara.get<Draft>(`/drafts/${encodeId('msg', made?.objectId ?? '')}`);
    assert.deepEqual(again.body.attachments, attachments);
    const files = attachments.map(({ upload: id }) => ({ upload: id }));
    const next = await cara.put<Draft>(`/drafts/${opened.body.id}`, draft({ html, attachments: files }));
    assert.equal(next.body.conflict, null);
    const [stored] = await found(cara, 'drafts');
    assert.equal(stored?.mail.inReplyTo, '<first@dst.example>');
    assert.equal(stored.mail.attachments.length, 2);
  });

  test('can be deleted', async () => {
    const cara = await mail.newOwner('deleted');
    const { id } = await saved({}, cara);
    assert.equal((await bob.delete(`/drafts/${id}`)).status, 404);
    assert.equal((await cara.delete(`/drafts/${id}`)).status, 204);
    assert.equal((await found(cara, 'drafts')).length, 0);
    assert.equal((await cara.delete(`/drafts/${id}`)).status, 404);
  });

  const BAD: readonly [what: string, fields: Record<string, unknown>, field: string][] = [
    ['no composer id', { client: undefined }, 'client'],
    ['a composer id that is too short', { client: 'short' }, 'client'],
    ['recipients as strings', { to: ['bob@dst.example'] }, 'to'],
    ['too many recipients', { to: Array.from({ length: 101 }, () => ({ address: 'a@b.example' })) }, 'to'],
    ['an unknown field', { sender: 'x' }, 'sender'],
    ['a file of another mailbox', { attachments: [{ upload: encodeId('upl', newUuid()) }] }, 'attachments'],
    [
      'a file with two sources',
      { attachments: [{ upload: encodeId('upl', newUuid()), message: encodeId('msg', newUuid()) }] },
      'attachments',
    ],
    [
      'a part of an unknown message',
      { attachments: [{ message: encodeId('msg', newUuid()), part: '1' }] },
      'attachments',
    ],
    [
      'an invalid part',
      { attachments: [{ message: encodeId('msg', newUuid()), part: '../1' }] },
      'attachments',
    ],
    ['an invalid mode', { mode: 'answer' }, 'mode'],
    ['too much text', { html: 'x'.repeat(1024 * 1024 + 1) }, 'html'],
    ['text with a NUL', { subject: 'a\0b' }, 'subject'],
  ];
  for (const [what, fields, field] of BAD)
    test(`with ${what} are rejected with a field error`, async () => {
      const { status, body } = await ann.post<{ errors?: Record<string, string> }>('/drafts', {
        ...draft(),
        ...fields,
      });
      assert.equal(status, 422);
      assert.ok(field in (body.errors ?? {}), JSON.stringify(body));
    });

  test('get warnings of probable mistakes, and no other warnings', async () => {
    const kinds = async (fields: Partial<SaveDraft>): Promise<string[]> =>
      (await saved(fields)).warnings.map(({ kind }) => kind);
    assert.deepEqual(await kinds({}), []);
    assert.deepEqual(await kinds({ subject: ' ' }), ['no-subject']);
    assert.deepEqual(await kinds({ html: '<p>Anbei die Rechnung.</p>' }), ['forgotten-attachment']);
    assert.deepEqual(
      await kinds({ html: '<p>See below.</p><blockquote>Please find attached the file</blockquote>' }),
      [],
    );
    assert.deepEqual(await kinds({ html: '<p>I am attached to this idea.</p>' }), []);
    assert.deepEqual(await kinds({ to: [{ address: 'a@gmial.com' }] }), ['mistyped-address']);
    assert.deepEqual(await kinds({ to: [{ address: 'a@gmx.de' }, { address: 'b@mail.com' }] }), []);
    assert.deepEqual(await kinds({ to: [{ address: 'half@' }] }), ['bad-address']);
    const many = Array.from({ length: 21 }, (_, at) => ({ address: `a${at}@b.example` }));
    assert.deepEqual(await kinds({ to: many }), ['many-recipients']);
  });
});

suite('sending', () => {
  test('queues the draft with images, files and signature, stores a copy in Sent, and marks the original as answered', async () => {
    const cara = await mail.newOwner('whole');
    const { database } = mail.db;
    await database
      .updateTable('mailboxes')
      .set({
        displayName: 'Cara',
        signatureHtml: '<p>Yours<script>x</script>, Cara</p>',
        replyTo: 'desk@dst.example',
      })
      .where('id', '=', cara.mailboxId)
      .execute();
    const original = await mail.deliver(
      cara,
      'inbox',
      'From: Dan <dan@dst.example>\r\nSubject: Ask\r\nMessage-ID: <ask@dst.example>\r\n\r\nWell?\r\n',
    );
    const picture = (await upload(randomBytes(50_000), 'name=p.png&type=image/png', cara)).body;
    const bytes = randomBytes(1_500_000);
    const file = (await upload(bytes, 'name=a.pdf&type=application/pdf', cara)).body;
    const { id, attachments } = await saved(
      {
        to: [{ name: 'Dan', address: 'dan@dst.example' }],
        bcc: [{ address: bob.address }],
        html: `<p>Yes.<img src="${mail.baseUrl}${picture.url}"></p>`,
        quoted_html: '<blockquote>Well?</blockquote>',
        attachments: [{ upload: picture.id }, { upload: file.id }],
        in_reply_to: encodeId('msg', original),
        mode: 'reply',
      },
      cara,
    );
    assert.deepEqual(
      attachments.map(({ is_inline: isInline }) => isInline),
      [true, false],
    );
    const [inDrafts] = await found(cara, 'drafts');
    assert.match(inDrafts?.mail.text ?? '', /Too large for a draft.*a\.pdf/);
    const out = await send(id, {}, cara);
    assert.deepEqual([out.status, out.recipients, out.is_scheduled], ['waiting', 2, false]);
    assert.equal((await found(cara, 'drafts')).length, 0);
    assert.equal(await sender.scan(), 0, 'the undo time is not over');
    await makeDue();
    assert.equal(await sender.scan(), 1);
    assert.equal(await sender.scan(), 0);
    const [submission, ...more] = await submissionsOf(cara);
    assert.deepEqual([submission?.recipients, more.length], [2, 0]);
    const sent = await (await mail.mail.blobs.open(cara.projectId, submission?.digest as Buffer))?.read();
    const read = await PostalMime.parse(sent ?? '');
    assert.deepEqual([read.from?.name, read.from?.address], ['Cara', cara.address]);
    assert.equal(read.replyTo?.[0]?.address, 'desk@dst.example');
    assert.deepEqual([read.inReplyTo, read.references], ['<ask@dst.example>', '<ask@dst.example>']);
    assert.equal(read.bcc, undefined);
    assert.match(
      read.html ?? '',
      /Yes\..*<div class="signature"><p>Yours, Cara<\/p><\/div><blockquote>Well\?<\/blockquote>/s,
    );
    assert.equal(read.html?.match(/Yours/g)?.length, 1);
    assert.match(read.text ?? '', /Yes\.[^]*Yours, Cara[^]*> Well\?/);
    const [inline, attached] = read.attachments;
    assert.ok(read.html?.includes(`cid:${inline?.contentId?.slice(1, -1)}`));
    assert.equal(attached?.filename, 'a.pdf');
    assert.ok(Buffer.from(attached.content as ArrayBuffer).equals(bytes));
    const [copy] = await found(cara, 'sent');
    assert.equal(copy?.flags, FLAG.seen);
    assert.equal(copy.mail.bcc?.[0]?.address, bob.address);
    const [answered] = await found(cara, 'inbox');
    assert.equal((answered?.flags ?? 0) & FLAG.answered, FLAG.answered);
    const list = await cara.get<OutgoingList>('/outgoing');
    assert.deepEqual(
      list.body.data.map(({ status }) => status),
      ['sent'],
    );
  });

  test('repeated for one draft sends it once and returns the same response', async () => {
    const { id } = await saved();
    const first = await send(id);
    assert.equal((await send(id)).id, first.id);
    await makeDue();
    await sender.scan();
    assert.deepEqual([(await send(id)).id, (await send(id)).status], [first.id, 'sent']);
  });

  test('with a key sends one message, also if the requests are concurrent, name another draft, or come when the outcome is forgotten', async () => {
    const key = client();
    const [{ id }, { id: other }] = [await saved(), await saved()];
    const ask = (draftId: string) => ann.post<Outgoing>(`/drafts/${draftId}/send`, { key });
    const answers = await Promise.all([ask(id), ask(id), ask(other), ask(other)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202, 202, 202],
    );
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    await makeDue();
    await sender.scan();
    await mail.db.database.deleteFrom('drafts').where('sentAt', 'is not', null).execute();
    for (const draftId of [id, other]) assert.match((await ask(draftId)).text, /already-exists/);
    const { status } = await ann.post(`/drafts/${(await saved()).id}/send`, { key: 'too short' });
    assert.equal(status, 422);
  });

  test('with a key does not send again after the user has undone it', async () => {
    const key = client();
    const { id } = await saved();
    const { body } = await ann.post<Outgoing>(`/drafts/${id}/send`, { key });
    const { body: undone } = await ann.post<Draft>(`/outgoing/${body.id}/cancel`);
    for (const draftId of [id, undone.id])
      assert.match((await ann.post(`/drafts/${draftId}/send`, { key })).text, /already-exists/);
    assert.equal((await ann.post(`/drafts/${undone.id}/send`, {})).status, 202);
  });

  test('can be undone while the message waits, which restores the complete draft, and not later', async () => {
    const cara = await mail.newOwner('undo');
    const file = (await upload(Buffer.from('x'), 'name=a.txt&type=text/plain', cara)).body;
    const { id } = await saved({ subject: 'Back', attachments: [{ upload: file.id }] }, cara);
    const out = await send(id, {}, cara);
    assert.equal((await bob.post(`/outgoing/${out.id}/cancel`)).status, 404);
    const back = await cara.post<Draft>(`/outgoing/${out.id}/cancel`);
    assert.deepEqual([back.status, back.body.subject, back.body.attachments.length], [200, 'Back', 1]);
    assert.equal((await cara.post<Draft>(`/outgoing/${out.id}/cancel`)).body.id, back.body.id);
    assert.equal((await found(cara, 'drafts')).length, 1);
    const next = await cara.put<Draft>(`/drafts/${back.body.id}`, draft({ subject: 'Better' }));
    assert.equal(next.body.conflict, null);
    const again = await send(next.body.id, {}, cara);
    await makeDue();
    await sender.scan();
    const late = await cara.post<{ detail: string }>(`/outgoing/${again.id}/cancel`);
    assert.equal(late.status, 400);
    assert.match(late.body.detail, /sent/);
    assert.deepEqual(
      (await found(cara, 'sent')).map((message) => message.mail.subject),
      ['Better'],
    );
  });

  test('at the same time as an undo either sends or restores the draft, and the response to the undo says which', async () => {
    const cara = await mail.newOwner('race');
    const senders = [sender, newSender()];
    for (let round = 0; round < 6; round++) {
      const { id } = await saved({ subject: `Round ${round}` }, cara);
      const out = await send(id, {}, cara);
      await makeDue();
      const [cancelled] = await Promise.all([
        cara.post(`/outgoing/${out.id}/cancel`),
        ...senders.map((one) => one.scan()),
      ]);
      const [drafts, sent] = [await found(cara, 'drafts'), await found(cara, 'sent')];
      const isDraft = drafts.some((message) => message.mail.subject === `Round ${round}`);
      const isSent = sent.some((message) => message.mail.subject === `Round ${round}`);
      assert.deepEqual([isDraft, isSent], cancelled.status === 200 ? [true, false] : [false, true]);
    }
    assert.equal((await submissionsOf(cara)).length, (await found(cara, 'sent')).length);
  });

  test('many due drafts serves projects round-robin', async () => {
    const dora = await mail.newOwner('hoarder');
    for (let n = 0; n < 6; n++) await send((await saved({ subject: `Many ${n}` }, dora)).id, {}, dora);
    await makeDue();
    const other = await newMailbox(mail.db.database);
    const id = newUuid();
    const content = {
      from: null,
      to: [],
      cc: [],
      bcc: [],
      subject: 'Mine',
      html: null,
      text: 'x',
      quotedHtml: null,
    };
    const rest = {
      withSignature: false,
      inReplyTo: null,
      mode: null,
      attachments: [],
      answers: null,
      references: [],
    };
    await sql`
      insert into drafts (project_id, mailbox_id, id, client, content, uploads, saved_at, sends_at, is_scheduled, claimed_until, attempts)
      values (${other.projectId}, ${other.mailboxId}, ${id}, ${id}, ${JSON.stringify({ ...content, ...rest })}, '{}', now(),
        now() - interval '500 milliseconds', false, 'epoch', 0)`.execute(mail.db.database);
    assert.equal(await sender.scan(), 5);
    const { problem } = await mail.db.database
      .selectFrom('drafts')
      .select('problem')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    // Missing recipients are reported when the draft becomes due.
    assert.ok(problem !== null);
    while ((await sender.scan()) > 0);
    assert.equal((await found(dora, 'sent')).length, 6);
  });

  test('can be scheduled up to a year ahead', async () => {
    const cara = await mail.newOwner('later');
    const { id } = await saved({}, cara);
    const day = 24 * 60 * 60_000;
    for (const [at, pattern] of [
      [Date.now() + 400 * day, /365 days/],
      [Date.now() - day, /past/],
    ] as const) {
      const refused = await cara.post<{ errors: Record<string, string> }>(`/drafts/${id}/send`, {
        send_at: new Date(at).toISOString(),
      });
      assert.equal(refused.status, 422);
      assert.match(refused.body.errors['send_at'] ?? '', pattern);
    }
    const at = new Date(Date.now() + 30 * day).toISOString();
    const out = await send(id, { send_at: at }, cara);
    assert.deepEqual([out.sends_at, out.is_scheduled], [at, true]);
    assert.equal(await sender.scan(), 0);
  });

  const REFUSED: readonly [what: string, fields: Partial<SaveDraft>, field: string, says: RegExp][] = [
    ['no recipient', { to: [] }, 'to', /recipient/],
    ['an incomplete address', { to: [{ address: 'half@' }] }, 'to', /half@/],
    ['the address of another mailbox as sender', { from: `bob@${HOSTED_DOMAIN}` }, 'from', /can send from/],
    ['an invalid sender', { from: 'x' }, 'from', /can send from/],
  ];
  for (const [what, fields, field, says] of REFUSED)
    test(`rejects ${what} immediately and keeps the draft`, async () => {
      const cara = await mail.newOwner(`r${randomBytes(4).toString('hex')}`);
      const { id } = await saved(fields, cara);
      const refused = await cara.post<{ errors: Record<string, string> }>(`/drafts/${id}/send`, {});
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.body.errors[field] ?? '', says);
      assert.equal((await found(cara, 'drafts')).length, 1);
    });

  test('rejects a message that is too large, and the error says by how much', async () => {
    const cara = await mail.newOwner('large');
    const files = await Promise.all(
      [1, 2].map(async (n) => (await upload(Buffer.alloc(16 * 1024 * 1024, n), 'name=a.bin', cara)).body.id),
    );
    const { id, warnings } = await saved({ attachments: files.map((file) => ({ upload: file })) }, cara);
    assert.deepEqual(
      warnings.map(({ kind }) => kind),
      ['too-large'],
    );
    const refused = await cara.post<{ errors: Record<string, string> }>(`/drafts/${id}/send`, {});
    assert.equal(refused.status, 422);
    assert.match(
      refused.body.errors['attachments'] ?? '',
      /exceeds the 40 MB limit of mail servers by 3\.\d MB/,
    );
  });

  test('fails at once if a limit is already used up, and otherwise later, with a notice in the Inbox and a restored draft', async () => {
    const cara = await mail.newOwner('limit');
    const limit = (daily: number | null) =>
      mail.db.database
        .updateTable('mailboxes')
        .set({ dailySendLimit: daily })
        .where('id', '=', cara.mailboxId)
        .execute();
    await limit(1);
    const [one, two] = [await saved({ subject: 'One' }, cara), await saved({ subject: 'Two' }, cara)];
    const outs = [await send(one.id, {}, cara), await send(two.id, {}, cara)];
    await makeDue();
    await sender.scan();
    assert.equal((await submissionsOf(cara)).length, 1);
    const [notice] = await found(cara, 'inbox');
    assert.match(notice?.mail.subject ?? '', /^Not sent: (One|Two)$/);
    assert.match(notice?.mail.text ?? '', /1 recipients in 24 hours[^]*back in Drafts/);
    const [back] = await found(cara, 'drafts');
    const { data } = (await cara.get<OutgoingList>('/outgoing')).body;
    const refused = data.find(({ status }) => status === 'refused');
    assert.ok(outs.some(({ id }) => id === refused?.id));
    assert.match(refused?.problem ?? '', /24 hours/);
    assert.equal(refused?.draft, encodeId('msg', back?.objectId ?? ''));
    const atOnce = await cara.post<{ type: string }>(`/drafts/${refused.draft}/send`, {});
    assert.deepEqual([atOnce.status, atOnce.body.type], [422, '/errors/plan-limit-exceeded']);
  });

  test('works from an alias, and as plain text with a marked quote', async () => {
    const cara = await mail.newOwner('plain');
    const alias = await aliasOf(cara, 'plain-alias');
    const { id } = await saved(
      { from: alias, html: null, text: 'Line one\n-- Line two', quoted_html: '<blockquote>Old</blockquote>' },
      cara,
    );
    await send(id, {}, cara);
    await makeDue();
    await sender.scan();
    const [copy] = await found(cara, 'sent');
    assert.equal(copy?.mail.from?.address, alias);
    assert.equal(copy.mail.html, undefined);
    assert.equal(copy.mail.text?.replaceAll('\r', '').trim(), 'Line one\n-- Line two\n\n> Old');
  });
});

suite('replies and forwards', () => {
  const ORIGINAL = [
    'From: Dan <dan@dst.example>',
    'Reply-To: desk@dst.example',
    'Mail-Followup-To: evil@dst.example',
    `To: "Ann" <ann@${HOSTED_DOMAIN}>, Eve <eve@dst.example>`,
    'Cc: Fay <fay@dst.example>, dan@dst.example',
    'Subject: AW: Offer',
    'Date: Mon, 23 Nov 2026 10:00:00 +0000',
    'Message-ID: <offer@dst.example>',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<p onmouseover=x>Text<script>x</script><img src="https://t.example/o" width=1 height=1></p>',
    '--b',
    'Content-Type: application/pdf; name=a.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    'SGVsbG8=',
    '--b--',
    '',
  ].join('\r\n');

  let message: string;
  before(async () => {
    message = encodeId('msg', await mail.deliver(ann, 'inbox', ORIGINAL));
  });
  const begin = async (mode: string): Promise<Reply> => {
    const { status, body, text } = await ann.get<Reply>(`/messages/${message}/reply?mode=${mode}`);
    assert.equal(status, 200, text);
    return body;
  };
  const addresses = (list: Reply['to']): string[] => list.map(({ address }) => address);

  test('reply to the Reply-To address from the address that received the message, with one prefix and a sanitized quote', async () => {
    const {
      to,
      cc,
      subject,
      from,
      mode,
      quoted_html: quoted,
      attachments,
      in_reply_to: answers,
    } = await begin('reply');
    assert.deepEqual([addresses(to), addresses(cc)], [['desk@dst.example'], []]);
    assert.deepEqual([subject, from, mode, answers], ['AW: Offer', ann.address, 'reply', message]);
    assert.match(
      quoted ?? '',
      /On Mon, 23 Nov 2026 at 10:00 UTC, Dan &lt;dan@dst.example&gt; wrote:.*<blockquote type="cite"><p>Text<\/p>/,
    );
    assert.doesNotMatch(quoted ?? '', /script|onmouseover|img/);
    assert.deepEqual(attachments, []);
  });

  test("reply to all without the sender's own addresses and without duplicates", async () => {
    const { to, cc } = await begin('reply-all');
    assert.deepEqual(addresses(to), ['desk@dst.example']);
    assert.deepEqual(addresses(cc), ['eve@dst.example', 'fay@dst.example', 'dan@dst.example']);
  });

  test('forward a message with its files, or as an attached file', async () => {
    const inline = await begin('forward');
    assert.deepEqual([inline.subject, inline.to, inline.mode], ['Fwd: AW: Offer', [], 'forward']);
    assert.match(inline.quoted_html ?? '', /Forwarded message.*From: Dan/);
    assert.deepEqual(
      inline.attachments.map(({ name, octets }) => [name, octets]),
      [['a.pdf', 5]],
    );
    const attached = await begin('forward-attached');
    assert.deepEqual(
      attached.attachments.map(({ name, type }) => [name, type]),
      [['AW: Offer.eml', 'message/rfc822']],
    );
    const { id } = await saved({ ...bodyOf(attached), to: [{ address: bob.address }] });
    await send(id);
    await makeDue();
    await sender.scan();
    const sent = (await found(ann, 'sent')).at(-1);
    assert.equal(sent?.mail.attachments[0]?.mimeType, 'message/rfc822');
    const [original] = await found(ann, 'inbox');
    assert.deepEqual(original?.keywords, ['$Forwarded']);
  });

  test('forward a sent message without its Bcc recipients', async () => {
    const { id } = await saved({ subject: 'Secret', bcc: [{ address: 'carol@dst.example' }] }, bob);
    await send(id, {}, bob);
    await makeDue();
    await sender.scan();
    const copy = (await found(bob, 'sent')).at(-1);
    assert.equal(copy?.mail.bcc?.length, 1);
    const { body } = await bob.get<Reply>(
      `/messages/${encodeId('msg', copy.objectId)}/reply?mode=forward-attached`,
    );
    const bytes = await fetch(new URL(body.attachments[0]?.url ?? '', mail.baseUrl), {
      headers: { cookie: mailCookie(bob) },
    });
    const attached = await bytes.text();
    assert.match(attached, /^Subject: Secret\r\n/m);
    assert.doesNotMatch(attached, /carol/i);
  });

  function bodyOf({ attachments, ...reply }: Reply): Partial<SaveDraft> {
    return {
      ...reply,
      html: '<p>See.</p>',
      attachments: attachments.map(({ upload: id }) => ({ upload: id })),
    };
  }

  test('report a message of another mailbox as unknown', async () => {
    assert.equal((await bob.get(`/messages/${message}/reply?mode=reply`)).status, 404);
    assert.equal((await ann.get(`/messages/${message}/reply?mode=other`)).status, 422);
  });
});

suite('addresses', () => {
  test('are suggested from earlier recipients by the start of any word, most likely first', async () => {
    const cara = await mail.newOwner('cara-writes');
    for (const to of [
      [{ name: 'Jörg Müller', address: 'jm@dst.example' }, { address: 'muesli@other.example' }],
      [{ name: null, address: 'jm@dst.example' }],
    ]) {
      const { id } = await saved({ to }, cara);
      await send(id, {}, cara);
      await makeDue();
      await sender.scan();
    }
    // Counts the copies in Sent at once, which otherwise happens when they are two seconds old.
    await harvest(mail.db.database, cara, { minAgeMs: -60_000, budgetMs: 60_000 });
    const ask = async (q: string): Promise<string[]> =>
      (
        await cara.get<{ data: { address: string }[] }>(`/addresses?q=${encodeURIComponent(q)}`)
      ).body.data.map(({ address }) => address);
    assert.deepEqual(await ask('MU'), ['jm@dst.example', 'muesli@other.example']);
    assert.deepEqual(await ask('jorg'), ['jm@dst.example']);
    assert.deepEqual(await ask('other.ex'), ['muesli@other.example']);
    assert.deepEqual(await ask(''), ['jm@dst.example', 'muesli@other.example']);
    assert.deepEqual(await ask('%'), []);
    assert.deepEqual(await ask('uesli'), []);
  });

  test('of the directory are suggested if the project allows that', async () => {
    const cara = await mail.newOwner('cara-looks');
    const { database } = mail.db;
    await database
      .insertInto('people')
      .values({
        projectId: cara.projectId,
        id: newUuid(),
        name: 'Zoe Zander',
        email: 'zoe@dst.example',
        emailKey: 'zoe@dst.example',
        title: null,
        organization: null,
        notes: null,
        mailboxId: null,
        createdAt: new Date(),
      })
      .execute();
    const ask = async (): Promise<unknown[]> =>
      (await cara.get<{ data: unknown[] }>('/addresses?q=zan')).body.data;
    assert.deepEqual(await ask(), []);
    await database
      .updateTable('projects')
      .set({ mailDirectory: true })
      .where('id', '=', cara.projectId)
      .execute();
    assert.deepEqual(await ask(), [{ name: 'Zoe Zander', address: 'zoe@dst.example', source: 'directory' }]);
  });

  test('a mailbox with a reserved address can receive but not send', async () => {
    const [hermit, local] = [await mail.newOwner('hermit'), 'hermit'];
    const held = await saved({}, hermit);
    const scheduled = await saved({}, hermit);
    await send(scheduled.id, {}, hermit);
    await recordSender(mail.db.database, {
      address: hermit.address,
      localPart: local,
      domain: HOSTED_DOMAIN,
    });
    assert.deepEqual((await hermit.get<{ data: unknown[] }>('/identities')).body.data, []);
    for (const from of [null, hermit.address, `hermit+x@${HOSTED_DOMAIN}`]) {
      const { id } = from === null ? held : await saved({ from }, hermit);
      const refused = await hermit.post<{ errors?: Record<string, string> }>(`/drafts/${id}/send`, {});
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.body.errors?.['from'] ?? '', /receives mail but cannot send/);
    }
    await makeDue();
    await sender.scan();
    const { rows } = await sql`select from submissions where mailbox_id = ${hermit.mailboxId}`.execute(
      mail.db.database,
    );
    assert.equal(rows.length, 0);
    await send((await saved({ to: [{ name: null, address: hermit.address }] })).id);
  });

  test('a mailbox gets its own sender addresses and its limits', async () => {
    const cara = await mail.newOwner('cara-is');
    const alias = await aliasOf(cara, 'cara-alias');
    const { body } = await cara.get<{ data: { address: string }[]; limits: Record<string, number> }>(
      '/identities',
    );
    assert.deepEqual(
      body.data.map(({ address }) => address),
      [cara.address, alias],
    );
    assert.deepEqual(body.limits, {
      file_bytes: 26_214_400,
      message_bytes: 41_943_040,
      recipients: 100,
      undo_seconds: 10,
      schedule_days: 365,
    });
  });
});
