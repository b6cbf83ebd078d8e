import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail } from '../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { claimRows, emptyQueue, park, setDue } from '../../test/support/queue-rows.ts';
import { newUuid } from '../model/ids.ts';
import type { Stream } from '../model/streams.ts';
import { insertEmails } from '../sending/accept/insert-emails.ts';
import { claimDue, type ClaimedRow } from './claim.ts';
import { claimParked, parkDue } from './destinations.ts';
import { Lease } from './lease.ts';
import { divideFairly, type WaitingStream } from './fair-shares.ts';

let db: TestDatabase;
let lease: Lease;

before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
  lease = await Lease.begin(db.database, newUuid(), 'test');
  lease.stop();
});
after(() => db[Symbol.asyncDispose]());

/** Queues emails of a project, each with one recipient. */
async function queue(projectId: string, count: number, stream: Stream = 'transactional'): Promise<void> {
  await insertEmails(
    db.database,
    Array.from({ length: count }, () => newEmail({ projectId, stream })),
  );
}

function ids(count: number): string[] {
  return Array.from({ length: count }, newUuid);
}

function counts(rows: readonly { projectId: string }[], projects: readonly string[]): number[] {
  return projects.map((id) => rows.filter(({ projectId }) => projectId === id).length);
}

function streams(rows: readonly ClaimedRow[]): Record<Stream, number> {
  const bulk = rows.filter(({ stream }) => stream === 'bulk').length;
  return { transactional: rows.length - bulk, bulk };
}

suite('claiming due rows', () => {
  test('a project gets its share although another project has a backlog', async () => {
    const [a, b] = ids(2) as [string, string];
    await queue(a, 50);
    await queue(b, 1);
    assert.deepEqual(counts(await claimRows(db.database, lease.leaseId, 10), [a, b]), [9, 1]);
  });

  test('a project with a backlog gets the rows that other projects do not use', async () => {
    const [a, b, c] = ids(3) as [string, string, string];
    await queue(a, 50);
    await queue(b, 3);
    await queue(c, 3);
    assert.deepEqual(counts(await claimRows(db.database, lease.leaseId, 30), [a, b, c]), [24, 3, 3]);
  });

  test('each stream gets a share, but a project with two streams gets no more than other projects', async () => {
    const [a, b] = ids(2) as [string, string];
    await queue(a, 50, 'bulk');
    await queue(a, 50);
    await queue(b, 50);
    const rows = await claimRows(db.database, lease.leaseId, 20);
    assert.deepEqual(counts(rows, [a, b]), [10, 10]);
    assert.deepEqual(streams(rows.filter(({ projectId }) => projectId === a)), {
      transactional: 5,
      bulk: 5,
    });
  });

  test('the row that has been due longest is claimed first', async () => {
    const a = newUuid();
    const early = newUuid();
    await queue(a, 3);
    await insertEmails(db.database, [newEmail({ projectId: a, emailId: early })]);
    await setDue(db.database, '-1 hour', { emailId: early });
    assert.equal((await claimRows(db.database, lease.leaseId, 1))[0]?.emailId, early);
  });

  test('streams in `leaveOut` get no share', async () => {
    const [a, b] = ids(2) as [string, string];
    await queue(a, 50);
    await queue(a, 5, 'bulk');
    await queue(b, 1);
    const leaveOut = [{ projectId: a, stream: 'transactional' as const }];
    const { rows, isMore } = await claimDue(db.database, lease.leaseId, 10, { leaveOut });
    assert.deepEqual(
      [counts(rows, [a, b]), streams(rows), isMore],
      [[5, 1], { transactional: 1, bulk: 5 }, false],
    );
  });

  test('the next claim continues with the streams that the previous claim did not serve', async () => {
    const projects = ids(10);
    for (const id of projects) await queue(id, 2);
    const first = await claimDue(db.database, lease.leaseId, 4);
    const second = await claimDue(db.database, lease.leaseId, 4, { after: first.last });
    const third = await claimDue(db.database, lease.leaseId, 4, { after: second.last });
    const rows = [...first.rows, ...second.rows, ...third.rows];
    assert.ok(first.isMore && second.isMore && third.isMore);
    assert.deepEqual(counts(rows, projects).toSorted(), [1, 1, 1, 1, 1, 1, 1, 1, 2, 2]);
  });

  test('thousands of streams are scanned in parts', async () => {
    const projects = ids(2_100).toSorted();
    const emails = projects.map((projectId) => newEmail({ projectId }));
    await insertEmails(db.database, emails);
    await setDue(db.database, '1 hour');
    const email = emails.at(-1)?.emailId ?? '';
    await setDue(db.database, '-1 second', { emailId: email });
    const claims = [await claimDue(db.database, lease.leaseId, 10)];
    while (claims.at(-1)?.isMore) {
      const after = claims.at(-1)?.last;
      claims.push(await claimDue(db.database, lease.leaseId, 10, after === undefined ? {} : { after }));
    }
    assert.deepEqual(
      claims.map(({ rows }) => rows.map(({ emailId }) => emailId)),
      [[], [], [email]],
    );
  });

  test('isMore is true only if unclaimed rows may be left', async () => {
    const a = newUuid();
    await queue(a, 3);
    assert.equal((await claimDue(db.database, lease.leaseId, 2)).isMore, true);
    assert.equal((await claimDue(db.database, lease.leaseId, 2)).isMore, false);
    assert.deepEqual(await claimRows(db.database, lease.leaseId, 2), []);
  });
});

suite('claiming parked rows', () => {
  test('parked rows are shared between projects', async () => {
    const [a, b] = ids(2) as [string, string];
    await queue(a, 50);
    await queue(b, 1);
    await park(db.database, 'one.test');
    const { rows, isMore } = await claimParked(db.database, lease.leaseId, 'one.test', 10);
    assert.deepEqual([counts(rows, [a, b]), isMore], [[9, 1], true]);
  });

  test('claims of one row each go round-robin from project to project', async () => {
    const projects = ids(3).toSorted();
    for (const id of projects) await queue(id, 2);
    await park(db.database, 'one.test');
    const served: string[] = [];
    let options = {};
    for (let turn = 0; turn < 6; turn++) {
      const { rows, last } = await claimParked(db.database, lease.leaseId, 'one.test', 1, options);
      served.push(...rows.map(({ projectId }) => projectId));
      options = { after: last };
    }
    assert.deepEqual(served, [...projects, ...projects]);
  });

  test('a row that another worker has locked does not hide the rows of the next project', async () => {
    const projects = ids(2).toSorted();
    for (const id of projects) await queue(id, 1);
    await park(db.database, 'one.test');
    await db.database.transaction().execute(async (tx) => {
      await sql`select from queue where project_id = ${projects[0]} for update`.execute(tx);
      const first = await claimParked(db.database, lease.leaseId, 'one.test', 1);
      assert.deepEqual([first.rows, first.isMore], [[], true]);
      const { rows } = await claimParked(db.database, lease.leaseId, 'one.test', 1, { after: first.last });
      assert.deepEqual(counts(rows, projects), [0, 1]);
    });
  });

  test('rows are found even if `leaveOut` lists more streams than the limit of the claim', async () => {
    const projects = ids(4).toSorted();
    for (const id of projects) await queue(id, 1);
    await park(db.database, 'one.test');
    const leaveOut = projects
      .slice(0, 3)
      .map((projectId) => ({ projectId, stream: 'transactional' as const }));
    const { rows } = await claimParked(db.database, lease.leaseId, 'one.test', 2, { leaveOut });
    assert.deepEqual(counts(rows, projects), [0, 0, 0, 1]);
  });

  test('isMore is true if other streams still have rows', async () => {
    const projects = ids(3).toSorted();
    for (const id of projects) await queue(id, 1);
    await park(db.database, 'one.test');
    const after = { projectId: projects[1] as string, stream: 'transactional' as const };
    const { rows, isMore } = await claimParked(db.database, lease.leaseId, 'one.test', 2, { after });
    assert.deepEqual([counts(rows, projects), isMore], [[1, 0, 1], true]);
  });

  test('rows parked for other destinations are not claimed', async () => {
    const [a, b] = ids(2) as [string, string];
    await queue(a, 2);
    await park(db.database, 'one.test');
    await queue(b, 2);
    await park(db.database, 'two.test');
    const { rows, isMore } = await claimParked(db.database, lease.leaseId, 'two.test', 10);
    assert.deepEqual([counts(rows, [a, b]), isMore], [[0, 2], false]);
  });

  test('parkDue parks only rows of the given project', async () => {
    const [a, b] = ids(2) as [string, string];
    await queue(a, 5);
    await queue(b, 1);
    const parked = await parkDue(
      db.database,
      [{ projectId: a, stream: 'transactional', destination: 'dst.test' }],
      10,
    );
    assert.deepEqual([parked, counts(await claimRows(db.database, lease.leaseId, 10), [a, b])], [5, [0, 1]]);
  });
});

test('divideFairly gives no further rows to a stream that has no rows left', () => {
  const turn = (projectId: string, stream: Stream, rows: number): WaitingStream => ({
    projectId,
    stream,
    rows,
    first: '',
  });
  const waiting = [
    turn('a', 'transactional', 1),
    turn('a', 'bulk', 9),
    turn('b', 'transactional', 2),
    turn('c', 'bulk', 0),
  ];
  const { shares, last } = divideFairly(waiting, 8);
  assert.deepEqual([waiting.map((each) => shares.get(each) ?? 0), last], [[1, 5, 2, 0], waiting[1]]);
});
