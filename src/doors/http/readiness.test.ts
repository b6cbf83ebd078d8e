import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { eventually } from '../../../test/support/eventually.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import { describeFault, writeDurably } from '../../db/durable-write.ts';
import { Readiness } from './readiness.ts';

const quiet = pino({ level: 'silent' });
const clock = { whyNotReady: () => null };

/** Wraps a database so that executed statements are counted. */
function counting(database: Database): { database: Database; statements(): number } {
  let statements = 0;
  const counted = database.withPlugin({
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { database: counted, statements: () => statements };
}

describe('readiness', () => {
  test('probes that arrive together share one check', async () => {
    await using db = await testDatabase();
    const { database, statements } = counting(db.database);
    const readiness = new Readiness({ database, logger: quiet, clock });
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => readiness.whyNot()));
    assert.deepEqual(new Set(answers), new Set([null]));
    assert.equal(await readiness.whyNot(), null);
    assert.equal(statements(), 2);
  });

  test('the result of a check is cached for one second', async () => {
    await using db = await testDatabase();
    const { database, statements } = counting(db.database);
    const readiness = new Readiness({ database, logger: quiet, clock });
    await readiness.whyNot();
    const startedMs = performance.now();
    assert.ok(
      await eventually(async () => {
        await readiness.whyNot();
        return statements() > 2;
      }, 3_000),
    );
    assert.ok(performance.now() - startedMs > 900);
  });

  test('an unreachable database is reported without its connection details', async () => {
    const database = openDatabase('postgres://me:hush@127.0.0.1:1/posthorn');
    const readiness = new Readiness({ database, logger: quiet, clock });
    assert.equal(await readiness.whyNot(), 'The database cannot be reached.');
    await database.destroy();
  });

  test('a read-only database is reported', async () => {
    await using db = await testDatabase();
    const name = sql.id(new URL(db.url).pathname.slice(1));
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(db.database);
    const database = openDatabase(db.url);
    const readiness = new Readiness({ database, logger: quiet, clock });
    assert.equal(await readiness.whyNot(), 'The database is read-only.');
    await database.destroy();
  });

  test('an exhausted pool is reported within two seconds, then immediately from the cache, and the pool recovers', async () => {
    await using db = await testDatabase();
    const database = openDatabase(db.url, { poolSize: 1 });
    const readiness = new Readiness({ database, logger: quiet, clock });
    const gate = Promise.withResolvers<void>();
    const holding = database.connection().execute(() => gate.promise);
    const startedMs = performance.now();
    assert.match((await readiness.whyNot()) ?? '', /no free connection/);
    assert.ok(performance.now() - startedMs < 2_000);
    const turn = new Promise<string>((next) => void setImmediate(next, 'one turn of the loop later'));
    assert.match((await Promise.race([readiness.whyNot(), turn])) ?? '', /no free connection/);
    gate.resolve();
    await holding;
    assert.ok(await eventually(async () => (await readiness.whyNot()) === null, 5_000));
    await database.destroy();
  });

  test('the check does not wait for an unfinished durable write of another instance', async () => {
    await using db = await testDatabase();
    const readiness = new Readiness({ database: db.database, logger: quiet, clock });
    const other = openDatabase(db.url);
    await other.transaction().execute(async (tx) => {
      await sql`select pg_logical_emit_message(true, 'posthorn', '')`.execute(tx);
      assert.equal(await readiness.whyNot(), null);
    });
    await other.destroy();
  });

  test('a stopping process is reported as not ready, even if the database works', async () => {
    await using db = await testDatabase();
    const readiness = new Readiness({ database: db.database, logger: quiet, clock });
    assert.equal(await readiness.whyNot(), null);
    readiness.stop();
    assert.equal(await readiness.whyNot(), 'The service is stopping.');
  });

  test('a wrong clock is reported, and the process is ready again once the clock is set', async () => {
    await using db = await testDatabase();
    let reason: string | null = "The clock of this machine is 300 seconds ahead of the database's.";
    const wrong = { whyNotReady: () => reason };
    const readiness = new Readiness({ database: db.database, logger: quiet, clock: wrong });
    assert.equal(await readiness.whyNot(), reason);
    reason = null;
    assert.ok(await eventually(async () => (await readiness.whyNot()) === null, 5_000));
  });

  test('each change of readiness is logged once', async () => {
    const lines: { msg: string; reason?: string }[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
    const database = openDatabase('postgres://me:hush@127.0.0.1:1/posthorn');
    const readiness = new Readiness({ database, logger, clock });
    await readiness.whyNot();
    await readiness.whyNot();
    assert.deepEqual(
      lines.map(({ msg, reason }) => [msg, reason]),
      [['not ready', 'The database cannot be reached.']],
    );
    await database.destroy();
  });
});

describe('a durable write', () => {
  test('a durable write is on disk when it resolves', async () => {
    await using db = await testDatabase();
    const name = sql.id(new URL(db.url).pathname.slice(1));
    await sql`alter database ${name} set synchronous_commit = on`.execute(db.database);
    const database = openDatabase(db.url);
    const position = async () => {
      const { rows } = await sql<{ at: string }>`select pg_current_wal_insert_lsn() - '0/0' as at`.execute(
        database,
      );
      return BigInt(rows[0]?.at ?? 0);
    };
    const flushed = async () => {
      const { rows } = await sql<{ at: string }>`select pg_current_wal_flush_lsn() - '0/0' as at`.execute(
        database,
      );
      return BigInt(rows[0]?.at ?? 0);
    };
    const before = await position();
    assert.equal(await writeDurably(database, () => {}), true);
    assert.ok((await flushed()) > before);
    await database.destroy();
  });

  const FAULTS: [state: string, says: RegExp][] = [
    ['53100', /disk is full/],
    ['53300', /cannot be reached/],
    ['57P03', /cannot be reached/],
    ['58030', /reports an error \(SQLSTATE 58030\)/],
    ['42501', /reports an error \(SQLSTATE 42501\)/],
  ];
  for (const [state, says] of FAULTS) {
    test(`the error of a durable write that fails with SQLSTATE ${state} is readable`, async () => {
      await using db = await testDatabase();
      const raise = sql.raw(`do $$ begin raise exception 'secret' using errcode = '${state}'; end $$`);
      const error: unknown = await raise.execute(db.database).catch((caught: unknown) => caught);
      assert.match(describeFault(error), says);
    });
  }
});
