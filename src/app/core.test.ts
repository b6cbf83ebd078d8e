import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { testCore } from '../../test/support/core.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { openDatabase } from '../db/database.ts';
import { BaseCore } from './base-core.ts';
import { Core } from './core.ts';
import { createDashboardServices } from './dashboard-services.ts';
import { createHttpServices } from './http-services.ts';
import { type LaneName, laneOptions } from './lanes.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const db = stack.use(await sealedDatabase());

/** A core that opens its own lanes. */
async function coreWithLanes(): Promise<Core> {
  const { inputs } = await testCore(db);
  const { openLane: _, ...rest } = inputs;
  return new Core(rest);
}

test('a core builds each part once', async () => {
  await using core = await testCore(db);
  assert.equal(core.sendingDomains, core.sendingDomains);
  assert.equal(core.acceptor, core.acceptor);
  assert.equal(core.reads('lists'), core.reads('lists'));
  assert.equal(core.on('reports'), core.on('reports'));
});

test('a core on a lane shares the parts that need no database, and builds its own parts that use the database', async () => {
  await using core = await coreWithLanes();
  await core.unseal();
  const mail = core.on('mail');
  assert.equal(mail.database, core.lane('mail'));
  assert.notEqual(mail.database, core.database);
  assert.equal(mail.objects, core.objects);
  assert.equal(mail.sealer, core.sealer);
  assert.equal(mail.returnPaths, core.returnPaths);
  assert.notEqual(mail.blobs, core.blobs);
});

test('the core of the role http shares the lanes of the base core of its process', async () => {
  const { inputs } = await coreWithLanes();
  await using base = new BaseCore(inputs);
  const core = Core.over(base);
  assert.equal(core.lane('emails'), base.lane('emails'));
  await base.unseal();
  assert.equal(core.sealer, base.sealer);
});

test('the role http opens its lanes before the first request, so that their connections are counted', async () => {
  const opened: LaneName[] = [];
  const openLane = (name: LaneName) => {
    opened.push(name);
    return db.database;
  };
  await using core = await testCore(db, {}, { openLane });
  createDashboardServices(core, createHttpServices(core, { whyNot: async () => null }, null));
  assert.deepEqual(opened.toSorted(), ['dashboard', 'emails', 'inspect', 'lists', 'search']);
});

test('using a part that seals throws until the secret is checked', async () => {
  await using core = await coreWithLanes();
  assert.throws(() => core.keyring, TypeError);
  await core.unseal();
  assert.notEqual(core.keyring, null);
});

test('a core checks the secret again after a failed check', async () => {
  const { inputs } = await coreWithLanes();
  let isAway = true;
  await using core = new Core({
    ...inputs,
    unseal: async () => {
      if (isAway) throw new Error('away');
      return inputs.unseal();
    },
  });
  await assert.rejects(core.unseal(), /away/);
  isAway = false;
  assert.equal(await core.unseal(), db.sealer);
});

test('disposing of a core closes its lanes, except the main lane', async () => {
  await using main = openDatabase(db.url, { poolSize: 1 });
  const { inputs } = await coreWithLanes();
  const core = new Core({ ...inputs, database: main });
  const lane = core.lane('dashboard');
  await sql`select 1`.execute(lane);
  await core[Symbol.asyncDispose]();
  await assert.rejects(sql`select 1`.execute(lane));
  await sql`select 1`.execute(main);
});

test('a read-only lane cannot use the connections of another lane', async () => {
  await using core = await coreWithLanes();
  const { max } = laneOptions('emails', core.config);
  const done = Promise.withResolvers<void>();
  const taken = Array.from({ length: max }, () => Promise.withResolvers<void>());
  const busy = taken.map(({ resolve }) =>
    core
      .lane('emails')
      .connection()
      .execute(async () => {
        resolve();
        await done.promise;
      }),
  );
  await Promise.all(taken.map(({ promise }) => promise));
  await sql`select 1`.execute(core.lane('lists'));
  await sql`select 1`.execute(core.lane('dashboard'));
  done.resolve();
  await Promise.all(busy);
});

test('reads of one owner leave a connection to other owners, even if other lanes use all spare connections', async () => {
  await using core = await coreWithLanes();
  const { max } = laneOptions('mail', core.config);
  const done = Promise.withResolvers<void>();
  const busy = Array.from({ length: max }, () =>
    core
      .lane('mail')
      .connection()
      .execute(() => done.promise),
  );
  for (const name of ['lists', 'search', 'web-mail'] as const)
    for (let reading = 0; reading < laneOptions(name, core.config).max; reading++)
      busy.push(core.reads(name).run('one', (lane) => lane.connection().execute(() => done.promise)));
  for (const name of ['lists', 'search', 'web-mail'] as const)
    await core.reads(name).run('other', (lane) => sql`select 1`.execute(lane));
  done.resolve();
  await Promise.all(busy);
});

for (const [name, size] of [
  ['lists', 4],
  ['reports', 4],
  ['ses', 4],
  ['mail', 6],
  ['retention', 1],
] as const satisfies readonly (readonly [LaneName, number])[])
  test(`the lane ${name} has ${size} connections by default`, async () => {
    await using core = await testCore(db);
    assert.equal(laneOptions(name, core.config).max, size);
  });
