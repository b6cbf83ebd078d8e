/** Bounce reports that a real mail server sends. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';
import { freePort, hookLimit, withPeers } from './peers.ts';
import { type Postfix, startPostfix } from './postfix.ts';

interface Detail {
  status: string;
  events: { type: string; recipient: string | null; detail: Record<string, unknown> | null }[];
}

suite('Postfix as a smart host', withPeers, () => {
  let mx: SmtpTestServer;
  let postfix: Postfix;
  let service: Service;
  before(async () => {
    const smtpPort = await freePort();
    mx = await startSmtpServer({
      reply: (stage, argument) => {
        if (stage === 'rcpt' && argument.endsWith('@gone.test')) return '550 5.1.1 User unknown';
        if (stage === 'rcpt' && argument.endsWith('@full.test')) return '552 5.2.2 Mailbox full';
        return undefined;
      },
    });
    postfix = await startPostfix({
      domains: ['dst.test'],
      transports: {
        'gone.test': `smtp:[127.0.0.1]:${mx.port}`,
        'full.test': `smtp:[127.0.0.1]:${mx.port}`,
        'send.posthorn.localhost': `smtp:[127.0.0.1]:${smtpPort}`,
      },
    });
    service = await startService({
      env: {
        POSTHORN_PROVIDER: 'smtp',
        POSTHORN_SMTP_URL: `smtp://127.0.0.1:${postfix.port}`,
        POSTHORN_SMTP_PORT: String(smtpPort),
      },
    });
  }, hookLimit);
  after(async () => {
    await service[Symbol.asyncDispose]();
    await postfix[Symbol.asyncDispose]();
    await mx[Symbol.asyncDispose]();
  }, hookLimit);

  async function settled(to: string[], status: string): Promise<Detail> {
    const { body } = await service.client().post<{ id: string }>('/v1/emails', {
      from: 'Acme <hello@posthorn.localhost>',
      to,
      subject: 'Hello',
      text: 'It works.',
    });
    let detail: Detail | undefined;
    await eventually(async () => {
      detail = (await service.client().get<Detail>(`/v1/emails/${body.id}`)).body;
      return detail.status === status;
    }, 60_000);
    assert.equal(detail?.status, status, postfix.log().slice(-3_000));
    return detail;
  }

  test('a report of Postfix about an unknown user bounces the email of the right recipient', async () => {
    const { events } = await settled(['here@dst.test', 'nobody@gone.test'], 'bounced');
    const bounces = events.filter(({ type }) => type === 'bounced');
    assert.equal(bounces.length, 1);
    assert.partialDeepStrictEqual(bounces[0], {
      recipient: 'nobody@gone.test',
      detail: {
        type: 'hard',
        category: 'unknown_user',
        smtp_code: 550,
        enhanced_code: '5.1.1',
        suppressed: true,
        source: 'dsn',
      },
    });
    await settled(['nobody@gone.test'], 'failed');
  });

  test('a report of Postfix about a full mailbox does not suppress the recipient', async () => {
    const { events } = await settled(['someone@full.test'], 'bounced');
    assert.partialDeepStrictEqual(events.at(-1)?.detail, { category: 'mailbox_full', suppressed: false });
    await settled(['someone@full.test'], 'bounced');
  });
});
