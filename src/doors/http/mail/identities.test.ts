/** Tests identities, canned responses and the time for undoing: who may change them, what they accept, and what is sent with them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import PostalMime, { type Email } from 'postal-mime';
import { newAlias } from '../../../../test/support/mail.ts';
import { openWriting } from '../../../app/writing.ts';
import type { CannedResponse, CannedResponses } from '../../../contract/mail/canned-responses.ts';
import type { Draft } from '../../../contract/mail/drafts.ts';
import type { Identities, Identity, SaveIdentity } from '../../../contract/mail/identities.ts';
import { shareMailbox } from '../../../mailboxes/sharing/grants.ts';
import { decodeId, encodeId } from '../../../model/ids.ts';
import { forgetDrafts } from '../../../webmail/write/forget-drafts.ts';
import { OutgoingSender } from '../../../webmail/write/outgoing-sender.ts';
import { browserClients } from '../browser/browser-client.fixture.ts';
import { csrfTokenOf } from '../browser/csrf.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';

let mail: TestMailClient;
let sender: OutgoingSender;
const stack = new AsyncDisposableStack();
let made = 0;

before(async () => {
  mail = stack.use(await startMailClient());
  const { mail: services, submitter } = mail;
  const logger = pino({ level: 'error' });
  sender = stack.use(new OutgoingSender({ ...services, ...openWriting(stack, services), submitter, logger }));
});
after(() => stack.disposeAsync());

/** A mailbox with an alias `desk<n>`. */
async function owner(): Promise<TestOwner & { alias: string }> {
  const n = (made += 1);
  const found = await mail.newOwner(`owner${n}`);
  const { projectId, mailboxId } = found;
  await newAlias(mail.db.database, `desk${n}`, [{ projectId, mailboxId }]);
  return { ...found, alias: `desk${n}@${found.address.split('@')[1]}` };
}

const body = (of: { address: string }, fields: Partial<SaveIdentity> = {}): SaveIdentity => ({
  address: of.address,
  name: null,
  reply_to: null,
  signature_html: null,
  bcc_self: false,
  is_default: false,
  ...fields,
});

const listed = async (of: TestOwner): Promise<Identity[]> =>
  (await of.get<Identities>('/identities')).body.data;

async function picture(of: TestOwner, octets = 300): Promise<{ id: string; url: string }> {
  const response = await fetch(
    `${mail.baseUrl}/mail/api/mailboxes/${of.mailbox}/uploads?name=logo.png&type=image/png`,
    {
      method: 'POST',
      headers: {
        cookie: mailCookie(of),
        'x-csrf-token': csrfTokenOf(of.token),
        origin: mail.baseUrl,
        'content-type': 'application/octet-stream',
      },
      body: new Uint8Array(randomBytes(octets)),
    },
  );
  return (await response.json()) as { id: string; url: string };
}

/** Sends a draft and returns the copy in Sent. */
async function sent(of: TestOwner, fields: object, copyIn = of): Promise<Email> {
  const draft = await of.post<Draft>('/drafts', {
    client: randomBytes(12).toString('hex'),
    to: [{ name: null, address: 'dan@dst.example' }],
    subject: 'Offer',
    html: '<p>Here.</p>',
    text: '',
    ...fields,
  });
  assert.equal(draft.status, 201, draft.text);
  const answer = await of.post(`/drafts/${draft.body.id}/send`, {});
  assert.equal(answer.status, 202, answer.text);
  const { database } = mail.db;
  await sql`update drafts set sends_at = now() - interval '1 second' where sends_at is not null and sent_at is null`.execute(
    database,
  );
  assert.equal(await sender.scan(), 1);
  const { rows } = await sql<{ digest: Buffer }>`
    select c.digest from messages m join message_contents c using (project_id, mailbox_id, object_id)
    join folders f on f.id = m.folder_id
    where m.mailbox_id = ${copyIn.mailboxId} and f.role = 'sent' order by m.uid desc limit 1`.execute(
    database,
  );
  const bytes = await (await mail.mail.blobs.open(of.projectId, rows[0]?.digest ?? Buffer.alloc(0)))?.read();
  assert.ok(bytes, 'a copy is in Sent');
  return PostalMime.parse(bytes);
}

suite('identities', () => {
  test('the name and signature of the mailbox are its main identity, for all addresses without their own', async () => {
    const ann = await owner();
    await mail.db.database
      .updateTable('mailboxes')
      .set({ displayName: 'Ann', signatureHtml: '<p onclick="x()">Ann</p>' })
      .where('id', '=', ann.mailboxId)
      .execute();
    const all = await listed(ann);
    assert.deepEqual(
      all.map(({ address, name, signature_html: html, is_main: isMain }) => [address, name, html, isMain]),
      [
        [ann.address, 'Ann', '<p>Ann</p>', true],
        [ann.alias, 'Ann', '<p>Ann</p>', true],
      ],
    );
  });

  test('of each address, one identity is the default and the first', async () => {
    const ann = await owner();
    const names = async () =>
      (await listed(ann)).map(({ name, is_default: isDefault }) => `${name}${isDefault ? '*' : ''}`);
    for (const [name, isDefault] of [
      ['A', true],
      ['B', false],
      ['C', true],
    ] as const)
      assert.equal((await ann.post('/identities', body(ann, { name, is_default: isDefault }))).status, 204);
    await ann.post('/identities', body({ address: ann.alias }, { name: 'Desk' }));
    assert.deepEqual(await names(), ['C*', 'null', 'A', 'B', 'Desk*']);
    const main = encodeId('snd', ann.mailboxId);
    assert.equal(
      (await ann.put(`/identities/${main}`, body(ann, { name: 'Ann', is_default: true }))).status,
      204,
    );
    assert.deepEqual(await names(), ['Ann*', 'A', 'B', 'C', 'Desk*']);
  });

  test('the main identity is changed in the mailbox, and HTML of the API stays as it is until the signature changes', async () => {
    const ann = await owner();
    const { database } = mail.db;
    const stored = () =>
      database
        .selectFrom('mailboxes')
        .select(['displayName', 'signatureHtml'])
        .where('id', '=', ann.mailboxId)
        .executeTakeFirstOrThrow();
    const html = '<p class="x">Ann</p><script>1</script>';
    await database
      .updateTable('mailboxes')
      .set({ signatureHtml: html })
      .where('id', '=', ann.mailboxId)
      .execute();
    const main = `/identities/${encodeId('snd', ann.mailboxId)}`;
    const [first] = await listed(ann);
    await ann.put(main, body(ann, { name: 'Ann', signature_html: first?.signature_html ?? null }));
    assert.deepEqual(await stored(), { displayName: 'Ann', signatureHtml: html });
    await ann.put(
      main,
      body(ann, { name: 'Ann', signature_html: '<b>New</b><script>1</script>', reply_to: 'x@y.example' }),
    );
    assert.deepEqual(await stored(), { displayName: 'Ann', signatureHtml: '<b>New</b>' });
    assert.equal((await listed(ann))[0]?.reply_to, 'x@y.example');
    assert.equal((await ann.delete(main)).status, 404);
  });

  for (const [what, fields, field] of [
    ['an address of another mailbox', { address: 'other@hosted.example' }, 'address'],
    ['an address with a name', { address: 'Ann <ann@hosted.example>' }, 'address'],
    ['no address', { address: ' ' }, 'address'],
    ['a name with a line break', { name: 'a\r\nBcc: b' }, 'name'],
    ['an invalid Reply-To', { reply_to: 'a b' }, 'reply_to'],
    ['a Reply-To with a line break', { reply_to: 'a@b.example\r\nBcc: c@d.example' }, 'reply_to'],
    ['a signature that is too long', { signature_html: 'ä'.repeat(33_000) }, 'signature_html'],
  ] as const)
    test(`${what} is rejected`, async () => {
      const ann = await owner();
      const answer = await ann.post<{ errors?: Record<string, string> }>('/identities', body(ann, fields));
      assert.equal(answer.status, 422, answer.text);
      assert.ok(field in (answer.body.errors ?? {}), answer.text);
    });

  test('a signature has at most 1 MB of pictures', async () => {
    const ann = await owner();
    const { url } = await picture(ann, 1_100_000);
    for (const [method, path] of [
      ['POST', '/identities'],
      ['PUT', `/identities/${encodeId('snd', ann.mailboxId)}`],
    ] as const) {
      const fields = body(ann, { signature_html: `<img src="${url}">` });
      const answer = await ann.request<{ errors?: object }>(method, path, { body: fields });
      assert.equal(answer.status, 422, answer.text);
      assert.ok('signature_html' in (answer.body.errors ?? {}));
    }
  });

  test('a mailbox has at most 50 of them', async () => {
    const ann = await owner();
    for (let count = 0; count < 50; count++)
      assert.equal((await ann.post('/identities', body(ann, { name: `${count}` }))).status, 204);
    assert.equal((await ann.post('/identities', body(ann))).status, 422);
  });

  test('each change is in the audit log, without the signature', async () => {
    const ann = await owner();
    await ann.post('/identities', body(ann, { name: 'Desk', signature_html: '<p>Secret words</p>' }));
    const id = (await listed(ann)).find(({ name }) => name === 'Desk')?.id ?? '';
    await ann.put(`/identities/${id}`, body(ann, { name: 'Help' }));
    await ann.delete(`/identities/${id}`);
    await ann.post('/canned-responses', { name: 'Thanks', subject: null, html: 'Secret words' });
    const rows = await mail.db.database
      .selectFrom('auditLog')
      .select(['action', 'before', 'after'])
      .where('target', '=', ann.mailbox)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      rows.map(({ action }) => action),
      [
        'mailbox.create-identity',
        'mailbox.change-identity',
        'mailbox.delete-identity',
        'mailbox.create-canned-response',
      ],
    );
    assert.doesNotMatch(JSON.stringify(rows), /Secret words/);
    assert.partialDeepStrictEqual(rows[1], {
      before: { display_name: 'Desk' },
      after: { display_name: 'Help' },
    });
  });
});

suite('a message', () => {
  test('has the name, signature with its picture, Reply-To and copy of the chosen identity', async () => {
    const ann = await owner();
    const logo = await picture(ann);
    const identity = body(
      { address: ann.alias },
      {
        name: 'Desk',
        reply_to: 'Team <team@x.example>',
        signature_html: `<p>Desk <img src="${logo.url}" alt="Logo" width="40"></p>`,
        bcc_self: true,
      },
    );
    await ann.post('/identities', body({ address: ann.alias }, { name: 'First', is_default: true }));
    assert.equal((await ann.post('/identities', identity)).status, 204);
    const { id } = (await listed(ann)).find(({ name }) => name === 'Desk') ?? {};
    const message = await sent(ann, { from: ann.alias, identity: id });
    assert.deepEqual(message.from, { name: 'Desk', address: ann.alias });
    assert.deepEqual(message.replyTo, [{ name: 'Team', address: 'team@x.example' }]);
    assert.deepEqual(message.bcc, [{ name: '', address: ann.alias }]);
    assert.equal(message.attachments.length, 1);
    const [image] = message.attachments;
    assert.match(message.html ?? '', new RegExp(`src="cid:${image?.contentId?.slice(1, -1)}"`));
    // The default identity of the address applies if the draft names none.
    const byDefault = await sent(ann, { from: ann.alias });
    assert.deepEqual(
      [byDefault.from?.name, byDefault.bcc, byDefault.replyTo],
      ['First', undefined, undefined],
    );
  });

  test('is sent with the identity of its address if the chosen identity is of another address', async () => {
    const ann = await owner();
    await ann.post('/identities', body({ address: ann.alias }, { name: 'Desk', is_default: true }));
    const { id } = (await listed(ann)).find(({ name }) => name === 'Desk') ?? {};
    const message = await sent(ann, { from: ann.address, identity: id });
    assert.deepEqual(message.from, { name: '', address: ann.address });
  });

  test('of a member has the identity of the shared mailbox, whose picture the member need not have', async () => {
    const [info, ann] = [await owner(), await owner()];
    await shareMailbox(mail.db.database, info, { member: ann.address, access: 'read', sending: 'as' });
    const logo = await picture(info);
    await info.post(
      '/identities',
      body(info, { name: 'Info', signature_html: `<img src="${logo.url}">`, is_default: true }),
    );
    const offered = (await listed(ann)).find(({ name }) => name === 'Info');
    assert.equal(offered?.is_own, false);
    const message = await sent(ann, { from: info.address, identity: offered?.id }, info);
    assert.deepEqual(message.from, { name: 'Info', address: info.address });
    assert.equal(message.attachments.length, 1);
    const changed = await ann.put(`/identities/${offered?.id}`, body(info, { name: 'Mine now' }));
    assert.equal(changed.status, 404);
    assert.ok((await listed(info)).some(({ name }) => name === 'Info'));
  });

  test('waits for as long as its owner chose', async () => {
    const ann = await owner();
    await ann.patch('/settings', { undo_seconds: 30 });
    assert.equal((await ann.get<Identities>('/identities')).body.limits.undo_seconds, 30);
    const draft = await ann.post<Draft>('/drafts', {
      client: randomBytes(12).toString('hex'),
      to: [{ address: 'dan@dst.example' }],
      subject: 'Later',
      html: null,
      text: 'x',
    });
    const from = Date.now();
    const { body: out } = await ann.post<{ id: string; sends_at: string }>(
      `/drafts/${draft.body.id}/send`,
      {},
    );
    const waits = new Date(out.sends_at).getTime() - from;
    assert.ok(waits >= 30_000 && waits < 60_000, `${waits} ms`);
    assert.equal((await ann.post(`/outgoing/${out.id}/cancel`)).status, 200);
  });
});

suite('canned responses', () => {
  test('are cleaned, listed by name, changed and deleted', async () => {
    const ann = await owner();
    const save = { name: ' thanks ', subject: 'Re', html: '<p>Thank <b>you</b><script>1</script></p>' };
    const { body: created } = await ann.post<CannedResponse>('/canned-responses', save);
    assert.deepEqual(created, {
      id: created.id,
      name: 'thanks',
      subject: 'Re',
      html: '<p>Thank <b>you</b></p>',
    });
    await ann.post('/canned-responses', { name: 'Away', subject: null, html: '' });
    const list = async () => (await ann.get<CannedResponses>('/canned-responses')).body.data;
    assert.deepEqual(
      (await list()).map(({ name, preview }) => [name, preview]),
      [
        ['Away', ''],
        ['thanks', 'Thank you'],
      ],
    );
    assert.equal((await ann.post('/canned-responses', { ...save, name: 'THANKS' })).status, 422);
    assert.equal((await ann.post('/canned-responses', { ...save, name: ' ' })).status, 422);
    const path = `/canned-responses/${created.id}`;
    assert.equal((await ann.put(path, { ...save, name: 'away' })).status, 422);
    assert.equal((await ann.put<CannedResponse>(path, { ...save, name: 'Ta' })).body.name, 'Ta');
    assert.equal((await ann.delete(path)).status, 204);
    assert.equal((await ann.get(path)).status, 404);
  });

  test('are limited to 200 in a mailbox and 64 KB each', async () => {
    const ann = await owner();
    await sql`insert into canned_responses (project_id, mailbox_id, id, name, html, preview)
      select ${ann.projectId}, ${ann.mailboxId}, gen_random_uuid(), n::text, '', '' from generate_series(1, 199) n`.execute(
      mail.db.database,
    );
    const add = (name: string, html = 'x') => ann.post('/canned-responses', { name, subject: null, html });
    assert.equal((await add('long', 'x'.repeat(65_537))).status, 422);
    assert.equal((await add('a')).status, 201);
    assert.equal((await add('b')).status, 422);
  });

  test('of a shared mailbox are read by all members and changed by members who may write', async () => {
    const [info, ann, bob] = [await owner(), await owner(), await owner()];
    await shareMailbox(mail.db.database, info, { member: ann.address, access: 'read', sending: 'none' });
    await shareMailbox(mail.db.database, info, { member: bob.address, access: 'write', sending: 'none' });
    const at = (of: TestOwner) =>
      browserClients(mail.baseUrl, '/mail/api')(`/mailboxes/${info.mailbox}`, {
        cookie: mailCookie(of),
        token: of.token,
      });
    const save = { name: 'Hours', subject: null, html: 'Nine to five' };
    assert.equal((await at(ann).post('/canned-responses', save)).status, 403);
    const { body: created } = await at(bob).post<CannedResponse>('/canned-responses', save);
    assert.equal(
      (await at(ann).get<CannedResponse>(`/canned-responses/${created.id}`)).body.html,
      'Nine to five',
    );
    assert.equal((await at(ann).delete(`/canned-responses/${created.id}`)).status, 403);
  });
});

test('pictures of signatures and canned responses are stored for as long as these show them', async () => {
  const ann = await owner();
  const [inSignature, inResponse, unused] = [await picture(ann), await picture(ann), await picture(ann)];
  const identity = body(ann, { name: 'Logo', signature_html: `<img src="${inSignature.url}">` });
  await ann.post('/identities', identity);
  const { body: response } = await ann.post<CannedResponse>('/canned-responses', {
    name: 'Map',
    subject: null,
    html: `<img src="${inResponse.url}">`,
  });
  assert.equal(response.html, `<img src="${inResponse.url}">`);
  const { database } = mail.db;
  const afterDays = async () => {
    await sql`update uploads set used_at = used_at - interval '3 days' where mailbox_id = ${ann.mailboxId}`.execute(
      database,
    );
    await forgetDrafts(database);
    const rows = await database
      .selectFrom('uploads')
      .select('id')
      .where('mailboxId', '=', ann.mailboxId)
      .execute();
    return rows.map(({ id }) => encodeId('upl', id)).toSorted();
  };
  assert.deepEqual(await afterDays(), [inSignature.id, inResponse.id].toSorted());
  assert.ok(decodeId('upl', unused.id));
  // The draft that a response was inserted into has the picture, though the client did not attach it.
  const draft = await ann.post<Draft>('/drafts', {
    client: randomBytes(12).toString('hex'),
    to: [],
    subject: '',
    html: response.html,
    text: '',
  });
  assert.deepEqual(
    draft.body.attachments.map(({ upload, is_inline: isInline }) => [upload, isInline]),
    [[inResponse.id, true]],
  );
  await ann.delete(`/drafts/${draft.body.id}`);
  const { id } = (await listed(ann)).find(({ name }) => name === 'Logo') ?? {};
  await ann.put(`/identities/${id}`, { ...identity, signature_html: null });
  await ann.delete(`/canned-responses/${response.id}`);
  assert.deepEqual(await afterDays(), []);
});
