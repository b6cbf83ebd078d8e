import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from './config.ts';
import { devEnvironment } from './dev-environment.ts';

const OPTIONS = { dataDir: '/cache/dev', smtpPort: '1025', httpPort: '8025' };

test('posthorn dev ignores all variables of real installations', () => {
  const config = readConfig(
    devEnvironment(
      {
        POSTHORN_LISTEN: '::',
        POSTHORN_DATA: '/var/lib/posthorn',
        POSTHORN_BASE_URL: 'https://mail.acme.example',
        POSTHORN_TRUSTED_PROXIES: '0.0.0.0/0',
        POSTHORN_ROLES: 'smtp',
        POSTHORN_PROVIDER: 'sandbox',
        POSTHORN_KEEP_DAYS: '900',
        POSTHORN_LOG_LEVEL: 'debug',
      },
      OPTIONS,
    ),
  );
  const { listen, dataDir, baseUrl, trustedProxies, roles, keepDays, devSmtpPort, httpPort, logLevel } =
    config;
  assert.deepEqual(
    { listen, dataDir, baseUrl, trustedProxies, roles, keepDays, devSmtpPort, httpPort, logLevel },
    {
      listen: ['127.0.0.1', '::1'],
      dataDir: '/cache/dev',
      baseUrl: null,
      trustedProxies: [],
      roles: ['http', 'worker'],
      keepDays: 7,
      devSmtpPort: 1025,
      httpPort: 8025,
      logLevel: 'debug',
    },
  );
});

for (const [env, says] of [
  [{ POSTHORN_ENV: 'production' }, /POSTHORN_ENV=production/],
  [{ POSTHORN_PROVIDER: 'ses' }, /POSTHORN_PROVIDER=ses/],
] as const)
  test(`posthorn dev does not start with ${JSON.stringify(env)}`, () => {
    assert.throws(() => devEnvironment(env, OPTIONS), says);
  });

describe('the port that catches mail', () => {
  const DEV = { POSTHORN_DEV_SMTP_PORT: '1025' };
  for (const [env, says] of [
    [
      { POSTHORN_ENV: 'production', POSTHORN_PROVIDER: 'sandbox', POSTHORN_LISTEN: '127.0.0.1' },
      /POSTHORN_ENV is production/,
    ],
    [{ POSTHORN_PROVIDER: 'direct' }, /POSTHORN_PROVIDER is not sandbox/],
    [{ POSTHORN_LISTEN: '::' }, /POSTHORN_LISTEN has addresses of the network/],
    [{ POSTHORN_LISTEN: '127.0.0.1,192.0.2.1' }, /POSTHORN_LISTEN has addresses of the network/],
    [
      { POSTHORN_DATABASE_URL: 'postgres://db.acme.example/x' },
      /POSTHORN_DATABASE_URL is on another machine/,
    ],
    [
      { POSTHORN_DATABASE_URL: 'postgres://localhost,10.0.0.7/x' },
      /POSTHORN_DATABASE_URL is on another machine/,
    ],
  ] as const)
    test(`is a mistake with ${JSON.stringify(env)}`, () => {
      assert.throws(() => readConfig({ POSTHORN_SECRET: 'x'.repeat(16), ...DEV, ...env }), says);
    });

  for (const url of [
    'postgres://localhost/x',
    'postgres://127.0.0.1:5433/x',
    'postgres://u@[::1]/x',
    'postgres://u@%2Frun%2Fpg/x',
  ])
    test(`is accepted with the database ${url}`, () => {
      const env = { ...DEV, POSTHORN_DATABASE_URL: url, POSTHORN_SECRET: 'x'.repeat(16) };
      assert.equal(readConfig(env).devSmtpPort, 1025);
    });
});
