import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEmail } from '../../../test/support/emails.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { openDatabase } from '../../db/database.ts';
import { FairReads } from '../../db/fair-reads.ts';
import { AppError } from '../../model/app-error.ts';
import { newUuid } from '../../model/ids.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { SingleEmails } from './single-emails.ts';

const CONNECTIONS = 2;

test('a project that fetches many emails does not delay requests of other projects', async () => {
  await using stack = new AsyncDisposableStack();
  const db = stack.use(await testDatabase());
  const pool = stack.adopt(openDatabase(db.url, { poolSize: CONNECTIONS }), (opened) => opened.destroy());
  const emails = new SingleEmails(new FairReads(pool, CONNECTIONS));
  const [busy, other] = [newEmail({ projectId: newUuid() }), newEmail({ projectId: newUuid() })];
  await insertEmails(db.database, [busy, other]);
  const fetched: string[] = [];
  const fetch = async ({ projectId, emailId, subject }: typeof busy, name: string) => {
    assert.equal((await emails.get(projectId, emailId))?.subject, subject);
    fetched.push(name);
  };
  // These first requests open the connections of the pool.
  await Promise.all([fetch(busy, 'busy'), fetch(other, 'other')]);
  fetched.length = 0;
  const all = Array.from({ length: 100 }, () => fetch(busy, 'busy'));
  await fetch(other, 'other');
  assert.ok(fetched.length <= 60, `after ${fetched.length - 1} of the other project`);
  await Promise.all(all);
  assert.equal(await emails.get(other.projectId, busy.emailId), null);

  const outcomes = await Promise.allSettled(Array.from({ length: 150 }, () => fetch(busy, 'busy')));
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  assert.equal(refused.length, 49);
  for (const error of refused) assert.ok(error instanceof AppError && error.code === 'unavailable');
});
