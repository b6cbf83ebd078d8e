/** Kills processes that serve POP3 while messages are deleted. Messages are gone only if QUIT was answered with OK. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Pop3Wire } from '../../src/doors/pop3/dialogue.fixture.ts';
import { eventually } from '../support/eventually.ts';
import { ImapClient } from '../support/imap/client.ts';
import { randomFrom } from '../support/imap/random.ts';
import { serviceMailbox } from '../support/imap/service-mailbox.ts';
import { Pop3Ledger, type Pop3Endpoint } from '../support/pop3-ledger.ts';
import { type Service, startService } from '../support/service.ts';
import { assertSound } from '../support/sound-mailbox.ts';
import { SHORT_LEASE } from './support.ts';

const OWNERS = 4;
const ROUNDS = 2;
const PATIENCE_MS = 30_000;

async function newOwner(service: Service, name: string, seed: number) {
  const { mailbox, user, password } = await serviceMailbox(service, name);
  const { imapPort, pop3Port } = service;
  const place: Pop3Endpoint = { host: '127.0.0.1', imapPort, pop3Port, user, password };
  return { mailbox, place, ledger: new Pop3Ledger(place, randomFrom(seed)) };
}

/** The owners of several mailboxes fetch and delete messages until the kill breaks their connections, then check their mailboxes. */
async function interrupted(kill: (service: Service) => Promise<Service>): Promise<void> {
  let service = await startService({ patches: SHORT_LEASE });
  try {
    const owners: Awaited<ReturnType<typeof newOwner>>[] = [];
    for (let at = 0; at < OWNERS; at++) owners.push(await newOwner(service, `owner${at}`, at));
    const random = randomFrom(OWNERS);
    const done = () => owners.reduce((sum, { ledger }) => sum + ledger.completedQuits, 0);
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(owners.map(({ ledger }) => ledger.fill()));
      const before = done();
      let mayContinue = true;
      const working = Promise.all(owners.map(({ ledger }) => ledger.work(() => mayContinue)));
      assert.ok(await eventually(() => done() >= before + 2 * OWNERS, PATIENCE_MS));
      await wait(random.below(50));
      service = await kill(service);
      mayContinue = false;
      await working;
      const { imapPort, pop3Port } = service;
      for (const { mailbox, place, ledger } of owners) {
        Object.assign(place, { imapPort, pop3Port });
        assert.ok(await eventually(() => answers(place), PATIENCE_MS));
        await ledger.check();
        await assertSound(service.database, mailbox);
      }
    }
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

async function answers(place: Pop3Endpoint): Promise<boolean> {
  try {
    using client = await ImapClient.signIn({ ...place, port: place.imapPort });
    await client.command('SELECT INBOX');
    using wire = await Pop3Wire.connect({ host: place.host, port: place.pop3Port });
    await wire.signIn(place);
    await wire.request('QUIT');
    return true;
  } catch {
    return false;
  }
}

test('only deletions that QUIT answered with OK survive the death of the process, and no id is reused', async () => {
  await interrupted(async (service) => {
    const workers = service.workerPids();
    for (const pid of service.childPids()) if (!workers.includes(pid)) process.kill(pid, 'SIGKILL');
    return service;
  });
});

test('only deletions that QUIT answered with OK survive the death of PostgreSQL', async () => {
  await interrupted(async (service) => {
    process.kill(service.postgresPid(), 'SIGKILL');
    return service;
  });
});

test('only deletions that QUIT answered with OK survive the death of the whole service', async () => {
  await interrupted(async (service) => {
    await service.kill();
    return startService({ dataDir: service.dataDir, patches: SHORT_LEASE });
  });
});

test('control: the check fails if another client deletes messages', async () => {
  await using service = await startService();
  const { place, ledger } = await newOwner(service, 'anna', 1);
  await ledger.fill();
  await ledger.check();
  using client = await ImapClient.signIn({ ...place, port: place.imapPort });
  await client.command('SELECT INBOX');
  await client.command('STORE 1 +FLAGS.SILENT (\\Deleted)');
  await client.command('EXPUNGE');
  await assert.rejects(ledger.check(), assert.AssertionError);
});
