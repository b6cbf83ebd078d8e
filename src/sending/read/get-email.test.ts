import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PROJECT, queueEmailWith } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { recordEvents } from '../events/record-events.ts';
import { getEmail } from './get-email.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

test('the returned status matches the returned timeline, even while events are being written', async () => {
  for (let round = 0; round < 40; round++) {
    const email = await queueEmailWith(db.database, ['sending', 'sent']);
    const events = [newEvent('delivered', 0, 'b@dst.test')];
    let isWritten = false;
    const write = db.database
      .transaction()
      .execute((tx) => recordEvents(tx, [{ ...email, events }]))
      .finally(() => {
        isWritten = true;
      });
    while (!isWritten) {
      const shown = await getEmail(db.database, PROJECT, email.emailId);
      assert.equal(shown?.status, shown?.events.at(-1)?.type);
    }
    await write;
  }
});
