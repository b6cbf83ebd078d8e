import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionTokenOf } from '../dashboard/cookies.ts';
import { type Address, isOwnHost, isOwnOrigin, isSecure, allowsSessionCookie } from './origin.ts';

const at = (baseUrl: string | null, environment: Address['environment'] = 'production'): Address => ({
  baseUrl,
  environment,
  setting: 'POSTHORN_BASE_URL',
});
const request = (headers: Record<string, string>, protocol: 'http' | 'https' = 'http') => ({
  headers,
  protocol,
});
const BASE = 'https://mail.example.com';

test('a request is accepted only from an origin of the service', () => {
  const cases: [Address, origin: string | undefined, host: string, isOwn: boolean][] = [
    [at(BASE), BASE, 'mail.example.com', true],
    [at(BASE), BASE, '10.0.0.1:8025', true],
    [at(`${BASE}/posthorn`), BASE, 'mail.example.com', true],
    [at(BASE), 'http://mail.example.com', 'mail.example.com', false],
    [at(BASE), 'https://mail.example.com:8443', 'mail.example.com', false],
    [at(BASE), 'https://evil.example', 'mail.example.com', false],
    [at(BASE), 'https://evil.example', 'evil.example', false],
    [at(BASE), 'null', 'mail.example.com', false],
    [at(BASE), undefined, 'mail.example.com', false],
    [at(null), 'http://localhost:8025', 'localhost:8025', true],
    [at(null), 'http://localhost:8025', 'localhost:9000', false],
    [at(BASE, 'development'), 'http://localhost:8025', 'localhost:8025', true],
    [at(BASE, 'development'), 'https://evil.example', 'localhost:8025', false],
  ];
  for (const [address, origin, host, isOwn] of cases) {
    const headers = { host, ...(origin !== undefined && { origin }) };
    assert.equal(isOwnOrigin(address, request(headers)), isOwn, `${address.baseUrl} ${origin} ${host}`);
  }
});

test('in development with a configured URL, a request for another host is rejected', () => {
  const cases: [Address, host: string | undefined, isOwn: boolean][] = [
    [at(BASE, 'development'), 'mail.example.com', true],
    [at(BASE, 'development'), 'MAIL.example.com:8443', true],
    [at(BASE, 'development'), 'localhost:8025', true],
    [at(BASE, 'development'), 'www.posthorn.localhost', true],
    [at(BASE, 'development'), '127.0.0.1:8025', true],
    [at(BASE, 'development'), '[::1]:8025', true],
    [at(BASE, 'development'), 'evil.example', false],
    [at(BASE, 'development'), 'localhost.evil.example', false],
    [at(BASE, 'development'), 'mail.example.com.evil.example', false],
    [at(BASE, 'development'), '10.0.0.1:8025', false],
    [at(BASE, 'development'), undefined, false],
    [at(BASE), '10.0.0.1:8025', true],
    [at(null, 'development'), '192.0.2.1:8025', true],
  ];
  for (const [address, host, isOwn] of cases)
    assert.equal(isOwnHost(address, request(host === undefined ? {} : { host })), isOwn, `${host}`);
});

test('without a configured URL, a session requires https or a local connection', () => {
  const cases: [baseUrl: string | null, host: string, protocol: 'http' | 'https', may: boolean][] = [
    [BASE, 'mail.example.com', 'http', true],
    [null, 'mail.example.com', 'https', true],
    [null, 'mail.example.com', 'http', false],
    [null, '192.0.2.1:8025', 'http', false],
    [null, 'localhost:8025', 'http', true],
    [null, '127.0.0.1:8025', 'http', true],
    [null, '[::1]:8025', 'http', true],
    [null, 'localhost.evil.example', 'http', false],
    ['http://192.0.2.1:8025', '192.0.2.1:8025', 'http', true],
  ];
  for (const [baseUrl, host, protocol, may] of cases)
    assert.equal(
      allowsSessionCookie(at(baseUrl), request({ host }, protocol)),
      may,
      `${baseUrl} ${protocol} ${host}`,
    );
});

test('over https only the __Host- cookie is accepted, because no other host can set it', () => {
  const cookie = 'a=b; posthorn_session=plain; __Host-posthorn_session=host';
  assert.equal(isSecure(at(BASE), request({})), true);
  assert.equal(sessionTokenOf(request({ cookie }), true), 'host');
  assert.equal(sessionTokenOf(request({ cookie }), false), 'plain');
  assert.equal(sessionTokenOf(request({ cookie: 'x_posthorn_session=no' }), false), null);
  assert.equal(sessionTokenOf(request({}), true), null);
});
