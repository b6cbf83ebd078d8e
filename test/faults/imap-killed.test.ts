/**
 * Kills processes that mail apps use while the apps change a mailbox. Every change answered with OK is stored, and every other change is
 * stored completely or not at all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { ImapEndpoint } from '../support/imap/client.ts';
import { Ledger } from '../support/imap/ledger.ts';
import { randomFrom } from '../support/imap/random.ts';
import { serviceMailbox } from '../support/imap/service-mailbox.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { assertSound } from '../support/sound-mailbox.ts';
import { SHORT_LEASE } from './support.ts';
import { ImapClient } from '../support/imap/client.ts';

const OWNERS = 5;
const ROUNDS = 2;
const PATIENCE_MS = 30_000;

/** Several clients change their own folders in one mailbox until the kill breaks their connections, then check the folders. */
async function interrupted(kill: (service: Service) => Promise<Service>): Promise<void> {
  let service = await startService({ patches: SHORT_LEASE });
  try {
    const { mailbox, user, password } = await serviceMailbox(service, 'anna');
    const place: ImapEndpoint = { host: '127.0.0.1', port: service.imapPort, user, password };
    const random = randomFrom(1);
    const ledgers = Array.from(
      { length: OWNERS },
      (_, at) => new Ledger(place, `owner${at}`, randomFrom(random.below(2 ** 31))),
    );
    for (const ledger of ledgers) await ledger.makeFolders();
    const done = () => ledgers.reduce((sum, ledger) => sum + ledger.completedCommands, 0);
    for (let round = 0; round < ROUNDS; round++) {
      const before = done();
      let mayContinue = true;
      const working = Promise.all(ledgers.map((ledger) => ledger.work(() => mayContinue)));
      assert.ok(await eventually(() => done() >= before + 60, PATIENCE_MS));
      await wait(random.below(100));
      service = await kill(service);
      mayContinue = false;
      await working;
      place.port = service.imapPort;
      assert.ok(await eventually(() => answers(place), PATIENCE_MS));
      for (const ledger of ledgers) await ledger.check();
      await assertSound(service.database, mailbox);
    }
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

async function answers(place: ImapEndpoint): Promise<boolean> {
  try {
    using client = await ImapClient.signIn(place);
    // Select a folder, because signing in may use a cache instead of the database.
    await client.command('SELECT INBOX');
    return true;
  } catch {
    return false;
  }
}

test('changes that IMAP answered with OK survive the death of its process, no UID is reused, and the counters are right', async () => {
  await interrupted(async (service) => {
    const workers = service.workerPids();
    for (const pid of service.childPids()) if (!workers.includes(pid)) process.kill(pid, 'SIGKILL');
    return service;
  });
});

test('changes that IMAP answered with OK survive the death of PostgreSQL', async () => {
  await interrupted(async (service) => {
    process.kill(service.postgresPid(), 'SIGKILL');
    return service;
  });
});

test('changes that IMAP answered with OK survive the death of the whole service', async () => {
  await interrupted(async (service) => {
    await service.kill();
    return startService({ dataDir: service.dataDir, patches: SHORT_LEASE });
  });
});

test('control: the check fails if another client deletes messages', async () => {
  await using service = await startService();
  const { user, password } = await serviceMailbox(service, 'anna');
  const place = { host: '127.0.0.1', port: service.imapPort, user, password };
  const ledger = new Ledger(place, 'owner', randomFrom(2));
  await ledger.makeFolders();
  await ledger.work(() => ledger.completedCommands < 20);
  await ledger.check();
  using client = await ImapClient.signIn(place);
  for (const folder of ['owner-a', 'owner-b']) {
    await client.command(`SELECT ${folder}`);
    await client.command('UID STORE 1:* +FLAGS.SILENT (\\Deleted)');
    await client.command('EXPUNGE');
  }
  await assert.rejects(ledger.check(), assert.AssertionError);
});
