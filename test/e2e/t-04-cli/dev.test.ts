import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../support/service.ts';

test('the service starts in watch mode, in which Node talks to its children too', async () => {
  await using service = await startService({ nodeArgs: ['--watch-path=src'] });
  assert.equal((await service.client().get('/v1/emails')).status, 200);
});
