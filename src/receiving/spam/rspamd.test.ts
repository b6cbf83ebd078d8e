import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { AddressInfo } from 'node:net';
import { Rspamd } from './rspamd.ts';
import { GENUINE, letter } from './spam-mail.fixture.ts';
import type { SpamVerdict } from './verdict.ts';

const asRspamd: RequestListener = (_, response) =>
  response.end(
    JSON.stringify({
      score: 7.25,
      action: 'add header',
      symbols: {
        ZERO: { score: 0 },
        R_SPF_ALLOW: { score: -0.2, options: ['x'] },
        BAYES_SPAM: { score: 5.1 },
        'not a name (9)': { score: 9 },
        none: null,
      },
    }),
  );

const requests: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
let answer: RequestListener = asRspamd;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    requests.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
});
let address: string;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

async function check(
  as: RequestListener,
  at = address,
  timings?: { rspamdMs: number },
): Promise<SpamVerdict | null> {
  answer = as;
  await using rspamd = new Rspamd(at, timings);
  const verdict = await rspamd.check({ ...letter().arrival, helo: 'héló\r\nX: y' }, GENUINE);
  return verdict;
}

describe('the verdict of rspamd', () => {
  test('has the score, and the symbols with a weight, sorted by descending weight', async () => {
    assert.deepEqual(await check(asRspamd), {
      score: 7.3,
      reasons: [
        { rule: 'BAYES_SPAM', weight: 5.1 },
        { rule: 'R_SPF_ALLOW', weight: -0.2 },
      ],
    });
    const { url, headers, body } = requests.at(-1) as (typeof requests)[number];
    assert.equal(url, '/checkv2');
    assert.partialDeepStrictEqual(headers, {
      ip: '198.51.100.7',
      helo: 'h?l???X: y',
      from: 'alice@acme.example',
      hostname: 'mx.acme.example',
    });
    assert.equal(body, letter().arrival.raw.toString());
  });

  const NONE: [name: string, as: RequestListener][] = [
    ['an error', (_, response) => response.writeHead(500).end('{"score": 1}')],
    ['no JSON', (_, response) => response.end('<html>')],
    ['no score', (_, response) => response.end('{"symbols": {}}')],
    ['null', (_, response) => response.end('null')],
    [
      'a response that is too long',
      (_, response) => response.end(`{"score": 1, "x": "${'x'.repeat(200_000)}"}`),
    ],
    ['a closed connection', (request) => request.socket.destroy()],
  ];
  for (const [name, as] of NONE) {
    test(`is null for ${name}`, async () => {
      assert.equal(await check(as), null);
    });
  }

  test('is null after a timeout, or if nothing listens on the port', async () => {
    const timings = { rspamdMs: 50 };
    assert.equal(await check(() => {}, address, timings), null);
    assert.equal(await check(asRspamd, 'http://127.0.0.1:1', timings), null);
  });
});
