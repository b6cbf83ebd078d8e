/** Third-party programs submit mail, with a mailbox password and with an API key. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { certificateFolder } from '../../src/certificates/certificate.fixture.ts';
import { ImapWire } from '../../src/doors/imap/wire.fixture.ts';
import type { EmailDetail, EmailList } from '../../src/contract/emails.ts';
import { setVacation } from '../../src/receiving/vacation/vacation.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { hookLimit, peerFolder, requireProgram, run, runPython, withPeers } from './peers.ts';

const PASSWORD = 'correct-horse-battery';
const SENDER = 'sender@posthorn.localhost';
const READER = 'reader@posthorn.localhost';

suite('mail submission', withPeers, () => {
  const certificate = certificateFolder();
  const folder = peerFolder('submission');
  let service: Service;
  let secure: number;
  before(async () => {
    service = await startService({
      env: { POSTHORN_TLS_CERT: certificate.certPath, POSTHORN_TLS_KEY: certificate.keyPath },
    });
    secure = Number(/submission port \d+, with TLS (\d+)/.exec(service.output)?.[1]);
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    const domainId = body.data.find(({ is_hosted }) => is_hosted)?.id;
    for (const local_part of ['sender', 'reader']) {
      const fields = { domain_id: domainId, local_part, password: PASSWORD };
      const { status } = await service.client().post('/v1/mailboxes', fields);
      assert.equal(status, 201);
    }
  }, hookLimit);
  after(async () => {
    await service[Symbol.asyncDispose]();
    certificate[Symbol.dispose]();
    folder[Symbol.dispose]();
  }, hookLimit);

  /** Waits for a message with a subject in the reader's Inbox. @returns whether the message arrived */
  function isThere(subject: string): Promise<boolean> {
    return eventually(async () => {
      using wire = await ImapWire.connect({ host: '127.0.0.1', port: service.imapPort });
      await wire.signIn({ user: READER, password: PASSWORD });
      await wire.command('a EXAMINE INBOX');
      const response = await wire.command(`b SEARCH FROM ${SENDER} SUBJECT "${subject}"`);
      return response.some((line) => /^\* SEARCH \d+$/.test(line));
    }, 60_000);
  }

  async function emails(): Promise<EmailDetail[]> {
    const { body } = await service.client().get<EmailList>('/v1/emails?limit=200');
    return Promise.all(
      body.data.map(async ({ id }) => (await service.client().get<EmailDetail>(`/v1/emails/${id}`)).body),
    );
  }

  /** Creates a folder with the files of a program. */
  function home(name: string, files: Record<string, string>): string {
    const path = join(folder.path, name);
    mkdirSync(path);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text, { mode: 0o600 });
    return path;
  }

  function letter(subject: string): string {
    return `From: Sender <${SENDER}>\nTo: ${READER}\nSubject: ${subject}\n\nHello\n.\n..\nGrüße\n`;
  }

  test('swaks submits mail with PLAIN and LOGIN: in plain text on loopback, with STARTTLS and with implicit TLS', async () => {
    const swaks = requireProgram('/usr/bin/swaks', 'swaks');
    for (const [name, ...args] of [
      ['swaks-plain', '--port', `${service.submissionPort}`, '--auth', 'PLAIN'],
      ['swaks-login', '--port', `${service.submissionPort}`, '--auth', 'LOGIN', '--tls'],
      ['swaks-tls', '--port', `${secure}`, '--auth', 'PLAIN', '--tls-on-connect'],
    ] as const) {
      const common = ['--server', '127.0.0.1', '--auth-user', SENDER, '--auth-password', PASSWORD];
      const mail = ['--from', SENDER, '--to', READER, '--header', `Subject: ${name}`];
      await run(swaks, [...common, ...mail, ...args]);
      assert.ok(await isThere(name), name);
    }
  });

  test('curl submits mail with a mailbox password', async () => {
    const curl = requireProgram('/usr/bin/curl', 'curl');
    const file = join(home('curl', { 'mail.txt': letter('by curl') }), 'mail.txt');
    const login = ['-sS', '-k', '--ssl-reqd', '--crlf', '--user', `${SENDER}:${PASSWORD}`];
    const envelope = ['--mail-from', SENDER, '--mail-rcpt', READER, '--upload-file', file];
    await run(curl, [...login, ...envelope, `smtp://127.0.0.1:${service.submissionPort}`]);
    assert.ok(await isThere('by curl'));
  });

  test('msmtp, and mutt with its own SMTP client, submit mail', async () => {
    const msmtp = requireProgram('/usr/bin/msmtp', 'msmtp');
    const login = `auth on\nuser ${SENDER}\npassword ${PASSWORD}\nfrom ${SENDER}\n`;
    const server = `host 127.0.0.1\nport ${service.submissionPort}\ntls on\ntls_starttls on\ntls_certcheck off\n`;
    const path = home('msmtp', { rc: `account default\n${server}${login}`, mail: letter('by msmtp') });
    await run('/bin/sh', ['-c', `${msmtp} -C ${path}/rc ${READER} < ${path}/mail`]);
    assert.ok(await isThere('by msmtp'));
    const mutt = requireProgram('/usr/bin/mutt', 'mutt');
    const muttrc = [
      `set smtp_url="smtps://sender%40posthorn.localhost@127.0.0.1:${secure}/"`,
      `set smtp_pass="${PASSWORD}"`,
      `set from="${SENDER}"`,
      'set ssl_verify_host=no ssl_verify_dates=no copy=no use_envelope_from=yes',
      `set certificate_file="${certificate.certPath}"`,
    ].join('\n');
    const muttHome = home('mutt', { rc: muttrc });
    await run('/bin/sh', ['-c', `echo Hello | ${mutt} -n -F ${muttHome}/rc -s 'by mutt' ${READER}`], {
      env: { ...process.env, HOME: muttHome },
    });
    assert.ok(await isThere('by mutt'));
  });

  test('s-nail submits mail with implicit TLS', async () => {
    const nail = requireProgram('/usr/bin/s-nail', 's-nail');
    const set = [
      'v15-compat',
      `mta=smtps://sender%40posthorn.localhost:${PASSWORD}@127.0.0.1:${secure}`,
      'smtp-auth=login',
      'tls-verify=ignore',
      `from=${SENDER}`,
    ];
    const options = set.flatMap((each) => ['-S', each]);
    const line = [nail, '-:/', ...options, '-s', "'by s-nail'", READER].join(' ');
    await run('/bin/sh', ['-c', `echo Hello | ${line}`], {
      env: { ...process.env, HOME: home('s-nail', {}) },
    });
    assert.ok(await isThere('by s-nail'));
  });

  test("Python's smtplib and nodemailer submit mail with an API key", async () => {
    const script = [
      'import smtplib, sys',
      'from email.message import EmailMessage',
      'm = EmailMessage()',
      `m["From"] = "Shop <shop@posthorn.localhost>"`,
      `m["To"] = "${READER}"`,
      'm["Subject"] = "by smtplib ünïcode"',
      'm["X-Posthorn-Tag"] = "python"',
      'm.set_content("grüße\\n.\\n")',
      'm.add_alternative("<p>grüße</p>", subtype="html")',
      's = smtplib.SMTP("127.0.0.1", int(sys.argv[1]))',
      's.login("apikey", sys.argv[2])',
      's.send_message(m, to_addrs=[sys.argv[3], "hidden@dst.test"])',
      's.quit()',
    ].join('\n');
    const path = home('python', { 'send.py': script });
    await run('/usr/bin/python3', [
      join(path, 'send.py'),
      `${service.submissionPort}`,
      service.token ?? '',
      READER,
    ]);
    const transport = createTransport({
      host: '127.0.0.1',
      port: service.submissionPort,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: 'apikey', pass: service.token ?? '' },
    });
    await transport.sendMail({
      from: 'Shop <shop@posthorn.localhost>',
      to: READER,
      subject: 'by nodemailer',
      text: 'Hello\n.\n',
      html: '<p>Hello</p>',
    });
    transport.close();
    const all = await emails();
    assert.equal(all.find(({ subject }) => subject === 'by nodemailer')?.html, '<p>Hello</p>');
    const byPython = all.find(({ subject }) => subject === 'by smtplib ünïcode');
    assert.equal(byPython?.text, 'grüße\n.\n');
    assert.equal(byPython.html.trim(), '<p>grüße</p>');
    assert.deepEqual([byPython.to, byPython.bcc, byPython.tags], [[READER], ['hidden@dst.test'], ['python']]);
  });

  test("nodemailer submits mail, and Python's imaplib and email package parse the vacation reply", async () => {
    const mailbox = await service.database
      .selectFrom('mailboxes')
      .select(['projectId', 'id as mailboxId'])
      .where('localPart', '=', 'reader')
      .executeTakeFirstOrThrow();
    const text = 'Zurück am Montag.\n.\nFrom here on, ask the office.';
    const vacation = { subject: null, text, html: null, startsAt: null, endsAt: null, days: 7 };
    await setVacation(service.database, mailbox, vacation);
    const transport = createTransport({
      host: '127.0.0.1',
      port: service.submissionPort,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: SENDER, pass: PASSWORD },
    });
    const [first, second] = ['<first@app.test>', '<second@app.test>'];
    const letter = { messageId: second, references: first, inReplyTo: first, text: 'Hello' };
    await transport.sendMail({ from: SENDER, to: READER, subject: 'Wann für Grüße?', ...letter });
    transport.close();
    let answers: object[] = [];
    const isAnswered = async () => {
      const server = { host: '127.0.0.1', port: service.imapPort, user: SENDER, password: PASSWORD };
      answers = await runPython<object[]>(new URL('./read-answers.py', import.meta.url), server);
      return answers.length > 0;
    };
    assert.ok(await eventually(isAnswered, 20_000));
    assert.deepEqual(answers, [
      {
        From: READER,
        To: SENDER,
        Subject: 'Auto: Wann für Grüße?',
        'Auto-Submitted': 'auto-replied',
        'In-Reply-To': second,
        References: `${first} ${second}`,
        'Return-Path': '<>',
        type: 'text/plain',
        text: `${text}\n`.replaceAll('\n', '\r\n'),
        defects: [],
      },
    ]);
  });

  test("Django's mail backend, configured as on its docs page, submits mail", async () => {
    const script = [
      'import sys',
      'from django.conf import settings',
      'settings.configure(',
      '    EMAIL_HOST="127.0.0.1", EMAIL_PORT=int(sys.argv[1]), EMAIL_HOST_USER="apikey",',
      '    EMAIL_HOST_PASSWORD=sys.argv[2], DEFAULT_FROM_EMAIL="Shop <shop@posthorn.localhost>")',
      'from django.core.mail import EmailMultiAlternatives',
      `m = EmailMultiAlternatives("by Django", "Hello", to=["${READER}"], bcc=["hidden@dst.test"],`,
      '    headers={"X-Posthorn-Tag": "django"})',
      'm.attach_alternative("<p>Hello</p>", "text/html")',
      'm.send()',
    ].join('\n');
    const path = home('django', { 'send.py': script });
    await run('/usr/bin/python3', [join(path, 'send.py'), `${service.submissionPort}`, service.token ?? '']);
    const email = (await emails()).find(({ subject }) => subject === 'by Django');
    assert.deepEqual([email?.text, email?.html, email?.tags], ['Hello', '<p>Hello</p>', ['django']]);
    assert.deepEqual(email?.bcc, ['hidden@dst.test']);
  });

  test("Rails' ActionMailer, configured as on its docs page, submits mail at both ports with TLS", async () => {
    const script = [
      'require "action_mailer"',
      'ActionMailer::Base.delivery_method = :smtp',
      'ActionMailer::Base.smtp_settings = {',
      '  address: "127.0.0.1", port: Integer(ARGV[0]), authentication: :plain,',
      '  user_name: "apikey", password: ARGV[1], ARGV[2].to_sym => true, openssl_verify_mode: "none"',
      '}',
      'class Letters < ActionMailer::Base',
      '  def letter',
      `    mail(from: "Shop <shop@posthorn.localhost>", to: "${READER}", bcc: "hidden@dst.test",`,
      '      subject: "by Rails with #{ARGV[2]}", "X-Posthorn-Tag" => "rails") do |format|',
      '      format.text { render plain: "grüße" }',
      '      format.html { render html: "<p>grüße</p>".html_safe }',
      '    end',
      '  end',
      'end',
      'Letters.letter.deliver_now',
    ].join('\n');
    const path = join(home('rails', { 'send.rb': script }), 'send.rb');
    const ruby = requireProgram('/usr/bin/ruby', 'ruby');
    for (const [port, tls] of [
      [service.submissionPort, 'enable_starttls'],
      [secure, 'tls'],
    ] as const) {
      await run(ruby, ['-Ku', path, `${port}`, service.token ?? '', tls]);
      const email = (await emails()).find(({ subject }) => subject === `by Rails with ${tls}`);
      assert.deepEqual([email?.text, email?.html, email?.tags], ['grüße', '<p>grüße</p>', ['rails']]);
      assert.deepEqual(email?.bcc, ['hidden@dst.test']);
    }
  });
});
