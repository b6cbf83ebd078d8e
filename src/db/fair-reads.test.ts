import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { AppError } from '../model/app-error.ts';
import type { Database } from './database.ts';
import { FairReads } from './fair-reads.ts';

const DATABASE = {} as Database;

test('a project with several reads leaves a connection for other projects', async () => {
  const reads = new FairReads(DATABASE, 2);
  const ends = Promise.withResolvers<void>();
  const begun: string[] = [];
  const hang = (name: string) => async () => {
    begun.push(name);
    await ends.promise;
  };
  const hanging = [
    reads.run('busy', hang('overview')),
    reads.runFairly('busy', (read) => read(hang('deliveries'))),
    reads.run('busy', hang('people')),
  ];
  assert.equal(await reads.run('other', async (database) => database), DATABASE);
  assert.deepEqual(begun, ['overview']);
  ends.resolve();
  await Promise.all(hanging);
  assert.deepEqual(begun, ['overview', 'deliveries', 'people']);
});

test('a read over the time limit fails as unavailable, whether it waits, hangs or is cancelled by PostgreSQL', async () => {
  const reads = new FairReads(DATABASE, 2);
  const isLate = (error: unknown) =>
    error instanceof AppError && error.code === 'unavailable' && error.message === 'Too long.';
  const limits = { timeoutMs: 20, tooLong: 'Too long.' };
  const hanging = reads.run('busy', () => new Promise(() => {}), limits);
  const waiting = reads.run('busy', async () => assert.fail('it had no connection'), limits);
  await assert.rejects(hanging, isLate);
  await assert.rejects(waiting, isLate);
  const ended = Object.assign(new pg.DatabaseError('canceling statement', 0, 'error'), { code: '57014' });
  await assert.rejects(
    reads.run('other', () => Promise.reject(ended), limits),
    isLate,
  );
});
