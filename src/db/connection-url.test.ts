import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeUrl, databaseAddress, DatabaseUrlError } from './connection-url.ts';

const PEM = new URL('connection-url.test.ts', import.meta.url).pathname;

test('databaseAddress reads the hosts, their ports and target_session_attrs from a URL with several hosts', () => {
  const address = databaseAddress(
    'postgres://me:hu%40sh@h1:5433,h2,[::1]:6432/mail?target_session_attrs=read-write&application_name=x',
  );
  assert.deepEqual(address.hosts, [
    { host: 'h1', port: 5433 },
    { host: 'h2', port: 5432 },
    { host: '::1', port: 6432 },
  ]);
  assert.equal(address.needsWrites, true);
  assert.equal(address.connectionString, 'postgres://me:hu%40sh@h1:5433/mail?application_name=x');
});

test('a URL without parameters that Posthorn evaluates is passed to node-postgres unchanged', () => {
  for (const url of [
    'postgres://posthorn@%2Frun%2Fposthorn/posthorn',
    'postgres://me@h1:5432/mail?options=-c%20geqo%3Doff',
    'postgresql:///mail?host=/run/postgresql',
  ]) {
    const { connectionString, needsWrites, tls } = databaseAddress(url);
    assert.deepEqual([connectionString, needsWrites, tls], [url, false, undefined]);
  }
});

test('sslmode means the same as in libpq', () => {
  const tlsOf = (query: string) => databaseAddress(`postgres://me@h1/mail?${query}`).tls;
  assert.equal(tlsOf('sslmode=disable'), false);
  assert.deepEqual(tlsOf('sslmode=require'), { rejectUnauthorized: false });
  // With a root certificate, `require` checks the certificate chain and ignores the host name.
  for (const mode of ['require', 'verify-ca']) {
    const tls = tlsOf(`sslmode=${mode}&sslrootcert=${PEM}`);
    assert.ok(tls);
    assert.equal(tls.rejectUnauthorized, true);
    assert.equal(tls.checkServerIdentity?.('other', {} as never), undefined);
  }
  const full = tlsOf(`sslmode=verify-full&sslrootcert=${PEM}`);
  assert.ok(full);
  assert.equal(full.rejectUnauthorized, true);
  assert.equal(full.checkServerIdentity, undefined);
  assert.ok(typeof full.ca === 'string' && full.ca.includes('sslmode has the meanings of libpq'));
  assert.deepEqual(tlsOf(`sslrootcert=${PEM}`), full);
});

test('TLS is not used on a Unix socket, as with libpq', () => {
  assert.equal(databaseAddress('postgres://me@%2Frun%2Fpg/mail?sslmode=require').tls, false);
});

for (const [url, why] of [
  ['postgres://h1:0/mail', /port outside/],
  ['postgres://h1,h2/mail?host=h3', /parameter host/],
  ['postgres:///mail?host=h1,h2', /parameter host/],
  ['postgres://h1/mail?target_session_attrs=prefer-standby', /prefer-standby/],
  ['postgres://h1/mail?sslmode=prefer', /attacker/],
  ['postgres://h1/mail?sslmode=yes', /sslmode=yes/],
  ['postgres://h1/mail?sslmode=verify-full', /no sslrootcert/],
  ['postgres://h1/mail?sslmode=verify-ca&sslrootcert=system', /verify-full/],
  ['postgres://h1/mail?sslmode=verify-full&sslrootcert=/nowhere/ca.pem', /ENOENT/],
  ['mysql://h1/mail', /not a PostgreSQL URL/],
] as const) {
  test(`${url} is rejected with a reason`, () => {
    assert.throws(
      () => databaseAddress(url),
      (error) => error instanceof DatabaseUrlError && why.test(error.message),
    );
  });
}

test('changeUrl changes a part of a URL that names several hosts', () => {
  const masked = changeUrl('postgres://me:hush@h1:1,[::1]:2/mail?x=1', (url) => {
    url.password = '***';
  });
  assert.equal(masked, 'postgres://me:***@h1:1,[::1]:2/mail?x=1');
});
