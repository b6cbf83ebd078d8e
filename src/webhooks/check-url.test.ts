import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { urlProblem } from './check-url.ts';

/** The expected problem in production and in development; null if the URL is valid. */
const URLS: readonly [url: string, production: RegExp | null, development: RegExp | null][] = [
  ['https://hooks.acme.example/mail?a=b', null, null],
  ['HTTPS://hooks.acme.example', null, null],
  ['https://bücher.example:8443/ä', null, null],
  ['https://8.8.8.8/', null, null],
  ['https://[2001:4860:4860::8888]/', null, null],
  ['http://hooks.acme.example/', /^must be an absolute https URL$/, null],
  ['http://localhost:3000/', /^must be an absolute https URL$/, null],
  ['https://localhost/', /private or local/, null],
  ['https://hooks.localhost./', /private or local/, null],
  ['https://127.0.0.1/', /private or local/, null],
  ['https://[::1]:3000/', /private or local/, null],
  ['https://0x7f.1/', /private or local/, null],
  ['https://2130706433/', /private or local/, null],
  ['https://0177.0.0.1./', /private or local/, null],
  ['https://169.254.169.254/latest', /private or local/, null],
  ['https://10.0.0.1/', /private or local/, null],
  ['https://[::ffff:10.0.0.1]/', /private or local/, null],
  ['https://[64:ff9b::808:808]/', /private or local/, null],
  ['https://user@hooks.acme.example/', /user name/, /user name/],
  ['https://:secret@hooks.acme.example/', /user name/, /user name/],
  ['https://hooks.acme.example/#part', /fragment/, /fragment/],
  ['https://hooks.acme.example/#', /fragment/, /fragment/],
  ...[
    '',
    'hooks.acme.example',
    '//hooks.acme.example',
    '/mail',
    'https:hooks.acme.example',
    'https:/hooks.acme.example',
    'https:///hooks.acme.example',
    'https://',
    'https://?',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
    'https://a b.example/',
    ' https://hooks.acme.example/',
    'https://hooks.acme.example/\n',
    'https://hooks.acme\t.example/',
    'https:\\\\hooks.acme.example\\',
    'https://hooks.acme.example\\@10.0.0.1/',
    'https://hooks.acme.example:65536/',
    'https://256.256.256.256/',
    'ftp://hooks.acme.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/plain,x',
  ].map((url): [string, RegExp, RegExp] => [
    url,
    /^must be an absolute https URL$/,
    /^must be an absolute https or http URL$/,
  ]),
];

for (const [url, production, development] of URLS) {
  test(`${JSON.stringify(url)} is ${production === null ? 'valid' : development === null ? 'valid in development only' : 'invalid'}`, () => {
    for (const [environment, expected] of [
      ['production', production],
      ['development', development],
    ] as const) {
      const problem = urlProblem(url, environment);
      if (expected === null) assert.equal(problem, null, environment);
      else assert.match(String(problem), expected, environment);
    }
  });
}

test('checking any text never throws, and every valid URL is an absolute http or https URL for the URL parser', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((text) => `https://${text}`),
      ),
      (text) => {
        if (urlProblem(text, 'development') !== null) return;
        assert.match(new URL(text).href, /^https?:\/\/[^/]+\//);
      },
    ),
  );
});
