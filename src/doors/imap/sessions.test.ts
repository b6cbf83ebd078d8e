/** Concurrent sessions in the same folders. `test/faults/imap-sessions.test.ts` runs the same test longer, with several processes. */
import { test } from 'node:test';
import { arenaOf } from '../../../test/support/imap/arena.ts';
import { runApps } from '../../../test/support/imap/sessions.ts';
import { startTestListener } from './listener.fixture.ts';

test('concurrent sessions stay consistent with the store, also after reconnecting', async () => {
  await using listener = await startTestListener();
  for (const seed of [1, 2]) {
    const stage = await listener.stage();
    await runApps(await arenaOf(listener.database, stage.mailbox, [stage]), { seed, rounds: 3, steps: 30 });
  }
});
