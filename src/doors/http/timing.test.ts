// Runs in its own process: it counts all requests of the process.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseExposition } from '../../../test/support/exposition.ts';
import { registry } from '../../observe/registry.ts';
import { FULL_ACCESS, startTestApi } from './api.fixture.ts';
import { OPERATIONS } from './v1/operations.ts';

const COUNT = 'posthorn_http_request_duration_seconds_count';
const HOSTILE = [
  '/',
  '/v1',
  '/v1/emails/../x',
  '/%00',
  '/v1/emails"}',
  '/%ff',
  '/wp-login.php',
  '/t/o/x',
  '/docs',
];

suite('request durations', () => {
  test('requests are counted by operation and status class', async () => {
    await using api = await startTestApi();
    const client = api.client(FULL_ACCESS);
    const send = { from: 'a@posthorn.localhost', to: ['b@example.com'], subject: 'Hi', text: 'Hi' };
    assert.equal((await client.post('/v1/emails', send)).status, 202);
    assert.equal((await client.post('/api/v1/emails', send)).status, 202);
    assert.equal((await client.post('/v1/emails', {})).status, 422);
    const { sum } = parseExposition(await registry.metrics());
    assert.equal(sum(COUNT, { operation: 'sendEmail', status: '2xx' }), 2);
    assert.equal(sum(COUNT, { operation: 'sendEmail', status: '4xx' }), 1);
  });

  test('requests for unknown paths are counted as the operation other', async () => {
    await using api = await startTestApi();
    for (let n = 0; n < 200; n++) {
      const path = HOSTILE[n % HOSTILE.length] ?? '/';
      const answer = await fetch(`${api.baseUrl}${path}${n}`, { method: n % 2 === 0 ? 'GET' : 'DELETE' });
      await answer.arrayBuffer();
    }
    const { valuesOf, sum } = parseExposition(await registry.metrics());
    const known = new Set(['other', ...OPERATIONS.map(({ operationId }) => operationId)]);
    for (const operation of valuesOf(COUNT, 'operation')) assert.ok(known.has(operation), operation);
    for (const status of valuesOf(COUNT, 'status')) assert.match(status, /^[1-5]xx$/);
    assert.ok(sum(COUNT, { operation: 'other' }) > 100);
  });
});
