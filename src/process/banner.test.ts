import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readConfig } from '../config.ts';
import { banner } from './banner.ts';

const SECRET = 'a secret that is long enough';

suite('banner', () => {
  test('shows where the service is, and the key of a first start', () => {
    const text = banner(readConfig({ POSTHORN_DATA: '/srv/data' }), 8025, { token: 'svc_live_x' });
    assert.match(text, /^ {2}API +http:\/\/localhost:8025$/m);
    assert.match(text, /^ {2}Data +\/srv\/data$/m);
    assert.match(text, /^ {2}svc_live_x$/m);
  });

  test('prefers the address that the configuration names', () => {
    const config = readConfig({ POSTHORN_BASE_URL: 'https://mail.example.com' });
    assert.match(banner(config, 8025, null), /^ {2}API +https:\/\/mail\.example\.com$/m);
  });

  test('shows the host of a database, and never its password', () => {
    const config = readConfig({
      POSTHORN_DATABASE_URL: 'postgres://me:hush@db.example.com/posthorn',
      POSTHORN_SECRET: SECRET,
    });
    const text = banner(config, 8025, null);
    assert.match(text, /^ {2}Database +db\.example\.com$/m);
    assert.doesNotMatch(text, /hush/);
  });

  test('names no address when this instance serves none', () => {
    const text = banner(readConfig({ POSTHORN_ROLES: 'worker' }), null, { token: 'svc_live_x' });
    assert.doesNotMatch(text, /API|curl/);
    assert.match(text, /^ {2}Roles +worker$/m);
  });
});
