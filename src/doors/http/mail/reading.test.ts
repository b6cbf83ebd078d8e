import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { newMessage } from '../../../../test/support/mail.ts';
import type { MailChanges } from '../../../contract/mail/changes.ts';
import type {
  ConversationPage,
  MailConversation,
  MailSearchPage,
} from '../../../contract/mail/conversations.ts';
import type { MailFolder, MailFolderList } from '../../../contract/mail/folders.ts';
import type { MailActionResult } from '../../../contract/mail/actions.ts';
import { encodeId, newUuid } from '../../../model/ids.ts';
import { Store } from '../../../store/store.ts';
import { TIMINGS } from './changes/timings.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';

suite('reading a mailbox', () => {
  let mail: TestMailClient;
  let ann: TestOwner;
  let store: Store;
  before(async () => {
    mail = await startMailClient();
    ann = await mail.newOwner('ann');
    store = new Store(mail.db.database);
  });
  after(() => mail[Symbol.asyncDispose]());

  async function folders(owner: TestOwner) {
    const { body } = await owner.get<MailFolderList>('/folders');
    const idOf = (path: string) => body.data.find((folder) => folder.path === path)?.id ?? '';
    return { ...body, idOf };
  }

  const letter = ({ projectId, mailboxId }: TestOwner, subject: string) =>
    newMessage(
      { projectId, mailboxId },
      { facts: { subject, text: `${subject}\n\nhello`, preview: 'hello' } },
    );

  test('a new mailbox has the standard folders, and further folders can be created, renamed and deleted', async () => {
    const owner = await mail.newOwner('folders');
    const { data, quota } = await folders(owner);
    assert.deepEqual(
      data.map(({ role, messages, unread, conversations }) => [role, messages, unread, conversations]),
      ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'].map((role) => [role, 0, 0, 0]),
    );
    assert.deepEqual(quota, { octets: 0, limit_octets: 100 * 1024 * 1024 });
    const made = await owner.post<MailFolder>('/folders', { path: 'Plans/2026' });
    assert.deepEqual([made.status, made.body.name, made.body.path], [201, '2026', 'Plans/2026']);
    const renamed = await owner.patch<MailFolder>(`/folders/${made.body.id}`, { path: 'Done' });
    assert.deepEqual([renamed.status, renamed.body.path], [200, 'Done']);
    assert.equal((await owner.delete(`/folders/${made.body.id}`)).status, 204);
    const all = await folders(owner);
    assert.deepEqual(all.data.map(({ path }) => path).slice(6), ['Plans']);

    const inbox = all.idOf('INBOX');
    for (const [refused, type] of [
      [await owner.post('/folders', { path: 'Archive' }), 'already-exists'],
      [await owner.post('/folders', { path: 'a//b' }), 'validation-failed'],
      [await owner.post('/folders', { path: `${'x/'.repeat(10)}x` }), 'validation-failed'],
      [await owner.post('/folders', { path: '' }), 'validation-failed'],
      [await owner.post('/folders', { path: 'x', role: 'junk' }), 'validation-failed'],
      [await owner.patch(`/folders/${all.idOf('Plans')}`, { path: 'Trash' }), 'already-exists'],
      [await owner.patch(`/folders/${inbox}`, { path: 'In' }), 'bad-request'],
      [await owner.delete(`/folders/${inbox}`), 'bad-request'],
      [await owner.delete(`/folders/${made.body.id}`), 'not-found'],
      [await ann.patch(`/folders/${all.idOf('Plans')}`, { path: 'Mine' }), 'not-found'],
    ] as const)
      assert.equal(refused.body['type'], `/errors/${type}`, refused.text);
  });

  test('new mail can be listed, opened, searched, moved and restored, and the list of changes reports each step', async () => {
    const { state, idOf } = await folders(ann);
    const inbox = idOf('INBOX');
    await store.append([letter(ann, 'Plan of the garden')]);
    const changes = await ann.get<MailChanges>(`/changes?since=${state}`);
    const [row] = changes.body.conversations.changed;
    assert.partialDeepStrictEqual(row, { folder: inbox, subject: 'Plan of the garden', unread: 1 });
    const list = await ann.get<ConversationPage>(`/conversations?folder=${inbox}`);
    assert.deepEqual([list.body.data, list.body.state], [[row], changes.body.state]);
    const opened = await ann.get<MailConversation>(`/conversations/${row?.id}`);
    assert.partialDeepStrictEqual(opened.body.messages, [
      { id: row?.message_ids[0], folders: [inbox], seen: false },
    ]);
    const found = await ann.get<MailSearchPage>(`/search?q=${encodeURIComponent('subject:gard in:inbox')}`);
    assert.deepEqual(found.body, {
      data: [{ ...row, folder: null, found: { folder: inbox, snippet: null } }],
      next: null,
      is_complete: true,
      problem: null,
    });
    const done = await ann.post<MailActionResult>('/actions', {
      action: 'archive',
      conversations: [row?.id],
      from: inbox,
    });
    assert.equal(done.body.changed, 1);
    const gone = await ann.get<MailChanges>(`/changes?since=${list.body.state}`);
    assert.deepEqual(gone.body.conversations.gone, [{ folder: inbox, id: row?.id }]);
    assert.equal((await ann.post('/actions/undo', { undo: [done.body.undo] })).body['changed'], 1);
    assert.equal((await ann.get<ConversationPage>(`/conversations?folder=${inbox}`)).body.total, 1);
  });

  test('an invalid request is rejected with field errors', async () => {
    const inbox = (await folders(ann)).idOf('INBOX');
    const [thr, msg, fld] = (['thr', 'msg', 'fld'] as const).map((prefix) => encodeId(prefix, newUuid()));
    const many = Array.from({ length: 201 }, () => thr);
    const table: [
      answer: Promise<{ status: number; body: Record<string, unknown>; text: string }>,
      type: string,
    ][] = [
      [ann.get('/conversations'), 'validation-failed'],
      [ann.get('/conversations?folder=x'), 'validation-failed'],
      [ann.get(`/conversations?folder=${fld}`), 'not-found'],
      [ann.get(`/conversations?folder=${inbox}&limit=101`), 'validation-failed'],
      [ann.get(`/conversations?folder=${inbox}&at=-1`), 'validation-failed'],
      [ann.get(`/conversations?folder=${inbox}&at=1.5`), 'validation-failed'],
      [ann.get(`/conversations?folder=${inbox}&cursor=x`), 'validation-failed'],
      [ann.get(`/conversations?folder=${inbox}&cursor=${'x'.repeat(301)}`), 'validation-failed'],
      [ann.get(`/conversations/${thr}`), 'not-found'],
      [ann.get('/conversations/thr_x'), 'not-found'],
      [ann.get('/search'), 'validation-failed'],
      [ann.get(`/search?q=${'x'.repeat(1_001)}`), 'validation-failed'],
      [ann.get('/search?q=x&q=y'), 'validation-failed'],
      [ann.get('/search?q=plan&cursor=x'), 'validation-failed'],
      [ann.get('/changes'), 'validation-failed'],
      [ann.get(`/changes?since=${'x'.repeat(12_001)}`), 'validation-failed'],
      [ann.post('/actions', {}), 'validation-failed'],
      [ann.post('/actions', { action: 'burn', conversations: [thr] }), 'validation-failed'],
      [ann.post('/actions', { action: 'seen', conversations: [] }), 'validation-failed'],
      [ann.post('/actions', { action: 'seen', conversations: many }), 'validation-failed'],
      [ann.post('/actions', { action: 'seen', conversations: [msg] }), 'validation-failed'],
      [ann.post('/actions', { action: 'seen' }), 'validation-failed'],
      [ann.post('/actions', { action: 'move', messages: [msg] }), 'validation-failed'],
      [ann.post('/actions', { action: 'move', messages: [msg], to: fld }), 'not-found'],
      [ann.post('/actions', { action: 'delete', messages: [msg], from: inbox }), 'bad-request'],
      [ann.post('/actions', { action: 'seen', all: { folder: fld } }), 'not-found'],
      [ann.post('/actions/undo', { undo: [] }), 'validation-failed'],
      [ann.post('/actions/undo', { undo: ['x'] }), 'bad-request'],
    ];
    for (const [answer, type] of table) {
      const { body, text } = await answer;
      assert.equal(body['type'], `/errors/${type}`, text);
    }
    // A search text may contain NULs and lone surrogates.
    assert.equal(
      (await ann.get(`/search?q=${encodeURIComponent('a\u0001b "')}%ED%A0%80`)).status < 500,
      true,
    );
    assert.equal((await ann.get<MailChanges>('/changes?since=x')).body.too_many, true);
  });

  test('concurrent searches in one mailbox all return results', async () => {
    const owner = await mail.newOwner('tabs');
    await mail.deliver(owner, 'inbox', 'From: a@x.example\r\nSubject: Two tabs\r\n\r\nHello\r\n');
    const tabs = await Promise.all(
      ['subject:two', 'subject:tabs', 'subject:two subject:tabs', 'subject:two'].map((q) =>
        owner.get<MailSearchPage>(`/search?q=${encodeURIComponent(q)}`),
      ),
    );
    for (const { status, body } of tabs) assert.deepEqual([status, body.data.length], [200, 1]);
  });

  suite('events', () => {
    /** Opens a stream, and returns functions that read it until a text or until its end. */
    async function listen(owner: TestOwner, headers: Record<string, string> = {}) {
      const gone = new AbortController();
      const response = await fetch(`${mail.baseUrl}/mail/api/mailboxes/${owner.mailbox}/events`, {
        headers: { cookie: mailCookie(owner), ...headers },
        signal: gone.signal,
      });
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/event-stream']);
      assert.ok(response.body !== null);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let received = '';
      return {
        async until(text: string | null): Promise<string> {
          while (text === null || !received.includes(text)) {
            const { done, value } = await reader.read();
            if (done) {
              assert.equal(text, null, `ended after ${received}`);
              break;
            }
            received += value;
          }
          return received;
        },
        [Symbol.dispose]: () => gone.abort(),
      };
    }

    test('report a changed folder at once, and after a reconnect report missed changes', async () => {
      const owner = await mail.newOwner('live');
      const { state, idOf } = await folders(owner);
      using stream = await listen(owner);
      await stream.until('hello');
      await store.append([letter(owner, 'News')]);
      const received = await stream.until('data:');
      assert.match(received, /\nevent: change\n/);
      assert.ok(received.includes(`{"folders":["${idOf('INBOX')}"]}`), received);
      const id = /^id: (\S+)$/m.exec(received)?.[1] ?? '';
      assert.deepEqual((await owner.get<MailChanges>(`/changes?since=${id}`)).body.conversations.changed, []);
      using again = await listen(owner, { 'last-event-id': state });
      assert.ok((await again.until('data:')).includes('{"folders":[]}'));
    });

    test('end with their session, while streams of other sessions continue', async () => {
      const owner = await mail.newOwner('ended');
      const other = await mail.signIn(owner);
      using stream = await listen(owner);
      using continues = await listen(other);
      await stream.until('hello');
      assert.equal((await owner.delete('/session')).status, 204);
      const endedAt = performance.now();
      await stream.until(null);
      assert.ok(performance.now() - endedAt < 2_000);
      await store.append([letter(owner, 'News')]);
      await continues.until('data:');
    });

    test('require a session of their mailbox, and free their slot when they end', async () => {
      const [owner, other] = [await mail.newOwner('mine'), await mail.newOwner('theirs')];
      assert.equal(
        (await owner.get('/events', { headers: { cookie: mailCookie({ ...owner, token: other.token }) } }))
          .status,
        401,
      );
      // Open more streams one by one than a session may have at once.
      for (let n = 0; n < 12; n++) {
        using stream = await listen(owner);
        await stream.until('hello');
      }
    });

    test('are limited to ten per session', async () => {
      const owner = await mail.newOwner('many');
      const streams = await Promise.all(Array.from({ length: 10 }, () => listen(owner)));
      const refused = await owner.get('/events');
      assert.deepEqual([refused.status, refused.body['type']], [429, '/errors/rate-limited']);
      for (const stream of streams) stream[Symbol.dispose]();
    });

    test('send heartbeats that pages receive, and end when the service stops', async () => {
      const timings = { live: { ...TIMINGS, heartbeatMs: 50 } };
      await using closing = await startMailClient({}, {}, undefined, { timings });
      const owner = await closing.newOwner('closing');
      const response = await fetch(`${closing.baseUrl}/mail/api/mailboxes/${owner.mailbox}/events`, {
        headers: { cookie: mailCookie(owner) },
      });
      const reader = (response.body as ReadableStream<Uint8Array>)
        .pipeThrough(new TextDecoderStream())
        .getReader();
      // A heartbeat must be an event with data, because EventSource passes no comments and no empty events to a page.
      for (
        let received = '';
        !/^event: heartbeat\ndata: .+\n\n/m.test(received);
        received += (await reader.read()).value
      );
      const startedAt = performance.now();
      await closing[Symbol.asyncDispose]();
      assert.ok(performance.now() - startedAt < 2_000);
    });
  });
});
