import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { mailAccess } from './mail-access.ts';

const HOST = { POSTHORN_HOSTNAME: 'mx.acme.example' };
const CERTIFICATE = { POSTHORN_TLS_CERT: import.meta.filename, POSTHORN_TLS_KEY: import.meta.filename };

const announced = (env: Record<string, string>) =>
  mailAccess(readConfig({ ...HOST, ...env })).services.map(
    ({ protocol, security, port }) => `${protocol} ${security} ${port}`,
  );

test('plain connections are announced in development without a certificate', () => {
  assert.deepEqual(announced({}), ['imap none 2143', 'pop3 none 2110', 'submission none 2587']);
});

test('TLS ports and then STARTTLS ports are announced with a certificate, and always in production', () => {
  const both = [
    'imap tls 2993',
    'imap starttls 2143',
    'pop3 tls 2995',
    'pop3 starttls 2110',
    'submission tls 2465',
    'submission starttls 2587',
  ];
  assert.deepEqual(announced(CERTIFICATE), both);
  assert.deepEqual(announced({ POSTHORN_ENV: 'production' }), both);
  assert.deepEqual(announced({ ...CERTIFICATE, POSTHORN_IMAPS_PORT: '993' })[0], 'imap tls 993');
});

test('a port that is picked at the start is not announced', () => {
  const none = Object.fromEntries(
    ['IMAP', 'IMAPS', 'POP3', 'POP3S', 'SUBMISSION', 'SUBMISSIONS'].map((name) => [
      `POSTHORN_${name}_PORT`,
      '0',
    ]),
  );
  assert.deepEqual(announced(none), []);
});

test('the registered ports are announced for `standard`, no matter which ports are configured', () => {
  assert.deepEqual(announced({ POSTHORN_PUBLIC_PORTS: 'standard', POSTHORN_IMAPS_PORT: '1' }), [
    'imap tls 993',
    'pop3 tls 995',
    'submission tls 465',
    'submission starttls 587',
  ]);
});

for (const [baseUrl, webHost] of [
  ['https://mail.acme.example', 'mail.acme.example'],
  ['https://mail.acme.example:8443/base', 'mail.acme.example'],
  ['http://localhost:8025', 'mx.acme.example'],
  ['http://192.0.2.1', 'mx.acme.example'],
  ['http://[2001:db8::1]', 'mx.acme.example'],
  ['', 'mx.acme.example'],
] as const)
  test(`the host for configuration files of mail apps is ${webHost} with POSTHORN_BASE_URL=${baseUrl}`, () => {
    const { hostname, webHost: found } = mailAccess(readConfig({ ...HOST, POSTHORN_BASE_URL: baseUrl }));
    assert.deepEqual([hostname, found], ['mx.acme.example', webHost]);
  });
