import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { queueEmailWith } from '../../test/support/emails.ts';
import { eventually } from '../../test/support/eventually.ts';
import { testDatabase, type TestDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { Blobs } from '../blobs/blobs.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import { newUuid } from '../model/ids.ts';
import { SendingAgain } from './send-again.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

test('only a few emails can be sent again at once, because the content of each is in memory, and further requests are rejected', async () => {
  const projectId = await newProject(db.database);
  const { emailId } = await queueEmailWith(db.database, [], { projectId });
  const accepting = Promise.withResolvers<void>();
  let inMemory = 0;
  let most = 0;
  const sending = new SendingAgain({
    database: db.database,
    blobs: new Blobs(db.database, new ObjectFiles('/nowhere')),
    acceptEmail: async () => {
      most = Math.max(most, ++inMemory);
      await accepting.promise;
      inMemory--;
      return { emailId: newUuid(), replayed: false };
    },
  });
  const sent = Array.from({ length: 30 }, (_, n) => sending.send(projectId, emailId, `key-${n}`, null));
  const ended = Promise.allSettled(sent);
  assert.ok(await eventually(() => inMemory === 2, 5_000));
  accepting.resolve();
  const refused = (await ended).filter(({ status }) => status === 'rejected');
  assert.deepEqual([most, refused.length], [2, 8]);
});
