/** Mailboxes move from Dovecot to the service: by the service's own commands, and by other programs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, suite, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import { certificateFolder } from '../../src/certificates/certificate.fixture.ts';
import { posthornProcess } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { mpopConfig, PASSWORD } from './app-mailboxes.ts';
import { type Dovecot, MASTER_PASSWORD, startDovecot } from './dovecot.ts';
import { hookLimit, peerFolder, requireProgram, run, withPeers } from './peers.ts';

const PROGRAM = fileURLToPath(new URL('../../src/doors/cli/main.ts', import.meta.url));
const MESSAGES = 2_000;

interface Account {
  port: number;
  user: string;
}

suite('moving in', withPeers, () => {
  const certificate = certificateFolder();
  const folder = peerFolder('moving-in');
  let dovecot: Dovecot;
  let service: Service;
  let domainId: string | undefined;
  before(async () => {
    dovecot = await startDovecot('maildir');
    service = await startService({
      env: { POSTHORN_TLS_CERT: certificate.certPath, POSTHORN_TLS_KEY: certificate.keyPath },
    });
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    domainId = body.data.find(({ is_hosted }) => is_hosted)?.id;
  }, hookLimit);
  after(async () => {
    await service[Symbol.asyncDispose]();
    await dovecot[Symbol.asyncDispose]();
    certificate[Symbol.dispose]();
    folder[Symbol.dispose]();
  }, hookLimit);

  /** Creates a mailbox of the same name on both servers. */
  async function newMailboxes(
    localPart: string,
  ): Promise<{ there: Account; here: Account; mailFolder: string }> {
    const fields = { domain_id: domainId, local_part: localPart, password: PASSWORD, quota_mb: 1_024 };
    const { status } = await service.client().post('/v1/mailboxes', fields);
    assert.equal(status, 201);
    const { user, mailFolder } = dovecot.newStage(`${localPart}@posthorn.localhost`);
    return { there: { port: dovecot.imapPort, user }, here: { port: service.imapPort, user }, mailFolder };
  }

  async function withClient<T>({ port, user }: Account, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port,
      secure: false,
      tls: { rejectUnauthorized: false },
      auth: { user, pass: PASSWORD },
      logger: false,
    });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.logout();
    }
  }

  /** Fills the mailbox on Dovecot with messages of different sizes, flags and dates, and leaves gaps in the UIDs. */
  function fill(account: Account, count: number): Promise<void> {
    return withClient(account, async (client) => {
      await client.mailboxCreate('Projects/Übung');
      for (let n = 0; n < count + 5; n++) {
        const flags = ['\\Seen', '\\Flagged', '\\Answered', '$Forwarded', 'Label'].filter(
          (_, bit) => n & (1 << bit),
        );
        await client.append(
          n % 10 === 0 ? 'Projects/Übung' : 'INBOX',
          message(n),
          flags,
          new Date((1_500_000_000 + n * 1_000) * 1_000),
        );
      }
      await client.mailboxOpen('INBOX');
      await client.messageDelete('6:10');
    });
  }

  /** All messages of an account, as lines. @param withUids whether UIDs and UIDVALIDITY are included */
  function contents(account: Account, withUids: boolean): Promise<string[]> {
    return withClient(account, async (client) => {
      const lines: string[] = [];
      for (const { path, flags } of await client.list()) {
        if (flags.has('\\NonExistent') || flags.has('\\Noselect')) continue;
        const { exists, uidValidity } = await client.mailboxOpen(path, { readOnly: true });
        if (exists === 0) continue;
        for await (const { uid, flags: own, internalDate, source } of client.fetch('1:*', {
          uid: true,
          flags: true,
          internalDate: true,
          source: true,
        }))
          lines.push(
            [
              path,
              ...(withUids ? [uidValidity, uid] : []),
              [...(own ?? [])]
                .filter((flag) => flag !== '\\Recent')
                .sort()
                .join('+'),
              (internalDate as Date).toISOString(),
              hash('sha256', source?.toString('latin1').replace(/X-TUID: .*\r\n/, '') ?? ''),
            ].join(' '),
          );
      }
      return lines.sort();
    });
  }

  const environment = () => ({ POSTHORN_DATA: service.dataDir });

  function migrateArgs(users: string, ...more: string[]): string[] {
    const from = `imap://localhost:${dovecot.imapPort}`;
    const ca = fileURLToPath(new URL('../support/tls/cert.pem', import.meta.url));
    return [
      'migrate-mail',
      '--project',
      'default',
      '--from',
      from,
      '--users',
      users,
      '--ca',
      ca,
      '--json',
      ...more,
    ];
  }

  async function migrate(users: string, ...more: string[]) {
    const { code, stdout, stderr } = await posthornProcess(environment(), ...migrateArgs(users, ...more));
    assert.equal(code, 0, stderr);
    const { data } = JSON.parse(stdout) as { data: Record<string, unknown>[] };
    return data[0] ?? {};
  }

  test('migrate-mail moves a mailbox with UIDs although it is killed, and then brings only changes', async () => {
    const { there, here } = await newMailboxes('migrate');
    await fill(there, MESSAGES);
    const users = join(folder.path, 'users');
    writeFileSync(users, `${here.user},${there.user},${PASSWORD}\n`);
    const planned = await migrate(users, '--dry-run');
    assert.deepEqual(
      [planned['messages'], planned['imported'], planned['left_out']],
      [MESSAGES, MESSAGES, 0],
    );
    assert.deepEqual(await contents(here, true), []);

    const copied = async () => {
      const { count } = await service.database
        .selectFrom('sourceMessages')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    };
    for (const enough of [200, 900]) {
      const child = execFile(process.execPath, [PROGRAM, ...migrateArgs(users)], {
        env: { ...process.env, ...environment() },
      });
      assert.ok(await eventually(async () => (await copied()) >= enough, 60_000));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const first = await migrate(users, '--verify');
    assert.equal(first['already_there'], 0);
    assert.deepEqual([first['verified'], first['differing']], [MESSAGES, 0]);
    assert.deepEqual(await contents(here, true), await contents(there, true));

    const again = await migrate(users);
    assert.deepEqual([again['imported'], again['flags_changed'], again['deleted']], [0, 0, 0]);
    await withClient(there, async (client) => {
      await client.mailboxOpen('INBOX');
      await client.messageFlagsAdd('1:3', ['\\Deleted', 'New']);
      await client.messageFlagsRemove('4', ['\\Seen']);
      await client.messageDelete('10');
      await client.messageMove('20:21', 'Archive');
      await client.append('INBOX', message(MESSAGES + 10), []);
    });
    const changes = await migrate(users);
    assert.deepEqual([changes['imported'], changes['deleted']], [3, 6]);
    assert.deepEqual(await contents(here, true), await contents(there, true));
  });

  test('migrate-mail signs in as a master user, and checks the certificate', async () => {
    const { there, here } = await newMailboxes('master');
    await fill(there, 20);
    const [users, master] = [join(folder.path, 'addresses'), join(folder.path, 'master')];
    writeFileSync(users, `${here.user}\n`);
    writeFileSync(master, `${MASTER_PASSWORD}\n`);
    const asMaster = ['--master', 'master', '--master-password-file', master];
    assert.equal((await migrate(users, ...asMaster))['imported'], 20);
    assert.deepEqual(await contents(here, true), await contents(there, true));
    await withClient(there, async (client) => {
      await client.mailboxCreate('50% off');
      await client.append('50% off', message(1));
    });
    const renamed = await migrate(users, ...asMaster);
    assert.deepEqual(
      [renamed['imported'], renamed['renamed_folders']],
      [1, [{ from: '50% off', to: '50_ off' }]],
    );
    const otherAuthority = fileURLToPath(new URL('../support/tls/sts.pem', import.meta.url));
    const untrusted = migrateArgs(users, ...asMaster, '--ca', otherAuthority);
    const { code, stderr } = await posthornProcess(environment(), ...untrusted);
    assert.equal(code, 1);
    assert.match(stderr, /The certificate of the old server is not trusted/);
  });

  test('mbsync moves a mailbox', async () => {
    const mbsync = requireProgram('/usr/bin/mbsync', 'isync');
    const { there, here } = await newMailboxes('by-mbsync');
    await fill(there, 200);
    const path = home('mbsync');
    await run(mbsync, ['-c', mbsyncConfig(path, there, here), 'both'], { env: { HOME: path } });
    // mbsync copies no keywords except $Forwarded, and adds a header field.
    const withoutLabels = (lines: readonly string[]) =>
      lines.map((line) => line.replace(/Label\+|\+?Label(?= )/, '')).sort();
    assert.deepEqual(await contents(here, false), withoutLabels(await contents(there, false)));
  });

  test('interimap moves a mailbox', async () => {
    const interimap = requireProgram('/usr/bin/interimap', 'interimap');
    const { there, here } = await newMailboxes('by-interimap');
    await fill(there, 200);
    const path = home('interimap');
    const section = (name: string, { port, user }: Account) =>
      `[${name}]\ntype = imap\nhost = 127.0.0.1\nport = ${port}\nSTARTTLS = NO\nusername = ${user}\npassword = ${PASSWORD}\n`;
    const config = join(path, 'config');
    const text = `database = ${path}/state.db\n${section('local', here)}${section('remote', there)}`;
    writeFileSync(config, text, { mode: 0o600 });
    await run(interimap, [`--config=${config}`], { env: { HOME: path } });
    assert.deepEqual(await contents(here, false), await contents(there, false));
  });

  test('after an import of a Maildir, an IMAP app and a POP3 app that used Dovecot load nothing again', async () => {
    const mbsync = requireProgram('/usr/bin/mbsync', 'isync');
    const mpop = requireProgram('/usr/bin/mpop', 'mpop');
    const { there, here, mailFolder } = await newMailboxes('import');
    await fill(there, 50);
    const path = home('apps');
    for (const part of ['', '/cur', '/new', '/tmp']) mkdirSync(join(path, `pop3${part}`));
    mkdirSync(join(path, 'mail'));
    const useApps = async ({ port, user }: Account, pop3Port: number) => {
      await run(mbsync, ['-c', mbsyncConfig(path, { port, user }, 'files'), 'both'], { env: { HOME: path } });
      const config = join(path, 'mpoprc');
      writeFileSync(config, mpopConfig({ pop3Port, user }, path, 'pop3'), { mode: 0o600 });
      await run(mpop, ['-C', config, 'us'], { env: { HOME: path } });
      // A folder and a suffix say whether a message was seen. Dovecot marks messages as seen when a POP3 app fetches them.
      const imap = filesOf(join(path, 'mail')).map((file) => basename(file).split(':2,')[0]);
      return { imap: imap.sort(), pop3: filesOf(join(path, 'pop3')) };
    };
    const before = await useApps(there, dovecot.pop3Port);
    assert.equal(before.imap.length, 50);
    assert.equal(before.pop3.length, 44);
    const args = ['mailbox', 'import', mailFolder, '--project', 'default', '--address', here.user];
    const { code, stderr } = await posthornProcess(environment(), ...args);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await contents(here, true), await contents(there, true));
    assert.deepEqual(await useApps(here, service.pop3Port), before);
  });

  function home(name: string): string {
    const path = join(folder.path, name);
    mkdirSync(path);
    return path;
  }

  /** @param near the account that messages are copied to, or files */
  function mbsyncConfig(path: string, far: Account, near: Account | 'files'): string {
    const store = (name: string, { port, user }: Account) => `IMAPAccount ${name}
Host 127.0.0.1
Port ${port}
User ${user}
Pass ${PASSWORD}
SSLType NONE
AuthMechs *

IMAPStore ${name}
Account ${name}

`;
    const files = `MaildirStore near
Path ${path}/mail/
Inbox ${path}/mail/INBOX
SubFolders Verbatim

`;
    const config = join(path, 'mbsyncrc');
    writeFileSync(
      config,
      `${store('far', far)}${near === 'files' ? files : store('near', near)}Channel both
Far :far:
Near :near:
Patterns *
Create Near
Sync Pull
Expunge None
CopyArrivalDate yes
SyncState ${path}/state-
`,
      { mode: 0o600 },
    );
    return config;
  }
});

function message(n: number): string {
  const lines = Array.from({ length: n % 40 }, (_, at) => `Line ${at} of ${n}, with 8 bits: ü.\r\n`);
  return `From: Anna <anna@a.example>\r\nSubject: Message ${n}\r\nMessage-ID: <${n}@a.example>\r\n\r\n${lines.join('')}.\r\n`;
}

/** The message files in the Maildirs below a folder. */
function filesOf(path: string): string[] {
  return (readdirSync(path, { recursive: true }) as string[])
    .filter((name) => /(?:^|\/)(?:cur|new)\/[^/.]/.test(name))
    .sort();
}
