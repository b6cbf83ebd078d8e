import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { separateHosts } from './separate-hosts.ts';

let app: FastifyInstance;
before(() => {
  app = fastify();
  app.addHook('onRequest', separateHosts('https://mail.acme.example'));
  app.all('/*', async () => 'answered');
});
after(() => app.close());

type Case = [host: string, method: 'GET' | 'POST', url: string, status: number, location?: string];
const MAIL = 'mail.acme.example';
const REST = 'posthorn.acme.example';
const CASES: readonly Case[] = [
  [MAIL, 'GET', '/mail', 200],
  [`${MAIL}:8443`, 'GET', '/mail/api/session', 200],
  [MAIL.toUpperCase(), 'GET', '/mail?x', 200],
  [MAIL, 'GET', '/', 302, '/mail'],
  [MAIL, 'GET', '/docs/icon.svg', 200],
  [MAIL, 'GET', '/favicon.ico', 200],
  [MAIL, 'GET', '/s/AAAAAAAAAAAAAAAAAAAAAA', 200],
  [MAIL, 'POST', '/s/AAAAAAAAAAAAAAAAAAAAAA', 200],
  [MAIL, 'GET', '/setup', 500],
  [
    REST,
    'GET',
    '/s/AAAAAAAAAAAAAAAAAAAAAA/1/a',
    302,
    'https://mail.acme.example/s/AAAAAAAAAAAAAAAAAAAAAA/1/a',
  ],
  [REST, 'POST', '/s/AAAAAAAAAAAAAAAAAAAAAA', 500],
  [MAIL, 'GET', '/readyz', 200],
  [MAIL, 'GET', '/dashboard', 500],
  [MAIL, 'POST', '/dashboard/api/session', 500],
  [MAIL, 'POST', '/v1/emails', 500],
  [MAIL, 'GET', '/docs', 500],
  [MAIL, 'GET', '/mailbox', 500],
  [REST, 'GET', '/dashboard', 200],
  [REST, 'POST', '/v1/emails', 200],
  [REST, 'GET', '/mail/setup', 200],
  [REST, 'GET', '/mail/config-v1.1.xml?emailaddress=x', 200],
  [REST, 'GET', '/mail/a@b/inbox?q=1', 302, 'https://mail.acme.example/mail/a@b/inbox?q=1'],
  [REST, 'GET', '/mail/api/session', 500],
  [REST, 'POST', '/mail/api/session', 500],
  ['192.0.2.1', 'GET', '/mail/api/session', 500],
  [REST, 'POST', '/m%61il/api/session', 500],
  [REST, 'GET', '/%6D%61%69%6c/api/session', 500],
  [MAIL, 'GET', '/%64ashboard', 500],
];
for (const [host, method, url, status, location] of CASES) {
  test(`${method} ${url} at ${host} is ${status === 500 ? 'rejected' : (location ?? 'served')}`, async () => {
    const answer = await app.inject({ method, url, headers: { host } });
    // An error is 500 in this test, because the test server has no error handler.
    assert.equal(answer.statusCode, status);
    assert.equal(answer.headers['location'], location);
    if (status === 500) assert.match(answer.body, /POSTHORN_MAIL_URL/);
  });
}
