/** Servers that reject some senders: the mail that waits, and how long it waits. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import {
  type Mail,
  OFTEN,
  senderOf,
  startDelivery,
  VerifiedSenders,
} from '../../../test/support/deliveries.ts';
import { directTo } from '../../../test/support/direct-to.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import {
  destinationRow,
  emptyQueue,
  makeDestinationsDue,
  park,
  rowOf,
  setFailingSince,
} from '../../../test/support/queue-rows.ts';
import { relayTo } from '../../../test/support/relay-to.ts';
import { type SmtpTestServer, startSmtpServer } from '../../../test/support/smtp-server.ts';
import type { Sealer } from '../../db/seal.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { closeDestination } from '../../queue/destinations.ts';
import { TIMINGS } from './timings.ts';

const PATIENCE_MS = 15_000;

let db: TestDatabase & { sealer: Sealer };
let senders: VerifiedSenders;
let server: SmtpTestServer;
/** Sender domains that the server rejects. */
const refused = new Set<string>();
/** The sender domains of MAIL commands, in order of arrival. */
let mailFromDomains: string[] = [];

before(async () => {
  db = await sealedDatabase();
  senders = new VerifiedSenders(db);
  server = await startSmtpServer({
    reply: (stage, argument) => {
      if (stage !== 'mail') return undefined;
      const sender = senderOf(argument);
      mailFromDomains.push(sender);
      return refused.has(sender) ? '421 4.7.0 not from you' : undefined;
    },
  });
});
beforeEach(async () => {
  await emptyQueue(db.database);
});
afterEach(() => {
  refused.clear();
  mailFromDomains = [];
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

const direct = () => directTo(server.port, { 'gmx.test': { A: ['127.0.0.1'] } });

function isDone(address: string): Promise<boolean> {
  return eventually(async () => (await rowOf(db.database, address)).nextAttemptAt === null, PATIENCE_MS);
}

/** Whether the recipient eventually waits for the destination. */
function waitsFor(address: string, destination: string): Promise<boolean> {
  return eventually(async () => (await rowOf(db.database, address)).destination === destination, PATIENCE_MS);
}

function isForgotten(name: string): Promise<boolean> {
  return eventually(async () => (await destinationRow(db.database, name)) === undefined, PATIENCE_MS);
}

async function typesOf(address: string): Promise<string[]> {
  const events = await db.database
    .selectFrom('events')
    .selectAll()
    .where('recipient', '=', address)
    .orderBy('id')
    .execute();
  return events.map(({ type }) => type);
}

function attemptsOf(sender: string): number {
  return mailFromDomains.filter((each) => each === sender).length;
}

const SAID = {
  replyCode: 421,
  enhancedCode: null,
  text: 'not now',
  remoteMta: null,
  tls: false,
  dialogue: null,
};
const BAD = 'gmx.test from bad.example';

describe('a server that rejects a sender domain at MAIL', () => {
  test('a server that rejects one sender domain gets the mail of other senders', async () => {
    refused.add('bad.example');
    await using provider = await direct();
    await senders.queue(['bad.example', 'a@gmx.test']);
    await using worker = await startDelivery(db, provider, OFTEN);
    assert.ok(await waitsFor('a@gmx.test', BAD));
    assert.equal(await destinationRow(db.database, 'gmx.test'), undefined);
    await senders.queue(['good.example', 'b@gmx.test']);
    worker.delivery.wake();
    assert.ok(await isDone('b@gmx.test'));
  });

  test('a server gets no more mail of a sender that it rejects, and the mail is deferred', async () => {
    refused.add('bad.example');
    await using provider = await direct();
    await senders.queue(['bad.example', 'a@gmx.test']);
    await using worker = await startDelivery(db, provider, OFTEN);
    assert.ok(await waitsFor('a@gmx.test', BAD));
    const attempts = attemptsOf('bad.example');
    await senders.queue(['bad.example', 'b@gmx.test'], ['bad.example', 'c@gmx.test']);
    worker.delivery.wake();
    assert.ok((await waitsFor('b@gmx.test', BAD)) && (await waitsFor('c@gmx.test', BAD)));
    assert.equal(attemptsOf('bad.example'), attempts);
    assert.deepEqual(await typesOf('b@gmx.test'), ['deferred']);
  });

  test('a worker that started after the rejection sends no mail of the rejected sender', async () => {
    refused.add('bad.example');
    await closeDestination(db.database, BAD, 0, 60_000, SAID);
    await using provider = await direct();
    await senders.queue(['bad.example', 'a@gmx.test'], ['good.example', 'b@gmx.test']);
    await using _worker = await startDelivery(db, provider, OFTEN);
    assert.ok(await waitsFor('a@gmx.test', BAD));
    assert.ok(await isDone('b@gmx.test'));
    assert.equal(attemptsOf('bad.example'), 0);
  });

  test('a server that accepts the probe gets all mail of the sender', async () => {
    refused.add('bad.example');
    await using provider = await direct();
    const addresses = Array.from({ length: 30 }, (_, at) => `${at}@gmx.test`);
    await senders.queue(...addresses.map((address): Mail => ['bad.example', address]));
    await using _worker = await startDelivery(db, provider, OFTEN);
    for (const address of addresses) assert.ok(await waitsFor(address, BAD));
    refused.clear();
    await makeDestinationsDue(db.database, BAD);
    for (const address of addresses) assert.ok(await isDone(address));
    assert.ok((await isForgotten(BAD)) && (await isForgotten('gmx.test')));
  });

  test('a server that rejects a second sender gets no mail until the next probe finds a sender that it accepts', async () => {
    refused.add('bad.example').add('worse.example');
    await using provider = await direct();
    await senders.queue(['bad.example', 'a@gmx.test'], ['worse.example', 'b@gmx.test']);
    await using worker = await startDelivery(db, provider, OFTEN);
    assert.ok(
      (await waitsFor('a@gmx.test', BAD)) && (await waitsFor('b@gmx.test', 'gmx.test from worse.example')),
    );
    assert.equal((await destinationRow(db.database, 'gmx.test'))?.failures, 1);
    await senders.queue(
      ['bad.example', 'c@gmx.test'],
      ['worse.example', 'd@gmx.test'],
      ['good.example', 'e@gmx.test'],
    );
    worker.delivery.wake();
    for (const name of ['c', 'd', 'e']) assert.ok(await waitsFor(`${name}@gmx.test`, 'gmx.test'));
    const attempts = attemptsOf('bad.example');
    await makeDestinationsDue(db.database, 'gmx.test');
    assert.ok(await isDone('e@gmx.test'));
    assert.ok(await waitsFor('c@gmx.test', BAD));
    assert.equal(attemptsOf('bad.example'), attempts);
  });

  test('a second rejected sender does not stop other mail if the server accepted mail between the two rejections', async () => {
    refused.add('bad.example');
    await using provider = await direct();
    await senders.queue(['bad.example', 'a@gmx.test']);
    await using worker = await startDelivery(db, provider, OFTEN);
    assert.ok(await waitsFor('a@gmx.test', BAD));
    await senders.queue(['good.example', 'b@gmx.test']);
    worker.delivery.wake();
    assert.ok(await isDone('b@gmx.test'));
    refused.add('worse.example');
    await senders.queue(['worse.example', 'c@gmx.test']);
    worker.delivery.wake();
    assert.ok(await waitsFor('c@gmx.test', 'gmx.test from worse.example'));
    await senders.queue(['good.example', 'd@gmx.test']);
    worker.delivery.wake();
    assert.ok(await isDone('d@gmx.test'));
  });

  test('mail of an accepted sender is sent although mail of rejected senders was parked first', async () => {
    const refusedOnes = Array.from({ length: 9 }, (_, at) => `bad${at}.example`);
    for (const sender of refusedOnes) refused.add(sender);
    await using provider = await direct();
    await senders.queue(...refusedOnes.map((sender, at): Mail => [sender, `${at}@gmx.test`]));
    await senders.queue(['good.example', 'good@gmx.test']);
    await park(db.database, 'gmx.test');
    await closeDestination(db.database, 'gmx.test', 0, 0, SAID);
    await using _worker = await startDelivery(db, provider, OFTEN);
    const isThrough = eventually(async () => {
      await makeDestinationsDue(db.database, 'gmx.test');
      return (await rowOf(db.database, 'good@gmx.test')).nextAttemptAt === null;
    }, PATIENCE_MS);
    assert.ok(await isThrough);
    for (const sender of refusedOnes) assert.ok(attemptsOf(sender) <= 2, 'one attempt, over two connections');
  });

  test('mail of a rejected sender that waited for three days bounces after three days of rejections', async () => {
    refused.add('bad.example');
    await using provider = await direct();
    const addresses = ['a@gmx.test', 'b@gmx.test', 'c@gmx.test'];
    const sentMs = Date.now() - TIMINGS.abandonAfterMs - 60_000;
    await senders.queue(
      ...addresses.map((address, at): Mail => ['bad.example', address, firstUuidAt(new Date(sentMs + at))]),
    );
    await park(db.database, BAD);
    await closeDestination(db.database, BAD, 0, 0, SAID);
    await using _worker = await startDelivery(db, provider, OFTEN);
    assert.ok(
      await eventually(async () => (await destinationRow(db.database, BAD))?.failures === 2, PATIENCE_MS),
    );
    const left = await db.database
      .selectFrom('queue')
      .select('address')
      .where('destination', '=', BAD)
      .execute();
    assert.equal(left.length, 2, 'only the probe was tried');
    await setFailingSince(db.database, BAD, '-73 hours');
    await makeDestinationsDue(db.database, BAD);
    for (const address of addresses) assert.ok(await isDone(address));
  });
});

test('a smart host that rejects one sender domain at MAIL still gets the mail of other senders', async () => {
  refused.add('bad.example');
  await using provider = relayTo(server.port);
  await senders.queue(...Array.from({ length: 300 }, (_, at): Mail => ['bad.example', `${at}@gmx.test`]));
  await senders.queue(['good.example', 'b@gmx.test']);
  await using _worker = await startDelivery(db, provider, OFTEN);
  assert.ok(await isDone('b@gmx.test'));
});
