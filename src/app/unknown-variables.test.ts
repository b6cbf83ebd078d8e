import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeUnknown, unknownVariables } from './unknown-variables.ts';

describe('unknown variables', () => {
  const MISTYPED: [name: string, nearest: string | null][] = [
    ['POSTHORN_HOST_NAME', 'POSTHORN_HOSTNAME'],
    ['POSTHORN_PROVIDR', 'POSTHORN_PROVIDER'],
    ['POSTHORN_DATABSE_URL', 'POSTHORN_DATABASE_URL'],
    ['POSTHORN_TLS_CERTS', 'POSTHORN_TLS_CERT'],
    ['POSTHORN_BASEURL', 'POSTHORN_BASE_URL'],
    ['POSTHORN_ROLE', 'POSTHORN_ROLES'],
    ['POSTHORN_DN', 'POSTHORN_DNS'],
    ['POSTHORN_COLOUR', null],
    ['POSTHORN_', null],
    [`POSTHORN_${'X'.repeat(10_000)}`, null],
  ];
  for (const [name, nearest] of MISTYPED) {
    test(`include ${name.slice(0, 40)}, with the suggestion ${nearest ?? 'none'}`, () => {
      assert.deepEqual(unknownVariables({ [name]: 'x' }), [{ name, nearest }]);
    });
  }

  const RIGHT: Record<string, string> = {
    POSTHORN_DATA: './data',
    POSTHORN_SES_TOPIC_ARN: 'arn:aws:sns:x',
    POSTHORN_TEST_PATCHES: '[]',
    POSTHORN_KEY: 'svc_live_x',
    POSTHORN_SERVICE_HOST: '10.0.0.1',
    POSTHORN_SERVICE_PORT_HTTP: '8025',
    POSTHORN_PORT: 'tcp://10.0.0.1:8025',
    POSTHORN_WEB_PORT: 'tcp://10.0.0.1:8025',
    POSTHORN_PORT_8025_TCP_ADDR: '10.0.0.1',
    HOSTNAME: 'x',
  };
  for (const [name, value] of Object.entries(RIGHT)) {
    test(`do not include ${name} with the value ${value}`, () => {
      assert.deepEqual(unknownVariables({ [name]: value }), []);
    });
  }

  test('are reported with the name that was probably meant, and without their value', () => {
    const said = unknownVariables({ POSTHORN_SECRT: 'hush', POSTHORN_COLOUR: 'red' }).map(describeUnknown);
    assert.deepEqual(said, [
      'POSTHORN_COLOUR is set, but Posthorn has no such setting.',
      'POSTHORN_SECRT is set, but Posthorn has no such setting. Did you mean POSTHORN_SECRET?',
    ]);
  });
});
