import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignRequest } from './local-only.ts';

const OWN = 'localhost:8025';
type Headers = Parameters<typeof foreignRequest>[0]['headers'];
const refused = (headers: Headers, method = 'GET', localPort = 8025) =>
  foreignRequest({ method, headers, socket: { localPort } }) !== null;

for (const [what, headers, isRefused, method] of [
  ['a program of this machine', { host: OWN }, false, 'DELETE'],
  ['127.0.0.1', { host: '127.0.0.1:8025' }, false],
  ['the IPv6 address', { host: '[::1]:8025' }, false],
  ['our own page', { host: OWN, origin: `http://${OWN}`, 'sec-fetch-site': 'same-origin' }, false, 'DELETE'],
  [
    'an address that the user typed',
    { host: OWN, 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' },
    false,
  ],
  [
    'a link on another site',
    { host: OWN, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
    false,
  ],
  ['a host that resolves to this machine', { host: 'evil.example:8025' }, true],
  ['such a host with a similar name', { host: 'localhost.evil.example:8025' }, true],
  ['such a host below localhost', { host: 'evil.localhost:8025' }, true],
  ['another port', { host: 'localhost:8026' }, true],
  ['no port', { host: 'localhost' }, true],
  ['no host', {}, true],
  ['the network address of the machine', { host: '192.0.2.1:8025' }, true],
  ['a page of another site', { host: OWN, origin: 'https://evil.example' }, true, 'DELETE'],
  [
    'a page of another program of this machine',
    { host: OWN, origin: 'http://localhost:3000' },
    true,
    'DELETE',
  ],
  ['our page under another name', { host: OWN, origin: 'http://127.0.0.1:8025' }, true, 'DELETE'],
  ['our page over https', { host: OWN, origin: `https://${OWN}` }, true],
  ['a frame without an origin', { host: OWN, origin: 'null' }, true, 'POST'],
  [
    'an image on another site',
    { host: OWN, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
    true,
  ],
  [
    'an image on a page of another program',
    { host: OWN, 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'image' },
    true,
  ],
  [
    'a frame on another site',
    { host: OWN, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' },
    true,
  ],
  [
    'a form on another site',
    { host: OWN, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
    true,
    'POST',
  ],
] as const satisfies readonly (readonly [string, Headers, boolean, string?])[])
  test(`a request from ${what} is ${isRefused ? 'rejected' : 'accepted'}`, () => {
    assert.equal(refused(headers, method), isRefused);
  });

test('without a port in Host, only port 80 is accepted', () => {
  assert.deepEqual(
    [refused({ host: 'localhost' }, 'GET', 80), refused({ host: 'localhost' }, 'GET', 443)],
    [false, true],
  );
});
