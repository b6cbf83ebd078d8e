/** Several sessions in the same folders at once. `test/faults/imap-sessions.test.ts` does it for longer, with several processes. */
import { test } from 'node:test';
import { arenaOf } from '../../../test/support/imap/arena.ts';
import { runApps } from '../../../test/support/imap/sessions.ts';
import { startTestListener } from './listener.fixture.ts';

test('what each of several sessions believes is what there is, also after it was away', async () => {
  await using listener = await startTestListener();
  for (const seed of [1, 2]) {
    const stage = await listener.stage();
    await runApps(await arenaOf(listener.database, stage.mailbox, [stage]), { seed, rounds: 3, steps: 30 });
  }
});
