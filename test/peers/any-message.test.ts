/** Third-party programs submit messages with files, and a smart host receives the bodies byte for byte. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { type Service, startService } from '../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';
import { hookLimit, peerFolder, requireProgram, run, withPeers } from './peers.ts';

const FROM = 'shop@posthorn.localhost';
const TO = 'b@dst.test';
/** Octets that a program or a server could change: NUL, bare line ends, dots and non-ASCII. */
const FILE = Buffer.from(`\0\x01\r\n.\n.\r\r\nFrom here\n\xff\xfe${'x'.repeat(3_000)}`, 'latin1');
const EVENT = ['BEGIN:VCALENDAR', 'METHOD:REQUEST', 'END:VCALENDAR', ''].join('\r\n');

/** A proxy on loopback that records what clients submit. */
async function startTap(port: number) {
  const sent: Buffer[] = [];
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.on('data', (octets) => sent.push(octets));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** The body of the message since the last call, without dot-stuffing. */
    takeBody(): string {
      const octets = Buffer.concat(sent.splice(0)).toString('latin1');
      const start = octets.search(/\r\nDATA\r\n/i);
      const message = octets.slice(start + 8, octets.indexOf('\r\n.\r\n', start) + 2);
      return message.slice(message.indexOf('\r\n\r\n') + 4).replaceAll(/^\./gm, '');
    },
    close: () => server.close(),
  };
}

suite('messages with files, submitted with an API key', withPeers, () => {
  const folder = peerFolder('any-message');
  let service: Service;
  let sink: SmtpTestServer;
  let tap: Awaited<ReturnType<typeof startTap>>;
  before(async () => {
    sink = await startSmtpServer();
    service = await startService({
      env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${sink.port}` },
    });
    tap = await startTap(service.submissionPort);
  }, hookLimit);
  after(async () => {
    tap.close();
    await service[Symbol.asyncDispose]();
    await sink[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  }, hookLimit);

  const args = () => [`${tap.port}`, service.token ?? ''];

  function home(name: string, files: Record<string, string | Buffer>): string {
    const path = join(folder.path, name);
    mkdirSync(path);
    for (const [file, content] of Object.entries({ 'file.bin': FILE, ...files }))
      writeFileSync(join(path, file), content, { mode: 0o600 });
    return path;
  }

  /** Compares the submitted body with the body that the smart host received. */
  async function assertUnchanged(program: string): Promise<void> {
    const [received] = (await sink.waitForMessages(1, 60_000)).splice(0);
    sink.messages.splice(0);
    const octets = received?.data.toString('latin1') ?? '';
    const submitted = tap.takeBody();
    assert.ok(submitted.includes(FILE.toString('base64').slice(0, 40)), program);
    assert.equal(octets.slice(octets.indexOf('\r\n\r\n') + 4), submitted, program);
    assert.match(octets, /^DKIM-Signature: /);
    assert.doesNotMatch(octets, /X-SES-/i);
  }

  test('nodemailer submits alternatives, an inline image, an invitation and a file', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: tap.port,
      ignoreTLS: true,
      auth: { user: 'anything', pass: service.token ?? '' },
    });
    await transport.sendMail({
      from: `Shop <${FROM}>`,
      to: TO,
      replyTo: ['one@app.test', 'two@app.test'],
      subject: 'by nodemailer',
      text: 'Grüße\n.\n',
      html: '<img src="cid:logo">',
      headers: { 'X-SES-CONFIGURATION-SET': 'all' },
      icalEvent: { method: 'REQUEST', content: EVENT },
      attachments: [
        { filename: 'logo.png', content: FILE, cid: 'logo' },
        { filename: 'naïve file.bin', content: FILE },
      ],
    });
    transport.close();
    await assertUnchanged('nodemailer');
  });

  test("Python's smtplib submits a file and a message within the message", async () => {
    const script = [
      'import smtplib, sys',
      'from email.message import EmailMessage',
      'm = EmailMessage()',
      `m["From"], m["To"], m["Subject"] = "Shop <${FROM}>", "${TO}", "by smtplib ünïcode"`,
      'm.set_content("grüße\\n.\\n")',
      'm.add_alternative("<p>grüße</p>", subtype="html")',
      'file = open(sys.argv[3], "rb").read()',
      'm.add_attachment(file, maintype="application", subtype="octet-stream", filename="file.bin")',
      'inner = EmailMessage()',
      'inner["Subject"] = "inner"',
      'inner.set_content("inner")',
      'm.add_attachment(inner)',
      's = smtplib.SMTP("127.0.0.1", int(sys.argv[1]))',
      's.login("apikey", sys.argv[2])',
      's.send_message(m)',
      's.quit()',
    ].join('\n');
    const path = home('smtplib', { 'send.py': script });
    await run('/usr/bin/python3', [join(path, 'send.py'), ...args(), join(path, 'file.bin')]);
    await assertUnchanged('smtplib');
  });

  test('Django submits a file', async () => {
    const script = [
      'import sys',
      'from django.conf import settings',
      'settings.configure(',
      '    EMAIL_HOST="127.0.0.1", EMAIL_PORT=int(sys.argv[1]), EMAIL_HOST_USER="apikey",',
      `    EMAIL_HOST_PASSWORD=sys.argv[2], DEFAULT_FROM_EMAIL="Shop <${FROM}>")`,
      'from django.core.mail import EmailMultiAlternatives',
      `m = EmailMultiAlternatives("by Django", "Grüße", to=["${TO}"], reply_to=["a@app.test", "b@app.test"])`,
      'm.attach_alternative("<p>Grüße</p>", "text/html")',
      'm.attach_file(sys.argv[3])',
      'm.send()',
    ].join('\n');
    const path = home('django', { 'send.py': script });
    await run('/usr/bin/python3', [join(path, 'send.py'), ...args(), join(path, 'file.bin')]);
    await assertUnchanged('Django');
  });

  test("Rails' ActionMailer submits a file and an inline image", async () => {
    const script = [
      'require "action_mailer"',
      'ActionMailer::Base.delivery_method = :smtp',
      'ActionMailer::Base.smtp_settings = {',
      '  address: "127.0.0.1", port: Integer(ARGV[0]), authentication: :plain,',
      '  user_name: "apikey", password: ARGV[1], enable_starttls_auto: false',
      '}',
      'class Letters < ActionMailer::Base',
      '  def letter',
      '    file = File.binread(ARGV[2])',
      '    attachments["file.bin"] = file',
      '    attachments.inline["logo.png"] = file',
      `    mail(from: "Shop <${FROM}>", to: "${TO}", subject: "by Rails") do |format|`,
      '      format.text { render plain: "grüße" }',
      '      format.html { render html: "<p>grüße</p>".html_safe }',
      '    end',
      '  end',
      'end',
      'Letters.letter.deliver_now',
    ].join('\n');
    const path = home('rails', { 'send.rb': script });
    const ruby = requireProgram('/usr/bin/ruby', 'ruby');
    await run(ruby, ['-Ku', join(path, 'send.rb'), ...args(), join(path, 'file.bin')]);
    await assertUnchanged('Rails');
  });

  test('PHPMailer submits a file, an embedded image and an invitation', async () => {
    const library = '/usr/share/php/libphp-phpmailer/src';
    const script = [
      '<?php',
      `foreach (["Exception", "SMTP", "PHPMailer"] as $name) require "${library}/$name.php";`,
      '$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);',
      '$mail->isSMTP();',
      '$mail->Host = "127.0.0.1"; $mail->Port = (int) $argv[1]; $mail->SMTPAuth = true; $mail->SMTPAutoTLS = false;',
      '$mail->Username = "apikey"; $mail->Password = $argv[2]; $mail->CharSet = "utf-8";',
      `$mail->setFrom("${FROM}", "Shop"); $mail->addAddress("${TO}"); $mail->Subject = "by PHPMailer";`,
      '$mail->addReplyTo("a@app.test"); $mail->addReplyTo("b@app.test");',
      '$mail->isHTML(true); $mail->Body = "<p>Grüße<img src=cid:logo></p>"; $mail->AltBody = "Grüße";',
      `$mail->Ical = ${JSON.stringify(EVENT)};`,
      '$mail->addEmbeddedImage($argv[3], "logo", "logo.png"); $mail->addAttachment($argv[3]);',
      '$mail->send();',
    ].join('\n');
    const path = home('phpmailer', { 'send.php': script });
    const php = requireProgram('/usr/bin/php', 'php');
    assert.ok(existsSync(`${library}/PHPMailer.php`), 'apt-get install libphp-phpmailer');
    await run(php, [join(path, 'send.php'), ...args(), join(path, 'file.bin')]);
    await assertUnchanged('PHPMailer');
  });

  test('swaks and msmtp submit a file', async () => {
    const path = home('swaks', {});
    const swaks = requireProgram('/usr/bin/swaks', 'swaks');
    const login = ['--auth', 'PLAIN', '--auth-user', 'apikey', '--auth-password', service.token ?? ''];
    const mail = ['--from', FROM, '--to', TO, '--header', 'Subject: by swaks'];
    await run(swaks, [
      '--server',
      '127.0.0.1',
      '--port',
      `${tap.port}`,
      ...login,
      ...mail,
      '--attach-type',
      'application/octet-stream',
      '--attach',
      `@${join(path, 'file.bin')}`,
    ]);
    await assertUnchanged('swaks');
    const msmtp = requireProgram('/usr/bin/msmtp', 'msmtp');
    const rc = `account default\nhost 127.0.0.1\nport ${tap.port}\ntls off\nauth plain\nuser apikey\npassword ${service.token}\nfrom ${FROM}\n`;
    const letter = [
      `From: ${FROM}\nTo: ${TO}\nSubject: by msmtp\nMIME-Version: 1.0`,
      'Content-Type: multipart/mixed; boundary=b\n',
      '--b\nContent-Type: text/plain; charset=utf-8\n\nGrüße\n.\n..\n',
      `--b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n${FILE.toString('base64').replaceAll(/.{76}/g, '$&\n')}`,
      '--b--\n',
    ].join('\n');
    const other = home('msmtp', { rc, mail: letter });
    await run('/bin/sh', ['-c', `${msmtp} -C ${other}/rc ${TO} < ${other}/mail`]);
    await assertUnchanged('msmtp');
  });
});
