/** Kills the service during the upload of a large file. The upload resumes at its offset, and the stored bytes are correct. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { LinkFiles } from '../../src/file-links/link-files.ts';
import { beginWebSession } from '../../src/mailboxes/sign-in/web-sessions.ts';
import { csrfTokenOf } from '../../src/doors/http/browser/csrf.ts';
import { mailCookie } from '../../src/doors/http/mail/mail-client.fixture.ts';
import { decodeId, encodeId } from '../../src/model/ids.ts';
import { serviceMailbox } from '../support/imap/service-mailbox.ts';
import { type Service, startService } from '../support/service.ts';

const MIB = 1024 * 1024;
const OCTETS = 64 * MIB;
const CHUNK = 16 * MIB;
const KILLS = 3;

type Headers = Record<string, string>;

async function signIn(service: Service): Promise<{ projectId: string; mailbox: string; headers: Headers }> {
  const { mailbox } = await serviceMailbox(service, 'ann');
  const { passwordHash, sessionsVersion } = await service.database
    .selectFrom('mailboxes')
    .select(['passwordHash', 'sessionsVersion'])
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  const proved = { ...mailbox, passwordHash: passwordHash ?? '', sessionsVersion };
  const begun = await beginWebSession(service.database, proved, { address: '192.0.2.1', userAgent: 'test' });
  assert.ok(begun !== null);
  const { token } = begun;
  return {
    projectId: mailbox.projectId,
    mailbox: encodeId('mbx', mailbox.mailboxId),
    headers: {
      cookie: mailCookie({ mailboxId: mailbox.mailboxId, token }),
      'x-csrf-token': csrfTokenOf(token),
      'tus-resumable': '1.0.0',
    },
  };
}

/** Sends bytes slowly, so that the service can be killed during the upload. */
async function* slowly(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += MIB) {
    yield bytes.subarray(at, at + MIB);
    await wait(20);
  }
}

test('an upload resumes after each kill of the service, and no byte is lost, duplicated or changed', async () => {
  let service = await startService();
  try {
    const { projectId, mailbox, headers } = await signIn(service);
    const bytes = randomBytes(OCTETS);
    const made = await fetch(`${service.baseUrl}/mail/api/mailboxes/${mailbox}/file-links/uploads`, {
      method: 'POST',
      headers: { ...headers, origin: service.baseUrl, 'upload-length': String(OCTETS) },
    });
    assert.equal(made.status, 201, await made.text());
    const location = made.headers.get('location') ?? '';

    const offset = async (): Promise<number> => {
      const answer = await fetch(service.baseUrl + location, { method: 'HEAD', headers });
      assert.equal(answer.status, 200);
      return Number(answer.headers.get('upload-offset'));
    };
    const send = async (from: number): Promise<void> => {
      const answer = await fetch(service.baseUrl + location, {
        method: 'PATCH',
        headers: {
          ...headers,
          origin: service.baseUrl,
          'upload-offset': String(from),
          'content-type': 'application/offset+octet-stream',
        },
        body: ReadableStream.from(slowly(bytes.subarray(from, from + CHUNK))),
        duplex: 'half',
      });
      assert.ok(answer.status === 204 || answer.status === 409, await answer.text());
    };

    let confirmed = 0;
    for (let kills = 0; confirmed < OCTETS; ) {
      const sending = send(confirmed).catch((error: unknown) => {
        // Ignore broken connections, which the kill causes.
        if (!(error instanceof TypeError)) throw error;
      });
      if (kills < KILLS) {
        kills += 1;
        await wait(100 + Math.random() * 600);
        await service.kill();
        await sending;
        service = await startService({ dataDir: service.dataDir });
      } else await sending;
      const now = await offset();
      assert.ok(now >= confirmed, `the offset went back: ${now} after ${confirmed}`);
      confirmed = now;
    }

    const files = new LinkFiles(service.database, new ObjectFiles(join(service.dataDir, 'blobs')));
    const id = decodeId('fil', location.split('/').at(-1) ?? '') ?? '';
    let at = 0;
    for await (const piece of files.read({ projectId, id }, { start: 0, end: OCTETS })) {
      assert.ok(piece.equals(bytes.subarray(at, at + piece.length)), `the bytes from ${at} on`);
      at += piece.length;
    }
    assert.equal(at, OCTETS);
    const { wholeAt } = await service.database
      .selectFrom('linkFiles')
      .select('wholeAt')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.notEqual(wholeAt, null);
  } finally {
    await service[Symbol.asyncDispose]();
  }
});
