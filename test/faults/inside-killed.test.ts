/** Kills processes while they deliver mail to local mailboxes. Each message is stored exactly once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { decodeId } from '../../src/model/ids.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { type Service, startService } from '../support/service.ts';
import { allStatuses, happensAtLast, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

const MAILBOXES = ['anna', 'bert'];

/** Delays recording the outcome of each delivery, so that a kill can come after a message was stored and before its outcome is recorded. */
const LATE_ANSWERS: Patch = {
  file: 'src/receiving/inside/inside-mailboxes.ts',
  append: `
    const find = InsideMailboxes.prototype.find;
    InsideMailboxes.prototype.find = async function (projectId, address) {
      const place = await find.call(this, projectId, address);
      return place && { ...place, handOver: async (message) => {
        const reply = await place.handOver(message);
        await new Promise((done) => setTimeout(done, 200));
        return reply;
      } };
    };`,
};

interface Result {
  /** Accepted emails that are missing from a mailbox, or whose status is not delivered. */
  lost: string[];
  /** Messages that are in a mailbox more than once. */
  doubled: string[];
}

/** The number of copies of each message per mailbox. Copies of one email have the same Message-ID. */
async function copiesIn({ database }: Service): Promise<{ messageId: string; copies: number }[]> {
  const { rows } = await sql<{ messageId: string; copies: number }>`
    select message_id, count(*)::int as copies from message_contents group by mailbox_id, message_id`.execute(
    database,
  );
  return rows;
}

async function runAndKill(
  kill: (service: Service, patches: readonly Patch[]) => Promise<Service>,
  more: readonly Patch[] = [],
): Promise<Result> {
  const patches = [...SHORT_LEASE, LATE_ANSWERS, ...more];
  let service = await startService({ patches });
  const { token } = service;
  try {
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    const domain_id = body.data.find(({ is_hosted }) => is_hosted)?.id;
    for (const local_part of MAILBOXES)
      await service.client().post('/v1/mailboxes', { domain_id, local_part });
    const stop = new AbortController();
    const posting = postEmails(
      service,
      { signal: stop.signal },
      { to: MAILBOXES.map((name) => `${name}@posthorn.localhost`) },
    );
    assert.ok(await eventually(async () => (await copiesIn(service)).length >= 100, 30_000));
    stop.abort();
    service = await kill(service, patches);
    const { accepted } = await posting;
    assert.ok(await queueIsEmpty(service, 60_000));
    const copies = await copiesIn(service);
    const statuses = await allStatuses(service.client(token));
    const { rows } = await sql<{ id: string; mailboxes: number }>`
      select object_id as id, count(*)::int as mailboxes from message_contents group by 1`.execute(
      service.database,
    );
    const mailboxes = new Map(rows.map((row) => [row.id, row.mailboxes]));
    return {
      lost: accepted.filter(
        (id) =>
          mailboxes.get(decodeId('em', id) ?? '') !== MAILBOXES.length || statuses.get(id) !== 'delivered',
      ),
      doubled: copies.filter((one) => one.copies > 1).map(({ messageId }) => messageId),
    };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

const NOTHING: Result = { lost: [], doubled: [] };

async function killService(service: Service, patches: readonly Patch[]): Promise<Service> {
  await service.kill();
  return startService({ dataDir: service.dataDir, patches });
}

async function killWorkers(service: Service): Promise<Service> {
  for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
  return service;
}

test('each email to local mailboxes is stored exactly once when the whole service is killed', async () => {
  assert.deepEqual(await runAndKill(killService), NOTHING);
});

test('each email to local mailboxes is stored exactly once when the delivering processes are killed', async () => {
  assert.deepEqual(await runAndKill(killWorkers), NOTHING);
});

test('each email to local mailboxes is stored exactly once when PostgreSQL is killed', async () => {
  const kill = async (service: Service) => {
    process.kill(service.postgresPid(), 'SIGKILL');
    return service;
  };
  assert.deepEqual(await runAndKill(kill), NOTHING);
});

test('control: emails are stored twice if the stored message is not identified by the id of its email', async () => {
  const nameless = {
    file: 'src/receiving/inside/inside-mailboxes.ts',
    protection: 'one copy of each email',
    replace: '',
  };
  assert.ok(await happensAtLast(async () => (await runAndKill(killWorkers, [nameless])).doubled.length > 0));
});
