import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { pathSegment } from '../../../../src/accounts/api-log/rejected-requests.ts';
import { REDACTED, shorten } from '../../../../src/contract/redact.ts';
import { curlOfRequest, hasReplacements, isPathCut } from './curl-of-request.ts';

function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const said = execFileSync('sh', ['-c', script], { env: { POSTHORN_KEY: 'svc_live_x' }, encoding: 'utf8' });
  return said.split('\0').slice(0, -1);
}

test('a shell that runs the copied curl command sends the same request', () => {
  const body = JSON.stringify({ subject: `It's $HOME, "quoted" \`and\` more` }, null, 2);
  assert.deepEqual(
    argumentsOf(curlOfRequest('https://mail.acme.example', { method: 'POST', path: '/v1/emails', body })),
    [
      '-sS',
      '--path-as-is',
      '-X',
      'POST',
      'https://mail.acme.example/v1/emails',
      '-H',
      'Authorization: Bearer svc_live_x',
      '-H',
      'Content-Type: application/json',
      '--data-raw',
      body,
    ],
  );
});

for (const [address, segment] of [
  [`o'neil $(id)@acme.example`, `o'neil%20%24(id)@acme.example`],
  ['../domains/dom_1?a=b#c', '..%2Fdomains%2Fdom_1%3Fa%3Db%23c'],
  ['..', '..'],
] as const)
  test(`a parameter that a client chose addresses the same resource, and a request without a body has none: ${address}`, () => {
    const path = `/v1/suppressions/${pathSegment(address)}`;
    const command = curlOfRequest('https://mail.acme.example', { method: 'DELETE', path, body: null });
    assert.deepEqual(argumentsOf(command).slice(1), [
      '--path-as-is',
      '-X',
      'DELETE',
      `https://mail.acme.example/v1/suppressions/${segment}`,
      '-H',
      'Authorization: Bearer svc_live_x',
    ]);
  });

test('bodies with values that were not stored are recognized', () => {
  for (const text of [...Object.values(REDACTED), 'Dear Ada…'])
    assert.ok(hasReplacements({ body: JSON.stringify({ a: text }) }), text);
  assert.ok(!hasReplacements({ body: JSON.stringify({ a: 'Dear Ada, … <b>' }) }));
  assert.ok(!hasReplacements({ body: null }));
});

test('paths with a shortened parameter are recognized', () => {
  const pathOf = (parameter: string) => `/v1/mailboxes/${pathSegment(shorten(parameter, 20))}/rules`;
  for (const text of ['x'.repeat(21), 'Ada Lovelace of the analytical engine'])
    assert.ok(isPathCut({ path: pathOf(text) }), text);
  for (const text of ['mbx_1', '…and more']) assert.ok(!isPathCut({ path: pathOf(text) }), text);
});
