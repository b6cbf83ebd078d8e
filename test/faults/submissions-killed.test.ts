/** Kills workers while they deliver submissions of mailboxes. No message is lost, and each recipient has an outcome. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid } from '../../src/model/ids.ts';
import { insertSubmissions } from '../../src/sending/submit/insert-submissions.ts';
import { eventually } from '../support/eventually.ts';
import { newMailbox } from '../support/mail.ts';
import type { Patch } from '../support/patches.ts';
import { startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { newSubmission, recipientOf } from '../support/submissions.ts';
import { happensAtLast, queueIsEmpty, SHORT_LEASE } from './support.ts';

const MESSAGES = 150;
const KILLS = 3;

interface Result {
  /** Recipients that did not get their message. */
  lost: string[];
  /** Recipients without an outcome. */
  unknown: string[];
  /** Recipients that got two copies with different bytes. */
  changed: string[];
}

async function killWorkers(patches: readonly Patch[], patienceMs: number): Promise<Result> {
  await using server = await startSmtpServer();
  await using service = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    patches: [...SHORT_LEASE, ...patches],
  });
  const { projectId, mailboxId } = await newMailbox(service.database);
  const submissions = Array.from({ length: MESSAGES }, (_, at) => {
    const messageId = `<${at}@posthorn.localhost>`;
    const recipients = [recipientOf(`a${at}@dst.test`), recipientOf(`b${at}@dst.test`)];
    const raw = `From: ada@posthorn.localhost\r\nMessage-ID: ${messageId}\r\n\r\nNumber ${at}\r\n`;
    return newSubmission({ projectId, mailboxId, submissionId: newUuid(), messageId, recipients }, raw);
  });
  const addresses = submissions.flatMap(({ recipients }) => recipients.map(({ address }) => address));
  await insertSubmissions(service.database, submissions);
  for (let kill = 1; kill <= KILLS; kill++) {
    await eventually(() => server.messages.length >= (kill * addresses.length) / (KILLS + 2), 5_000);
    for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
  }
  await queueIsEmpty(service, patienceMs);
  const bytesOf = new Map<string, string>();
  const changed: string[] = [];
  for (const { rcptTo, data } of server.messages)
    for (const recipient of rcptTo) {
      const content = data.toString();
      const earlier = bytesOf.get(recipient) ?? content;
      if (earlier !== content) changed.push(recipient);
      bytesOf.set(recipient, content);
    }
  const ended = await service.database
    .selectFrom('submissionRecipients')
    .select('address')
    .where('outcome', '=', 'relayed')
    .execute();
  const known = new Set(ended.map(({ address }) => address));
  return {
    lost: addresses.filter((address) => !bytesOf.has(address)),
    unknown: addresses.filter((address) => !known.has(address)),
    changed,
  };
}

test('no submission is lost when workers are killed while they send', async () => {
  assert.deepEqual(await killWorkers([], 30_000), { lost: [], unknown: [], changed: [] });
});

test('control: submissions are lost if the claims of a dead worker are not released', async () => {
  const notReleased = {
    file: 'src/queue/end-lease.ts',
    protection: 'taken back',
    replace: 'where false and lease_id = ${leaseId}',
  };
  assert.ok(await happensAtLast(async () => (await killWorkers([notReleased], 5_000)).unknown.length > 0));
});
