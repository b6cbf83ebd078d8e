/** Posts routed messages to the relay ingress of Rails Action Mailbox. */
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite, test } from 'node:test';
import type { OpenBlob } from '../../src/blobs/blobs.ts';
import { newUuid } from '../../src/model/ids.ts';
import { GuardedClient } from '../../src/net/guarded-client.ts';
import { MessagePoster } from '../../src/routes/deliver/post-message.ts';
import { MessageFormatter } from '../../src/routes/formats/message-formatter.ts';
import { RouteLinks } from '../../src/routes/formats/route-links.ts';
import { REPLY, routed } from '../../src/routes/formats/routed.fixture.ts';
import { newSecret } from '../../src/webhooks/secret.ts';
import { freePort, peerFolder, requireProgram, startDaemon, withPeers } from './peers.ts';

suite('Rails Action Mailbox', withPeers, () => {
  test('processes the message of a route, and rejects a wrong password', async () => {
    const ruby = requireProgram(
      '/usr/bin/ruby',
      'ruby ruby-actionmailbox ruby-railties ruby-sqlite3 ruby-webrick',
    );
    using folder = peerFolder('rails');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/rails/action_mailbox/relay/inbound_emails`;
    const script = fileURLToPath(new URL('action-mailbox.rb', import.meta.url));
    await using _rails = await startDaemon(ruby, {
      args: [script, 'a:pass word', folder.path, String(port)],
      stopSignal: 'SIGTERM',
      readyMs: 60_000,
      isReady: async () => (await fetch(url).catch(() => null)) !== null,
    });
    await using formatter = new MessageFormatter();
    await using client = new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 1 });
    const { raw, id: _id, routeId: _routeId, receivedAt: _receivedAt, ...envelope } = routed(REPLY);
    const blob: OpenBlob = { size: raw.length, readNow: () => raw, read: async () => raw };
    const links = new RouteLinks(createSecretKey(Buffer.alloc(32)), () => 'https://mail.acme.example');
    const poster = new MessagePoster({ blobs: { open: async () => blob }, client, formatter, links });
    const [projectId, webhookId, messageId] = [newUuid(), newUuid(), newUuid()];
    const post = (password: string) =>
      poster.post({
        delivery: { projectId, webhookId, id: messageId, attempt: 1, maxAttempts: 12, emailId: null },
        url,
        format: 'action-mailbox',
        credentials: `actionmailbox:${password}`,
        secrets: { current: newSecret(), next: null },
        message: {
          ...envelope,
          id: messageId,
          recipients: [...envelope.recipients],
          digest: Buffer.alloc(32),
          octets: raw.length,
        },
      });
    const answers = [await post('wrong'), await post('a:pass word')];
    assert.deepEqual(
      answers.map((answer) => ('httpStatus' in answer ? answer.httpStatus : answer)),
      [401, 204],
    );
    assert.deepEqual(JSON.parse(readFileSync(`${folder.path}/processed`, 'utf8')), {
      subject: 'Re: Grüße',
      from: ['ada@example.com'],
      files: [
        ['a.png', 5],
        ['../r=C3=A9.csv', 8],
      ],
    });
  });
});
