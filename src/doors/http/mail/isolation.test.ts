/** Tests that a session of one mailbox cannot use ids, tokens or signatures of another mailbox, whether in paths, queries or bodies. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { Draft } from '../../../contract/mail/drafts.ts';
import type { MailActionResult } from '../../../contract/mail/actions.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import { csrfTokenOf } from '../browser/csrf.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';
import { MAIL_OPERATIONS } from './operations.ts';

const CONTACT = { name: 'Bo', addresses: ['bo@dst.example'] };
const RULE = {
  name: 'News',
  match: 'all',
  conditions: ['from contains x@y.example'],
  actions: ['mark read'],
};
const IDENTITY = {
  address: 'ann@hosted.example',
  name: 'Mine',
  reply_to: null,
  signature_html: null,
  bcc_self: false,
  is_default: false,
};
const TUS = { 'tus-resumable': '1.0.0' };
const MESSAGE = [
  'From: Shop <news@shop.example>',
  'Subject: Mine',
  'Message-ID: <mine@shop.example>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b\r\nContent-Type: text/html\r\n\r\n<p>Hello <img src="https://shop.example/i.png">',
  '--b\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nEND:VCALENDAR',
  '--b--\r\n',
].join('\r\n');

let mail: TestMailClient;
let ann: TestOwner;
let bob: TestOwner;
/** The ids of Ann's resources, by id prefix. */
let ids: Record<string, string>;
let scheduled: string;
let undo: string | null;

before(async () => {
  mail = await startMailClient();
  [ann, bob] = [await mail.newOwner('ann'), await mail.newOwner('bob')];
  const msg = encodeId('msg', await mail.deliver(ann, 'inbox', MESSAGE));
  const { body: folder } = await ann.post<{ id: string }>('/folders', { path: 'Mine' });
  const done = await ann.post<MailActionResult>('/actions', {
    action: 'move',
    messages: [msg],
    to: folder.id,
  });
  ({ undo } = done.body);
  const { body: list } = await ann.get<{ data: { id: string }[] }>(`/conversations?folder=${folder.id}`);
  const upload = await fetch(`${mail.baseUrl}/mail/api/mailboxes/${ann.mailbox}/uploads?name=a.txt`, {
    method: 'POST',
    headers: {
      cookie: mailCookie(ann),
      'x-csrf-token': csrfTokenOf(ann.token),
      origin: mail.baseUrl,
      'content-type': 'application/octet-stream',
    },
    body: 'secret',
  });
  const draft = async (attachments: object[]) =>
    (
      await ann.post<Draft>('/drafts', {
        client: newUuid(),
        to: [{ address: bob.address }],
        subject: 'Mine',
        html: null,
        text: 'x',
        attachments,
      })
    ).body;
  const { id: upl } = (await upload.json()) as { id: string };
  scheduled = (await draft([{ upload: upl }])).id;
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const sent = await ann.post<{ id: string }>(`/drafts/${scheduled}/send`, { send_at: sendAt });
  assert.equal(sent.status, 202, sent.text);
  const { body: out } = sent;
  const passkey = newUuid();
  await sql`insert into mailbox_passkeys (project_id, mailbox_id, id, name, credential_id, public_key, counter, transports, created_at)
    values (${ann.projectId}, ${ann.mailboxId}, ${passkey}, 'Key', '\\x01', '\\x01', 0, '{}', now())`.execute(
    mail.db.database,
  );
  const { body: app } = await ann.post<{ id: string }>('/app-passwords', { name: 'P', access: 'read' });
  const made = await ann.post('/file-links/uploads', undefined, {
    headers: {
      ...TUS,
      'upload-length': '6',
      'upload-metadata': `name ${Buffer.from('a').toString('base64')}`,
    },
  });
  assert.equal(made.status, 201, made.text);
  const fil = (made.headers.get('location') ?? '').split('/').at(-1) ?? '';
  const { body: link } = await ann.post<{ id: string }>('/file-links', { files: [fil] });
  ids = {
    fil,
    lnk: link.id,
    msg,
    upl,
    draft: (await draft([])).id,
    out: out.id,
    app: app.id,
    fld: folder.id,
    thr: list.data[0]?.id ?? '',
    ses: encodeId('ses', ann.sessionId),
    psk: encodeId('psk', passkey),
    can: (await ann.post<{ id: string }>('/canned-responses', { name: 'Mine', subject: null, html: 'x' }))
      .body.id,
    snd: await identity(),
    rule: (await ann.post<{ id: string }>('/rules', RULE)).body.id,
    ctc: (await ann.post<{ id: string }>('/contacts', CONTACT)).body.id,
  };
  for (const [prefix, id] of Object.entries(ids)) assert.ok(id, prefix);
});
after(() => mail[Symbol.asyncDispose]());

/** Creates an identity. @returns its id */
async function identity(): Promise<string> {
  await ann.post('/identities', IDENTITY);
  const { body } = await ann.get<{ data: { id: string; is_main: boolean }[] }>('/identities');
  return body.data.find(({ is_main: isMain }) => !isMain)?.id ?? '';
}

async function belongings(): Promise<string> {
  const lists = [
    '/folders',
    '/outgoing',
    '/identities',
    '/canned-responses',
    '/rules',
    '/contacts',
    '/app-passwords',
    '/sessions',
    `/conversations/${ids['thr']}`,
  ];
  const answers = await Promise.all(
    [...lists, `/drafts/${ids['draft']}`].map(async (path) => {
      const { status, text } = await ann.get(path);
      assert.equal(status, 200, path);
      // Ignore the time of last use, which changes with every request.
      return text.replaceAll(/"last_used_at":"[^"]*"/g, '');
    }),
  );
  return answers.join('\n');
}

const TUS_CHUNK = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
const NEW_DRAFT = { client: 'abcdefghij0123456789', to: [], subject: 'Bob', html: null, text: 'mine' };
const BODIES: Readonly<Record<string, object>> = {
  renameMailFolder: { path: 'Bob' },
  renameMailPasskey: { name: 'Bob' },
  replaceRule: RULE,
  changeIdentity: IDENTITY,
  changeCannedResponse: { name: 'Bob', subject: null, html: 'x' },
  changeRule: { enabled: false },
  changeContact: CONTACT,
  saveDraft: NEW_DRAFT,
  changeFileLink: { max_downloads: 1 },
  answerInvitation: { answer: 'accepted' },
};
const QUERIES: Readonly<Record<string, string>> = {
  beginReply: '?mode=forward',
  getInlineMailPart: `?sig=${'A'.repeat(48)}`,
  getRemoteImage: `?url=https://shop.example/i.png&sig=${'A'.repeat(48)}`,
};

test('every operation reports the resources of another mailbox as unknown and leaves them unchanged', async () => {
  const before = await belongings();
  for (const { operationId, method, path, resource } of MAIL_OPERATIONS) {
    if (resource === undefined) continue;
    assert.ok(Object.hasOwn(ids, resource.prefix), `${operationId}: add its resource to Ann's mailbox`);
    const isDraft = path.includes('/drafts/');
    const id = (isDraft ? ids['draft'] : ids[resource.prefix]) ?? '';
    const url = path.replace('/mailboxes/{mailbox}', '').replace('{id}', id).replace('{part}', '1');
    const body = BODIES[operationId];
    const { status, text } = await bob.request(method, `${url}${QUERIES[operationId] ?? ''}`, {
      headers: path.includes('/file-links/uploads')
        ? { ...TUS_CHUNK, ...(method === 'POST' && { 'x-http-method-override': 'PATCH' }) }
        : {},
      ...(body !== undefined && { body }),
    });
    // `saveDraft` saves a draft of Bob's own even if the draft to replace is unknown.
    assert.equal(status, operationId === 'saveDraft' ? 200 : 404, `${operationId}: ${text}`);
  }
  assert.equal(await belongings(), before);
});

test('ids of another mailbox have no effect in bodies and queries', async () => {
  const before = await belongings();
  const own = (await bob.get<{ data: { id: string; role: string }[] }>('/folders')).body.data;
  const trash = own.find(({ role }) => role === 'trash')?.id;
  const act = (body: object) => bob.post<MailActionResult>('/actions', body);
  for (const named of [{ messages: [ids['msg']] }, { conversations: [ids['thr']] }])
    for (const action of [
      { action: 'move', to: trash },
      { action: 'trash' },
      { action: 'delete' },
      { action: 'seen' },
    ])
      assert.equal((await act({ ...action, ...named })).body.changed, 0);
  for (const where of [
    { action: 'move', messages: [ids['msg']], to: ids['fld'] },
    { action: 'seen', conversations: [ids['thr']], from: ids['fld'] },
    { action: 'seen', all: { folder: ids['fld'] } },
  ])
    assert.equal((await act(where)).status, 404);
  assert.equal((await bob.post<MailActionResult>('/actions/undo', { undo: [undo] })).body.changed, 0);
  assert.equal((await bob.get(`/conversations?folder=${ids['fld']}`)).status, 404);
  const { state } = (await ann.get<{ state: string }>('/folders')).body;
  assert.equal((await bob.get(`/changes?since=${state}`)).body['too_many'], true);
  assert.equal((await bob.post(`/drafts/${scheduled}/send`, {})).status, 404);

  const draft = (more: object) => bob.post<Draft>('/drafts', { ...NEW_DRAFT, client: newUuid(), ...more });
  for (const file of [
    { upload: ids['upl'] },
    { message: ids['msg'], part: null },
    { message: ids['msg'], part: '1' },
  ])
    assert.equal((await draft({ attachments: [file] })).status, 422);
  const sources = [`cid:${ids['upl']}`, `/mail/api/mailboxes/${ann.mailbox}/uploads/${ids['upl']}`];
  const { body } = await draft({
    html: sources.map((src) => `<p>x<img src="${src}"></p>`).join(''),
    in_reply_to: ids['msg'],
    mode: 'reply',
  });
  assert.deepEqual(body.attachments, []);
  const raw = (await bob.get(`/messages/${body.id}/raw`)).text;
  assert.doesNotMatch(raw, /mine@shop\.example|secret|In-Reply-To/i);
  assert.equal(await belongings(), before);
});

test('an image signature is valid only for one mailbox, message and image', async () => {
  const { text } = await ann.get(`/messages/${ids['msg']}/html?remote=1`);
  const [, signed = ''] = /src="([^"]*\/remote\?[^"]*)"/.exec(text) ?? [];
  assert.match(signed, /sig=/);
  const own = encodeId('msg', await mail.deliver(bob, 'inbox', MESSAGE));
  const path = signed.replaceAll('&amp;', '&');
  for (const other of [
    path.replace(ann.mailbox, bob.mailbox),
    path.replace(ids['msg'] ?? '', own),
    path.replace(ann.mailbox, bob.mailbox).replace(ids['msg'] ?? '', own),
    path.replace('i.png', 'j.png'),
    path.replace('/remote?', '/parts/1/inline?').replace(/url=[^&]*&/, ''),
  ])
    assert.equal((await fetch(mail.baseUrl + other)).status, 404, other);
});
