/** Direct delivery to a real mail server. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { ownPart, readArrivals, valueOf } from './arrival.ts';
import { composer } from './composed.ts';
import { both, keyRecords, verifyWithDkimpy } from './dkim.ts';
import { hookLimit, withPeers } from './peers.ts';
import { type Postfix, startPostfix } from './postfix.ts';

interface Detail {
  status: string;
  events: { type: string; recipient: string | null; detail: Record<string, unknown> | null }[];
}

const SIZE_LIMIT = 100_000;

suite("Postfix as the recipient's own server", withPeers, () => {
  const stack = new AsyncDisposableStack();
  let postfix: Postfix;
  let service: Service;

  before(async () => {
    postfix = stack.use(
      await startPostfix({
        domains: ['dst.test'],
        settings: {
          virtual_mailbox_maps: 'inline:{ {you@dst.test = all/}, {busy@dst.test = all/} }',
          smtpd_recipient_restrictions:
            'check_recipient_access inline:{ {busy@dst.test = 450 4.2.1 is being moved} }',
          message_size_limit: String(SIZE_LIMIT),
        },
      }),
    );
    const dns = stack.use(
      await startDnsServer({
        'dst.test': { MX: ['10 mx.dst.test'] },
        'mx.dst.test': { A: ['127.0.0.1'] },
      }),
    );
    service = stack.use(
      await startService({
        env: {
          POSTHORN_PROVIDER: 'direct',
          POSTHORN_DNS: dns.address,
          POSTHORN_MX_PORT: String(postfix.port),
          POSTHORN_HOSTNAME: 'mx.sender.test',
        },
      }),
    );
  }, hookLimit);
  after(() => stack.disposeAsync(), hookLimit);

  async function settled(email: Record<string, unknown>, type: string): Promise<Detail & { id: string }> {
    const { status, body } = await service.client().post<{ id: string }>('/v1/emails', {
      from: 'Acme <hello@posthorn.localhost>',
      subject: 'Grüße',
      text: 'Es läuft.',
      ...email,
    });
    assert.equal(status, 202, JSON.stringify(body));
    let detail: Detail | undefined;
    const isOver = await eventually(async () => {
      detail = (await service.client().get<Detail>(`/v1/emails/${body.id}`)).body;
      // The API reads the status before the events, so the status may be older than the events.
      const isFresh = detail.status === (type === 'deferred' ? 'sending' : type);
      return isFresh && detail.events.some((event) => event.type === type);
    }, 60_000);
    assert.ok(detail !== undefined && isOver, JSON.stringify(detail, null, 1) + postfix.log().slice(-3_000));
    return { ...detail, id: body.id };
  }

  test('Postfix receives an email over TLS, with exactly the bytes that were signed', async () => {
    const { id, status, events } = await settled({ to: ['you@dst.test'] }, 'delivered');
    assert.equal(status, 'delivered');
    assert.partialDeepStrictEqual(events.at(-1), {
      recipient: 'you@dst.test',
      detail: { smtp_code: 250, enhanced_code: '2.0.0', remote_mta: 'mx.dst.test', tls: true },
    });

    assert.ok(await eventually(() => postfix.delivered().length > 0, 60_000), postfix.log());
    const [arrival, ...others] = await readArrivals(postfix);
    assert.ok(arrival);
    assert.deepEqual(others, []);
    const received = valueOf(arrival, 'Received');
    assert.match(received, /^from mx\.sender\.test \(unknown \[127\.0\.0\.1\]\)/);
    assert.match(received, /using TLSv1\.3 with cipher .* with ESMTPS id/);
    assert.match(valueOf(arrival, 'Return-Path'), /^<b\+[0-9a-hjkmnp-tv-z]{62}@send\.posthorn\.localhost>$/);
    assert.ok(ownPart(arrival.data).equals(await (await composer(service))(id)));
    const [signatures] = await verifyWithDkimpy(await keyRecords(service), [arrival.data]);
    assert.deepEqual(signatures, both('pass'));
  });

  test('an unknown user causes a hard bounce, and the next email to this address is not sent', async () => {
    const email = { to: ['nobody@dst.test'] };
    const { status, events } = await settled(email, 'bounced');
    assert.equal(status, 'bounced');
    assert.partialDeepStrictEqual(events.at(-1), {
      recipient: 'nobody@dst.test',
      detail: {
        type: 'hard',
        category: 'unknown_user',
        smtp_code: 550,
        enhanced_code: '5.1.1',
        remote_mta: 'mx.dst.test',
        suppressed: true,
        source: 'smtp',
      },
    });
    const again = await settled(email, 'failed');
    assert.equal(again.events.at(-1)?.detail?.['reason'], 'suppressed');
    assert.equal(postfix.log().match(/NOQUEUE: reject: RCPT/g)?.length, 1);
  });

  test('an email larger than the limit of Postfix bounces, and the recipient is not suppressed', async () => {
    const { status, events } = await settled(
      { to: ['you@dst.test'], text: 'x'.repeat(SIZE_LIMIT) },
      'bounced',
    );
    assert.equal(status, 'bounced');
    assert.partialDeepStrictEqual(events.at(-1)?.detail, {
      type: 'soft',
      category: 'message_too_large',
      smtp_code: 552,
      enhanced_code: '5.3.4',
      suppressed: false,
    });
  });

  test('mail to a user with a temporary error is deferred, and mail to another user is accepted', async () => {
    const { status, events } = await settled({ to: ['busy@dst.test'] }, 'deferred');
    assert.equal(status, 'sending');
    assert.partialDeepStrictEqual(events.at(-1), {
      recipient: 'busy@dst.test',
      detail: { smtp_code: 450, enhanced_code: '4.2.1', remote_mta: 'mx.dst.test', tls: true },
    });
    await settled({ to: ['you@dst.test'] }, 'delivered');
  });
});
