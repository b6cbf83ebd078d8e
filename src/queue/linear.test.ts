/**
 * Statements over many queue rows take time in proportion to the number of rows, whatever statistics PostgreSQL has. Comparing each row
 * with each of 9,200 keys took 3 to 25 s, and the rows were locked meanwhile. Each test checks two plans: the plan for its parameters, and
 * the generic plan that a prepared statement may get after five runs.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createQueryId, type KyselyPlugin, RawNode, sql } from 'kysely';
import pg from 'pg';
import { PROJECT, queueEmailTo } from '../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { emptyQueue, park } from '../../test/support/queue-rows.ts';
import type { Database } from '../db/database.ts';
import { sessionSettings } from '../db/session-settings.ts';
import { newUuid } from '../model/ids.ts';
import { claimDue, DUE } from './claim.ts';
import { claimParked, parkDue, parkUnstarted, unpark } from './destinations.ts';
import { findFairShares } from './fair-shares.ts';
import type { RowKey } from './fragments.ts';
import { Lease } from './lease.ts';
import { makeDeferredDue } from './deferred.ts';
import { rejoinBacklog } from './rejected-senders.ts';
import { leaveToLease, release, releaseOthers } from './settle.ts';

/** With fewer rows, PostgreSQL chooses other plans. */
const ROWS = 9_200;

let db: TestDatabase;
let plain: pg.Client;
let lease: Lease;
let rows: RowKey[];

before(async () => {
  db = await testDatabase();
  plain = await connect(db.url);
  lease = await Lease.begin(db.database, newUuid(), 'test');
});
/** Connects with the session settings of connections that write. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sessionSettings({}).sql);
  return client;
}

beforeEach(async () => {
  await emptyQueue(db.database);
  await sql`analyze queue`.execute(db.database);
  lease.stop();
  lease = await Lease.begin(db.database, newUuid(), 'test');
  await queueEmailTo(
    db.database,
    Array.from({ length: ROWS }, (_, at) => `${at}@one.test`),
  );
  rows = await db.database.selectFrom('queue').select(['projectId', 'emailId', 'recipientIndex']).execute();
});
after(async () => {
  lease.stop();
  await plain.end();
  await db[Symbol.asyncDispose]();
});

interface Plan {
  Filter?: string;
  'Join Filter'?: string;
  'Index Cond'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

type Explained = Record<string, [{ Plan: Plan }]>;

/** The plan steps that compare each row with a list, or with each row of another step. */
function quadraticSteps(plan: Plan): string[] {
  const { Filter: filter = '', 'Join Filter': joinFilter, 'Index Cond': indexCond = '' } = plan;
  const own: string[] = [];
  // PostgreSQL scans an array once per row, except a constant array, which is hashed like a "hashed SubPlan".
  if (/= ANY \((?!'\{)/.test(filter) || /(?<!hashed )SubPlan/.test(filter)) own.push(`Filter: ${filter}`);
  if (joinFilter !== undefined) own.push(`Join Filter: ${joinFilter}`);
  // PostgreSQL searches the index once per key, and sorts the array again each time.
  if (/= ANY/.test(indexCond) && indexCond.split('email_id = ').length > 2)
    own.push(`Index Cond: ${indexCond}`);
  return [...own, ...(plan.Plans ?? []).flatMap(quadraticSteps)];
}

function indexesOf(plan: Plan): string[] {
  const { 'Index Name': own, Plans: parts = [] } = plan;
  return [...(own === undefined ? [] : [own]), ...parts.flatMap(indexesOf)];
}

/** Collects the statements that match `pattern`. */
class Collecting implements KyselyPlugin {
  readonly nodes: RawNode[] = [];
  readonly #pattern: RegExp;

  constructor(pattern = /(update|delete from) queue/) {
    this.#pattern = pattern;
  }

  transformQuery({ node }: Parameters<KyselyPlugin['transformQuery']>[0]) {
    if (RawNode.is(node) && this.#pattern.test(node.sqlFragments.join(' '))) this.nodes.push(node);
    return node;
  }

  async transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    return result;
  }
}

async function plansOf(node: RawNode, database = db.database, connection = plain): Promise<Plan[]> {
  const compile = (options: string) =>
    database
      .getExecutor()
      .compileQuery(RawNode.create([`explain (${options}format json) `, ''], [node]), createQueryId());
  const { rows: custom } = await database.executeQuery<Explained>(compile(''));
  // `plain` sends the statement without parameters, so PostgreSQL receives it as text, as `generic_plan` requires.
  const { rows: generic } = await connection.query<Explained>(compile('generic_plan, ').sql);
  return [...custom, ...generic].flatMap((row) => Object.values(row).flatMap(([{ Plan: plan }]) => plan));
}

const claimAll = () => sql`update queue set lease_id = ${lease.leaseId}`.execute(db.database);
const crowded = () => [{ projectId: PROJECT, stream: 'transactional' as const, destination: 'one.test' }];

const STATEMENTS: Record<
  string,
  [prepare: () => Promise<unknown>, run: (database: Database) => Promise<unknown>]
> = {
  'parking due rows': [async () => {}, (database) => parkDue(database, crowded(), ROWS)],
  'parking claimed rows': [claimAll, (database) => parkUnstarted(database, lease.leaseId, rows, 'one.test')],
  'unparking rows': [() => park(db.database, 'one.test'), (database) => unpark(database, 'one.test', ROWS)],
  'moving the mail of a sender to the backlog of its domain': [
    () => park(db.database, 'one.test from a.example'),
    (database) => rejoinBacklog(database, 'one.test from a.example', ROWS),
  ],
  'claiming due rows': [async () => {}, (database) => claimDue(database, lease.leaseId, ROWS)],
  'claiming a backlog': [
    () => park(db.database, 'one.test'),
    (database) => claimParked(database, lease.leaseId, 'one.test', ROWS),
  ],
  'releasing rows': [claimAll, (database) => release(database, lease.leaseId, rows)],
  'releasing all but some rows': [claimAll, (database) => releaseOthers(database, lease.leaseId, rows)],
  'leaving rows to their lease': [claimAll, (database) => leaveToLease(database, lease.leaseId, rows)],
  'making deferred rows due': [
    () =>
      sql`update queue set attempts = 1, next_attempt_at = now() + interval '1 hour'`.execute(db.database),
    (database) => makeDeferredDue(database, rows),
  ],
};

for (const [action, [prepare, run]] of Object.entries(STATEMENTS))
  test(`${action} does not compare each row with every other row`, async () => {
    // The plan must also be good with statistics that were collected before any row matched, because autovacuum can run at any time.
    await sql`analyze queue`.execute(db.database);
    await prepare();
    const collecting = new Collecting();
    await run(db.database.withPlugin(collecting));
    const [node] = collecting.nodes;
    assert.ok(node !== undefined && collecting.nodes.length === 1);
    await prepare();
    const plans = await plansOf(node);
    assert.equal(plans.length, 2);
    assert.deepEqual(plans.flatMap(quadraticSteps), []);
    // A plan made while the queue was empty is cached, and may later run on a long queue.
    await emptyQueue(db.database);
    await sql`analyze queue`.execute(db.database);
    assert.deepEqual((await plansOf(node)).flatMap(quadraticSteps), []);
  });

test('findFairShares does not read all queue rows of a project', async () => {
  await using fresh = await testDatabase();
  const { database } = fresh;
  await using stack = new AsyncDisposableStack();
  const connection = stack.adopt(await connect(fresh.url), (client) => client.end());
  await queueEmailTo(
    database,
    Array.from({ length: ROWS }, (_, at) => `${at}@one.test`),
  );
  // Vacuum counts rows but not projects, so PostgreSQL assumes many projects with a few rows each. Under load the index of due rows has an
  // entry for each change of `next_attempt_at`, so PostgreSQL takes it for larger than the primary key.
  for (let n = 0; n < 3; n++)
    await sql`update queue set next_attempt_at = now() - random() * interval '1 hour'`.execute(database);
  await sql`delete from queue where hashtext(address) % 15 <> 0`.execute(database);
  await sql`vacuum queue`.execute(database);
  const collecting = new Collecting(/candidate cross join bound/);
  await findFairShares(database.withPlugin(collecting), DUE, 100, {
    after: { projectId: PROJECT, stream: 'transactional' },
    leaveOut: [],
  });
  const [node] = collecting.nodes;
  assert.ok(node !== undefined && collecting.nodes.length === 1);
  const indexes = (await plansOf(node, database, connection)).flatMap(indexesOf);
  // The primary key also begins with the project, but contains the rows of all streams and times.
  assert.deepEqual([...new Set(indexes)], ['queue_due']);
});
