/**
 * Mail between people, from end to end. Anna writes once, to Bert in another project here and to two people whose mail is at a server
 * elsewhere. Bert answers. Of the two one is refused at once, and the other's mail comes back later. Anna reads all of it in her mail app.
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
/** Nobody has this address, and its server says so. */
const NOBODY = 'nobody@elsewhere.test';
/** Her server takes the mail, and finds out later that it cannot keep it. */
const CARLA = 'carla@elsewhere.test';

suite('the whole loop', { timeout: 120_000 }, () => {
  let dns: DnsServer;
  let elsewhere: SmtpTestServer;
  let service: Service;
  before(async () => {
    elsewhere = await startSmtpServer({
      reply: (stage, address) =>
        stage === 'rcpt' && address === NOBODY ? '550 5.1.1 There is no such person' : undefined,
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

  test('Anna and Bert get mailboxes, each in a project of their own', async () => {
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

  test('Anna writes to three people at once, and her mail app is told that the message is safe', async () => {
    const answer = await send(ANNA, { to: [BERT, NOBODY, CARLA], subject: 'Dinner', text: 'On Friday?' });
    assert.match(answer ?? '', /^250 /);
  });

  test('Bert has it in his Inbox, and answers', async () => {
    const { from, text, messageId: inReplyTo = '' } = await arrived(BERT, 'Dinner');
    assert.deepEqual([from?.address, text?.trim()], [ANNA, 'On Friday?']);
    await send(BERT, { to: [from?.address ?? ''], subject: 'Re: Dinner', text: 'Gladly.', inReplyTo });
    const reply = await arrived(ANNA, 'Re: Dinner');
    assert.deepEqual([reply.from?.address, reply.inReplyTo], [BERT, inReplyTo]);
  });

  test('the server elsewhere gets it for Carla alone, signed, with an address to which it can come back', async () => {
    const [taken] = await elsewhere.waitForMessages(1);
    assert.deepEqual(taken?.rcptTo, [CARLA]);
    assert.match(taken.mailFrom, /^m\+\w+@send\.posthorn\.localhost$/);
    assert.match(taken.data.toString(), /^DKIM-Signature: .*d=posthorn\.localhost;/s);
    assert.deepEqual(elsewhere.violations, []);
  });

  test('Anna reads why nobody got it: the words of the server, what to do, and what programs read', async () => {
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

  test('the server elsewhere gives up on Carla, and Anna is told of that in the same way', async () => {
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

  test('nothing of it is in the lists of the API', async () => {
    const { body } = await service.client().get<{ data: unknown[] }>('/v1/emails');
    assert.deepEqual(body.data, []);
  });

  /** As a mail app hands it in. @returns what the service says */
  async function send(
    from: string,
    mail: { to: string[]; subject: string; text: string; inReplyTo?: string },
  ) {
    const app = transport(service.submissionPort, { user: from, pass: PASSWORD });
    return (await app.sendMail({ from, ...mail })).response;
  }

  /** Waits for a message in an Inbox, as a mail app does: it is told when something comes. */
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

/** The part that programs read (RFC 3464). */
function statusOf({ attachments }: Email): string {
  return String(attachments.find(({ mimeType }) => mimeType === 'message/delivery-status')?.content);
}
