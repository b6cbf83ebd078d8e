import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { newDomain, newShop } from '../../../../test/support/projects.ts';
import { elementsOf } from '../docs/page.fixture.ts';
import { setupPage } from './page.ts';

const LONG_DOMAIN = `${'d'.repeat(60)}.${'e'.repeat(60)}.example`;
const HTTPS = 'https://mail.hosted.example';
let api: RealApi;
let secure: RealApi;
/** An API whose ports for mail apps are not fixed. */
let unsettled: RealApi;
before(async () => {
  api = await startRealApi();
  await newShop(api.db.database, 'shop', { localPart: 'ann' });
  await newDomain(api.db.database, api.project.id, 'xn--bcher-kva.example');
  await newDomain(api.db.database, api.project.id, LONG_DOMAIN);
  await api.db.database
    .updateTable('domains')
    .set({ status: 'verified', verifiedAt: new Date() })
    .where('name', 'in', ['shop.example', 'xn--bcher-kva.example', LONG_DOMAIN])
    .execute();
  secure = await startRealApi(
    { environment: 'production' },
    {
      baseUrl: HTTPS,
      instance: () => ({
        address: HTTPS,
        webClient: `${HTTPS}/mail`,
        hostedDomain: HOSTED_DOMAIN,
        submission: null,
      }),
    },
  );
  await newDomain(secure.db.database, secure.project.id, 'pending.example');
  unsettled = await startRealApi({}, {}, (services) => ({
    ...services,
    mailAccess: { ...services.mailAccess, services: [] },
  }));
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await secure[Symbol.asyncDispose]();
  await unsettled[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  type: string;
  location: string | null;
  csp: string | null;
  body: string;
}

async function ask(
  path: string,
  { host, body, of = api }: { host?: string; body?: string; of?: RealApi } = {},
): Promise<Answer> {
  const { port } = new URL(of.baseUrl);
  const headers = {
    ...(host !== undefined && { host }),
    ...(body !== undefined && { 'content-type': 'text/xml' }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpRequest(
    { host: 'localhost', port, path, headers, method: body === undefined ? 'GET' : 'POST' },
    (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then(
        (body) =>
          resolve({
            status,
            type: headers['content-type'] ?? '',
            location: headers.location ?? null,
            csp: (headers['content-security-policy'] as string | undefined) ?? null,
            body,
          }),
        reject,
      );
    },
  );
  request.on('error', reject);
  request.end(body);
  return promise;
}

const autodiscover = (address: string) =>
  `<Autodiscover xmlns="x"><Request><EMailAddress>${address}</EMailAddress></Request></Autodiscover>`;

describe('autoconfig', () => {
  for (const [path, host] of [
    ['/mail/config-v1.1.xml?emailaddress=ann%40shop.example', undefined],
    ['/mail/config-v1.1.xml?emailaddress=a+b@SHOP.example', 'elsewhere.example'],
    [
      '/.well-known/autoconfig/mail/config-v1.1.xml?emailaddress=x%40shop.example',
      'autoconfig.elsewhere.example',
    ],
    ['/.well-known/autoconfig/mail/config-v1.1.xml', 'shop.example'],
    ['/mail/config-v1.1.xml', 'AutoConfig.Shop.example:8025'],
  ] as const)
    test(`returns the servers of the domain for ${path} at ${host ?? 'any host'}`, async () => {
      const { status, type, body } = await ask(path, host === undefined ? {} : { host });
      assert.deepEqual([status, type], [200, 'text/xml; charset=utf-8']);
      assert.match(body, /<emailProvider id="shop\.example">/);
      assert.equal(body.match(/<hostname>mx\.hosted\.example<\/hostname>/g)?.length, 4);
      assert.doesNotMatch(body, /elsewhere|8025/);
    });

  for (const [path, host] of [
    ['/mail/config-v1.1.xml?emailaddress=ann%40other.example', undefined],
    ['/mail/config-v1.1.xml?emailaddress=', 'shop.example'],
    ['/mail/config-v1.1.xml?emailaddress=ann%40%3Cx%3E', undefined],
    ['/mail/config-v1.1.xml', 'autoconfig.other.example'],
    ['/mail/config-v1.1.xml', '127.0.0.1'],
    ['/mail/config-v1.1.xml', '%0d%0a'],
    ['/.well-known/autoconfig/mail/config-v1.1.xml', 'mail.shop.example'],
  ] as const)
    test(`returns 404 for ${path} at ${host ?? 'any host'}`, async () => {
      assert.equal((await ask(path, host === undefined ? {} : { host })).status, 404);
    });
});

describe('Autodiscover', () => {
  for (const path of [
    '/autodiscover/autodiscover.xml',
    '/Autodiscover/Autodiscover.xml',
    '/AutoDiscover/AutoDiscover.xml',
  ])
    test(`returns the servers of the domain for ${path}`, async () => {
      const { status, type, body } = await ask(path, { body: autodiscover('ann@shop.example') });
      assert.deepEqual([status, type], [200, 'text/xml; charset=utf-8']);
      assert.match(body, /<Type>IMAP<\/Type>\n<Server>mx\.hosted\.example<\/Server>\n<Port>993<\/Port>/);
    });

  for (const [what, body, expected] of [
    ['another domain', autodiscover('ann@other.example'), 404],
    ['an invalid address', autodiscover('ann'), 404],
    ['a body that is not XML', 'x', 400],
    ['nothing', '', 400],
    ['entities', `<!DOCTYPE x [<!ENTITY a "b">]>${autodiscover('&a;@shop.example')}`, 400],
    ['more than 16 KiB', autodiscover('x'.repeat(17_000)), 413],
  ] as const)
    test(`returns ${expected} for ${what}`, async () => {
      assert.equal((await ask('/autodiscover/autodiscover.xml', { body })).status, expected);
    });

  test('redirects requests at any http host to the https URL of the service', async () => {
    const { status, location } = await ask('/autodiscover/autodiscover.xml', {
      host: 'evil.example',
      of: secure,
    });
    assert.deepEqual([status, location], [302, `${HTTPS}/autodiscover/autodiscover.xml`]);
    assert.equal((await ask('/autodiscover/autodiscover.xml')).status, 404);
  });
});

describe('the Apple profile', () => {
  test('contains the address and is sent as a download', async () => {
    const { status, type, body } = await ask('/mail/setup/ann%2Bx%40shop.example.mobileconfig');
    assert.deepEqual([status, type], [200, 'application/x-apple-aspen-config']);
    assert.match(body, /<key>EmailAddress<\/key>\n<string>ann\+x@shop\.example<\/string>/);
  });

  for (const file of [
    'ann%40other.example.mobileconfig',
    'ann.mobileconfig',
    '.mobileconfig',
    'ann%40shop.example',
    '%00',
  ])
    test(`is not found for ${file}`, async () => {
      assert.equal((await ask(`/mail/setup/${file}`)).status, 404);
    });
});

describe('the setup page', () => {
  const pageOf = (address: string, of = api) =>
    ask(`/mail/setup?address=${encodeURIComponent(address)}`, { of });

  test('asks for an address and loads all resources from this server', async () => {
    const { status, type, csp, body } = await ask('/mail/setup');
    assert.deepEqual([status, type], [200, 'text/html; charset=utf-8']);
    assert.equal(
      csp,
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    const elements = elementsOf(body);
    const input = elements.find(({ name }) => name === 'input')?.attributes ?? {};
    assert.deepEqual([input['name'], input['value']], ['address', '']);
    assert.ok(elements.some(({ name, attributes }) => name === 'label' && attributes['for'] === input['id']));
    for (const { attributes } of elements) assert.ok(!('style' in attributes) && !('onclick' in attributes));
  });

  test('shows the settings, the Apple profile and a QR code for phones', async () => {
    const { status, body } = await pageOf('Ann@SHOP.example', api);
    assert.equal(status, 200);
    const elements = elementsOf(body);
    const codes = elements.filter(({ name }) => name === 'code').map((element) => element.text);
    assert.deepEqual(codes, [
      'Ann@shop.example',
      'mx.hosted.example',
      '993',
      'mx.hosted.example',
      '465',
      '587',
      'mx.hosted.example',
      '995',
    ]);
    assert.ok(
      elements.some(({ attributes }) => attributes['href'] === './setup/Ann%40shop.example.mobileconfig'),
    );
    assert.ok(elements.some(({ name, attributes }) => name === 'svg' && attributes['role'] === 'img'));
  });

  for (const [address, expected, message] of [
    ['ann@other.example', 404, /receives no mail for this domain/],
    ['ann', 400, /not an email address/],
    ['Ann <ann@shop.example>', 400, /not an email address/],
    ['ann@[127.0.0.1]', 400, /not an email address/],
    ['"><script>alert(1)</script>@shop.example', 400, /not an email address/],
    ['\0', 400, /not an email address/],
  ] as const)
    test(`explains what is wrong with ${JSON.stringify(address)}`, async () => {
      const { status, body } = await pageOf(address);
      assert.equal(status, expected);
      assert.match(body, message);
      const elements = elementsOf(body);
      assert.equal(elements.find(({ name }) => name === 'input')?.attributes['value'], address);
      assert.equal(
        elements.find(({ attributes }) => attributes['role'] === 'alert')?.attributes['id'],
        'fault',
      );
    });

  test('returns 404 for an unverified domain in production', async () => {
    assert.equal((await pageOf('ann@pending.example', secure)).status, 404);
    assert.equal((await pageOf(`ann@${HOSTED_DOMAIN}`, secure)).status, 200);
  });

  test('has no QR code for an address that is too long to encode quickly', async () => {
    for (const [localPart, hasCode] of [
      ['a'.repeat(64), true],
      ['é'.repeat(32), true],
      ['é'.repeat(32), false],
    ] as const) {
      const domain = hasCode ? 'shop.example' : LONG_DOMAIN;
      const { status, body } = await pageOf(`${localPart}@${domain}`);
      assert.equal(status, 200);
      assert.equal(/class="qr"/.test(body), hasCode);
      assert.equal(/Scan the code/.test(body), hasCode);
    }
  });

  test('accepts an internationalized domain', async () => {
    assert.match((await pageOf('info@bücher.example')).body, /<code>info@xn--bcher-kva\.example<\/code>/);
  });
});

test('without fixed ports, the setup page shows no ports and names the missing settings', async () => {
  const address = `ann@${HOSTED_DOMAIN}`;
  const of = unsettled;
  const page = await ask(`/mail/setup?address=${address}`, { of });
  assert.equal(page.status, 200);
  assert.match(page.body, /no fixed ports.*POSTHORN_IMAP_PORT/);
  assert.doesNotMatch(page.body, /Your account|mobileconfig|class="qr"/);
  for (const answer of [
    await ask(`/mail/config-v1.1.xml?emailaddress=${address}`, { of }),
    await ask('/autodiscover/autodiscover.xml', { body: autodiscover(address), of }),
    await ask(`/mail/setup/${address}.mobileconfig`, { of }),
  ]) {
    assert.equal(answer.status, 404);
    assert.match(answer.body, /no fixed ports/);
  }
});

test('without a certificate, the setup page says that apps work only on the server machine and how to set up a certificate', async () => {
  const services = [
    { protocol: 'imap', security: 'none', port: 2143 },
    { protocol: 'submission', security: 'none', port: 2587 },
  ] as const;
  const page = await setupPage(
    { state: 'found', address: 'ann@shop.example', url: 'http://localhost/mail/setup' },
    { hostname: 'laptop', webHost: 'laptop', services },
  );
  const codes = elementsOf(page).filter(({ name }) => name === 'code');
  assert.deepEqual(
    codes.map(({ text }) => text),
    ['ann@shop.example', 'localhost', '2143', 'localhost', '2587'],
  );
  assert.match(page, /no TLS certificate yet.*POSTHORN_ACME=on/s);
  assert.doesNotMatch(page, /laptop|mobileconfig|class="qr"|find these settings on their own/);
});

test('the responses for an existing mailbox equal the responses for an unknown mailbox', async () => {
  const all = async (localPart: string) => {
    const address = `${localPart}@shop.example`;
    const answers = [
      await ask(`/mail/config-v1.1.xml?emailaddress=${address}`),
      await ask('/autodiscover/autodiscover.xml', { body: autodiscover(address) }),
      await ask(`/mail/setup/${address}.mobileconfig`),
      await ask(`/mail/setup?address=${address}`),
    ];
    return answers.map(({ status, type, body }) => [
      status,
      type,
      body
        .replaceAll(new RegExp(`\\b${localPart}\\b`, 'g'), 'x')
        // UUIDs in the profile are derived from the address.
        .replaceAll(/[0-9A-F]{8}-[0-9A-F-]{27}/g, 'uuid')
        .replaceAll(/<path d="[^"]*">/g, ''),
    ]);
  };
  assert.deepEqual(await all('ann'), await all('bob'));
});
