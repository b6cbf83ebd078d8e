import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type RealApi, startRealApi } from '../../../test/support/api.ts';
import { type DnsZone, startDnsServer } from '../../../test/support/dns-server.ts';
import { KEY, REGION, startSesServer } from '../../../test/support/ses-server.ts';
import type { SesAccount } from '../../app/config.ts';
import { checkBaseUrl, checkService, loadPixel } from './web.ts';
import { checkSes } from './mail-out.ts';
import type { Finding } from './finding.ts';
import { assertFinding } from './finding.fixture.ts';
import { ADDRESS, worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';

async function listen(listener: RequestListener): Promise<{ port: number } & Disposable> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('the service', () => {
  const check = (httpPort: number, given = {}): Promise<Finding> =>
    checkService(worldWith(DNS, { config: { httpPort }, ...given }));

  test('the service is ok if it runs and is ready', async () => {
    await using api = await startRealApi();
    assertFinding(
      await check(Number(new URL(api.baseUrl).port)),
      'ok',
      /is running on port \d+ and can accept mail/,
    );
  });

  test('the service is a problem if it is not ready, and the finding has the reason', async () => {
    await using api = await startRealApi({}, {}, (services) => ({
      ...services,
      whyNotReady: async () => 'The database is read-only.',
    }));
    const finding = await check(Number(new URL(api.baseUrl).port));
    assertFinding(finding, 'problem', /not ready: The database is read-only\./, /log/);
  });

  test('the service is a problem if it does not run', async () => {
    assertFinding(await check(1), 'problem', /does not answer on port 1 .*ECONNREFUSED/, /Start Posthorn/);
  });

  test('the service is a problem if another program responds on its port', async () => {
    using other = await listen((_request, response) => response.end('<html>'));
    assertFinding(await check(other.port), 'problem', /is not Posthorn/, /another POSTHORN_HTTP_PORT/);
  });

  test('the service is a problem if it never responds', async () => {
    using other = await listen(() => {});
    assertFinding(await check(other.port, { timeoutMs: 400 }), 'problem', /no answer/, /Start Posthorn/);
  });

  test('the service needs a fixed port', async () => {
    assertFinding(await check(0), 'warning', /POSTHORN_HTTP_PORT is 0/, /fixed port/);
  });
});

describe('the base URL', () => {
  let api: RealApi;
  before(async () => {
    api = await startRealApi();
  });
  after(() => api[Symbol.asyncDispose]());

  interface Options {
    isTracking?: boolean;
    zone?: DnsZone;
    environment?: 'development' | 'production';
  }

  async function check(baseUrl: string | null, given: Options = {}): Promise<Finding> {
    const { isTracking = false, zone = {}, environment = 'production' } = given;
    await sql`update projects set track_opens = ${isTracking}`.execute(api.db.database);
    await using dns = await startDnsServer(zone);
    const config = { baseUrl, environment };
    return await checkBaseUrl(worldWith(dns.address, { config, database: { opened: api.db.database } }));
  }

  test('the base URL is a problem if it is not set and a project tracks mail', async () => {
    const finding = await check(null, { isTracking: true });
    assertFinding(
      finding,
      'problem',
      /Links in tracked mail point to http:\/\/localhost:8025/,
      /POSTHORN_BASE_URL/,
    );
  });

  test('the base URL is a problem if it is not set and a domain tracks mail', async () => {
    const { body } = await api.project.client.post<{ domain: string }>('/v1/domains', {
      domain: 'acme.example',
    });
    const track = (value: boolean | null) =>
      sql`update domains set track_clicks = ${value} where name = ${body.domain}`.execute(api.db.database);
    await track(true);
    assertFinding(await check(null), 'problem', /tracked mail/, /POSTHORN_BASE_URL/);
    await track(null);
  });

  test('the base URL is a warning if it is not set and no mail is tracked', async () => {
    assertFinding(await check(null), 'warning', /Unsubscribe links point to/, /POSTHORN_BASE_URL/);
  });

  for (const [baseUrl, zone] of [
    ['https://localhost', {}],
    ['https://10.0.0.5', {}],
    ['https://[::1]:8025', {}],
    ['https://mail.acme.example', { 'mail.acme.example': { A: ['192.168.1.2'] } }],
  ] as const) {
    test(`the base URL is a problem if recipients cannot reach it: ${baseUrl}`, async () => {
      const finding = await check(baseUrl, { isTracking: true, zone: { ...zone } });
      assertFinding(finding, 'problem', /recipients cannot reach/, /POSTHORN_BASE_URL/);
    });
  }

  test('the base URL is a problem if its host has no address in DNS', async () => {
    const finding = await check('https://mail.acme.example', { isTracking: true });
    assertFinding(finding, 'problem', /mail\.acme\.example has no address in DNS/, /POSTHORN_BASE_URL/);
  });

  test('the base URL is a warning if its host cannot be looked up', async () => {
    const finding = await check('https://mail.acme.example', {
      zone: { 'mail.acme.example': { fault: 'servfail' } },
    });
    assertFinding(finding, 'warning', /cannot be looked up/, /POSTHORN_BASE_URL/);
  });

  test('the base URL should be https in production', async () => {
    assertFinding(await check(`http://${ADDRESS}`), 'warning', /is not https/, /POSTHORN_BASE_URL/);
  });

  test('the base URL is ok if Posthorn responds at it', async () => {
    assertFinding(
      await loadPixel(worldWith(DNS), api.baseUrl, '127.0.0.1'),
      'ok',
      /point to http:\/\/localhost:\d+, and Posthorn answers there/,
    );
  });

  test('the base URL is a warning if only a proxy responds', async () => {
    using proxy = await listen((_request, response) => response.writeHead(404).end('no such page'));
    assertFinding(
      await loadPixel(worldWith(DNS), `http://proxy.test:${proxy.port}/mail`, '127.0.0.1'),
      'warning',
      /\/mail\/t\/\.\.\., but a request from this machine failed: the response has status 404/,
      /under \/t\/ in the proxy to POSTHORN_HTTP_PORT/,
    );
  });

  test('the base URL is only a warning if no server responds, because other machines may be able to reach it', async () => {
    assertFinding(
      await loadPixel(worldWith(DNS), 'http://proxy.test:1', '127.0.0.1'),
      'warning',
      /ECONNREFUSED/,
      /another machine/,
    );
  });
});

describe('Amazon SES', () => {
  const account = (endpoint: string, given: Partial<SesAccount> = {}): SesAccount => ({
    ...KEY,
    region: REGION,
    configurationSet: 'posthorn',
    topicArn: 'arn:aws:sns:eu-test-1:111122223333:posthorn',
    endpoint,
    ...given,
  });
  const check = (endpoint: string, given?: Partial<SesAccount>): Promise<Finding> =>
    checkSes(worldWith(DNS), account(endpoint, given));

  /** Runs the check against a server that returns the given body, whatever the signature. */
  async function checkAnswer(body: object): Promise<Finding> {
    using server = await listen((_request, response) => response.end(JSON.stringify(body)));
    return await check(`http://127.0.0.1:${server.port}`);
  }
  const QUOTA = { MaxSendRate: 14, Max24HourSend: 50_000, SentLast24Hours: 100 };
  const GOOD = { ProductionAccessEnabled: true, SendingEnabled: true, SendQuota: QUOTA };

  test('Amazon SES is ok if it accepts the credentials', async () => {
    assertFinding(await checkAnswer(GOOD), 'ok', /accepts the credentials, and 14 messages per second/);
  });

  test('the check of Amazon SES sends a request with a valid signature', async () => {
    await using ses = await startSesServer();
    assertFinding(await check(ses.origin), 'ok', /accepts the credentials/);
  });

  test('Amazon SES is a problem if it rejects the credentials', async () => {
    await using ses = await startSesServer();
    assertFinding(
      await check(ses.origin, { secretAccessKey: 'wrong' }),
      'problem',
      /answers 403 \w+\.$/,
      /POSTHORN_SES_SECRET_ACCESS_KEY,.*clock/,
    );
  });

  test('Amazon SES is a warning if it denies access to the account', async () => {
    await using ses = await startSesServer();
    ses.maxSendRate = null;
    assertFinding(await check(ses.origin), 'warning', /AccessDenied/, /ses:GetAccount/);
  });

  test('Amazon SES is a problem if it cannot be reached', async () => {
    assertFinding(await check('http://127.0.0.1:1'), 'problem', /connection refused/, /POSTHORN_SES_REGION/);
  });

  test('Amazon SES is a problem if another program responds', async () => {
    assertFinding(await checkAnswer([]), 'problem', /answers 200/, /POSTHORN_SES_ENDPOINT/);
  });

  test('Amazon SES is a warning if bounces are not reported', async () => {
    await using ses = await startSesServer();
    assertFinding(
      await check(ses.origin, { topicArn: null }),
      'warning',
      /Bounces and complaints are not reported/,
      /ses\.md/,
    );
  });

  test('Amazon SES is a problem if it has paused the account', async () => {
    assertFinding(await checkAnswer({ ...GOOD, SendingEnabled: false }), 'problem', /paused/, /console/);
  });

  test('Amazon SES is a warning while the account is in the sandbox', async () => {
    const sandbox = { ...GOOD, ProductionAccessEnabled: false };
    assertFinding(await checkAnswer(sandbox), 'warning', /verified identities only/, /production access/);
  });

  test('Amazon SES is a warning if the quota is nearly used up', async () => {
    const full = { ...GOOD, SendQuota: { ...QUOTA, SentLast24Hours: 49_000 } };
    assertFinding(await checkAnswer(full), 'warning', /49000 of the 50000/, /quota/);
  });
});
