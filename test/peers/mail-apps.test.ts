/** Third-party mail apps use mailboxes of the service by IMAP and POP3. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ImapFlow } from 'imapflow';
import { certificateFolder } from '../../src/certificates/certificate.fixture.ts';
import type { MailboxAccess } from '../../src/model/mailbox-rights.ts';
import { type Service, startService } from '../support/service.ts';
import { append, byImap, message, mpopConfig, newMailboxes, PASSWORD, shown } from './app-mailboxes.ts';
import { hookLimit, peerFolder, requireProgram, run, runPython, withPeers } from './peers.ts';

suite('mail apps', withPeers, () => {
  const certificate = certificateFolder();
  const folder = peerFolder('mail-apps');
  let service: Service;
  let newMailbox: ReturnType<typeof newMailboxes>['newMailbox'];
  let newShared: ReturnType<typeof newMailboxes>['newShared'];
  before(async () => {
    service = await startService({
      env: { POSTHORN_TLS_CERT: certificate.certPath, POSTHORN_TLS_KEY: certificate.keyPath },
    });
    ({ newMailbox, newShared } = newMailboxes(service));
  }, hookLimit);
  after(async () => {
    await service[Symbol.asyncDispose]();
    certificate[Symbol.dispose]();
    folder[Symbol.dispose]();
  }, hookLimit);

  /** Creates a folder for the files of an app. */
  function home(name: string): string {
    const path = join(folder.path, name);
    mkdirSync(path);
    return path;
  }

  function write(path: string, text: string): string {
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  test('curl reads, searches, appends and deletes messages by IMAP and POP3', async () => {
    const curl = requireProgram('/usr/bin/curl', 'curl');
    const { user, imapPort, pop3Port } = await newMailbox('curl', [message('one'), message('two', '.dot')]);
    const login = ['-sS', '-k', '--ssl-reqd', '--user', `${user}:${PASSWORD}`];
    const ask = async (...args: string[]) => String((await run(curl, [...login, ...args])).stdout);
    const imap = `imap://127.0.0.1:${imapPort}`;
    assert.match(await ask(imap), /\* LIST \([^)]*\\Junk[^)]*\) "\/" "?Junk/);
    assert.equal(await ask(`${imap}/INBOX;UID=2`), message('two', '.dot'));
    assert.match(await ask(`${imap}/INBOX`, '-X', 'SEARCH SUBJECT two'), /^\* SEARCH 2\r\n/);
    assert.match(await ask(`${imap}/INBOX?TEXT%20one`), /^\* SEARCH 1\r\n/);
    await ask(`${imap}/Drafts`, '-T', write(join(folder.path, 'curl'), message('three')));
    assert.equal(await ask(`${imap}/Drafts;UID=1`), message('three'));
    const pop3 = `pop3://127.0.0.1:${pop3Port}`;
    assert.equal(await ask(pop3), `1 ${message('one').length}\r\n2 ${message('two', '.dot').length}\r\n`);
    assert.equal(await ask(`${pop3}/2`), message('two', '.dot'));
    assert.match(await ask(pop3, '-X', 'UIDL'), /^1 \S+\r\n2 \S+\r\n$/);
    await ask(`${pop3}/1`, '-X', 'DELE', '-l');
    assert.equal(await ask(pop3), `1 ${message('two', '.dot').length}\r\n`);
  });

  test("Python's imaplib and poplib read and change a mailbox", async () => {
    const mailbox = await newMailbox('python');
    const { uidl, capa, ...seen } = await runPython<Record<string, unknown>>(
      new URL('mail-apps.py', import.meta.url),
      mailbox,
    );
    assert.ok(Array.isArray(uidl) && Array.isArray(capa) && capa.includes('UTF8'));
    assert.deepEqual(seen, {
      folders: ['Archive', 'Drafts', 'INBOX', 'Junk', 'Lists', 'Lists/2026', 'Sent', 'Trash'],
      count: 2,
      found: '2',
      bytes: [
        'From: a@b.example\r\nSubject: =?utf-8?q?one?=\r\n\r\n.one\r\n',
        'Subject: two\r\n\r\ntwo words\r\n',
      ],
      status: 'Lists/2026 (MESSAGES 1 UNSEEN 0)',
      quota: 'OK',
      stat: [1, 27],
      top: 'Subject: two\n',
      retrieved: 'Subject: two\n\ntwo words',
    });
  });

  test('mbsync synchronizes changes in both directions', async () => {
    const mbsync = requireProgram('/usr/bin/mbsync', 'isync');
    const mailbox = await newMailbox(
      'mbsync',
      ['one', 'two', 'three', 'four'].map((name) => message(name)),
    );
    await byImap(mailbox, ['a CREATE "Lists/2026"', 'b SELECT INBOX', 'c COPY 4 "Lists/2026"']);
    const path = home('mbsync');
    const config = write(
      join(path, 'rc'),
      `IMAPAccount us
Host localhost
Port ${mailbox.imapPort}
User ${mailbox.user}
Pass ${PASSWORD}
SSLType STARTTLS
CertificateFile ${certificate.certPath}

IMAPStore far
Account us

MaildirStore near
Path ${path}/mail/
Inbox ${path}/mail/INBOX
SubFolders Verbatim

Channel both
Far :far:
Near :near:
Patterns *
Create Both
Expunge Both
CopyArrivalDate yes
SyncState *
`,
    );
    const sync = async () => {
      await run(mbsync, ['-c', config, 'both'], { env: { HOME: path } });
      return filesOf(join(path, 'mail'));
    };
    mkdirSync(join(path, 'mail'));
    const first = await sync();
    assert.equal(first.filter((file) => file.startsWith('INBOX/')).length, 4);
    assert.equal(first.filter((file) => file.startsWith('Lists/2026/')).length, 1);
    // Locally one message is flagged, one is deleted and one is added. On the server one is answered and one is deleted.
    const inbox = join(path, 'mail/INBOX');
    const fileOf = (name: string) => {
      const file = filesOf(inbox).find((each) =>
        readFileSync(join(inbox, each), 'utf8').includes(`<${name}@`),
      );
      return join(inbox, file ?? assert.fail(name));
    };
    const flag = (name: string, letters: string) => {
      const from = fileOf(name);
      renameSync(from, join(inbox, 'cur', `${from.split('/').at(-1)?.split(':')[0]}:2,${letters}`));
    };
    flag('one', 'FS');
    flag('two', 'T');
    write(join(inbox, 'cur', '1763805600.new.here:2,S'), message('five').replaceAll('\r\n', '\n'));
    await byImap(mailbox, [
      'a SELECT INBOX',
      'b STORE 3 +FLAGS (\\Answered)',
      'c STORE 4 +FLAGS (\\Deleted)',
      'd EXPUNGE',
    ]);
    const after = await sync();
    assert.deepEqual(await shown(mailbox, 'INBOX'), [
      'one \\Flagged \\Seen',
      'three \\Answered',
      'five \\Seen',
    ]);
    assert.equal(after.filter((file) => file.startsWith('INBOX/')).length, 3);
    assert.match(fileOf('three'), /:2,R/);
    const before = await byImap(mailbox, ['a STATUS INBOX (UIDNEXT HIGHESTMODSEQ)']);
    assert.deepEqual(await sync(), after);
    assert.deepEqual(await byImap(mailbox, ['a STATUS INBOX (UIDNEXT HIGHESTMODSEQ)']), before);
  });

  test('mbsync synchronizes a shared mailbox in both directions', async () => {
    const mbsync = requireProgram('/usr/bin/mbsync', 'isync');
    const { member, prefix } = await newShared('mbsync', 'write', [message('one'), message('two')]);
    const path = home('mbsync-shared');
    const config = write(
      join(path, 'rc'),
      `IMAPAccount us
Host localhost
Port ${member.imapPort}
User ${member.user}
Pass ${PASSWORD}
SSLType STARTTLS
CertificateFile ${certificate.certPath}

IMAPStore far
Account us
Path ${prefix}/

MaildirStore near
Path ${path}/mail/
Inbox ${path}/own
SubFolders Verbatim

Channel both
Far :far:
Near :near:
Patterns * !INBOX
Create Both
Expunge Both
SyncState *
`,
    );
    mkdirSync(join(path, 'mail'));
    await run(mbsync, ['-c', config, 'both:Sent'], { env: { HOME: path } });
    write(join(path, 'mail/Sent/cur', '1763805600.new.here:2,S'), message('three').replaceAll('\r\n', '\n'));
    await byImap(member, [`a SELECT "${prefix}/INBOX"`, `b COPY 1 "${prefix}/Sent"`]);
    await run(mbsync, ['-c', config, 'both:Sent'], { env: { HOME: path } });
    assert.deepEqual((await shown(member, `${prefix}/Sent`)).sort(), ['one', 'three \\Seen']);
    assert.equal(filesOf(join(path, 'mail/Sent')).length, 2);
    assert.deepEqual(await shown(member, 'Sent'), []);
  });

  /**
   * Runs the steps of `JavaMail.java` in a shared mailbox with the messages `one` and `two`, and revokes the grant at the end.
   * @returns its results, with short names for the shared mailbox and the member, and the messages before the grant is revoked
   */
  async function useJavaMail(access: MailboxAccess): Promise<string[]> {
    const java = requireProgram('/usr/bin/java', 'openjdk-17-jdk-headless');
    const jars = ['javax.mail.jar', 'javax.activation.jar'].map((name) => `/usr/share/java/${name}`);
    const name = `javamail-${access}`;
    const { member, prefix, revoke } = await newShared(name, access, [message('one'), message('two')]);
    const results: string[] = [];
    const steps: Record<string, () => Promise<unknown>> = {
      idle: () => byImap(member, [append(`${prefix}/INBOX`, message('new'))]),
      revoke: async () => {
        for (const name of ['INBOX', 'Archive'])
          results.push(`${name}: ${(await shown(member, `${prefix}/${name}`)).join(', ')}`);
        results.push(`own Archive: ${(await shown(member, 'Archive')).join(', ')}`);
        await revoke();
      },
    };
    const program = fileURLToPath(new URL('JavaMail.java', import.meta.url));
    const settings = [String(member.imapPort), member.user, PASSWORD, prefix, access];
    const running = run(java, ['-cp', jars.join(':'), program, ...settings]);
    const read = async () => {
      for await (const line of createInterface({ input: running.child.stdout ?? assert.fail() })) {
        results.push(line.replaceAll(prefix, 'S').replaceAll(member.user, 'ann'));
        await steps[line]?.();
        if (line in steps) running.child.stdin?.write('\n');
      }
    };
    await Promise.all([read(), running]);
    return results;
  }

  const SHARED_NAMES = 'S/Archive, S/Drafts, S/INBOX, S/Junk, S/Sent, S/Trash';
  const FOUND_BY_JAVAMAIL = [
    'shared namespaces: Shared',
    'other users: ',
    `all: INBOX, Archive, Drafts, Junk, Sent, S, ${SHARED_NAMES}, Trash`,
    `below: ${SHARED_NAMES}`,
    'exists: true 2 2',
    'attributes: [\\HasNoChildren]',
  ];
  const AFTER_REVOKING = [
    'fetch: FolderClosedException',
    'folder is open: false',
    'exists: false',
    'open: FolderNotFoundException',
    'all: INBOX, Archive, Drafts, Junk, Sent, Trash',
  ];

  test('JavaMail reads and changes a shared mailbox, and loses it when the access is revoked', async () => {
    assert.deepEqual(await useJavaMail('write'), [
      ...FOUND_BY_JAVAMAIL,
      'rights: cdeiklrstwx',
      'mode: read and write',
      'message: 1 one text/plain; charset=us-ascii',
      'message: 2 two text/plain; charset=us-ascii',
      'text: Hello',
      'read: true',
      'found: 1',
      'appended: 3',
      'created: true',
      'subscribed: S/Orders',
      'renamed: true',
      'deleted: true',
      'quota: S',
      'getACL: NO [NOPERM]',
      'addACL: NO [NOPERM]',
      'own ACL: ann acdeiklrstwx',
      'idle',
      'arrived: true new',
      'revoke',
      'INBOX: one $Later \\Seen, three, own, new',
      'Archive: two $Later \\Flagged',
      'own Archive: one $Later \\Seen',
      ...AFTER_REVOKING,
    ]);
  });

  test('JavaMail reads a shared mailbox that it cannot change, and loses it when the access is revoked', async () => {
    assert.deepEqual(await useJavaMail('read'), [
      ...FOUND_BY_JAVAMAIL,
      'rights: lr',
      'open to write: ReadOnlyFolderException',
      'mode: read only',
      'text: Hello',
      'read: false',
      'append: NO [NOPERM]',
      'setFlags: NO [NOPERM]',
      'copy: NO [NOPERM]',
      'create: false',
      'getACL: NO [NOPERM]',
      'revoke',
      'INBOX: one, two',
      'Archive: ',
      'own Archive: one',
      ...AFTER_REVOKING,
    ]);
  });

  test('mutt reads a shared mailbox that it cannot change, and copies a message from it', async () => {
    const mutt = requireProgram('/usr/bin/mutt', 'mutt');
    const script = requireProgram('/usr/bin/script', 'bsdutils');
    const { member, prefix } = await newShared('mutt', 'read', [message('one'), message('two')]);
    const path = home('mutt-shared');
    const config = write(
      join(path, 'rc'),
      `set imap_user="${member.user}" imap_pass="${PASSWORD}" ssl_starttls=no ssl_force_tls=no
set folder="imap://127.0.0.1:${member.imapPort}" spoolfile="+${prefix}/INBOX" mail_check=5
set imap_delim_chars="/"
set delete=yes move=no mark_old=no confirmappend=no pipe_decode=no wait_key=no
push "<last-entry><pipe-message>cat > ${path}/two<enter><copy-message>+Archive<enter><quit>"
`,
    );
    await run(script, ['-qec', `${mutt} -n -F ${config}`, '/dev/null'], {
      env: { HOME: path, TERM: 'xterm' },
    });
    assert.match(readFileSync(join(path, 'two'), 'utf8'), /^Subject: two$/m);
    assert.deepEqual(await shown(member, `${prefix}/INBOX`), ['one', 'two']);
    assert.equal((await shown(member, 'Archive')).length, 1);
  });

  test('mutt reads, flags, moves and deletes messages by IMAP', async () => {
    const mutt = requireProgram('/usr/bin/mutt', 'mutt');
    const script = requireProgram('/usr/bin/script', 'bsdutils');
    const mailbox = await newMailbox(
      'mutt',
      ['one', 'two', 'three'].map((name) => message(name)),
    );
    const path = home('mutt');
    const config = write(
      join(path, 'rc'),
      `set imap_user="${mailbox.user}" imap_pass="${PASSWORD}" ssl_starttls=no ssl_force_tls=no
set folder="imap://127.0.0.1:${mailbox.imapPort}" spoolfile="+INBOX" header_cache="${path}/cache" mail_check=5
set delete=yes move=no mark_old=no confirmappend=no pipe_decode=no wait_key=no
push "<last-entry><pipe-message>cat > ${path}/three<enter><flag-message><first-entry><save-message>+Archive<enter><delete-message><quit>"
`,
    );
    await run(script, ['-qec', `${mutt} -n -F ${config}`, '/dev/null'], {
      env: { HOME: path, TERM: 'xterm' },
    });
    assert.match(readFileSync(join(path, 'three'), 'utf8'), /^Subject: three$/m);
    assert.deepEqual(await shown(mailbox, 'INBOX'), ['three \\Flagged']);
    assert.equal((await shown(mailbox, 'Archive')).length, 1);
  });

  test('fetchmail fetches messages by IMAP and by POP3', async () => {
    const fetchmail = requireProgram('/usr/bin/fetchmail', 'fetchmail');
    for (const protocol of ['IMAP', 'POP3'] as const) {
      const mailbox = await newMailbox(`fetchmail-${protocol.toLowerCase()}`, [
        message('one', '.a line that begins with a dot'),
        message('two'),
      ]);
      const path = home(`fetchmail-${protocol}`);
      const config = write(
        join(path, 'rc'),
        `poll 127.0.0.1 protocol ${protocol} service ${protocol === 'IMAP' ? mailbox.imapPort : mailbox.pop3Port}
  user "${mailbox.user}" password "${PASSWORD}" sslproto "auto" no sslcertck
  mda "cat >> ${path}/mail"
`,
      );
      await run(fetchmail, ['-f', config, '--nosyslog', '--pidfile', join(path, 'pid')], {
        env: { HOME: path, FETCHMAILHOME: path },
      });
      const fetched = readFileSync(join(path, 'mail'), 'utf8');
      assert.match(fetched, /^Subject: one$[^]*^\.a line that begins with a dot$[^]*^Subject: two$/m);
      assert.deepEqual(await shown(mailbox, 'INBOX'), []);
    }
  });

  test('mpop fetches new messages by POP3 and leaves messages on the server', async () => {
    const mpop = requireProgram('/usr/bin/mpop', 'mpop');
    const mailbox = await newMailbox('mpop', [message('one'), message('two')]);
    const path = home('mpop');
    for (const part of ['', '/cur', '/new', '/tmp']) mkdirSync(join(path, `mail${part}`));
    const config = write(join(path, 'rc'), mpopConfig(mailbox, path, 'mail'));
    const fetch = () => run(mpop, ['-C', config, 'us'], { env: { HOME: path } });
    await fetch();
    assert.equal(filesOf(join(path, 'mail')).length, 2);
    await byImap(mailbox, ['a SELECT INBOX', 'b STORE 1 +FLAGS (\\Deleted)', 'c EXPUNGE']);
    await fetch();
    assert.equal(filesOf(join(path, 'mail')).length, 2);
    const text = message('three');
    await byImap(mailbox, [append('INBOX', text)]);
    await fetch();
    assert.equal(filesOf(join(path, 'mail')).length, 3);
    assert.deepEqual(await shown(mailbox, 'INBOX'), ['two \\Seen', 'three \\Seen']);
  });

  test('offlineimap synchronizes a mailbox by IMAP', async () => {
    const offlineimap = requireProgram('/usr/bin/offlineimap', 'offlineimap3');
    const mailbox = await newMailbox('offlineimap', [message('one'), message('two')]);
    await byImap(mailbox, ['a CREATE "Lists/2026"']);
    const path = home('offlineimap');
    const config = write(
      join(path, 'rc'),
      `[general]
accounts = us
ui = quiet
metadata = ${path}/metadata
[Account us]
localrepository = near
remoterepository = far
[Repository near]
type = Maildir
localfolders = ${path}/mail
[Repository far]
type = IMAP
remotehost = 127.0.0.1
remoteport = ${mailbox.imapPort}
remoteuser = ${mailbox.user}
remotepass = ${PASSWORD}
ssl = no
starttls = no
`,
    );
    const sync = () => run(offlineimap, ['-o', '-c', config], { env: { HOME: path } });
    await sync();
    const inbox = join(path, 'mail/INBOX');
    assert.equal(filesOf(inbox).length, 2);
    const [file = ''] = filesOf(inbox).filter((each) =>
      readFileSync(join(inbox, each), 'utf8').includes('<one@'),
    );
    renameSync(join(inbox, file), join(inbox, 'cur', `${file.split('/').at(-1)?.split(':')[0]}:2,FS`));
    write(join(inbox, 'cur', '1763805600_0.1.here:2,'), message('three').replaceAll('\r\n', '\n'));
    await byImap(mailbox, ['a SELECT INBOX', 'b STORE 2 +FLAGS (\\Deleted)', 'c EXPUNGE']);
    await sync();
    assert.deepEqual(await shown(mailbox, 'INBOX'), ['one \\Flagged \\Seen', 'three']);
    assert.equal(filesOf(inbox).length, 2);
    await sync();
    assert.deepEqual(await shown(mailbox, 'INBOX'), ['one \\Flagged \\Seen', 'three']);
  });

  test('imapflow finds and changes a shared mailbox, and is disconnected when the access is revoked', async () => {
    const { member, prefix } = await newShared('imapflow', 'write', [message('one'), message('two')]);
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: member.imapPort,
      secure: false,
      tls: { rejectUnauthorized: false },
      auth: { user: member.user, pass: PASSWORD },
      logger: false,
    });
    // The app reports the lost connection as an error too.
    client.on('error', () => {});
    await client.connect();
    try {
      const listed = (await client.list()).filter(({ path }) => path.startsWith(`${prefix}/`));
      assert.deepEqual(
        listed.map(({ name, specialUse }) => [name, specialUse]).sort(),
        ['Archive', 'Drafts', 'INBOX', 'Junk', 'Sent', 'Trash'].map((name) => [name, undefined]),
      );
      assert.equal((await client.mailboxOpen(`${prefix}/INBOX`)).exists, 2);
      await client.messageFlagsAdd('1', ['\\Answered']);
      assert.ok(await client.messageMove('2', 'Archive'));
      assert.deepEqual(await shown(member, `${prefix}/INBOX`), ['one \\Answered']);
      assert.deepEqual(await shown(member, 'Archive'), ['two']);
      const closed = new Promise((resolve) => client.once('close', resolve));
      await service.database.deleteFrom('mailboxGrants').execute();
      await closed;
    } finally {
      client.close();
    }
  });

  test('imapflow lists, reads and changes a mailbox by IMAP', async () => {
    const mailbox = await newMailbox('imapflow', [message('one'), message('two')]);
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: mailbox.imapPort,
      secure: false,
      tls: { rejectUnauthorized: false },
      auth: { user: mailbox.user, pass: PASSWORD },
      logger: false,
      qresync: true,
    });
    await client.connect();
    try {
      assert.deepEqual(
        (await client.list()).filter(({ specialUse }) => specialUse === '\\Sent').map(({ path }) => path),
        ['Sent'],
      );
      await client.mailboxCreate(['Lists', 'Überblick']);
      const { exists } = await client.mailboxOpen('INBOX');
      assert.equal(exists, 2);
      const fetched = await client.fetchAll('1:*', {
        envelope: true,
        bodyStructure: true,
        flags: true,
        uid: true,
      });
      assert.deepEqual(
        fetched.map(({ envelope }) => envelope?.subject),
        ['one', 'two'],
      );
      const one = await client.fetchOne('1', { source: true });
      assert.equal(one !== false && one?.source?.toString(), message('one'));
      const chunks: Buffer[] = [];
      for await (const chunk of (await client.download('2', '1')).content ?? []) chunks.push(chunk as Buffer);
      assert.equal(Buffer.concat(chunks).toString(), 'Hello\r\n');
      assert.deepEqual(await client.search({ subject: 'two' }), [2]);
      const responses = new Promise<{ count: number }>((resolve) => client.once('exists', resolve));
      const appended = await client.append('Lists/Überblick', message('three'), ['\\Seen']);
      assert.equal(appended !== false && appended.uid, 1);
      const text = message('four');
      const idle = client.idle();
      await byImap(mailbox, [append('INBOX', text)]);
      assert.equal((await responses).count, 3);
      await client.messageFlagsAdd('1', ['\\Flagged']);
      await idle;
      assert.ok(await client.messageMove('2', 'Archive'));
      assert.deepEqual(await client.status('INBOX', { messages: true, unseen: true }), {
        path: 'INBOX',
        messages: 2,
        unseen: 2,
      });
      await client.messageDelete('1');
      assert.ok((await client.getQuota()) !== false);
    } finally {
      await client.logout();
    }
    assert.deepEqual(await shown(mailbox, 'INBOX'), ['four']);
    assert.deepEqual(await shown(mailbox, 'Archive'), ['two']);
  });
});

/** The message files in the Maildirs below a folder. */
function filesOf(path: string): string[] {
  return (readdirSync(path, { recursive: true }) as string[])
    .filter((name) => /(?:^|\/)(?:cur|new)\/[^/.]/.test(name))
    .sort();
}
