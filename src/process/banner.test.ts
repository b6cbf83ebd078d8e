import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readConfig } from '../app/config.ts';
import { banner } from './banner.ts';

const PORTS = {
  http: 8025,
  https: null,
  smtp: 2525,
  devSmtp: null,
  imap: 2143,
  imaps: null,
  pop3: 2110,
  pop3s: null,
  submission: 2587,
  submissions: null,
};
const SECRET = 'a secret that is long enough';

suite('banner', () => {
  test('lists the addresses of the service, and shows the key of a first start', () => {
    const text = banner(readConfig({ POSTHORN_DATA: '/srv/data' }), PORTS, {
      token: 'svc_live_x',
      keyId: 'key_x',
    });
    assert.match(text, /^ {2}API +http:\/\/localhost:8025$/m);
    assert.match(text, /^ {2}Docs +http:\/\/localhost:8025\/docs$/m);
    assert.match(text, /^ {2}Inbox +http:\/\/localhost:8025\/dashboard\/emails$/m);
    assert.match(text, /^ {2}Web client +http:\/\/localhost:8025\/mail$/m);
    assert.match(text, /^ {2}Data +\/srv\/data$/m);
    assert.match(text, /^ {2}svc_live_x$/m);
    assert.match(text, /^ {2}npm .* key revoke --project default --id key_x$/m);
  });

  test('shows the sign-in link of the first owner, if there is one', () => {
    const config = readConfig({ POSTHORN_BASE_URL: 'https://mail.example.com' });
    const text = banner(config, PORTS, null, 'a-token');
    assert.match(text, /^ {2}Dashboard +https:\/\/mail\.example\.com\/dashboard$/m);
    assert.match(text, /works once, within 24 hours/);
    assert.match(text, /^ {2}https:\/\/mail\.example\.com\/dashboard\/welcome#a-token$/m);
    assert.doesNotMatch(banner(config, PORTS, null, null), /welcome/);
  });

  test('shows POSTHORN_BASE_URL instead of a listening address', () => {
    const config = readConfig({ POSTHORN_BASE_URL: 'https://mail.example.com' });
    assert.match(banner(config, PORTS, null), /^ {2}API +https:\/\/mail\.example\.com$/m);
  });

  test('shows the separate host of the web client', () => {
    const config = readConfig({ POSTHORN_MAIL_URL: 'https://inbox.example.com' });
    assert.match(banner(config, PORTS, null), /^ {2}Web client +https:\/\/inbox\.example\.com\/mail$/m);
  });

  test('shows the https port if there is one', () => {
    assert.doesNotMatch(banner(readConfig({}), PORTS, null), /HTTPS/);
    assert.match(banner(readConfig({}), { ...PORTS, https: 8443 }, null), /^ {2}HTTPS +port 8443$/m);
  });

  test('shows the listening addresses, and URLs for clients on this machine', () => {
    const rows = (listen: string) => banner(readConfig({ POSTHORN_LISTEN: listen }), PORTS, null);
    assert.match(rows(''), /^ {2}API +http:\/\/localhost:8025$[^]*^ {2}Listens +only on this machine/m);
    assert.match(rows('::'), /^ {2}API +http:\/\/localhost:8025$[^]*^ {2}Listens +on all addresses/m);
    assert.match(
      rows('192.0.2.1'),
      /^ {2}API +http:\/\/192\.0\.2\.1:8025$[^]*^ {2}Listens +on 192\.0\.2\.1 /m,
    );
    assert.match(rows('[2001:db8::1]'), /^ {2}API +http:\/\/\[2001:db8::1\]:8025$/m);
  });

  test('warns if the host name is not a DNS name', () => {
    const text = banner(readConfig({ POSTHORN_HOSTNAME: 'vm' }), PORTS, null);
    assert.match(text, /^ {2}Host name +vm: not a DNS name\. Set POSTHORN_HOSTNAME/m);
    const named = banner(readConfig({ POSTHORN_HOSTNAME: 'mail.example.com' }), PORTS, null);
    assert.doesNotMatch(named, /Host name/);
  });

  test('shows the host of the database, but not its password', () => {
    const config = readConfig({
      POSTHORN_DATABASE_URL: 'postgres://me:hush@db.example.com/posthorn',
      POSTHORN_SECRET: SECRET,
    });
    const text = banner(config, PORTS, null);
    assert.match(text, /^ {2}Database +db\.example\.com$/m);
    assert.doesNotMatch(text, /hush/);
  });

  test('shows the port for incoming mail, or why there is no such port', () => {
    const config = readConfig({});
    assert.match(
      banner(config, PORTS, null),
      /^ {2}Mail in +SMTP port 2525, for mailboxes, bounces and complaints/m,
    );
    assert.match(
      banner(config, { ...PORTS, smtp: null }, null),
      /^ {2}Mail in +not received: the smart host listens on POSTHORN_SMTP_PORT/m,
    );
  });

  test('shows the ports for mail apps, and that TLS ports need a certificate', () => {
    const config = readConfig({});
    assert.match(
      banner(config, PORTS, null),
      /^ {2}Mail apps +IMAP port 2143; POP3 port 2110; submission port 2587\. Without a certificate, sign-in works only from this machine/m,
    );
    assert.match(
      banner(config, { ...PORTS, submission: null, imap: null, pop3s: 2995 }, null),
      /^ {2}Mail apps +POP3 port 2110, with TLS 2995$/m,
    );
    assert.doesNotMatch(
      banner(config, { ...PORTS, submission: null, imap: null, pop3: null }, null),
      /Mail apps/,
    );
  });

  test('shows the host name that direct delivery uses', () => {
    const config = readConfig({ POSTHORN_PROVIDER: 'direct', POSTHORN_HOSTNAME: 'mail.example.com' });
    assert.match(banner(config, PORTS, null), /^ {2}Provider +direct, as mail\.example\.com$/m);
  });

  test('shows the region of Amazon SES, and warns if bounces are not reported', () => {
    const env = {
      POSTHORN_PROVIDER: 'ses',
      POSTHORN_SES_REGION: 'eu-central-1',
      POSTHORN_SES_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      POSTHORN_SES_SECRET_ACCESS_KEY: 'hush',
    };
    const text = banner(readConfig(env), PORTS, null);
    assert.match(text, /^ {2}Provider +ses, in eu-central-1, without feedback$/m);
    assert.doesNotMatch(text, /hush/);
    const topic = { POSTHORN_SES_TOPIC_ARN: 'arn:aws:sns:eu-central-1:111122223333:posthorn-ses' };
    assert.match(banner(readConfig({ ...env, ...topic }), PORTS, null), /ses, in eu-central-1$/m);
  });

  test('shows the status URL of an instance without an API', () => {
    const text = banner(
      readConfig({ POSTHORN_ROLES: 'worker' }),
      { ...PORTS, smtp: null },
      { token: 'svc_live_x', keyId: 'key_x' },
    );
    assert.doesNotMatch(text, /API|Mail in|curl/);
    assert.match(text, /^ {2}Status +http:\/\/localhost:8025\/readyz$/m);
    assert.match(text, /^ {2}Roles +worker$/m);
  });
});
