import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../support/service.ts';

test('the service starts in watch mode, where Node sends its own IPC messages to children', async () => {
  await using service = await startService({ nodeArgs: ['--watch-path=src'] });
  assert.equal((await service.client().get('/v1/emails')).status, 200);
});
