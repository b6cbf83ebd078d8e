import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import type { Problem } from '../../contract/problem.ts';
import { startTestApi } from './api.fixture.ts';
import { servesLocalRequests, type MetricsOptions } from './metrics.ts';
import { startStatusListener } from './status-listener.ts';

const TOKEN = 'a-token-of-sixteen';
const TEXT = '# HELP a What.\n# TYPE a gauge\na 1\n';

/** The two servers that serve `/metrics`. */
const EDGES = {
  'the API': (metrics: MetricsOptions) => startTestApi({ metrics, trustedProxies: ['127.0.0.1', '::1'] }),
  'the status of an instance without an API': (metrics: MetricsOptions) =>
    startStatusListener({
      listenAddress: { addresses: ['::'], port: 0 },
      whyNotReady: () => Promise.resolve(null),
      metrics,
    }),
};

interface Case {
  it: string;
  token?: string;
  production?: boolean;
  /** The address to connect to. Default: 127.0.0.1. */
  host?: string | undefined;
  headers?: Record<string, string>;
  method?: string;
  status: number;
  slug?: string;
}

/** A non-loopback IPv4 address of this machine. */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const CASES: readonly Case[] = [
  { it: 'a request with the token', token: TOKEN, headers: bearer(TOKEN), status: 200 },
  { it: 'the token in production', token: TOKEN, production: true, headers: bearer(TOKEN), status: 200 },
  {
    it: 'the token, through a proxy',
    token: TOKEN,
    headers: { ...bearer(TOKEN), via: '1.1 p' },
    status: 200,
  },
  { it: 'a HEAD request with the token', token: TOKEN, headers: bearer(TOKEN), method: 'HEAD', status: 200 },
  { it: 'no token although one is configured', token: TOKEN, status: 401, slug: 'missing-api-key' },
  { it: 'another token', token: TOKEN, headers: bearer(`${TOKEN}x`), status: 401, slug: 'invalid-api-key' },
  {
    it: 'a prefix of the token',
    token: TOKEN,
    headers: bearer('a-token'),
    status: 401,
    slug: 'invalid-api-key',
  },
  { it: 'an API key', token: TOKEN, headers: bearer('svc_live_full'), status: 401, slug: 'invalid-api-key' },
  {
    it: 'another scheme',
    token: TOKEN,
    headers: { authorization: `Basic ${TOKEN}` },
    status: 401,
    slug: 'missing-api-key',
  },

  { it: 'this machine, in development', status: 200 },
  { it: 'this machine by IPv6', host: '::1', status: 200 },
  { it: 'this machine by its name', headers: { host: 'LOCALHOST:8025' }, status: 200 },
  { it: 'this machine in production', production: true, status: 404, slug: 'not-found' },
  {
    it: 'this machine with a token, in production without one',
    production: true,
    headers: bearer(TOKEN),
    status: 404,
    slug: 'not-found',
  },
  {
    it: 'a host name rebound to this machine',
    headers: { host: 'rebound.example' },
    status: 404,
    slug: 'not-found',
  },
  { it: 'an invalid host', headers: { host: '[' }, status: 404, slug: 'not-found' },
  {
    it: 'a proxy with X-Forwarded-For',
    headers: { 'x-forwarded-for': '127.0.0.1' },
    status: 404,
    slug: 'not-found',
  },
  { it: 'a proxy with Forwarded', headers: { forwarded: 'for=127.0.0.1' }, status: 404, slug: 'not-found' },
  { it: 'a proxy with X-Real-IP', headers: { 'x-real-ip': '127.0.0.1' }, status: 404, slug: 'not-found' },
  { it: 'a proxy with Via', headers: { via: '1.1 p' }, status: 404, slug: 'not-found' },
  ...(outside === undefined
    ? []
    : [
        {
          it: 'another address, in development',
          host: outside,
          headers: { host: 'localhost' },
          status: 404,
          slug: 'not-found',
        },
      ]),
];

async function ask(port: number, { host = '127.0.0.1', headers = {}, method = 'GET' }: Case) {
  const asking = request({ host, port, path: '/metrics', method, headers, agent: false }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

for (const [name, start] of Object.entries(EDGES)) {
  suite(`/metrics of ${name}`, () => {
    for (const each of CASES) {
      test(`returns ${each.status} for ${each.it}`, async () => {
        let reads = 0;
        await using server = await start({
          token: each.token ?? null,
          allowsLocalRequests: each.production !== true,
          read: () => {
            reads += 1;
            return Promise.resolve(TEXT);
          },
        });
        const { status, headers, body } = await ask(server.port, each);
        assert.equal(status, each.status, body);
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(reads, each.status === 200 ? 1 : 0);
        if (each.slug === undefined) {
          assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
          assert.equal(body, each.method === 'HEAD' ? '' : TEXT);
        } else {
          const problem = JSON.parse(body) as Problem;
          assert.equal(problem.type, `/errors/${each.slug}`);
          assert.match(problem.detail ?? '', /POSTHORN_METRICS_TOKEN/);
          assert.doesNotMatch(body, new RegExp(TOKEN));
          assert.equal(headers['www-authenticate'], each.status === 401 ? 'Bearer' : undefined);
        }
      });
    }
  });
}

test('/metrics rejects a request forwarded as HTTP/1.0 without forwarding headers, which is the default of nginx', async () => {
  await using server = await EDGES['the API']({
    token: null,
    allowsLocalRequests: true,
    read: () => Promise.resolve(TEXT),
  });
  const socket = connect(server.port, '127.0.0.1');
  socket.end(`GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`);
  assert.match(await text(socket), /^HTTP\/1\.1 404 /);
});

const HERE = { environment: 'development', baseUrl: null, trustedProxies: [] } as const;
for (const [name, config, expected] of [
  ['in development without a URL', HERE, true],
  ['with a URL on its own machine', { ...HERE, baseUrl: 'http://[::1]:8025' }, true],
  ['in production', { ...HERE, environment: 'production' }, false],
  ['with a public URL', { ...HERE, baseUrl: 'https://mail.acme.example' }, false],
  ['behind a proxy', { ...HERE, trustedProxies: ['127.0.0.1'] }, false],
] as const) {
  test(`a service ${name} and without a token ${expected ? 'serves' : 'does not serve'} metrics to local requests`, () => {
    assert.equal(servesLocalRequests(config), expected);
  });
}
