import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { SECRET } from '../../../test/support/postgres.ts';
import { messagesOf, newRoute, type TestRoute } from '../../../test/support/routes.ts';
import { checkSecret, type Sealer } from '../../db/seal.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { setForwarding } from '../forward/forwarding.ts';
import { RouteLimits } from '../route/route-limits.ts';
import { filerFixture, mail, RAW, to } from './filer.fixture.ts';

const fixture = filerFixture();
const { filerWith } = fixture;
let sealer: Promise<Sealer> | undefined;
const addRoute = async (fields: Parameters<typeof newRoute>[2] = {}) =>
  newRoute(fixture.database, await (sealer ??= checkSecret(fixture.database, SECRET)), fields);

const ADDRESS = 'support+case-42@acme.example';
const at = (route: TestRoute, address = ADDRESS) => ({ ...route, address });
const WITH_ID = RAW.replace('Subject', 'Message-ID: <1@sender.example>\r\nSubject');
const RECEIVED = 'Received: from a by b; Mon, 30 Nov 2026 10:00:00 +0000\r\n';

const storageOf = async ({ projectId }: TestRoute) => {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from storage_changes where project_id = ${projectId}`.execute(
    fixture.database,
  );
  return rows[0]?.bytes;
};

describe('a message for a route without a mailbox', () => {
  test('is stored with its envelope, and counted in the storage of the project', async () => {
    const route = await addRoute();
    const routes = [at(route), at(route, 'support@acme.example')];
    assert.equal(await filerWith({ score: 20 }).file(mail(), [], false, routes), 'accepted');
    const [stored, ...more] = await messagesOf(fixture.database, route);
    assert.deepEqual(more, []);
    assert.ok(stored);
    const { status, attempts, recipients, reversePath, helo, author, subject, octets } = stored;
    assert.deepEqual(
      { status, attempts, recipients, reversePath, helo, author, subject },
      {
        status: 'pending',
        attempts: 0,
        recipients: [ADDRESS, 'support@acme.example'],
        reversePath: 'b@sender.example',
        helo: 'mail.sender.example',
        author: 'b@sender.example',
        subject: 'Hello',
      },
    );
    assert.partialDeepStrictEqual(stored.authentication, { dmarc: { result: 'pass' } });
    // Spam is passed on with its score.
    assert.deepEqual(stored.spam, { score: 20, reasons: [] });
    const bytes = await fixture.bytesOf(route.projectId, stored.digest);
    assert.equal(bytes.length, octets);
    assert.ok(bytes.toString().endsWith(RAW));
    assert.equal(await storageOf(route), octets);
  });

  test('is not sent if the route has no URL', async () => {
    const route = await addRoute({ url: null });
    await filerWith().file(mail(), [], false, [at(route)]);
    assert.deepEqual(
      (await messagesOf(fixture.database, route)).map(({ status }) => status),
      ['stored'],
    );
  });

  test('is rejected if the route was deleted after RCPT', async () => {
    const route = await addRoute();
    await fixture.database.deleteFrom('routes').where('id', '=', route.routeId).execute();
    assert.deepEqual(await filerWith().file(mail(), [], false, [at(route)]), {
      refused: '5.1.1 No such recipient',
    });
    assert.deepEqual(await messagesOf(fixture.database, route), []);
  });

  test('is deferred if the plan of the project has no storage left, unless another recipient accepted it', async () => {
    const route = await addRoute();
    await fixture.database
      .updateTable('projects')
      .set({ plan: 'free', storageBytes: '2000000000' })
      .where('id', '=', route.projectId)
      .execute();
    assert.equal(await filerWith().file(mail(), [], false, [at(route)]), 'mailboxFull');
    assert.deepEqual(await messagesOf(fixture.database, route), []);
    assert.equal(await filerWith().file(mail(), [], true, [at(route)]), 'accepted');
    assert.equal((await messagesOf(fixture.database, route)).length, 1);
  });

  const repeated: [name: string, raw: string, fields: object, count: number][] = [
    ['the same message with a Message-ID once', WITH_ID, {}, 1],
    ['messages without a Message-ID each time', RAW, {}, 2],
    ['an email of this installation once', RAW, { objectId: newUuid() }, 1],
  ];
  for (const [name, raw, fields, count] of repeated)
    test(`stores ${name}, even if it is received again`, async () => {
      const route = await addRoute();
      const message = { ...mail(raw), ...fields };
      for (let received = 0; received < 2; received++)
        assert.equal(await filerWith().file(message, [], false, [at(route)]), 'accepted');
      const stored = await messagesOf(fixture.database, route);
      assert.equal(stored.length, count);
      assert.equal(
        await storageOf(route),
        stored.reduce((sum, { octets }) => sum + octets, 0),
      );
    });
});

test('a message that is sent to each recipient of a route separately is stored for each', async () => {
  for (const fields of [{}, { objectId: newUuid() }]) {
    const route = await addRoute();
    const message = { ...mail(WITH_ID), ...fields };
    for (const address of [ADDRESS, 'sales@acme.example', ADDRESS])
      assert.equal(await filerWith().file(message, [], false, [at(route, address)]), 'accepted');
    assert.deepEqual(
      (await messagesOf(fixture.database, route)).map(({ recipients }) => recipients),
      [[ADDRESS], ['sales@acme.example']],
    );
  }
});

describe('mail of the service', () => {
  test('never reaches a route', async () => {
    const route = await addRoute();
    const message = { ...mail(), isService: true };
    assert.deepEqual(await filerWith().file(message, [], false, [at(route)]), {
      refused: '5.7.1 Mail of the service is not passed to programs',
    });
    const anna = await newMailbox(fixture.database);
    const ofAnna = await addRoute(anna);
    assert.equal(await filerWith().file(message, [to(anna)], false, [at(ofAnna)]), 'accepted');
    assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
    assert.deepEqual(await messagesOf(fixture.database, ofAnna), []);
  });
});

describe('a message for a mailbox with a route', () => {
  test('is stored for both, and its bytes once', async () => {
    const anna = await newMailbox(fixture.database);
    const route = await addRoute(anna);
    assert.equal(await filerWith().file(mail(), [to(anna)], false, [at(route)]), 'accepted');
    assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
    const [stored] = await messagesOf(fixture.database, route);
    const blobs = await fixture.database
      .selectFrom('blobs')
      .select('digest')
      .where('projectId', '=', anna.projectId)
      .execute();
    assert.deepEqual(
      blobs.map(({ digest }) => digest),
      [stored?.digest],
    );
  });

  test('reaches the route from Junk too, but not if the mailbox refuses it', async () => {
    const anna = await newMailbox(fixture.database);
    const route = await addRoute(anna);
    await filerWith({ score: 7 }).file(mail(), [to(anna)], false, [at(route)]);
    assert.deepEqual(await fixture.foldersOf(anna), ['junk']);
    assert.equal((await messagesOf(fixture.database, route)).length, 1);
    const other = await addRoute();
    // The route without a mailbox accepts the message, so that the mailbox cannot refuse it.
    await filerWith({ score: 30 }).file(mail(), [to(anna)], false, [at(route), at(other)]);
    assert.equal((await messagesOf(fixture.database, route)).length, 1);
    assert.equal((await messagesOf(fixture.database, other)).length, 1);
  });

  test('reaches the route of a tag also if the mailbox has the email under its plain address', async () => {
    const anna = await newMailbox(fixture.database);
    const route = await addRoute({ ...anna, tag: 'case' });
    const message = { ...mail(), objectId: newUuid() };
    await filerWith().file(message, [to(anna)], false, []);
    const ofTag = at(route, 'anna+case@acme.example');
    for (let attempt = 1; attempt <= 2; attempt++)
      assert.equal(await filerWith().file(message, [to(anna)], false, [ofTag]), 'accepted');
    assert.equal((await fixture.foldersOf(anna)).length, 1);
    assert.equal((await messagesOf(fixture.database, route)).length, 1);
  });

  test('is stored for both even if its automatic mail cannot be stored', async () => {
    const anna = await newMailbox(fixture.database);
    await setForwarding(fixture.database, anna, 'anna@elsewhere.example', false);
    const route = await addRoute(anna);
    const returnPaths = { mintForForward: () => 'not for PostgreSQL: \0', verifyMailbox: () => null };
    const filer = filerWith({}, { returnPaths });
    const recipient = to(anna, 'medium', 'anna@acme.example', 1);
    assert.equal(await filer.file(mail(), [recipient], false, [at(route)]), 'accepted');
    assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
    assert.equal((await messagesOf(fixture.database, route)).length, 1);
  });

  test('does not reach the route if the mailbox was deleted after RCPT', async () => {
    const anna = await newMailbox(fixture.database);
    const route = await addRoute(anna);
    await fixture.database.deleteFrom('mailboxes').where('id', '=', anna.mailboxId).execute();
    assert.deepEqual(await filerWith().file(mail(), [to(anna)], false, [at(route)]), {
      refused: '5.1.1 No such recipient',
    });
  });
});

describe('a loop', () => {
  const loops: [name: string, headerOf: (route: TestRoute) => string, outcome: 'accepted' | 'loop'][] = [
    [
      'with the field of the route',
      ({ routeId }) => `X-Posthorn-Loop: ${encodeId('rt', routeId)}\r\n`,
      'loop',
    ],
    [
      'with the field of another route',
      () => `X-Posthorn-Loop: ${encodeId('rt', newUuid())}\r\n`,
      'accepted',
    ],
    ['that was delivered to the address before', () => `Delivered-To: ${ADDRESS}\r\n`, 'loop'],
    ['with 31 Received fields', () => RECEIVED.repeat(31), 'loop'],
    ['with 30 Received fields', () => RECEIVED.repeat(30), 'accepted'],
  ];
  for (const [name, headerOf, outcome] of loops)
    test(`${outcome === 'loop' ? 'ends' : 'is not seen in'} a message ${name}`, async () => {
      const route = await addRoute();
      const raw = headerOf(route) + RAW;
      assert.equal(await filerWith().file(mail(raw), [], false, [at(route)]), outcome);
      assert.equal((await messagesOf(fixture.database, route)).length, outcome === 'loop' ? 0 : 1);
    });
});

describe('a sender with more than 20 messages a minute', () => {
  test('is deferred, and counted for the route', async () => {
    let nowMs = 0;
    const limits = new RouteLimits({ database: fixture.database, nowMs: () => nowMs });
    const filer = filerWith({}, { routeLimits: limits });
    const route = await addRoute();
    const outcomes = [];
    for (let sent = 0; sent < 22; sent++) outcomes.push(await filer.file(mail(), [], false, [at(route)]));
    assert.deepEqual(outcomes, [...Array<string>(20).fill('accepted'), 'tooManyForRoute', 'tooManyForRoute']);
    const other = filerWith(
      {
        dmarc: { result: 'pass', domain: 'other.example', published: 'none' },
        spf: { result: 'pass', domain: 'other.example' },
      },
      { routeLimits: limits },
    );
    assert.equal(await other.file(mail(), [], false, [at(route)]), 'accepted');
    nowMs = 3_000;
    assert.equal(await filer.file(mail(), [], false, [at(route)]), 'accepted');
    await limits.write();
    const { deferred, lastDeferredAt } = await fixture.database
      .selectFrom('routes')
      .select(['deferred', 'lastDeferredAt'])
      .where('id', '=', route.routeId)
      .executeTakeFirstOrThrow();
    assert.equal(deferred, '2');
    assert.ok(lastDeferredAt instanceof Date);
  });

  test('waits only for routes: the mail of a mailbox arrives in the mailbox and at its route', async () => {
    const limits = new RouteLimits({ database: fixture.database, nowMs: () => 0 });
    const filer = filerWith({}, { routeLimits: limits });
    const anna = await newMailbox(fixture.database);
    const route = await addRoute(anna);
    for (let sent = 0; sent < 22; sent++)
      assert.equal(await filer.file(mail(), [to(anna)], false, [at(route)]), 'accepted');
    assert.equal((await fixture.foldersOf(anna)).length, 22);
    assert.equal((await messagesOf(fixture.database, route)).length, 22);
  });

  test('that is a project of this installation does not delay other projects that send from the same domain', async () => {
    const limits = new RouteLimits({ database: fixture.database, nowMs: () => 0 });
    const filer = filerWith({}, { routeLimits: limits });
    const route = await addRoute();
    const [first, second] = [newUuid(), newUuid()];
    const send = (senderProjectId: string) =>
      filer.file({ ...mail(), isOwn: true, senderProjectId }, [], false, [at(route)]);
    for (let sent = 0; sent < 20; sent++) await send(first);
    assert.deepEqual([await send(first), await send(second)], ['tooManyForRoute', 'accepted']);
  });
});
