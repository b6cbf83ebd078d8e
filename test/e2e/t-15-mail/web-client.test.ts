/** A mailbox that is open in a mail app and in the web client: changes by either client appear at once in the other client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImapFlow } from 'imapflow';
import { encodeId } from '../../../src/model/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { serviceMailbox } from '../../support/imap/service-mailbox.ts';
import { startService } from '../../support/service.ts';
import { assertSound } from '../../support/sound-mailbox.ts';

interface Row {
  id: string;
  subject: string;
  unread: number;
  starred: number;
}

test('a mail app and the web client show the same mailbox while both change it', {
  timeout: 60_000,
}, async () => {
  await using service = await startService();
  const { mailbox, user, password } = await serviceMailbox(service, 'anna');
  const origin = service.baseUrl;
  const api = `${origin}/mail/api`;
  const signedIn = await fetch(`${api}/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ address: user, password }),
  });
  assert.equal(signedIn.status, 200, await signedIn.clone().text());
  const cookie = (signedIn.headers.get('set-cookie') ?? '').replace(/;.*/s, '');
  const { account } = (await signedIn.json()) as { account: { csrf_token: string } };
  const headers = { cookie, origin, 'x-csrf-token': account.csrf_token, 'content-type': 'application/json' };
  const own = `${api}/mailboxes/${encodeId('mbx', mailbox.mailboxId)}`;
  const ask = async <Body>(path: string, body?: object): Promise<Body> => {
    const response = await fetch(own + path, {
      headers,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as Body;
  };

  const events: string[] = [];
  const gone = new AbortController();
  const stream = await fetch(`${own}/events`, { headers, signal: gone.signal });
  const listening = (async () => {
    for await (const text of (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
      events.push(text);
  })().catch(() => {});
  const app = new ImapFlow({
    host: '127.0.0.1',
    port: service.imapPort,
    secure: false,
    doSTARTTLS: false,
    logger: false,
    auth: { user, pass: password },
  });
  await app.connect();
  try {
    const lock = await app.getMailboxLock('INBOX');
    const appEvents: string[] = [];
    app.on('exists', ({ count }) => appEvents.push(`exists ${count}`));
    app.on('expunge', ({ seq, vanished }) => appEvents.push(vanished ? 'gone' : `gone ${seq}`));
    app.on('flags', ({ flags }) => appEvents.push([...flags].join(' ')));
    const { data: folders } = await ask<{ data: { id: string; role: string }[] }>('/folders');
    const idOf = (role: string) => folders.find((folder) => folder.role === role)?.id ?? '';
    const inbox = idOf('inbox');
    const rows = async (folder = inbox) =>
      (await ask<{ data: Row[] }>(`/conversations?folder=${folder}`)).data;

    // Messages that the app appends are listed, and the browser is notified.
    const letter = (subject: string) =>
      Buffer.from(
        `From: b@x.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@x.example>\r\n\r\nHi\r\n`,
      );
    for (const subject of ['one', 'two', 'three']) await app.append('INBOX', letter(subject));
    assert.ok(await eventually(() => events.join('').includes(inbox), 10_000));
    const [three, two, one] = await rows();
    assert.deepEqual(
      [three, two, one].map((row) => row?.subject),
      ['three', 'two', 'one'],
    );

    // The idling app is notified of changes made in the browser.
    const idle = app.idle();
    await ask('/actions', { action: 'seen', conversations: [one?.id], from: inbox });
    await ask('/actions', { action: 'star', conversations: [two?.id], from: inbox });
    const { undo } = await ask<{ undo: string }>('/actions', {
      action: 'trash',
      conversations: [three?.id],
      from: inbox,
    });
    assert.ok(
      await eventually(() => appEvents.some((each) => each.startsWith('gone')), 10_000),
      appEvents.join(),
    );
    assert.ok(
      appEvents.includes('\\Seen') || appEvents.some((each) => each.includes('\\Seen')),
      appEvents.join(),
    );
    assert.ok(
      appEvents.some((each) => each.includes('\\Flagged')),
      appEvents.join(),
    );
    await ask('/actions/undo', { undo: [undo] });
    assert.ok(
      await eventually(() => appEvents.at(-1)?.startsWith('exists') === true, 10_000),
      appEvents.join(),
    );

    // Now the app makes changes, and the browser is notified.
    idle.catch(() => {});
    await app.messageFlagsRemove('1', ['\\Seen'], { uid: true });
    await app.messageFlagsRemove('2', ['\\Flagged'], { uid: true });
    await app.messageMove('2', 'Archive', { uid: true });
    assert.deepEqual(
      (await rows()).map(({ subject, unread, starred }) => [subject, unread, starred]),
      [
        ['three', 1, 0],
        ['one', 1, 0],
      ],
    );
    assert.deepEqual(
      (await rows(idOf('archive'))).map(({ subject }) => subject),
      ['two'],
    );
    const inApp: (string | undefined)[] = [];
    for await (const { envelope } of app.fetch('1:*', { envelope: true })) inApp.push(envelope?.subject);
    assert.deepEqual(inApp.sort(), ['one', 'three']);
    lock.release();
    await assertSound(service.database, mailbox);
  } finally {
    gone.abort();
    await listening;
    await app.logout().catch(() => {});
  }
});
