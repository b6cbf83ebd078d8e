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

  test('that runs and is ready is good', async () => {
    await using api = await startRealApi();
    assertFinding(
      await check(Number(new URL(api.baseUrl).port)),
      'ok',
      /runs at port \d+, and can take mail/,
    );
  });

  test('that is not ready says why', async () => {
    await using api = await startRealApi({}, {}, (services) => ({
      ...services,
      whyNotReady: async () => 'The database is read-only.',
    }));
    const finding = await check(Number(new URL(api.baseUrl).port));
    assertFinding(finding, 'problem', /not ready: The database is read-only\./, /log/);
  });

  test('has to run', async () => {
    assertFinding(await check(1), 'problem', /does not answer at port 1 .*ECONNREFUSED/, /Start Posthorn/);
  });

  test('is not another program', async () => {
    using other = await listen((_request, response) => response.end('<html>'));
    assertFinding(await check(other.port), 'problem', /is not Posthorn/, /another POSTHORN_HTTP_PORT/);
  });

  test('that never answers does not run', async () => {
    using other = await listen(() => {});
    assertFinding(await check(other.port, { timeoutMs: 400 }), 'problem', /no answer/, /Start Posthorn/);
  });

  test('needs a fixed port', async () => {
    assertFinding(await check(0), 'warning', /POSTHORN_HTTP_PORT is 0/, /port of your choice/);
  });
});

describe('the base URL', () => {
  let api: RealApi;
  before(async () => {
    api = await startRealApi();
  });
  after(() => api[Symbol.asyncDispose]());

  interface Given {
    isTracking?: boolean;
    zone?: DnsZone;
    environment?: 'development' | 'production';
  }

  async function check(baseUrl: string | null, given: Given = {}): Promise<Finding> {
    const { isTracking = false, zone = {}, environment = 'production' } = given;
    await sql`update projects set track_opens = ${isTracking}`.execute(api.db.database);
    await using dns = await startDnsServer(zone);
    const config = { baseUrl, environment };
    return await checkBaseUrl(worldWith(dns.address, { config, database: { opened: api.db.database } }));
  }

  test('is missed where something is tracked', async () => {
    const finding = await check(null, { isTracking: true });
    assertFinding(
      finding,
      'problem',
      /Links in tracked mail lead to http:\/\/localhost:8025/,
      /POSTHORN_BASE_URL/,
    );
  });

  test('is missed where one domain is tracked', async () => {
    const { body } = await api.project.client.post<{ domain: string }>('/v1/domains', {
      domain: 'acme.example',
    });
    const track = (value: boolean | null) =>
      sql`update domains set track_clicks = ${value} where name = ${body.domain}`.execute(api.db.database);
    await track(true);
    assertFinding(await check(null), 'problem', /tracked mail/, /POSTHORN_BASE_URL/);
    await track(null);
  });

  test('should be there for links to unsubscribe', async () => {
    assertFinding(await check(null), 'warning', /Links to unsubscribe lead to/, /POSTHORN_BASE_URL/);
  });

  for (const [baseUrl, zone] of [
    ['https://localhost', {}],
    ['https://10.0.0.5', {}],
    ['https://[::1]:8025', {}],
    ['https://mail.acme.example', { 'mail.acme.example': { A: ['192.168.1.2'] } }],
  ] as const) {
    test(`${baseUrl} is for nobody outside`, async () => {
      const finding = await check(baseUrl, { isTracking: true, zone: { ...zone } });
      assertFinding(finding, 'problem', /no recipient reaches that/, /POSTHORN_BASE_URL/);
    });
  }

  test('has to be a name in DNS', async () => {
    const finding = await check('https://mail.acme.example', { isTracking: true });
    assertFinding(finding, 'problem', /mail\.acme\.example has no address in DNS/, /POSTHORN_BASE_URL/);
  });

  test('that cannot be looked up is said to be so', async () => {
    const finding = await check('https://mail.acme.example', {
      zone: { 'mail.acme.example': { fault: 'servfail' } },
    });
    assertFinding(finding, 'warning', /cannot be looked up/, /POSTHORN_BASE_URL/);
  });

  test('should be https in production', async () => {
    assertFinding(await check(`http://${ADDRESS}`), 'warning', /is not https/, /POSTHORN_BASE_URL/);
  });

  test('at which Posthorn answers is good', async () => {
    assertFinding(
      await loadPixel(worldWith(DNS), api.baseUrl, '127.0.0.1'),
      'ok',
      /lead to http:\/\/localhost:\d+, and Posthorn answers there/,
    );
  });

  test('is not good because a proxy answers', async () => {
    using proxy = await listen((_request, response) => response.writeHead(404).end('no such page'));
    assertFinding(
      await loadPixel(worldWith(DNS), `http://proxy.test:${proxy.port}/mail`, '127.0.0.1'),
      'warning',
      /\/mail\/t\/\.\.\.; from this machine: the answer is 404/,
      /below \/t\/ to POSTHORN_HTTP_PORT/,
    );
  });

  test('at which nobody answers may be out of reach from here alone', async () => {
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

  /** Whatever the signature is. */
  async function checkAnswer(body: object): Promise<Finding> {
    using server = await listen((_request, response) => response.end(JSON.stringify(body)));
    return await check(`http://127.0.0.1:${server.port}`);
  }
  const QUOTA = { MaxSendRate: 14, Max24HourSend: 50_000, SentLast24Hours: 100 };
  const GOOD = { ProductionAccessEnabled: true, SendingEnabled: true, SendQuota: QUOTA };

  test('that takes the credentials is good', async () => {
    assertFinding(await checkAnswer(GOOD), 'ok', /takes the credentials, and 14 messages a second/);
  });

  test('is asked with a signature that it takes', async () => {
    await using ses = await startSesServer();
    assertFinding(await check(ses.origin), 'ok', /takes the credentials/);
  });

  test('that does not take the credentials says so', async () => {
    await using ses = await startSesServer();
    assertFinding(
      await check(ses.origin, { secretAccessKey: 'wrong' }),
      'problem',
      /answers 403 \w+\.$/,
      /POSTHORN_SES_SECRET_ACCESS_KEY,.*clock/,
    );
  });

  test('that does not tell of the account can be sent through', async () => {
    await using ses = await startSesServer();
    ses.maxSendRate = null;
    assertFinding(await check(ses.origin), 'warning', /AccessDenied/, /ses:GetAccount/);
  });

  test('has to be reached', async () => {
    assertFinding(await check('http://127.0.0.1:1'), 'problem', /connection refused/, /POSTHORN_SES_REGION/);
  });

  test('is not something else that answers', async () => {
    assertFinding(await checkAnswer([]), 'problem', /answers 200/, /POSTHORN_SES_ENDPOINT/);
  });

  test('should tell of bounces', async () => {
    await using ses = await startSesServer();
    assertFinding(
      await check(ses.origin, { topicArn: null }),
      'warning',
      /Nobody hears of bounces/,
      /ses\.md/,
    );
  });

  test('that has paused the account takes nothing', async () => {
    assertFinding(await checkAnswer({ ...GOOD, SendingEnabled: false }), 'problem', /paused/, /console/);
  });

  test('in its sandbox takes little', async () => {
    const sandbox = { ...GOOD, ProductionAccessEnabled: false };
    assertFinding(await checkAnswer(sandbox), 'warning', /verified identities only/, /production access/);
  });

  test('takes no more than its quota', async () => {
    const full = { ...GOOD, SendQuota: { ...QUOTA, SentLast24Hours: 49_000 } };
    assertFinding(await checkAnswer(full), 'warning', /49000 of the 50000/, /quota/);
  });
});
