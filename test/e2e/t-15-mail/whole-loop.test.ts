/**
 * Mail between people, from end to end. Anna writes one message to Bert, in another project of this installation, and to two people at
 * another server. Bert replies. The other server rejects one of the two recipients at RCPT, and later bounces the mail to Carla. Anna reads
 * all responses in her mail app.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';
import PostalMime, { type Email } from 'postal-mime';
import { createApiKey } from '../../../src/accounts/keys/api-keys.ts';
import { dsn } from '../../../src/reports/receive/reports.fixture.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';
import { newProject } from '../../support/projects.ts';
import { type Service, startService } from '../../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';

const PASSWORD = 'correct horse battery staple';
const ANNA = 'anna@posthorn.localhost';
const BERT = 'bert@posthorn.localhost';
/** The other server rejects this address, because it does not exist. */
const UNKNOWN = 'nobody@elsewhere.test';
/** The other server accepts mail to this address, and reports later that the mailbox is full. */
const CARLA = 'carla@elsewhere.test';

suite('the whole loop', { timeout: 120_000 }, () => {
  let dns: DnsServer;
  let elsewhere: SmtpTestServer;
  let service: Service;
  before(async () => {
    elsewhere = await startSmtpServer({
      reply: (stage, address) =>
        stage === 'rcpt' && address === UNKNOWN ? '550 5.1.1 There is no such person' : undefined,
    });
    dns = await startDnsServer({
      'elsewhere.test': { MX: ['10 mx.elsewhere.test'] },
      'mx.elsewhere.test': { A: ['127.0.0.1'] },
    });
    service = await startService({
      env: {
        POSTHORN_PROVIDER: 'direct',
        POSTHORN_DNS: dns.address,
        POSTHORN_MX_PORT: String(elsewhere.port),
      },
    });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await dns[Symbol.asyncDispose]();
    await elsewhere[Symbol.asyncDispose]();
  });

  test('Anna and Bert each get a mailbox, in two projects', async () => {
    const bertsProject = await newProject(service.database, 'other');
    const other = await createApiKey(service.database, bertsProject, 'ci', null);
    for (const [token = '', local_part] of [
      [service.token, 'anna'],
      [other.token, 'bert'],
    ] as const) {
      const client = service.client(token);
      const { body } = await client.get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
      const domain_id = body.data.find(({ is_hosted }) => is_hosted)?.id;
      const { status } = await client.post('/v1/mailboxes', { domain_id, local_part, password: PASSWORD });
      assert.equal(status, 201);
    }
  });

  test('Anna writes to three people at once, and the server accepts the message from her mail app', async () => {
    const answer = await send(ANNA, { to: [BERT, UNKNOWN, CARLA], subject: 'Dinner', text: 'On Friday?' });
    assert.match(answer ?? '', /^250 /);
  });

  test('Bert finds the message from Anna in his Inbox, and replies', async () => {
    const { from, text, messageId: inReplyTo = '' } = await arrived(BERT, 'Dinner');
    assert.deepEqual([from?.address, text?.trim()], [ANNA, 'On Friday?']);
    await send(BERT, { to: [from?.address ?? ''], subject: 'Re: Dinner', text: 'Gladly.', inReplyTo });
    const reply = await arrived(ANNA, 'Re: Dinner');
    assert.deepEqual([reply.from?.address, reply.inReplyTo], [BERT, inReplyTo]);
  });

  test('the other server receives only the copy for Carla, signed, with a return path for delivery reports', async () => {
    const [received] = await elsewhere.waitForMessages(1);
    assert.deepEqual(received?.rcptTo, [CARLA]);
    assert.match(received.mailFrom, /^m\+\w+@send\.posthorn\.localhost$/);
    assert.match(received.data.toString(), /^DKIM-Signature: .*d=posthorn\.localhost;/s);
    assert.deepEqual(elsewhere.violations, []);
  });

  test("Anna gets a failure notice with the server's reply, what to do, and a machine-readable part", async () => {
    const notice = await arrived(ANNA, 'Not delivered: Dinner');
    assert.match(
      notice.text ?? '',
      /nobody@elsewhere\.test\n.*\n +What to do: .*\n +Category: unknown_user\n.*There is no such person/,
    );
    assert.match(
      statusOf(notice),
      /Final-Recipient: rfc822; ?nobody@elsewhere\.test\r?\nAction: failed\r?\nStatus: 5\.1\.1/,
    );
    assert.doesNotMatch(statusOf(notice), /bert|carla/);
  });

  test('the other server bounces the mail to Carla, and Anna gets a failure notice', async () => {
    const { mailFrom: to = '', data } = elsewhere.messages[0] ?? {};
    const [, messageId = ''] = /^Message-ID: (.*?)\r?$/im.exec(String(data)) ?? [];
    const words = { status: '5.2.2', diagnostic: '552 5.2.2 Her mailbox is full' };
    const raw = dsn({ recipient: CARLA, messageId, ...words });
    await transport(service.smtpPort).sendMail({ envelope: { from: '', to }, raw });
    const notice = await arrived(ANNA, 'Not delivered: Dinner', 'Her mailbox is full');
    assert.match(
      notice.text ?? '',
      /Category: mailbox_full\n.* said in a later report: 552 5\.2\.2 Her mailbox is full/,
    );
    assert.match(statusOf(notice), /carla@elsewhere\.test\r?\nAction: failed\r?\nStatus: 5\.2\.2/);
  });

  test('the API lists none of these emails', async () => {
    const { body } = await service.client().get<{ data: unknown[] }>('/v1/emails');
    assert.deepEqual(body.data, []);
  });

  /** Submits a message, as a mail app does. @returns the server's response */
  async function send(
    from: string,
    mail: { to: string[]; subject: string; text: string; inReplyTo?: string },
  ) {
    const app = transport(service.submissionPort, { user: from, pass: PASSWORD });
    return (await app.sendMail({ from, ...mail })).response;
  }

  /** Waits for a message in an Inbox, and is notified of new messages like a mail app. */
  async function arrived(user: string, subject: string, words?: string): Promise<Email> {
    const app = new ImapFlow({
      host: '127.0.0.1',
      port: service.imapPort,
      secure: false,
      logger: false,
      auth: { user, pass: PASSWORD },
    });
    await app.connect();
    try {
      await app.mailboxOpen('INBOX');
      for (;;) {
        const news = once(app, 'exists');
        const [found] = (await app.search({ subject, ...(words !== undefined && { body: words }) })) || [];
        if (found !== undefined) {
          const message = await app.fetchOne(found, { source: true });
          assert.ok(message && message.source !== undefined);
          return await PostalMime.parse(message.source, { attachmentEncoding: 'utf8' });
        }
        void app.idle();
        await news;
      }
    } finally {
      app.close();
    }
  }
});

function transport(port: number, auth?: { user: string; pass: string }) {
  return createTransport({ host: '127.0.0.1', port, ignoreTLS: true, auth });
}

/** The machine-readable part of a failure notice (RFC 3464). */
function statusOf({ attachments }: Email): string {
  return String(attachments.find(({ mimeType }) => mimeType === 'message/delivery-status')?.content);
}
