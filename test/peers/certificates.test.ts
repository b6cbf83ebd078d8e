/** Certificates issued by a real ACME server and used by real processes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { connect as connectPlainly, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, testDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { freePort, withPeers } from './peers.ts';
import { startPebble } from './pebble.ts';

const MAIL = 'mail.acme.example';
const WEB = 'www.acme.example';
const QUICK = {
  timings: 'src/certificates/acme',
  values: { scanMs: 100, spreadMs: 500, pollMs: 100, firstDelayMs: 500, maxDelayMs: 1_000 },
} as const;
const PATIENCE_MS = 60_000;

interface Shown {
  serial: string;
  socket: TLSSocket;
}

/** The plain-text dialogue before STARTTLS. */
interface StartTls {
  /** Lines to send after the greeting. */
  says: readonly string[];
  /** Matches the end of the reply after which TLS can begin. */
  end: RegExp;
}

const SMTP: StartTls = { says: ['EHLO client', 'STARTTLS'], end: /^\d{3} .*\r\n$/m };
const IMAP: StartTls = { says: ['a STARTTLS'], end: /^(?:\*|a) (?:OK|NO|BAD) .*\r\n$/m };
const POP3: StartTls = { says: ['STLS'], end: /^(?:\+OK|-ERR).*\r\n$/m };

/** The positive reply to STARTTLS, in all protocols. */
const READY = /^(?:220|a OK|\+OK)/m;

/** Connects and starts TLS. @returns null if the server has no certificate */
async function startTls(port: number, { says, end }: StartTls): Promise<Socket | null> {
  const socket = connectPlainly({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += String(chunk);
  });
  const isOver = () => end.test(received) || socket.closed;
  await eventually(isOver, PATIENCE_MS);
  for (const line of says) {
    received = '';
    socket.write(`${line}\r\n`);
    await eventually(isOver, PATIENCE_MS);
  }
  socket.removeAllListeners('data');
  if (READY.test(received)) return socket;
  socket.destroy();
  return null;
}

/** Connects as a client that trusts only a given authority. @returns null if the server has no certificate for the name */
async function shownAt(
  port: number,
  servername: string,
  ca: string,
  before?: StartTls,
): Promise<Shown | null> {
  const begun = before === undefined ? undefined : await startTls(port, before);
  if (begun === null) return null;
  const target = begun === undefined ? { host: '127.0.0.1', port } : { socket: begun };
  const socket = connect({ ...target, servername, ca });
  // A rejected client gets one or two errors, which are expected.
  socket.on('error', () => {});
  const [secured] = await Promise.race([
    once(socket, 'secureConnect').then(() => [true]),
    once(socket, 'close').then(() => [false]),
  ]).catch(() => [false]);
  return secured === true ? { serial: socket.getPeerCertificate().serialNumber, socket } : null;
}

async function serialAt(
  port: number,
  servername: string,
  ca: string,
  before?: StartTls,
): Promise<string | null> {
  const shown = await shownAt(port, servername, ca, before);
  shown?.socket.destroy();
  return shown?.serial ?? null;
}

/** Whether the server still responds on an open connection. */
async function isServed(socket: TLSSocket): Promise<boolean> {
  socket.write('a NOOP\r\n');
  let response = '';
  for await (const chunk of socket) {
    response += String(chunk);
    if (response.includes('a OK')) return true;
  }
  return false;
}

async function lastErrors(database: Database): Promise<Record<string, string | null>> {
  const { rows } = await sql<{ name: string; lastError: string | null }>`
    select name, last_error from acme_certificates`.execute(database);
  return Object.fromEntries(rows.map(({ name, lastError }) => [name, lastError]));
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended with its supervisor.
  }
}

/** Starts the database, DNS server and ACME server that both machines share. */
async function start(stack: AsyncDisposableStack, zone: DnsServer['zone']) {
  const db = stack.use(await testDatabase());
  const dns = stack.use(await startDnsServer(zone));
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const pebble = stack.use(await startPebble({ dns: dns.address, httpPort, httpsPort }));
  const env = {
    POSTHORN_DATABASE_URL: db.url,
    POSTHORN_SECRET: SECRET,
    POSTHORN_HOSTNAME: MAIL,
    POSTHORN_ACME: pebble.directory,
    NODE_EXTRA_CA_CERTS: pebble.ownCertificate,
  };
  return { db, dns, pebble, env, httpPort, httpsPort };
}

suite('certificates by ACME', withPeers, () => {
  test('two machines get and renew certificates without a restart, and sessions stay open', async () => {
    await using stack = new AsyncDisposableStack();
    // No server listens at 127.0.0.2.
    const zone = { [MAIL]: { A: ['127.0.0.2'] }, [WEB]: { A: ['127.0.0.1'] } };
    const { db, dns, pebble, env, httpPort, httpsPort } = await start(stack, zone);
    const imapsPorts = [await freePort(), await freePort()] as const;
    const [pop3sPort, submissionsPort] = [await freePort(), await freePort()];
    await using one = await startService({
      env: {
        ...env,
        POSTHORN_BASE_URL: `https://${WEB}`,
        POSTHORN_HTTP_PORT: String(httpPort),
        POSTHORN_HTTPS_PORT: String(httpsPort),
        POSTHORN_IMAPS_PORT: String(imapsPorts[0]),
        POSTHORN_POP3S_PORT: String(pop3sPort),
        POSTHORN_SUBMISSIONS_PORT: String(submissionsPort),
      },
      patches: [QUICK],
    });
    await using two = await startService({
      env: { ...env, POSTHORN_ROLES: 'imap', POSTHORN_IMAPS_PORT: String(imapsPorts[1]) },
      patches: [QUICK],
    });
    assert.ok(one.output.includes('Mail apps') && two.output.includes('Mail apps'));
    const listeners: readonly (readonly [port: number, before?: StartTls])[] = [
      ...[httpsPort, pop3sPort, submissionsPort, ...imapsPorts].map((port) => [port] as const),
      [one.submissionPort, SMTP],
      [one.imapPort, IMAP],
      [one.pop3Port, POP3],
    ];
    const serials = (name: string) =>
      Promise.all(listeners.map(([port, before]) => serialAt(port, name, pebble.root, before)));
    const same = async (name: string, other: string | null = null): Promise<string | null> => {
      let found: (string | null)[] = [];
      const areSame = async () => {
        found = await serials(name);
        return found.every((each) => each !== null && each === found[0] && each !== other);
      };
      assert.ok(
        await eventually(areSame, PATIENCE_MS),
        `${name}: ${found.join(', ')}; ${JSON.stringify(await lastErrors(db.database))}`,
      );
      return found[0] ?? null;
    };

    // The name WEB can be validated, and the name MAIL cannot.
    assert.ok(
      await eventually(async () => (await serialAt(httpsPort, WEB, pebble.root)) !== null, PATIENCE_MS),
    );
    const isReported = async () =>
      /(tls-alpn|http)-01 for mail\.acme\.example failed: connection/.test(
        (await lastErrors(db.database))[MAIL] ?? '',
      );
    assert.ok(await eventually(isReported, PATIENCE_MS), JSON.stringify(await lastErrors(db.database)));
    assert.equal(await serialAt(httpsPort, MAIL, pebble.root), null);

    // From here on, both names can be validated.
    dns.zone = { [MAIL]: { A: ['127.0.0.1'] }, [WEB]: { A: ['127.0.0.1'] } };
    const first = await same(MAIL);
    const web = await same(WEB);
    assert.notEqual(web, first);

    // Certificates that are due are renewed.
    const sessions = await Promise.all(imapsPorts.map((port) => shownAt(port, MAIL, pebble.root)));
    await sql`update acme_certificates set next_attempt_at = now()`.execute(db.database);
    await same(MAIL, first);
    await same(WEB, web);
    for (const session of sessions) {
      assert.ok(session !== null);
      assert.ok(await isServed(session.socket));
    }
    const isDone = async () => {
      const { rows } = await sql<{ accounts: number; left: number; isLater: boolean }>`
        select (select count(*)::int from acme_accounts) as accounts, (select count(*)::int from acme_challenges) as left,
          (select bool_and(next_attempt_at > now() + interval '30 days') from acme_certificates) as is_later`.execute(
        db.database,
      );
      return isDeepStrictEqual(rows, [{ accounts: 1, left: 0, isLater: true }]);
    };
    assert.ok(await eventually(isDone, PATIENCE_MS));
  });

  test('another machine completes the certificate order that a killed machine began', async () => {
    await using stack = new AsyncDisposableStack();
    const { db, pebble, env, httpPort } = await start(stack, { [MAIL]: { A: ['127.0.0.1'] } });
    const imapsPort = await freePort();
    const ports = { POSTHORN_HTTP_PORT: String(httpPort), POSTHORN_IMAPS_PORT: String(imapsPort) };
    const slow = { ...QUICK, values: { ...QUICK.values, claimMs: 4_000, spreadMs: 60_000 } };
    await using killed = await startService({ env: { ...env, ...ports }, patches: [slow] });
    const hasBegun = async () =>
      (await db.database.selectFrom('acmeChallenges').selectAll().execute()).length > 0;
    assert.ok(await eventually(hasBegun, PATIENCE_MS), JSON.stringify(await lastErrors(db.database)));
    const pids = killed.childPids();
    await killed.stop('SIGKILL');
    for (const pid of pids) killIfThere(pid);
    await using _other = await startService({ env: { ...env, ...ports }, patches: [QUICK] });
    const isShown = async () => (await serialAt(imapsPort, MAIL, pebble.root)) !== null;
    assert.ok(await eventually(isShown, PATIENCE_MS), JSON.stringify(await lastErrors(db.database)));
  });

  test('without an HTTPS port, the host name is validated at the HTTP port', async () => {
    await using stack = new AsyncDisposableStack();
    const { db, pebble, env, httpPort } = await start(stack, { [MAIL]: { A: ['127.0.0.1'] } });
    const imapsPort = await freePort();
    await using service = await startService({
      env: { ...env, POSTHORN_HTTP_PORT: String(httpPort), POSTHORN_IMAPS_PORT: String(imapsPort) },
      patches: [QUICK],
    });
    const isShown = async () => (await serialAt(imapsPort, MAIL, pebble.root)) !== null;
    assert.ok(await eventually(isShown, PATIENCE_MS), JSON.stringify(await lastErrors(db.database)));
    assert.equal(
      (await fetch(`${service.baseUrl}/.well-known/acme-challenge/unknown-token-here`)).status,
      404,
    );
  });
});
