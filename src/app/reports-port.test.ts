import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { isUsedBySmartHost } from './reports-port.ts';

const cases: [smtpUrl: string, port: string, taken: boolean][] = [
  ['smtp://localhost:2525', '2525', true],
  ['smtp://LOCALHOST:2525', '2525', true],
  ['smtp://127.0.0.1:2525', '2525', true],
  ['smtp://127.9.9.9:2525', '2525', true],
  ['smtp://[::1]:2525', '2525', true],
  ['smtp://localhost:587', '2525', false],
  ['smtp://localhost:2525', '0', false],
  ['smtp://relay.example:2525', '2525', false],
  ['smtp://127.example:2525', '2525', false],
];
for (const [smtpUrl, port, taken] of cases) {
  test(`the smart host ${smtpUrl} ${taken ? 'uses' : 'does not use'} port ${port}`, () => {
    const config = readConfig({
      POSTHORN_PROVIDER: 'smtp',
      POSTHORN_SMTP_URL: smtpUrl,
      POSTHORN_SMTP_PORT: port,
    });
    assert.equal(isUsedBySmartHost(config), taken);
  });
}

test('the port is free without a smart host', () => {
  assert.equal(isUsedBySmartHost(readConfig({})), false);
});
