import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { RouteMessage } from '../../contract/route-messages.ts';
import { compileCheck } from '../../doors/http/validation.ts';
import { MessageFormatter } from './message-formatter.ts';
import { readMail } from './read-mail.ts';
import { LINKS, REPLY, routed } from './routed.fixture.ts';
import { TIMINGS } from './timings.ts';

const checkMessage = compileCheck(RouteMessage);
/** Long timeouts, so that a busy machine does not fail the tests. */
const PATIENT = { ...TIMINGS, threadAnswerMs: 60_000, formatMs: 120_000 };

/** The fields of Postmark that tests read. */
interface PostmarkBody {
  Headers: { Name: string; Value: string }[];
  Attachments: { Content: string }[];
}

async function write<Body = RouteMessage>(
  formatter: MessageFormatter,
  format: 'json' | 'postmark',
  message: ReturnType<typeof routed>,
): Promise<Body> {
  const { body, contentType } = await formatter.format('p', format, message, LINKS);
  assert.equal(contentType, 'application/json');
  return JSON.parse(Buffer.from(body).toString()) as Body;
}

suite('a message for a receiver', () => {
  const formatter = new MessageFormatter(PATIENT);
  after(() => formatter[Symbol.asyncDispose]());

  test('as JSON has the envelope, the header, the texts, the reply, the files and the verdicts', async () => {
    const json = await write(formatter, 'json', routed(REPLY));
    assert.equal(checkMessage(json), null);
    const { headers, conversation_id: conversation, raw, ...data } = json.data;
    assert.equal(json.id, 'rm_01KAGK5RB9D5F7H9K1M3N5P7Q9');
    assert.equal(json.created_at, '2026-11-20T15:04:05.123Z');
    assert.match(conversation ?? '', /^thr_/);
    assert.deepEqual(headers.slice(0, 4), [
      { name: 'Received', value: 'from mx.example.com' },
      { name: 'X-Spam-Status', value: 'No, score=-99' },
      { name: 'Received-SPF', value: 'Pass forged' },
      { name: 'From', value: '"Ada L" <ada@example.com>' },
    ]);
    assert.equal(raw.url, `${LINKS.base}/raw${LINKS.query}`);
    assert.deepEqual(data, {
      route_id: 'rt_01KAGK5RB8C4E6G8J0K2M4N6P8',
      envelope: {
        from: 'ada@example.com',
        to: ['support+case-42@acme.example'],
        client_address: '192.0.2.10',
        helo: 'mx.example.com',
      },
      tag: 'case-42',
      message_id: '<f7a1@example.com>',
      in_reply_to: '<01@acme.example>',
      references: ['<00@acme.example>', '<01@acme.example>'],
      date: 'Fri, 20 Nov 2026 16:04:03 +0100',
      subject: 'Re: Grüße',
      from: { name: 'Ada L', address: 'ada@example.com' },
      to: [
        { name: 'Acme Support', address: 'support+case-42@acme.example' },
        { name: '', address: 'bob@acme.example' },
      ],
      cc: [{ name: 'Jürgen', address: 'j@example.com' }],
      reply_to: [{ name: '', address: 'ada+x@example.com' }],
      text: 'It arrived.\n\nOn Fri, 20 Nov 2026 at 15:00, Acme <support@acme.example> wrote:\n> Has it arrived?',
      html: '<p>It arrived.</p><blockquote type=cite>Has it arrived?</blockquote>',
      reply: 'It arrived.',
      truncated: false,
      attachments: [
        {
          filename: 'a.png',
          content_type: 'image/png',
          size: 5,
          content_id: 'img1@x',
          url: `${LINKS.base}/attachments/2${LINKS.query}`,
        },
        {
          filename: '_r=C3=A9.csv',
          content_type: 'text/csv',
          size: 8,
          content_id: null,
          url: `${LINKS.base}/attachments/3${LINKS.query}`,
        },
      ],
      verdicts: {
        spf: { result: 'pass', domain: 'example.com' },
        dkim: [{ result: 'pass', domain: 'example.com', selector: 's1' }],
        dmarc: { result: 'pass', domain: 'example.com', policy: 'reject' },
        spam: { score: -0.5, is_spam: false, rules: [{ name: 'DMARC_PASS', weight: -0.5 }] },
      },
    });
  });

  test('in the format of Postmark has its fields, with the files as base64', async () => {
    const { Headers: headers, ...json } = await write<PostmarkBody>(formatter, 'postmark', routed(REPLY));
    assert.deepEqual(json, {
      FromName: 'Ada L',
      MessageStream: 'inbound',
      From: 'ada@example.com',
      FromFull: { Email: 'ada@example.com', Name: 'Ada L', MailboxHash: '' },
      To: 'Acme Support <support+case-42@acme.example>, bob@acme.example',
      ToFull: [
        { Email: 'support+case-42@acme.example', Name: 'Acme Support', MailboxHash: 'case-42' },
        { Email: 'bob@acme.example', Name: '', MailboxHash: '' },
      ],
      Cc: 'Jürgen <j@example.com>',
      CcFull: [{ Email: 'j@example.com', Name: 'Jürgen', MailboxHash: '' }],
      Bcc: '',
      BccFull: [],
      OriginalRecipient: 'support+case-42@acme.example',
      Subject: 'Re: Grüße',
      MessageID: 'rm_01KAGK5RB9D5F7H9K1M3N5P7Q9',
      ReplyTo: 'ada+x@example.com',
      MailboxHash: 'case-42',
      Date: 'Fri, 20 Nov 2026 16:04:03 +0100',
      TextBody:
        'It arrived.\n\nOn Fri, 20 Nov 2026 at 15:00, Acme <support@acme.example> wrote:\n> Has it arrived?',
      HtmlBody: '<p>It arrived.</p><blockquote type=cite>Has it arrived?</blockquote>',
      StrippedTextReply: 'It arrived.',
      Tag: '',
      Attachments: [
        {
          Name: 'a.png',
          ContentType: 'image/png',
          ContentLength: 5,
          ContentID: 'img1@x',
          Content: 'aGVsbG8=',
        },
        {
          Name: '_r=C3=A9.csv',
          ContentType: 'text/csv',
          ContentLength: 8,
          ContentID: '',
          Content: 'YTtiDQoxOzI=',
        },
      ],
    });
    const valuesOf = (name: string) => headers.filter((each) => each.Name === name).map((each) => each.Value);
    assert.deepEqual(valuesOf('X-Spam-Status'), ['No'], 'the status of the sender is left out');
    assert.deepEqual(valuesOf('X-Spam-Score'), ['-0.5']);
    assert.deepEqual(valuesOf('X-Spam-Tests'), ['DMARC_PASS']);
    assert.deepEqual(valuesOf('Received-SPF'), [
      'Pass (example.com) identity=mailfrom; client-ip=192.0.2.10; helo=mx.example.com; envelope-from=ada@example.com; receiver=support+case-42@acme.example',
    ]);
    assert.deepEqual(valuesOf('Message-ID'), ['<f7a1@example.com>']);
    assert.deepEqual(valuesOf('Subject'), []);
  });

  test('that is spam says so in the words of Postmark', async () => {
    const spam = {
      score: 7.25,
      reasons: [
        { rule: 'A', weight: 7 },
        { rule: 'B', weight: 0.25 },
      ],
    };
    const { Headers: headers } = await write<PostmarkBody>(formatter, 'postmark', routed(REPLY, { spam }));
    assert.deepEqual(
      headers.slice(1, 4).map((each) => each.Value),
      ['Yes', '7.3', 'A,B'],
    );
  });

  test('cannot add details to Received-SPF with its return path', async () => {
    const reversePath = '"x; envelope-from=admin@acme.example"@evil.example';
    const { Headers: headers } = await write<PostmarkBody>(
      formatter,
      'postmark',
      routed(REPLY, { reversePath }),
    );
    assert.doesNotMatch(headers[4]?.Value ?? '', /admin/);
  });

  for (const format of ['raw', 'action-mailbox'] as const)
    test(`in the format ${format} is the message itself`, async () => {
      const message = routed(REPLY);
      const { contentType, body } = await formatter.format('p', format, message, LINKS);
      assert.equal(contentType, 'message/rfc822');
      assert.deepEqual(Buffer.from(body), message.raw);
    });

  for (const [marked, html] of [
    [
      'Gmail',
      '<div>Yes</div><div class="gmail_quote"><div>On Monday Ann wrote:</div><blockquote>old</blockquote></div>',
    ],
    ['Yahoo', '<div>Yes</div><div class="yahoo_quoted"><div>Le lundi, Ann a dit</div><div>old</div></div>'],
    [
      'Outlook',
      '<div>Yes</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>Fra:</b> Ann</div><p>old',
    ],
    [
      'Thunderbird',
      '<p>Yes</p><div class="moz-cite-prefix">On 1/1/26 10:00, Ann wrote:</div><blockquote type="cite">old</blockquote>',
    ],
  ] as const)
    test(`with only HTML has a reply without the quote of ${marked}`, async () => {
      const json = await write(formatter, 'json', routed(`Content-Type: text/html\n\n${html}`));
      assert.equal(json.data.reply, 'Yes');
      assert.match(json.data.text, /old/);
    });

  test('whose HTML takes too long is written without reading the HTML', async () => {
    const timings = { ...PATIENT, threadAnswerMs: 60_000 };
    await using own = new MessageFormatter(timings);
    const deep = `Content-Type: text/html\n\n${'<div>'.repeat(100_000)}x`;
    assert.equal((await write(own, 'json', routed(deep))).data.reply, 'x');
  });

  test('whose text takes too long is written with its header alone, except for Postmark, whose format cannot say so', async () => {
    let asked = 0;
    const timings = {
      ...PATIENT,
      get threadAnswerMs() {
        return asked++ < 2 ? 0 : PATIENT.threadAnswerMs;
      },
    };
    await using own = new MessageFormatter(timings);
    const { subject, text, truncated } = (await write(own, 'json', routed(REPLY))).data;
    assert.deepEqual([subject, text, truncated], ['Re: Grüße', '', true]);
    asked = 0;
    await assert.rejects(write(own, 'postmark', routed(REPLY)), /Too many messages/);
  });

  test('that cannot be written in time is an error, and the next message is written', async () => {
    const timings = { ...PATIENT, threadAnswerMs: 0 };
    await using own = new MessageFormatter(timings);
    await assert.rejects(write(own, 'json', routed(REPLY)), /Too many messages/);
    timings.threadAnswerMs = 60_000;
    assert.equal((await write(own, 'json', routed(REPLY))).data.reply, 'It arrived.');
  });

  test('that waits too long for the thread is an error that can be retried', async () => {
    await using own = new MessageFormatter({ ...PATIENT, formatMs: 0 });
    await assert.rejects(write(own, 'json', routed(REPLY)), /Too many messages/);
  });

  test('is read only when the thread is free for it', async () => {
    const { promise: first, resolve } = Promise.withResolvers<ReturnType<typeof routed>>();
    let isRead = false;
    const read = async () => {
      isRead = true;
      return routed(REPLY);
    };
    const both = [
      formatter.write('a', 'json', () => first, LINKS),
      formatter.write('b', 'json', read, LINKS),
    ];
    await nextIteration();
    assert.equal(isRead, false);
    resolve(routed(REPLY));
    for (const body of await Promise.all(both)) assert.ok(body);
    assert.equal(isRead, true);
  });

  test('whose encoded text is too long says that it is truncated, even if few characters are left', async () => {
    const head = 'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n';
    const mail = await readMail(Buffer.from(head + '=E6=97=A5'.repeat(1_000_000)), async () => null);
    assert.deepEqual([mail.isTruncated, mail.text.length < 1_000_000], [true, true]);
  });

  test('that is large is written whole within the memory of the thread', async () => {
    const file = Buffer.alloc(25 * 1_048_576, 7);
    const head =
      'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n';
    const large = Buffer.concat([
      Buffer.from(head),
      Buffer.from(file.toString('base64').replace(/.{76}/g, '$&\r\n'), 'latin1'),
      Buffer.from('\n--b--\n'),
    ]);
    const json = await write<PostmarkBody>(formatter, 'postmark', routed(large));
    assert.ok(Buffer.from(json.Attachments[0]?.Content ?? '', 'base64').equals(file));
    assert.equal((await write(formatter, 'json', routed(large))).data.attachments[0]?.size, file.length);
  });

  test('with any content is valid JSON of the declared shape', async () => {
    const line = fc.oneof(
      anyText({ maxLength: 60 }),
      fc.constantFrom(
        'From: <a@b>, "',
        'Content-Type: multipart/mixed; boundary=x',
        '--x',
        '--x--',
        '',
        '> a',
        'On 1 Jan a@b wrote:',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const message = routed(lines.join('\n'));
        const json = await write(formatter, 'json', message);
        assert.equal(checkMessage(json), null);
        const postmark = await write<PostmarkBody>(formatter, 'postmark', message);
        assert.equal(postmark.Attachments.length, json.data.attachments.length);
      }),
      { numRuns: runs(5_000) },
    );
  });

  const corpora = process.env['POSTHORN_CORPORA'];
  test('of the folder POSTHORN_CORPORA is written in every format', {
    skip: corpora === undefined,
  }, async () => {
    const files = globSync(`${corpora}/{messages,cases,bounces}/**/*.eml`);
    assert.ok(files.length > 0);
    for (const file of files) {
      const message = routed(readFileSync(file));
      const json = await write(formatter, 'json', message);
      assert.equal(checkMessage(json), null, file);
      await write<PostmarkBody>(formatter, 'postmark', message);
    }
  });
});
