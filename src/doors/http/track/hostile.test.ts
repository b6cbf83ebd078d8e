import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/support/property-runs.ts';
import { type RealApi, startRealApi } from '../../../../test/support/api.ts';
import type { TrackingLinks } from '../../../sending/track/tracking-links.ts';
import { linksOf, request, sentEmail, TARGET } from './track.fixture.ts';

let api: RealApi;
let links: TrackingLinks;
before(async () => {
  api = await startRealApi();
  links = linksOf(api);
});
after(() => api[Symbol.asyncDispose]());

test('only links that this installation signed redirect', async () => {
  const minted = new Map<string, string>();
  const paths: string[] = [];
  const tokens: string[] = [];
  for (const url of ['https://acme.example/', 'http://acme.example:8080/a/b?c', TARGET]) {
    const { of } = await sentEmail(api);
    const path = links.click('', of, url) ?? '';
    const [token = '', target = ''] = path.slice('/t/c/'.length).split('/');
    minted.set(token, url);
    paths.push(path);
    tokens.push(token, target, links.unsubscribe('', of).slice('/t/u/'.length));
  }
  const evil = 'https://evil.example/';
  const segment = fc.oneof(
    fc.constantFrom(
      ...tokens,
      'o',
      'c',
      'u',
      '',
      '..',
      '%2f',
      '%0d%0aLocation:%20x',
      encodeURIComponent(evil),
    ),
    fc.constantFrom(...tokens).map((token) => token.slice(1)),
    fc.constantFrom(...tokens).map((token) => `${token}A`),
    fc.webUrl().map((url) => Buffer.from(url).toString('base64url')),
    fc.string().map(encodeURIComponent),
  );
  const path = fc.oneof(
    fc.array(segment, { maxLength: 4 }).map((segments) => `/t/${segments.join('/')}`),
    fc.tuple(fc.constantFrom('o', 'c', 'u'), segment, segment).map((parts) => `/t/${parts.join('/')}`),
    fc.constantFrom(...paths),
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT');
  const query = fc.constantFrom('', '?', `?url=${evil}`, '?%');
  let led = 0;
  await fc.assert(
    fc.asyncProperty(method, path, query, async (method, path, query) => {
      const { status, headers } = await request(api.baseUrl + path + query, { method });
      assert.ok(status < 500);
      const location = headers.get('location');
      if (location === null) return;
      led += 1;
      // Parse the path as the server receives it, because `fetch` resolves dot segments.
      const [, , , token = ''] = new URL(path, api.baseUrl).pathname.split('/');
      assert.equal(location, minted.get(token));
    }),
    { numRuns: runs(500), examples: paths.map((path): [string, string, string] => ['GET', path, '']) },
  );
  assert.ok(led > 0);
});

test('paths of any length and with any percent-encoding get a response', async () => {
  for (const [path, status] of [
    [`/t/o/${'%'.repeat(100)}`, 400],
    ['/t/c/%c3%28/x', 400],
    ['/t/o/%ff', 400],
    [`/t/c/a/${'%41'.repeat(4_000)}`, 404],
    [`/t/u/${'../'.repeat(1_000)}x`, 404],
    [`/t/o/${'A'.repeat(17_000)}`, 400],
  ] as const) {
    const socket = connect(Number(new URL(api.baseUrl).port), 'localhost');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), path.slice(0, 40));
  }
});

test('other methods on tracking links return 405 with the allowed methods', async () => {
  const email = await sentEmail(api);
  for (const [method, url, allow] of [
    ['POST', email.pixel, 'GET, HEAD'],
    ['POST', email.click, 'GET, HEAD'],
    ['DELETE', email.unsubscribe, 'GET, HEAD, POST'],
  ] as const) {
    const { status, headers } = await request(url, { method });
    assert.deepEqual([status, headers.get('allow')], [405, allow]);
  }
});
