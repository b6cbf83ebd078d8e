/** Tests that members read and change shared mailboxes in the web client, as far as their grant allows, until it is revoked. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type {
  ConversationPage,
  MailConversation,
  MailSearchPage,
} from '../../../contract/mail/conversations.ts';
import type { MailChanges } from '../../../contract/mail/changes.ts';
import type { MailFolderList } from '../../../contract/mail/folders.ts';
import type { MailAccounts } from '../../../contract/mail/session.ts';
import type { Draft, Reply } from '../../../contract/mail/drafts.ts';
import type { MailMessage } from '../../../contract/mail/messages.ts';
import { openWriting } from '../../../app/writing.ts';
import { Mailboxes } from '../../../mailboxes/mailboxes.ts';
import { shareMailbox, unshareMailbox } from '../../../mailboxes/sharing/grants.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import { FLAG } from '../../../store/flags.ts';
import { HOSTED_DOMAIN } from '../../../../test/support/api.ts';
import { OutgoingSender } from '../../../webmail/write/outgoing-sender.ts';
import { type BrowserClient, browserClients } from '../browser/browser-client.fixture.ts';
import { csrfTokenOf } from '../browser/csrf.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';
import { isOfMailbox } from './operation.ts';
import { MAIL_OPERATIONS } from './operations.ts';

let mail: TestMailClient;
let made = 0;
before(async () => {
  mail = await startMailClient();
});
after(() => mail[Symbol.asyncDispose]());

const MESSAGE =
  'From: Carl <carl@x.example>\r\nMessage-ID: <q@x.example>\r\nSubject: Question\r\n\r\nWhen?\r\n';

interface Member {
  info: TestOwner;
  ann: TestOwner;
  /** Ann's browser at the shared mailbox. Paths are relative to `/mail/api/mailboxes/{mailbox}`. */
  shared: BrowserClient;
  /** The id of a message in the shared mailbox. */
  message: string;
  revoke(): Promise<unknown>;
}

async function member(access: 'read' | 'write', sending: 'none' | 'as' = 'none'): Promise<Member> {
  const n = (made += 1);
  const [info, ann] = [await mail.newOwner(`info${n}`), await mail.newOwner(`ann${n}`)];
  const { database } = mail.db;
  await shareMailbox(database, info, { member: ann.address, access, sending });
  const client = browserClients(mail.baseUrl, '/mail/api');
  const text = MESSAGE.replace('From:', `To: ${info.address}\r\nFrom:`);
  return {
    info,
    ann,
    shared: client(`/mailboxes/${info.mailbox}`, { cookie: mailCookie(ann), token: ann.token }),
    message: encodeId('msg', await mail.deliver(info, 'inbox', text)),
    revoke: () => unshareMailbox(database, info, ann.address),
  };
}

async function rename(owner: TestOwner, name: string): Promise<void> {
  const { status } = await owner.put(`/identities/${encodeId('snd', owner.mailboxId)}`, {
    address: owner.address,
    name,
    reply_to: null,
    signature_html: null,
    bcc_self: false,
    is_default: true,
  });
  assert.equal(status, 204);
}

/** Calls every operation on a mailbox. @returns the operations by status */
async function callAll(client: BrowserClient): Promise<Map<number, string[]>> {
  const called = new Map<number, string[]>();
  for (const operation of MAIL_OPERATIONS) {
    const { operationId, method, path, signed } = operation;
    // The stream of events does not end.
    if (!isOfMailbox(operation) || signed === true || operationId === 'watchMail') continue;
    const url = path
      .replace('/mailboxes/{mailbox}', '')
      .replace('{id}', encodeId('msg', newUuid()))
      .replace('{part}', '1');
    const { status } = await client.request(method, url);
    called.set(status, [...(called.get(status) ?? []), operationId]);
  }
  return called;
}

for (const access of ['read', 'write'] as const)
  test(`a member with the access ${access} can call the operations that are open to them, and no others`, async () => {
    const { shared } = await member(access);
    const open = MAIL_OPERATIONS.filter(
      (operation) => operation.member === 'read' || (access === 'write' && operation.member === 'write'),
    ).map(({ operationId }) => operationId);
    const closed = MAIL_OPERATIONS.filter(
      (operation) =>
        isOfMailbox(operation) && operation.signed !== true && !open.includes(operation.operationId),
    ).map(({ operationId }) => operationId);
    const called = await callAll(shared);
    assert.deepEqual((called.get(403) ?? []).sort(), closed.sort());
    assert.equal(called.get(401), undefined);
    assert.ok(open.length > 10 && closed.length > 40);
  });

test('without a grant, and after it is revoked, the response is that for an unknown mailbox', async () => {
  const { shared, revoke, ann } = await member('write');
  const stranger = await mail.newOwner(`info${(made += 1)}`);
  const client = browserClients(mail.baseUrl, '/mail/api');
  const other = client(`/mailboxes/${stranger.mailbox}`, { cookie: mailCookie(ann), token: ann.token });
  await revoke();
  for (const each of [shared, other]) assert.deepEqual([...(await callAll(each)).keys()], [401]);
});

test('a shared mailbox is listed with the session of its member', async () => {
  const { ann, info, revoke } = await member('read');
  const list = async () =>
    (
      await mail.signedOut.get<MailAccounts>('/session', { headers: { cookie: mailCookie(ann) } })
    ).body.accounts.map(({ address, shared }) => [address, shared]);
  const own = [ann.address, null];
  assert.deepEqual(await list(), [own, [info.address, { member: ann.mailbox, access: 'read', unread: 1 }]]);
  await revoke();
  assert.deepEqual(await list(), [own]);
});

test('a change by a member needs the token of their session', async () => {
  const { shared, message } = await member('write');
  const body = { action: 'seen', messages: [message] };
  assert.equal((await shared.post('/actions', body, { headers: { 'x-csrf-token': 'x' } })).status, 403);
  const { status, body: done } = await shared.post('/actions', body);
  assert.deepEqual([status, done['changed']], [200, 1]);
});

test('the stream of events ends when the grant is revoked', async () => {
  const { ann, info, revoke } = await member('read');
  const response = await fetch(`${mail.baseUrl}/mail/api/mailboxes/${info.mailbox}/events`, {
    headers: { cookie: mailCookie(ann) },
  });
  assert.equal(response.status, 200);
  const text = response.text();
  await revoke();
  assert.match(await text, /hello/);
});

test('a reply to a message of a shared mailbox is sent from its address, and members see who answered', async () => {
  const { ann, shared, message, info } = await member('read', 'as');
  const reply = await ann.get<Reply>(`/messages/${message}/reply?mode=reply`);
  assert.equal(reply.status, 200, reply.text);
  const { from, to, subject, in_reply_to } = reply.body;
  assert.deepEqual([from, to[0]?.address, in_reply_to], [info.address, 'carl@x.example', message]);
  const draft = {
    client: newUuid(),
    from,
    to,
    subject,
    in_reply_to,
    mode: 'reply',
    html: null,
    text: 'Now.',
  };
  const { body: saved } = await ann.post<Draft>('/drafts', draft);
  assert.equal((await ann.post(`/drafts/${saved.id}/send`, {})).status, 202);
  await sql`update drafts set sends_at = now() - interval '1 second' where mailbox_id = ${ann.mailboxId}`.execute(
    mail.db.database,
  );
  await using stack = new AsyncDisposableStack();
  const { mail: services, submitter } = mail;
  const sender = stack.use(
    new OutgoingSender({
      ...services,
      ...openWriting(stack, services),
      submitter,
      logger: pino({ level: 'error' }),
    }),
  );
  assert.equal(await sender.scan(), 1);
  const { rows } = await sql<{ role: string; flags: number; objectId: string }>`
    select f.role, m.flags, m.object_id from messages m join folders f on f.id = m.folder_id
    where m.mailbox_id = ${info.mailboxId} order by f.role`.execute(mail.db.database);
  assert.deepEqual(
    rows.map(({ role, flags }) => [role, flags & FLAG.answered]),
    [
      ['inbox', FLAG.answered],
      ['sent', 0],
    ],
  );
  const sent = await shared.get<MailMessage>(`/messages/${encodeId('msg', rows[1]?.objectId ?? '')}`);
  assert.equal(sent.body.sent_by, ann.address);
  assert.equal((await shared.get<MailMessage>(`/messages/${message}`)).body.sent_by, null);
  const raw = (await shared.get(`/messages/${sent.body.id}/raw`)).text;
  assert.match(raw, /^In-Reply-To: <q@x\.example>/m);

  // Attack: a later message with the same Message-ID must not look answered.
  const repeated = `References: <q@x.example>\r\n${MESSAGE}`;
  const later = encodeId('msg', await mail.deliver(info, 'inbox', repeated));
  await rename(ann, 'Ann Berg');
  const answers = async (client: BrowserClient) => {
    const { body } = await client.get<MailConversation>(`/conversations/${sent.body.conversation}`);
    return new Map(body.messages.map(({ id, answered_by }) => [id, answered_by]));
  };
  const answer = { address: ann.address, name: 'Ann Berg', at: sent.body.received_at };
  for (const client of [shared, info]) {
    const each = await answers(client);
    assert.deepEqual(
      [message, sent.body.id, later].map((id) => each.get(id)),
      [answer, null, null],
    );
  }
  const inbox = (await shared.get<MailFolderList>('/folders')).body.data[0]?.id;
  const listed = async () =>
    (await shared.get<ConversationPage>(`/conversations?folder=${inbox}`)).body.data.map(
      (row) => row.answered_by,
    );
  assert.deepEqual(await listed(), [null]);
  await info.post('/actions', { action: 'trash', messages: [later] });
  assert.deepEqual(await listed(), [answer]);
  const found = await shared.get<MailSearchPage>('/search?q=in:inbox');
  assert.deepEqual(
    found.body.data.map((row) => row.answered_by),
    [answer],
  );
});

/** Stores a copy of a sent message like submission. @param header header fields before `Subject` */
async function sentCopy({ info, ann }: Pick<Member, 'info' | 'ann'>, header: string): Promise<void> {
  const { blobs, facts, store } = mail.mail;
  const bytes = Buffer.from(`${header}\r\nSubject: Re: Question\r\n\r\nNow.\r\n`);
  await store.append([
    {
      projectId: info.projectId,
      mailboxId: info.mailboxId,
      flags: FLAG.seen,
      keywords: [],
      folder: { role: 'sent' },
      blob: await blobs.prepare(info.projectId, bytes),
      facts: await facts.read(bytes),
      internalDate: null,
      authentication: null,
      spam: null,
      sentBy: ann.address,
    },
  ]);
}

const REFERENCES = 'References: <q@x.example>';
const REPLY = `In-Reply-To: <q@x.example>\r\n${REFERENCES}`;

test('an answer reaches an open list with the changes of Sent, and a forward is no answer', async () => {
  const { info, ann, shared, message } = await member('read');
  const { state, data } = (await shared.get<MailFolderList>('/folders')).body;
  const [inbox] = data;
  const changes = async () =>
    (await shared.get<MailChanges>(`/changes?since=${state}`)).body.conversations.changed
      .filter(({ folder }) => folder === inbox?.id)
      .map(({ message_ids, answered_by }) => [message_ids, answered_by?.address]);
  await sentCopy({ info, ann }, REFERENCES);
  assert.deepEqual(await changes(), [[[message], undefined]]);
  await sentCopy({ info, ann }, REPLY);
  assert.deepEqual(await changes(), [[[message], ann.address]]);
});

test('an open list learns that the copy of an answer was deleted permanently', async () => {
  const { info, ann, message } = await member('read');
  await sentCopy({ info, ann }, REPLY);
  const { rows } = await sql<{ objectId: string }>`
    select object_id from message_contents where mailbox_id = ${info.mailboxId} and sent_by is not null`.execute(
    mail.db.database,
  );
  const copies = rows.map(({ objectId }) => encodeId('msg', objectId));
  await info.post('/actions', { action: 'trash', messages: copies });
  const { state, data } = (await info.get<MailFolderList>('/folders')).body;
  const deleted = await info.post('/actions', { action: 'delete', messages: copies });
  assert.equal(deleted.status, 200, deleted.text);
  const { changed } = (await info.get<MailChanges>(`/changes?since=${state}`)).body.conversations;
  assert.deepEqual(
    changed
      .filter(({ folder }) => folder === data[0]?.id)
      .map(({ message_ids: ids, answered_by: by }) => [ids, by]),
    [[[message], null]],
  );
});

test('an answer stays known after the mailbox of the member is deleted, without the name of a later owner of the address', async () => {
  const { info, ann } = await member('read');
  await sentCopy({ info, ann }, REPLY);
  const inbox = (await info.get<MailFolderList>('/folders')).body.data[0]?.id;
  const listed = async () =>
    (await info.get<ConversationPage>(`/conversations?folder=${inbox}`)).body.data.map(
      ({ answered_by }) => answered_by && [answered_by.address, answered_by.name],
    );
  await rename(ann, 'Ann Berg');
  assert.deepEqual(await listed(), [[ann.address, 'Ann Berg']]);
  const { database } = mail.db;
  await new Mailboxes({ database, hostedDomain: HOSTED_DOMAIN }).delete(ann.projectId, ann.mailboxId);
  assert.deepEqual(await listed(), [[ann.address, null]]);
  const eve = await mail.newOwner(ann.address.split('@')[0] ?? '');
  await rename(eve, 'Eve');
  assert.deepEqual(await listed(), [[ann.address, null]]);
});

for (const [first, second] of [
  ['read', 'write'],
  ['write', 'write'],
] as const)
  test(`a browser that is signed in to two members with the access ${first} and ${second} lists the mailbox for both, and changes it as either`, async () => {
    const { ann, info, revoke } = await member(first);
    const bob = await mail.newOwner(`bob${made}`);
    const addFolder = async (cookie: string, token: string) => {
      const headers = { cookie, 'x-csrf-token': token };
      const body = { path: newUuid() };
      return (await mail.signedOut.post(`/mailboxes/${info.mailbox}/folders`, body, { headers })).status;
    };
    await shareMailbox(mail.db.database, info, { member: bob.address, access: second, sending: 'none' });
    for (const members of [
      [ann, bob],
      [bob, ann],
    ]) {
      const cookie = members.map(mailCookie).join('; ');
      const { body } = await mail.signedOut.get<MailAccounts>('/session', { headers: { cookie } });
      const listed = body.accounts.filter(({ mailbox }) => mailbox === info.mailbox);
      assert.deepEqual(
        listed.map(({ shared }) => shared?.member),
        members.map(({ mailbox }) => mailbox),
      );
      // The token tells which member is acting.
      for (const { csrf_token: token, shared } of listed)
        assert.equal(await addFolder(cookie, token), shared?.access === 'write' ? 201 : 403);
      assert.equal(await addFolder(cookie, 'x'), 403);
    }
    const cookie = [ann, bob].map(mailCookie).join('; ');
    await revoke();
    assert.equal(await addFolder(cookie, csrfTokenOf(ann.token)), 401);
    assert.equal(await addFolder(cookie, csrfTokenOf(bob.token)), 201);
  });

test('a message of a shared mailbox cannot be quoted after the grant is revoked', async () => {
  const { ann, message, revoke } = await member('read');
  assert.equal((await ann.get(`/messages/${message}/reply?mode=forward`)).status, 200);
  await revoke();
  assert.equal((await ann.get(`/messages/${message}/reply?mode=forward`)).status, 404);
  const draft = { client: newUuid(), to: [], subject: '', html: null, text: '' };
  const attached = { ...draft, attachments: [{ message, part: null }] };
  assert.equal((await ann.post('/drafts', attached)).status, 422);
});

test('a field of a message does not say that a member sent it', async () => {
  const { info } = await member('read');
  const forged = await mail.deliver(info, 'sent', `X-Posthorn-Sent-By: ceo@x.example\r\n${MESSAGE}`);
  const { body } = await info.get<MailMessage>(`/messages/${encodeId('msg', forged)}`);
  assert.equal(body.sent_by, null);
});

test('no folder can have the name of another shared mailbox', async () => {
  const { shared, info } = await member('write');
  for (const client of [shared, info])
    assert.equal((await client.post('/folders', { path: 'Shared/x@y.example/a' })).status, 422);
});
