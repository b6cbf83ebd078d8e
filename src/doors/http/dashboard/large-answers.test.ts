// Runs in its own process: it overrides the amount of memory.
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import os from 'node:os';
import { test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';

const MIB = 1024 * 1024;
/** With this much memory, the responses to one address may use 24 MiB. */
os.totalmem = () => 1024 * MIB;
syncBuiltinESMExports();
const { HOSTED_DOMAIN } = await import('../../../../test/support/api.ts');
const { startDashboard } = await import('./dashboard.fixture.ts');
const { TIMINGS } = await import('../../../insights/timings.ts');
/** Long timeouts, so that slowness of a busy machine causes no rejection. */
const PATIENT = {
  reads: { readTimeoutMs: 60_000 },
  inspect: { ...TIMINGS, readTimeoutMs: 60_000, threadAnswerMs: 60_000 },
};

const LINES = `${'x'.repeat(63)}\n`.repeat((2 * MIB) / 64 - 64);
/** The number of messages to request, each of four MiB. */
const ASKED = 12;
const answers: ServerResponse[] = [];
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: { url: string }; response: ServerResponse };
  if (request.url.endsWith('/source')) answers.push(response);
});

test('a client that does not read message responses uses only its share of the response bytes', async () => {
  await using dashboard = await startDashboard({}, {}, undefined, { timings: PATIENT });
  const { status, text, body } = await dashboard.project.client.post<{ id: string }>('/v1/emails', {
    from: `a@${HOSTED_DOMAIN}`,
    to: ['b@dst.test'],
    subject: 'large',
    html: LINES,
    text: LINES,
  });
  assert.equal(status, 202, text);
  const { token } = dashboard.as('developer');
  const path = `/dashboard/api/projects/${dashboard.projectId}/emails/${body.id}/source`;
  const socket = connect(Number(new URL(dashboard.baseUrl).port), 'localhost');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const asked = `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: posthorn_session=${token}\r\n\r\n`;
  socket.write(asked.repeat(ASKED));
  const areAnswered = () => answers.length === ASKED && answers.every(({ writableEnded }) => writableEnded);
  assert.ok(await eventually(areAnswered, 60_000));
  const statuses = new Set(answers.map(({ statusCode }) => statusCode));
  socket.destroy();
  assert.deepEqual([...statuses].sort(), [200, 429]);
});
