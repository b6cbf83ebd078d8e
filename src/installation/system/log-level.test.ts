import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { LogLevelWatch, raiseLogLevel, resetLogLevel } from './log-level.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

test('a process logs more after the log level is raised, until the level is reset or the time has passed', async () => {
  const logger = { level: 'warn' };
  await using _watch = new LogLevelWatch({
    database: db.database,
    logger,
    level: 'warn',
    timings: { logLevelPollMs: 20 },
  });
  await raiseLogLevel(db.database, 60);
  assert.ok(await eventually(() => logger.level === 'debug', 5_000));
  await resetLogLevel(db.database);
  assert.ok(await eventually(() => logger.level === 'warn', 5_000));
  await raiseLogLevel(db.database, 1 / 20);
  assert.ok(await eventually(() => logger.level === 'debug', 5_000));
  assert.ok(await eventually(() => logger.level === 'warn', 5_000));
});
