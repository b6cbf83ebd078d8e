/** Kills processes while they receive mail. Every message answered with 250 is stored, and duplicates exist only if a response was lost. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { Blobs, MAX_ROW_BYTES } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { TestClient } from '../../src/doors/smtp/dialogue.fixture.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { type Service, startService } from '../support/service.ts';
import { happensAtLast } from './support.ts';

const SENDERS = 8;
/** One in this many messages is large enough to be stored as an object. */
const LARGE_EACH = 5;
const LARGE = 'a line of a message that is too large for a row\r\n'.repeat((2 * MAX_ROW_BYTES) / 50);

/** The messages that senders have sent, by subject. */
interface Sent {
  answered: Set<string>;
  /** Messages sent completely that got no response. */
  unanswered: Set<string>;
}

/** Sends messages until stopped. After a temporary error or no response, sends the message again, as a mail server does. */
async function sendMail(port: () => number, name: string, sent: Sent, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const subject = `${name}-${n}`;
    while (!signal.aborted && !sent.answered.has(subject)) {
      let isOut = false;
      try {
        using client = await TestClient.connect(port());
        await client.play(`
          S: 220 mx.example ESMTP
          C: HELO client
          S: 250 mx.example
          C: MAIL FROM:<a@sender.example>
          C: RCPT TO:<anna@posthorn.localhost>
          C: RCPT TO:<bert@posthorn.localhost>
          C: DATA
          S: 250 2.1.0 OK
          S: 250 2.1.5 OK
          S: 250 2.1.5 OK
          S: 354 End with a dot on a line of its own`);
        const lines = n % LARGE_EACH === 0 ? LARGE : 'hello\r\n';
        client.send(`From: a@sender.example\r\nSubject: ${subject}\r\n\r\n${lines}.\r\n`);
        isOut = true;
        const answer = await client.line();
        if (answer?.startsWith('250 ') === true) sent.answered.add(subject);
        else if (answer === null) sent.unanswered.add(subject);
      } catch {
        if (isOut) sent.unanswered.add(subject);
        await wait(50);
      }
    }
  }
}

interface Result {
  /** Messages that were answered with 250 and are not in both mailboxes. */
  lost: string[];
  /** Messages stored twice although every response arrived. */
  doubled: string[];
  /** Messages whose bytes are missing or wrong. */
  broken: string[];
}

async function brokenIn({ database, dataDir }: Service): Promise<string[]> {
  const blobs = new Blobs(database, new ObjectFiles(join(dataDir, 'blobs')));
  const { rows } = await sql<{ projectId: string; digest: Buffer; octets: number; subject: string }>`
    select distinct project_id, digest, octets, subject from message_contents`.execute(database);
  const broken: string[] = [];
  for (const { projectId, digest, octets, subject } of rows) {
    const bytes = await (await blobs.open(projectId, digest))?.read();
    if (bytes?.length !== octets || !hash('sha256', bytes, 'buffer').equals(digest)) broken.push(subject);
  }
  return broken;
}

async function runAndKill(
  kill: (service: Service) => Promise<Service>,
  patches: readonly Patch[] = [],
): Promise<Result> {
  let service = await startService({ env: { POSTHORN_HOSTNAME: 'mx.example' }, patches });
  try {
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    const domain_id = body.data.find(({ is_hosted }) => is_hosted)?.id;
    for (const local_part of ['anna', 'bert'])
      await service.client().post('/v1/mailboxes', { domain_id, local_part });
    const sent: Sent = { answered: new Set(), unanswered: new Set() };
    const stop = new AbortController();
    const sending = Array.from({ length: SENDERS }, (_, at) =>
      sendMail(() => service.smtpPort, `m${at}`, sent, stop.signal),
    );
    assert.ok(await eventually(() => sent.answered.size >= 100, 30_000));
    service = await kill(service);
    const before = sent.answered.size;
    const continues = await eventually(() => sent.answered.size >= before + 50, 30_000);
    stop.abort();
    await Promise.all(sending);
    assert.ok(continues);
    const { rows } = await sql<{ subject: string; copies: number; mailboxes: number }>`
      select subject, count(*)::int as copies, count(distinct mailbox_id)::int as mailboxes
      from message_contents group by subject`.execute(service.database);
    const bySubject = new Map(rows.map((row) => [row.subject, row]));
    return {
      lost: [...sent.answered].filter((subject) => bySubject.get(subject)?.mailboxes !== 2),
      doubled: rows
        .filter(({ subject, copies }) => copies > 2 && !sent.unanswered.has(subject))
        .map(({ subject }) => subject),
      broken: await brokenIn(service),
    };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

const NOTHING: Result = { lost: [], doubled: [], broken: [] };

async function killService(service: Service): Promise<Service> {
  await service.kill();
  return startService({ env: { POSTHORN_HOSTNAME: 'mx.example' }, dataDir: service.dataDir });
}

test('no message that got a 250 is lost when the whole service is killed', async () => {
  assert.deepEqual(await runAndKill(killService), NOTHING);
});

test('no message that got a 250 is lost when the processes of the roles are killed', async () => {
  const kill = async (service: Service) => {
    for (const pid of service.childPids()) process.kill(pid, 'SIGKILL');
    return service;
  };
  assert.deepEqual(await runAndKill(kill), NOTHING);
});

test('no message that got a 250 is lost when PostgreSQL is killed', async () => {
  const kill = async (service: Service) => {
    process.kill(service.postgresPid(), 'SIGKILL');
    return service;
  };
  assert.deepEqual(await runAndKill(kill), NOTHING);
});

test('control: messages are lost if the 250 is sent before the commit', async () => {
  const early = {
    file: 'src/receiving/file/message-filing.ts',
    protection: 'commit before the 250',
    replace: `setTimeout(() => void this.#commit().catch(() => {}), 300);
      this.#results = this.#batch.map(() => ({ outcome: 'stored' as const, folderId: '', uidValidity: 1, uid: 1, modseq: 1, objectId: '' }));`,
  };
  assert.ok(await happensAtLast(async () => (await runAndKill(killService, [early])).lost.length > 0));
});
