/** Connections to a real PostgreSQL: over TLS with a real certificate, and to the writable server of several hosts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { isDatabaseAway, openDatabase } from '../../src/db/database.ts';
import type { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { FREE_PORTS } from '../support/free-ports.ts';
import { startService } from '../support/service.ts';
import { hookLimit, peerFolder, requireProgram, run, withPeers } from './peers.ts';
import { type Postgres15, startPostgres15 } from './postgresql.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const SECRET = 'correct horse battery staple';
const PATIENCE_MS = 60_000;

interface Certificates {
  /** The authority of the server's certificate, and an unrelated authority. */
  authority: string;
  other: string;
  key: string;
  /** The server's certificate, which is valid only for 127.0.0.1. */
  certificate: string;
}

async function makeCertificates(folder: string): Promise<Certificates> {
  const openssl = requireProgram('/usr/bin/openssl', 'openssl');
  const at = (name: string) => join(folder, name);
  const newKey = (name: string) => ['req', '-nodes', '-newkey', 'rsa:2048', '-keyout', at(`${name}.key`)];
  for (const name of ['authority', 'other'])
    await run(openssl, [
      ...newKey(name),
      '-x509',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-out',
      at(`${name}.pem`),
    ]);
  await run(openssl, [...newKey('server'), '-subj', '/CN=database', '-out', at('server.csr')]);
  writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1\n');
  const signs = ['-CA', at('authority.pem'), '-CAkey', at('authority.key'), '-CAcreateserial', '-days', '2'];
  const files = ['-in', at('server.csr'), '-extfile', at('names'), '-out', at('server.pem')];
  await run(openssl, ['x509', '-req', ...signs, ...files]);
  return {
    authority: at('authority.pem'),
    other: at('other.pem'),
    key: at('server.key'),
    certificate: at('server.pem'),
  };
}

/** @returns whether PostgreSQL reports the connection as encrypted */
async function usesTls(url: string): Promise<boolean> {
  const database = openDatabase(url, { poolSize: 1 });
  try {
    const { rows } = await sql<{ ssl: boolean }>`
      select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(database);
    return rows[0]?.ssl === true;
  } finally {
    await database.destroy();
  }
}

describe("the service and Debian's PostgreSQL 15", withPeers, () => {
  const stack = new AsyncDisposableStack();
  let postgres: Postgres15;
  let certificates: Certificates;
  before(async () => {
    certificates = await makeCertificates(stack.use(peerFolder('certificates')).path);
    postgres = stack.use(await startPostgres15({ tls: certificates }));
  }, hookLimit);
  after(() => stack.disposeAsync(), hookLimit);

  test('each sslmode encrypts the connection and verifies the server as documented', async () => {
    const { authority } = certificates;
    const url = await postgres.createDatabase();
    const byName = url.replace('127.0.0.1', 'localhost');
    for (const [connection, isEncrypted] of [
      [`${url}?sslmode=disable`, false],
      [`${url}?sslmode=require`, true],
      [`${url}?sslmode=require&sslrootcert=${authority}`, true],
      [`${url}?sslmode=verify-ca&sslrootcert=${authority}`, true],
      [`${byName}?sslmode=verify-ca&sslrootcert=${authority}`, true],
      [`${url}?sslmode=verify-full&sslrootcert=${authority}`, true],
      [`${url}?sslrootcert=${authority}`, true],
    ] as const)
      assert.equal(await usesTls(connection), isEncrypted, connection.replace(/.*\?/, ''));
    await assert.rejects(
      usesTls(`${byName}?sslmode=verify-full&sslrootcert=${authority}`),
      (error: Error) => {
        assert.match(
          error.message,
          /^The certificate of the server is for another name .*localhost.*\. Use a name/,
        );
        return isDatabaseAway(error);
      },
    );
  });

  test('a certificate of another authority is rejected, and the waiting start reports the reason', async () => {
    const url = await postgres.createDatabase();
    const sentence =
      /The certificate of the server is not from the authority in sslrootcert \(.*\)\. Set sslrootcert/;
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      await assert.rejects(
        usesTls(`${url}?sslmode=${mode}&sslrootcert=${certificates.other}`),
        (error: Error) => {
          assert.match(error.message, sentence);
          return isDatabaseAway(error);
        },
      );
    const env = {
      ...process.env,
      ...FREE_PORTS,
      POSTHORN_SECRET: SECRET,
      POSTHORN_DATA: '/dev/null/nowhere',
      POSTHORN_DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=${certificates.other}`,
    };
    const waiting = spawn(process.execPath, [MAIN], { env });
    let output = '';
    for (const stream of [waiting.stdout, waiting.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const isReported = await eventually(() => sentence.test(output), PATIENCE_MS);
    waiting.kill('SIGTERM');
    await once(waiting, 'exit');
    assert.ok(isReported, output);
    assert.match(output, /waiting for the database/);
  });

  test('the service uses the writable server of a primary and a standby, also after a failover', async () => {
    const url = new URL(await postgres.createDatabase());
    const standby = await postgres.startStandby();
    // The standby is the first of the hosts.
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${url.port}`;
    const query = `target_session_attrs=read-write&sslmode=verify-full&sslrootcert=${certificates.authority}`;
    await using service = await startService({
      env: {
        POSTHORN_DATABASE_URL: `postgres://${url.username}:${url.password}@${hosts}${url.pathname}?${query}`,
        POSTHORN_SECRET: SECRET,
      },
    });
    const client = service.client();
    const before = await send(client);
    await whenDelivered(client, before);
    const onStandby = openDatabase(
      `postgres://${url.username}:${url.password}@127.0.0.1:${standby.port}${url.pathname}`,
      {
        poolSize: 1,
      },
    );
    stack.defer(() => onStandby.destroy());
    // Replication is asynchronous, so wait until the standby has the emails that the test checks after the failover.
    const isCopied = async () => {
      const { rows } = await sql`select from emails`.execute(onStandby);
      return rows.length > 0;
    };
    assert.ok(await eventually(isCopied, PATIENCE_MS));
    await postgres.kill();
    await standby.promote();
    let later: string | null = null;
    const isAccepted = async () => {
      later = await send(client).catch(() => null);
      return later !== null;
    };
    assert.ok(await eventually(isAccepted, PATIENCE_MS));
    await whenDelivered(client, later ?? '');
    const { rows } = await sql<{ ssl: boolean; isAlone: boolean }>`
      select bool_and(ssl) as ssl, not pg_is_in_recovery() as is_alone
      from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name = 'posthorn' and pid <> pg_backend_pid()`.execute(onStandby);
    assert.deepEqual(rows, [{ ssl: true, isAlone: true }]);
  });
});

async function send(client: ApiClient): Promise<string> {
  const { status, body } = await client.post<{ id: string }>('/v1/emails', {
    from: 'hello@posthorn.localhost',
    to: ['you@example.com'],
    subject: 'Hello',
    text: 'It works.',
  });
  assert.equal(status, 202);
  return body.id;
}

async function whenDelivered(client: ApiClient, id: string): Promise<void> {
  const isDelivered = async () => {
    const { body } = await client.get<{ status: string }>(`/v1/emails/${id}`);
    return body.status === 'delivered';
  };
  assert.ok(await eventually(isDelivered, PATIENCE_MS));
}
