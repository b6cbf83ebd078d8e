import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALL_SETTINGS, ConfigError, describeSettings, readConfig } from './config.ts';
import { effectiveSettings } from './effective-settings.ts';

test('no variable is required', () => {
  const config = readConfig({});
  assert.equal(config.httpPort, 8025);
  assert.equal(config.hostedDomain, 'posthorn.localhost');
  assert.equal(config.provider, 'sandbox');
  assert.equal(config.databaseUrl, null);
  assert.deepEqual(config.roles, ['http', 'smtp', 'submission', 'imap', 'pop3', 'worker']);
  assert.match(config.dataDir, /^\/.*\/data$/);
});

test('an empty variable counts as unset', () => {
  assert.deepEqual(readConfig({ POSTHORN_HTTP_PORT: '', POSTHORN_ROLES: ' ' }), readConfig({}));
});

const SECRET = { POSTHORN_SECRET: 'sixteen letters!' };

const accepted: [title: string, env: Record<string, string>, expected: object][] = [
  ['a free port', { POSTHORN_HTTP_PORT: '0' }, { httpPort: 0 }],
  ['one role', { POSTHORN_ROLES: 'worker' }, { roles: ['worker'] }],
  [
    'addresses, with and without brackets',
    { POSTHORN_LISTEN: '10.0.0.1, [::1]' },
    { listen: ['10.0.0.1', '::1'] },
  ],
  ['no POSTHORN_LISTEN as loopback in development', {}, { listen: ['127.0.0.1', '::1'] }],
  ['no POSTHORN_LISTEN as all addresses in production', { POSTHORN_ENV: 'production' }, { listen: ['::'] }],
  [
    "certificates of Let's Encrypt for the DNS names of this machine",
    { POSTHORN_ACME: 'on', POSTHORN_HOSTNAME: 'mx.m.test', POSTHORN_BASE_URL: 'https://www.m.test/' },
    {
      acme: {
        directory: 'https://acme-v02.api.letsencrypt.org/directory',
        names: ['mx.m.test', 'www.m.test'],
      },
    },
  ],
  [
    'certificates of another authority, without duplicate names',
    {
      POSTHORN_ACME: 'https://ca.test/dir',
      POSTHORN_HOSTNAME: 'm.test',
      POSTHORN_BASE_URL: 'https://m.test',
    },
    { acme: { directory: 'https://ca.test/dir', names: ['m.test'] } },
  ],
  ['no certificates', { POSTHORN_ACME: 'off', POSTHORN_HOSTNAME: 'vm' }, { acme: null }],
  [
    'certificate files in preference to ACME',
    { POSTHORN_ACME: 'on', POSTHORN_TLS_CERT: import.meta.filename, POSTHORN_TLS_KEY: import.meta.filename },
    { acme: null },
  ],
  ['no rate limit', { POSTHORN_RATE_LIMIT: '0' }, { rateLimit: 0 }],
  [
    'a base address, and removes its trailing slash',
    { POSTHORN_BASE_URL: 'https://m.test/a/' },
    { baseUrl: 'https://m.test/a' },
  ],
  [
    'proxies',
    { POSTHORN_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16' },
    { trustedProxies: ['10.0.0.1', '10.1.0.0/16'] },
  ],
  [
    'trusted relays, and ARC sealers in addition to the default ones',
    { POSTHORN_TRUSTED_RELAYS: '192.0.2.0/28, ::1', POSTHORN_ARC_SEALERS: 'default, Lists.acme.test' },
    { trustedRelays: ['192.0.2.0/28', '::1'], arcSealers: ['default', 'lists.acme.test'] },
  ],
  [
    'blocklists of addresses and of domains',
    {
      POSTHORN_DNSBL: 'zen.spamhaus.org, l.example=127.0.0.2:1.5',
      POSTHORN_URIBL: 'key@dbl.dq.spamhaus.net',
    },
    {
      blocklists: [
        { kind: 'address', name: 'zen.spamhaus.org' },
        { kind: 'address', name: 'l.example' },
        { kind: 'domain', name: 'dbl.dq.spamhaus.net', zone: 'key.dbl.dq.spamhaus.net' },
      ],
    },
  ],
  ['no sealer', { POSTHORN_ARC_SEALERS: 'none' }, { arcSealers: [] }],
  [
    'proxies of the mail ports',
    { POSTHORN_PROXY_PROTOCOL: 'smtp=10.0.0.0/8, all=::1' },
    { proxyProtocol: ['smtp=10.0.0.0/8', 'all=::1'] },
  ],
  [
    'a smart host with a login',
    { POSTHORN_SMTP_URL: 'smtp://us%40er:p%3Ass@smtp.test' },
    { smartHost: { host: 'smtp.test', port: 587, implicitTls: false, username: 'us@er', password: 'p:ss' } },
  ],
  [
    'a smart host with TLS from the first byte',
    { POSTHORN_SMTP_URL: 'smtps://[::1]:4650' },
    { smartHost: { host: '::1', port: 4650, implicitTls: true, username: null, password: null } },
  ],
  [
    'a database with a secret',
    { POSTHORN_DATABASE_URL: 'postgres://u:p@db/x', ...SECRET },
    { databaseUrl: 'postgres://u:p@db/x' },
  ],
];

for (const [title, env, expected] of accepted) {
  test(`accepts ${title}`, () => assert.partialDeepStrictEqual(readConfig(env), expected));
}

const rejected: [env: Record<string, string>, names: string, says: RegExp][] = [
  [{ POSTHORN_HTTP_PORT: '65536' }, 'POSTHORN_HTTP_PORT', /from 0 to 65535/],
  [{ POSTHORN_ACME: 'yes' }, 'POSTHORN_ACME', /on, off, or the https address/],
  [{ POSTHORN_ACME: 'http://ca.test/dir' }, 'POSTHORN_ACME', /https address/],
  [{ POSTHORN_ACME: 'on', POSTHORN_HOSTNAME: 'vm' }, 'POSTHORN_ACME', /no name to get a certificate for/],
  [{ POSTHORN_HTTP_PORT: '80a' }, 'POSTHORN_HTTP_PORT', /"80a"/],
  [{ POSTHORN_LISTEN: 'localhost' }, 'POSTHORN_LISTEN', /"localhost"\. It must be IP addresses/],
  [{ POSTHORN_LISTEN: '0.0.0.0:80' }, 'POSTHORN_LISTEN', /"0\.0\.0\.0:80".* without a port/],
  [{ POSTHORN_LISTEN: ',' }, 'POSTHORN_LISTEN', /IP addresses/],
  [{ POSTHORN_TRUSTED_RELAYS: 'gw.acme.test' }, 'POSTHORN_TRUSTED_RELAYS', /"gw\.acme\.test"/],
  [{ POSTHORN_ARC_SEALERS: 'a b' }, 'POSTHORN_ARC_SEALERS', /"a b"\. It must be domains/],
  [{ POSTHORN_DNSBL: 'l.example' }, 'POSTHORN_DNSBL', /"l\.example": the answers are missing/],
  [{ POSTHORN_URIBL: 'zen.spamhaus.org' }, 'POSTHORN_URIBL', /the zone lists addresses/],
  [{ POSTHORN_PROXY_PROTOCOL: '10.0.0.0/8' }, 'POSTHORN_PROXY_PROTOCOL', /name=network/],
  [{ POSTHORN_PROXY_PROTOCOL: 'http=10.0.0.0/8' }, 'POSTHORN_PROXY_PROTOCOL', /"http=10\.0\.0\.0\/8"/],
  [{ POSTHORN_PROXY_PROTOCOL: 'smtp=10.0.0.0/33' }, 'POSTHORN_PROXY_PROTOCOL', /"smtp=10\.0\.0\.0\/33"/],
  [{ POSTHORN_PROVIDER: 'smpt' }, 'POSTHORN_PROVIDER', /sandbox or smtp/],
  [{ POSTHORN_PROVIDER: 'smtp' }, 'POSTHORN_SMTP_URL', /missing/],
  [{ POSTHORN_SMTP_URL: 'http://x' }, 'POSTHORN_SMTP_URL', /smtp:\/\//],
  [{ POSTHORN_SMTP_URL: 'smtp://u@x' }, 'POSTHORN_SMTP_URL', /only one of/],
  [{ POSTHORN_SMTP_URL: 'smtp://u:%zz@x' }, 'POSTHORN_SMTP_URL', /%25/],
  [{ POSTHORN_SMTP_URL: 'smtp://x/path' }, 'POSTHORN_SMTP_URL', /path/],
  [{ POSTHORN_DATABASE_URL: 'mysql://x', ...SECRET }, 'POSTHORN_DATABASE_URL', /postgres:\/\//],
  [{ POSTHORN_DATABASE_URL: 'postgres://x/y' }, 'POSTHORN_SECRET', /missing/],
  [{ POSTHORN_SECRET: 'short' }, 'POSTHORN_SECRET', /at least 16/],
  [{ POSTHORN_BASE_URL: 'ftp://x' }, 'POSTHORN_BASE_URL', /https/],
  [{ POSTHORN_HOSTED_DOMAIN: 'a b' }, 'POSTHORN_HOSTED_DOMAIN', /domain name/],
  [{ POSTHORN_HOSTNAME: '-x' }, 'POSTHORN_HOSTNAME', /domain name/],
  [{ POSTHORN_ROLES: 'http,nntp' }, 'POSTHORN_ROLES', /"nntp"/],
  [{ POSTHORN_DEFAULT_PLAN: 'gold' }, 'POSTHORN_DEFAULT_PLAN', /free or paid/],
  [{ POSTHORN_RATE_LIMIT: '-1' }, 'POSTHORN_RATE_LIMIT', /whole number/],
];

for (const [env, names, says] of rejected) {
  test(`rejects an invalid ${names} and says what is valid: ${Object.values(env)[0]}`, () => {
    assert.throws(
      () => readConfig(env),
      (error) =>
        error instanceof ConfigError && error.message.startsWith(`${names} is `) && says.test(error.message),
    );
  });
}

const SES = {
  POSTHORN_PROVIDER: 'ses',
  POSTHORN_SES_REGION: 'eu-central-1',
  POSTHORN_SES_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  POSTHORN_SES_SECRET_ACCESS_KEY: 'hunter22',
};

test('Amazon SES needs only a region and an access key', () => {
  assert.deepEqual(readConfig(SES).ses, {
    region: 'eu-central-1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'hunter22',
    configurationSet: null,
    topicArn: null,
    endpoint: null,
  });
  assert.equal(readConfig({ ...SES, POSTHORN_PROVIDER: 'direct' }).ses, null);
  const wrongs: Record<string, string>[] = [
    { POSTHORN_SES_REGION: '' },
    { POSTHORN_SES_REGION: 'evil.test/' },
    { POSTHORN_SES_ACCESS_KEY_ID: '' },
    { POSTHORN_SES_SECRET_ACCESS_KEY: '' },
    { POSTHORN_SES_TOPIC_ARN: 'posthorn-ses' },
    { POSTHORN_SES_TOPIC_ARN: 'arn:aws:sns:evil.test/:111122223333:posthorn-ses' },
    { POSTHORN_SES_ENDPOINT: 'http://localhost:4579/path' },
  ];
  for (const wrong of wrongs) {
    assert.throws(
      () => readConfig({ ...SES, ...wrong }),
      (error) => error instanceof ConfigError && error.message.startsWith(Object.keys(wrong)[0] ?? ''),
    );
  }
});

test('an error never contains a password', () => {
  for (const env of [
    { POSTHORN_SMTP_URL: 'http://u:hunter22@x' },
    { POSTHORN_DATABASE_URL: 'x://u:hunter22@y', ...SECRET },
  ]) {
    assert.throws(
      () => readConfig(env),
      (error) => error instanceof ConfigError && !error.message.includes('hunter22'),
    );
  }
});

test('every variable that is read has a description', () => {
  const read = new Set<string>();
  const env = new Proxy({}, { get: (_target, name) => void read.add(String(name)) });
  readConfig(env);
  for (const name of read) assert.ok(describeSettings().includes(`${name}\n`), name);
});

test('the table of docs/operate/configuration.md equals the output of `posthorn config`', () => {
  const page = readFileSync(new URL('../../docs/operate/configuration.md', import.meta.url), 'utf8');
  const plain = page.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
  const rows = [...plain.matchAll(/^\| (POSTHORN_\w+) \| (.+) \| (.+) \|$/gm)];
  const described = rows.map(
    ([, name, fallback, meaning]) => `${name}\n    default: ${fallback}\n    ${meaning}\n`,
  );
  assert.equal(described.join(''), describeSettings());
});

test('a variable is required if another variable that needs it is set', () => {
  for (const [env, says] of [
    [{ POSTHORN_PROVIDER: 'smtp' }, /POSTHORN_SMTP_URL is missing, but POSTHORN_PROVIDER is smtp\. It must/],
    [
      { POSTHORN_DATABASE_URL: 'postgres://x/y' },
      /POSTHORN_SECRET is missing, but POSTHORN_DATABASE_URL is set\./,
    ],
    [{ POSTHORN_TLS_CERT: 'package.json' }, /POSTHORN_TLS_KEY is missing, but POSTHORN_TLS_CERT is set\./],
    [{ POSTHORN_TLS_KEY: 'package.json' }, /POSTHORN_TLS_CERT is missing, but POSTHORN_TLS_KEY is set\./],
  ] as const) {
    assert.throws(() => readConfig(env), says);
  }
});

test('effective settings show their source and no secrets', () => {
  const shown = (env: Record<string, string>) =>
    new Map(effectiveSettings(env).map(({ name, value, source }) => [name, { value, source }]));
  const plain = shown({ POSTHORN_HTTP_PORT: '8080', POSTHORN_DATA: '/srv/../srv/posthorn' });
  assert.deepEqual(plain.get('POSTHORN_HTTP_PORT'), { value: '8080', source: 'environment' });
  assert.deepEqual(plain.get('POSTHORN_DATA'), { value: '/srv/posthorn', source: 'environment' });
  assert.deepEqual(plain.get('POSTHORN_BASE_URL'), { value: 'http://localhost:8080', source: 'default' });
  assert.deepEqual(plain.get('POSTHORN_DATABASE_URL'), { value: null, source: 'default' });
  assert.equal(plain.has('POSTHORN_SES_REGION'), false);

  const secrets = shown({
    ...SES,
    ...SECRET,
    POSTHORN_DATABASE_URL: 'postgres://me:hunter22@db.example.com/posthorn?sslmode=require&password=hunter22',
    POSTHORN_SMTP_URL: 'smtp://me:hunter22@smtp.example.com',
    POSTHORN_METRICS_TOKEN: 'hunter22hunter22',
    POSTHORN_BLOBS: 's3://me:hunter22@s3.example.com/mail',
    POSTHORN_DNSBL: 'hunter22@zen.dq.spamhaus.net:4',
  });
  assert.equal(secrets.get('POSTHORN_DNSBL')?.value, '***@zen.dq.spamhaus.net:4');
  const url = 'postgres://me:***@db.example.com/posthorn?sslmode=require&password=***';
  assert.equal(secrets.get('POSTHORN_DATABASE_URL')?.value, url);
  for (const [name, { value }] of secrets)
    for (const secret of ['hunter22', SECRET.POSTHORN_SECRET, SES.POSTHORN_SES_SECRET_ACCESS_KEY])
      assert.ok(value === null || !value.includes(secret), `${name}: ${value}`);
  // A new setting that contains a secret must have `hides`.
  const masked = ALL_SETTINGS.filter(({ hides }) => hides !== undefined).map(({ name }) => name);
  const secretive = ALL_SETTINGS.filter(({ name }) => /SECRET|TOKEN|PASSWORD|_URL$|BLOBS/.test(name)).map(
    ({ name }) => name,
  );
  assert.deepEqual(
    secretive.filter((name) => !masked.includes(name)),
    ['POSTHORN_BASE_URL', 'POSTHORN_MAIL_URL'],
  );
});

test('the URL of a bucket is parsed; only a bucket on this machine uses http, in development', () => {
  const blobs = (url: string, env = 'development') =>
    readConfig({ POSTHORN_BLOBS: url, POSTHORN_ENV: env, POSTHORN_BASE_URL: 'https://mail.example.com' })
      .blobs;
  assert.deepEqual(blobs('s3://key:a%2Fb%2B@s3.eu-central-1.amazonaws.com/my-mail'), {
    origin: 'https://s3.eu-central-1.amazonaws.com',
    bucket: 'my-mail',
    region: 'eu-central-1',
    accessKeyId: 'key',
    secretAccessKey: 'a/b+',
  });
  for (const [url, env, origin, region] of [
    ['s3://k:s@minio.example.com:9000/mail?region=eu', 'production', 'https://minio.example.com:9000', 'eu'],
    ['s3://k:s@localhost:9000/mail', 'development', 'http://localhost:9000', 'us-east-1'],
    ['s3://k:s@localhost:9000/mail', 'production', 'https://localhost:9000', 'us-east-1'],
    ['s3://k:s@[::1]:9000/mail/', 'development', 'http://[::1]:9000', 'us-east-1'],
    ['s3://k:s@localhost.example.com/mail', 'development', 'https://localhost.example.com', 'us-east-1'],
  ] as const) {
    const found = blobs(url, env);
    assert.deepEqual([found?.origin, found?.region], [origin, region], url);
  }
  for (const url of [
    'https://k:hunter22@host/mail',
    's3://k@host/mail',
    's3://:hunter22@host/mail',
    's3://k:hunter22@host/',
    's3://k:hunter22@host/a/b',
    's3://k:hunter22@host/UPPER',
    's3://k:hunter22@host/mail?other=1',
    's3://k:hunter%zz22@host/mail',
    's3://k:hunter22@host/mail#x',
  ])
    assert.throws(
      () => blobs(url),
      (error: Error) => error.message.startsWith('POSTHORN_BLOBS is ') && !error.message.includes('hunter'),
      url,
    );
});

test('POSTHORN_MAIL_URL must have a separate host and no path', () => {
  const at = (mail: string) =>
    readConfig({ POSTHORN_BASE_URL: 'https://posthorn.acme.example', POSTHORN_MAIL_URL: mail });
  assert.equal(at('https://mail.acme.example').mailUrl, 'https://mail.acme.example');
  assert.throws(() => at('https://posthorn.acme.example:8443'), /has the host of POSTHORN_BASE_URL/);
  assert.throws(() => at('https://mail.acme.example/client'), /has a path/);
});
