import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createSecureContext } from 'node:tls';
import fc from 'fast-check';
import { sql } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { NameLocks } from '../../db/name-locks.ts';
import { shareMailbox } from '../../mailboxes/sharing/grants.ts';
import type { SignedInMailbox } from '../../mailboxes/sign-in/sign-in.ts';
import { newUuid } from '../../model/ids.ts';
import { FLAG } from '../../store/flags.ts';
import { certificateFolder, OTHER_CERTIFICATE } from '../../certificates/certificate.fixture.ts';
import { FileCertificate } from '../../certificates/file-certificate.ts';
import { ClientConnection } from '../tcp/client-connection.ts';
import { Pop3Wire } from './dialogue.fixture.ts';
import { LIMITS } from './listener.ts';
import { startTestListener, type TestListener, type TestStage } from './pop3.fixture.ts';
import { REPLIES } from './replies.ts';
import { servePop3 } from './listener.ts';

let listener: TestListener;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

async function session(stage: TestStage): Promise<Pop3Wire> {
  const wire = await Pop3Wire.connect(stage);
  await wire.signIn(stage);
  return wire;
}

describe('TLS', () => {
  async function startSecure(isSecure: boolean) {
    using files = certificateFolder();
    const certificate = new FileCertificate(files, () => {});
    const context = certificate.secureContext();
    return await startTestListener({ isSecure, secureContext: () => context });
  }

  test('STLS starts TLS, resets the session, and is not offered again', async () => {
    await using secure = await startSecure(false);
    const stage = await secure.newStage();
    using wire = await Pop3Wire.connect(stage);
    await wire.line();
    assert.equal(await wire.request('CAPA'), '+OK Capabilities');
    assert.ok((await wire.lines()).includes('STLS'));
    assert.equal(await wire.request(`USER ${stage.user}`), REPLIES.userOk);
    // Plaintext after STLS is dropped. Attack: a man in the middle may have injected the plaintext.
    assert.equal(await wire.request('STLS\r\nNOOP'), '+OK Begin TLS');
    await wire.startTls();
    assert.equal(await wire.request(`PASS ${stage.password}`), REPLIES.userFirst);
    assert.equal(await wire.request('STLS'), REPLIES.tlsAlready);
    await wire.request('CAPA');
    assert.ok(!(await wire.lines()).includes('STLS'));
    await wire.request(`USER ${stage.user}`);
    assert.match((await wire.request(`PASS ${stage.password}`)) ?? '', /^\+OK 0 messages/);
  });

  test('a port for TLS accepts TLS from the first byte', async () => {
    await using secure = await startSecure(true);
    const stage = await secure.newStage();
    using wire = await Pop3Wire.connectSecurely(stage);
    await wire.signIn(stage);
    assert.equal(await wire.request('STAT'), '+OK 0 0');
  });
});

test('mail of a mailbox that is shared with the owner is not shown', async () => {
  const stage = await listener.newStage();
  const { projectId } = stage.mailbox;
  const info = await newMailbox(listener.db.database, { projectId });
  await listener.store.append([newMessage(info)]);
  await shareMailbox(listener.db.database, info, { member: stage.user, access: 'write', sending: 'as' });
  using wire = await session(stage);
  assert.equal(await wire.request('STAT'), '+OK 0 0');
});

test('sign-in from another machine without TLS is rejected with instructions', async () => {
  const stage = await listener.newStage();
  const { services } = listener;
  const context = createSecureContext(OTHER_CERTIFICATE);
  for (const [secureContext, refusal] of [
    [() => null, REPLIES.plainRefusedWithoutTls],
    [() => context, REPLIES.plainRefused],
  ] as const) {
    const server = createServer((socket) => {
      Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.7' });
      const connection = new ClientConnection(socket, LIMITS, REPLIES);
      void servePop3(connection, { ...services, secureContext, signInMs: 60_000 });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    using wire = await Pop3Wire.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    await wire.line();
    assert.equal(await wire.request(`USER ${stage.user}`), refusal);
    assert.equal(await wire.request(`PASS ${stage.password}`), refusal);
    assert.equal(await wire.request('AUTH PLAIN AGEAYg=='), refusal);
    await wire.request('CAPA');
    const lines = await wire.lines();
    assert.ok(!lines.includes('USER') && !lines.some((line) => line.startsWith('SASL')));
    server.close();
  }
});

test('QUIT deletes thousands of marked messages, and no unmarked messages', async () => {
  const stage = await listener.newStage();
  const drop = await listener.store.maildrop(stage.mailbox);
  const { projectId, mailboxId, folderId } = drop?.folder ?? assert.fail();
  await sql`
    insert into messages (project_id, mailbox_id, folder_id, uid, modseq, flags, keywords, object_id, octets, internal_date, save_date)
    select ${projectId}, ${mailboxId}, ${folderId}, n * 3, 1, 0, '{}', gen_random_uuid(), 10, now(), now() from generate_series(1, 3000) n`.execute(
    listener.db.database,
  );
  await sql`update folders set uid_next = 10000, messages = 3000, unseen = 3000, octets = 30000 where id = ${folderId}`.execute(
    listener.db.database,
  );
  using wire = await session(stage);
  const remaining = new Set([1, 500, 501, 1_777, 3_000]);
  const numbers = Array.from({ length: 3_000 }, (_, at) => at + 1).filter((number) => !remaining.has(number));
  wire.send(numbers.map((number) => `DELE ${number}\r\n`).join(''));
  for (const _ of numbers) assert.equal(await wire.line(), REPLIES.deleted);
  assert.equal(await wire.request('QUIT'), REPLIES.bye);
  const left = await listener.store.maildrop(stage.mailbox);
  assert.deepEqual(
    [...(left?.uids ?? [])],
    [...remaining].map((number) => number * 3),
  );
});

test('QUIT sets \\Seen on messages that were retrieved and not deleted', async () => {
  const stage = await listener.newStage();
  for (let n = 0; n < 3; n++) await stage.deliver('INBOX', Buffer.from(`Subject: ${n}\r\n\r\n`));
  const flagsOf = async () => {
    const { folder } = (await listener.store.maildrop(stage.mailbox)) ?? assert.fail();
    return (await listener.store.page(folder, null, 10)).map(({ uid, flags }) => [uid, flags]);
  };
  {
    using dropped = await session(stage);
    await dropped.request('RETR 1');
    await dropped.lines();
  }
  assert.deepEqual(await flagsOf(), [
    [3, 0],
    [2, 0],
    [1, 0],
  ]);
  using wire = await session(stage);
  for (const command of ['RETR 1', 'TOP 2 1', 'RETR 3']) {
    await wire.request(command);
    await wire.lines();
  }
  await wire.request('DELE 3');
  await wire.request('QUIT');
  assert.deepEqual(await flagsOf(), [
    [2, 0],
    [1, FLAG.seen],
  ]);
  const ended = listener.logged.at(-1) as { msg?: string; retrieved?: number; deleted?: number };
  assert.deepEqual([ended.msg, ended.retrieved, ended.deleted], ['POP3 session ended', 1, 1]);
});

test('a large message is read no faster than the client reads, and is sent completely', async () => {
  const stage = await listener.newStage();
  const line = `.${'x'.repeat(70)}\r\n`;
  const body = line.repeat(Math.ceil((12 * 1024 * 1024) / line.length));
  await stage.deliver('INBOX', Buffer.from(`Subject: large\r\n\r\n${body}`));
  let octetsRead = 0;
  await using counting = await startTestListener({
    ...listener.services,
    blobs: {
      async open(...of) {
        const blob = (await listener.blobs.open(...of)) ?? assert.fail();
        return {
          ...blob,
          async read(range) {
            octetsRead += (range?.end ?? blob.size) - (range?.start ?? 0);
            return blob.read(range);
          },
        };
      },
    },
  });
  using wire = await session({ ...stage, port: counting.port });
  wire.send('RETR 1\r\n');
  wire.pause();
  // While the first client pauses, another client is served, and of the message only as much is read as fits into the network buffers.
  using beside = await session({ ...(await listener.newStage()), port: counting.port });
  assert.equal(await beside.request('STAT'), '+OK 0 0');
  assert.ok(octetsRead < 8 * 1024 * 1024, `${octetsRead}`);
  assert.equal(await wire.line(), `+OK ${body.length + 18} octets`);
  const lines = await wire.lines();
  assert.equal(lines.length, body.length / line.length + 2);
  assert.equal(lines.at(-1), `.${line.trimEnd()}`);
});

test('a read-only app password deletes nothing and sets no flags', async () => {
  const stage = await listener.newStage();
  await stage.deliver('INBOX', Buffer.from('Subject: a\r\n\r\n'));
  const owner: SignedInMailbox = {
    ...stage.mailbox,
    address: stage.user,
    access: 'read',
    ended: new AbortController().signal,
    useGrant: async () => false,
    memberships: async () => [],
    members: async () => [],
    [Symbol.dispose]() {},
  };
  await using reading = await startTestListener({
    ...listener.services,
    signIn: { signIn: async () => ({ outcome: 'signed-in', mailbox: owner }) },
  });
  using wire = await session({ ...stage, port: reading.port });
  await wire.request('RETR 1');
  await wire.lines();
  assert.equal(await wire.request('DELE 1'), REPLIES.readOnly);
  assert.equal(await wire.request('QUIT'), REPLIES.bye);
  const { folder } = (await listener.store.maildrop(stage.mailbox)) ?? assert.fail();
  const [message] = await listener.store.page(folder, null, 10);
  assert.equal(message?.flags, 0);
});

describe('the end of a session without QUIT', () => {
  test('a session ends and deletes nothing when access is revoked', async () => {
    const stage = await listener.newStage();
    await stage.deliver('INBOX', Buffer.from('Subject: a\r\n\r\n'));
    const ending = new AbortController();
    const owner: SignedInMailbox = {
      ...stage.mailbox,
      address: stage.user,
      access: 'everything',
      ended: ending.signal,
      useGrant: async () => false,
      memberships: async () => [],
      members: async () => [],
      [Symbol.dispose]() {},
    };
    await using ended = await startTestListener({
      ...listener.services,
      signIn: { signIn: async () => ({ outcome: 'signed-in', mailbox: owner }) },
    });
    using wire = await session({ ...stage, port: ended.port });
    await wire.request('DELE 1');
    ending.abort();
    assert.equal(await wire.line(), REPLIES.ended);
    assert.equal(await wire.line(), null);
    assert.equal((await listener.store.maildrop(stage.mailbox))?.uids.length, 1);
  });

  test('a session ends and deletes nothing when its lock on the mailbox is lost with the database connection', async () => {
    await using names = new NameLocks(listener.db.url);
    await using own = await startTestListener({ ...listener.services, names });
    const stage = { ...(await listener.newStage()), port: own.port };
    await stage.deliver('INBOX', Buffer.from('Subject: a\r\n\r\n'));
    using wire = await session(stage);
    await wire.request('DELE 1');
    await sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where application_name = 'posthorn names' and datname = current_database()`.execute(
      listener.db.database,
    );
    assert.equal(await wire.line(), REPLIES.lostMailbox);
    assert.equal(await wire.line(), null);
    using again = await session(stage);
    assert.equal(await again.request('STAT'), '+OK 1 14');
  });

  test('a session ends without a reply after the idle timeout', async () => {
    await using hasty = await startTestListener({ ...listener.services, limits: { idleMs: 20 } });
    using wire = await Pop3Wire.connect({ host: '127.0.0.1', port: hasty.port });
    await wire.line();
    assert.equal(await wire.line(), null);
  });

  test('a connection ends with a reply after the sign-in timeout', async () => {
    await using hasty = await startTestListener({ ...listener.services, limits: { signInMs: 20 } });
    using wire = await Pop3Wire.connect({ host: '127.0.0.1', port: hasty.port });
    await wire.line();
    assert.equal(await wire.line(), REPLIES.tooLong);
    assert.equal(await wire.line(), null);
  });
});

test('random input ends the session with a reply, deletes nothing, and leaves the mailbox unlocked', async () => {
  const stage = await listener.newStage();
  await stage.deliver('INBOX', Buffer.from('Subject: a\r\n\r\nb\r\n'));
  const pieces = fc.constantFrom(
    'STAT',
    'LIST',
    'LIST 1',
    'UIDL',
    'RETR 1',
    'RETR 2',
    'TOP 1 1',
    'TOP',
    'RSET',
    'CAPA',
    'AUTH PLAIN',
    'USER a',
    '\r\n',
    '\r\n',
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\0',
    '\x80',
    '1',
    '-',
    '99999999999',
    'é',
    'A'.repeat(3_000),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 20 }), async (parts) => {
      using wire = await session(stage);
      wire.send(`${parts.join('')}\r\nQUIT\r\n`);
      let last: string | null = null;
      for (let line = await wire.line(); line !== null; line = await wire.line()) last = line;
      assert.ok(
        [REPLIES.bye, REPLIES.bareLineEnd, REPLIES.lineTooLong, REPLIES.tooManyErrors].some(
          (reply) => reply === last,
        ),
        `${last}`,
      );
    }),
    { numRuns: 50 },
  );
  using wire = await session(stage);
  assert.equal(await wire.request('STAT'), '+OK 1 17');
});

test('RETR of a message whose bytes cannot be read fails, and the session continues', async () => {
  const stage = await listener.newStage();
  await stage.deliver('INBOX', Buffer.from(`Subject: ${newUuid()}\r\n\r\n`));
  const { projectId } = stage.mailbox;
  await sql`delete from blobs where project_id = ${projectId}`.execute(listener.db.database);
  using wire = await session(stage);
  assert.equal(await wire.request('RETR 1'), REPLIES.unreadable);
  assert.equal(await wire.request('NOOP'), REPLIES.ok);
});

test('the lock on a mailbox is released when the session ends, for whatever reason', async () => {
  const stage = await listener.newStage();
  for (const end of ['break', 'QUIT', 'nonsense\n'] as const) {
    using wire = await session(stage);
    if (end === 'break') await wire.break();
    else await wire.request(end);
    const { database } = listener.db;
    const isFree = async () => {
      const { rows } = await sql`select from pg_locks where locktype = 'advisory' and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())`.execute(database);
      return rows.length === 0;
    };
    assert.ok(await eventually(isFree, 5_000), end);
  }
});
