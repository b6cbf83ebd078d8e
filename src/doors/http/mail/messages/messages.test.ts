/** Tests operations on a single message in the API of the web client. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newMessage } from '../../../../../test/support/mail.ts';
import { newSubmission, recipientOf } from '../../../../../test/support/submissions.ts';
import type { MailMessage, MailWaiting, TrustedSenderList } from '../../../../contract/mail/messages.ts';
import { encodeId } from '../../../../model/ids.ts';
import type { Authentication } from '../../../../receiving/authenticate/authentication.ts';
import { readMessageFacts } from '../../../../store/facts/message-facts.ts';
import { changeProviderKind } from '../../../../queue/provider-kind.ts';
import { insertSubmissions } from '../../../../sending/submit/insert-submissions.ts';
import { Store } from '../../../../store/store.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from '../mail-client.fixture.ts';
import { contentDisposition } from './send-hostile.ts';

const PNG = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c6300010000050001',
  'hex',
);

/** A PNG whose header claims the given width. */
function pngOf(width: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(width, 20);
  return bytes;
}

let mail: TestMailClient;
let store: Store;
let ann: TestOwner;
let bob: TestOwner;
/** Plays every remote host in these tests. */
let elsewhere: Server;
let evil: string;
let heard: { url: string; method: string; headers: Record<string, unknown>; body: string }[] = [];

before(async () => {
  mail = await startMailClient();
  store = new Store(mail.db.database);
  [ann, bob] = [await mail.newOwner('ann'), await mail.newOwner('bob')];
  elsewhere = createServer((request, response) => {
    const { url = '', method = '', headers } = request;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push({ url, method, headers, body });
      if (url === '/svg')
        response
          .writeHead(200, { 'content-type': 'image/png' })
          .end('<svg xmlns="http://www.w3.org/2000/svg"/>');
      else if (url === '/bomb') response.writeHead(200, { 'content-type': 'image/png' }).end(pngOf(20_000));
      else if (url.startsWith('/many'))
        response.writeHead(200, { 'content-type': 'image/png' }).end(pngOf(7_000));
      else if (url === '/inside')
        response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
      else if (url.startsWith('/to?'))
        response.writeHead(302, { location: decodeURIComponent(url.slice('/to?'.length)) }).end();
      else if (url === '/gzip')
        response
          .writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.concat([PNG, Buffer.alloc(20 * 1_048_576)])));
      else if (url === '/endless') {
        response.writeHead(200, { 'content-type': 'image/png' }).write(PNG);
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      } else if (url === '/page')
        response.writeHead(200, { 'content-type': 'image/png' }).end('<!doctype html><script>1</script>');
      else if (url === '/cut')
        response
          .writeHead(200, { 'content-type': 'image/png', 'content-length': '9999' })
          .end(PNG, () => response.destroy());
      else if (url === '/moved') response.writeHead(302, { location: '/i.png' }).end();
      else if (url === '/large')
        response
          .writeHead(200, { 'content-type': 'image/png' })
          .end(Buffer.concat([PNG, Buffer.alloc(11 * 1_048_576)]));
      else response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b' }).end(PNG);
    });
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  evil = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
after(async () => {
  elsewhere.close();
  await mail[Symbol.asyncDispose]();
});

const GENUINE: Authentication = {
  spf: { result: 'pass', domain: 'shop.example' },
  dkim: [{ result: 'pass', domain: 'shop.example', selector: 's1', algorithm: 'rsa-sha256' }],
  dmarc: { result: 'pass', domain: 'shop.example', published: 'reject' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'pass', name: 'mx.shop.example' },
  policy: 'none',
  header: '',
};

/** Delivers a message. @returns the id of the message */
async function bring(
  lines: readonly string[],
  authentication: Authentication | null = GENUINE,
  owner = ann,
): Promise<string> {
  const bytes = Buffer.from(lines.join('\r\n').replaceAll('EVIL', evil));
  const [stored] = await store.append([
    newMessage(owner, { bytes, facts: readMessageFacts(bytes), authentication }),
  ]);
  assert.equal(stored?.outcome, 'stored');
  return encodeId('msg', stored.objectId);
}

const HEAD = [
  'From: Shop <news@shop.example>',
  'To: ann@hosted.example',
  'Subject: News',
  'Date: Mon, 23 Nov 2026 10:00:00 +0000',
  'Message-ID: <1@shop.example>',
  'MIME-Version: 1.0',
];
const html = (markup: string): string[] => [
  ...HEAD,
  'Content-Type: text/html; charset=utf-8',
  '',
  markup,
  '',
];
const described = async (id: string) => (await ann.get<MailMessage>(`/messages/${id}`)).body;

const MIXED = [
  ...HEAD,
  'Content-Type: multipart/mixed; boundary=m',
  '',
  '--m',
  'Content-Type: multipart/related; boundary=r',
  '',
  '--r',
  'Content-Type: multipart/alternative; boundary=a',
  '',
  '--a',
  'Content-Type: text/plain; charset=utf-8; format=flowed',
  '',
  'Hello, see ',
  'https://shop.example/x.',
  '> you wrote',
  '-- ',
  'Shop',
  '--a',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello</p><img src="cid:logo@shop"><img src="EVIL/i.png"><img src="EVIL/i.png"><a href="https://evil.example/">https://bank.com</a>',
  '--a--',
  '--r',
  'Content-Type: image/png; name=logo.png',
  'Content-ID: <logo@shop>',
  'Content-Disposition: inline',
  'Content-Transfer-Encoding: base64',
  '',
  PNG.toString('base64'),
  '--r--',
  '--m',
  'Content-Type: application/pdf',
  "Content-Disposition: attachment; filename*0*=utf-8''..%2F%E2%80%AEfdp; filename*1=.exe",
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('MZ program').toString('base64'),
  '--m',
  'Content-Type: text/csv; charset=iso-8859-1; name="caf=?utf-8?q?=C3=A9?=.csv"',
  'Content-Disposition: attachment',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'na=EFve;<b>',
  '--m--',
  '',
];

describe('a message', () => {
  test('is described with its text, attachments, authentication and warnings', async () => {
    const message = await described(await bring(MIXED));
    assert.deepEqual(message.text, [
      {
        quote: 0,
        is_signature: false,
        runs: [
          { text: 'Hello, see ' },
          { text: 'https://shop.example/x', href: 'https://shop.example/x' },
          { text: '.' },
        ],
      },
      { quote: 1, is_signature: false, runs: [{ text: 'you wrote' }] },
      { quote: 0, is_signature: true, runs: [{ text: '-- \nShop' }] },
    ]);
    assert.deepEqual(
      message.attachments.map(({ part, name, is_inline, preview }) => ({ part, name, is_inline, preview })),
      [
        { part: '1.2', name: 'logo.png', is_inline: true, preview: 'image' },
        { part: '2', name: '_fdp.exe', is_inline: false, preview: 'pdf' },
        { part: '3', name: 'café.csv', is_inline: false, preview: 'text' },
      ],
    );
    assert.deepEqual(
      [message.has_html, message.html_problem, message.remote],
      [true, null, { count: 1, allowed: false, may_trust: true }],
    );
    assert.deepEqual(
      [message.authentication.verdict, message.authentication.text],
      ['pass', 'Verified: the message comes from shop.example.'],
    );
    assert.deepEqual(
      message.warnings.map(({ kind }) => kind),
      ['link', 'file'],
    );
  });

  test("is shown in a frame that loads only the message's own parts until remote images are requested", async () => {
    heard = [];
    const id = await bring(MIXED);
    const { status, text, headers } = await ann.get(`/messages/${id}/html`);
    assert.equal(status, 200);
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; default-src 'none'; script-src 'sha256-[\w+/]{43}='; .*img-src data: http:\/\/localhost:\d+\/mail\/api\/mailboxes\/mbx_\w+\/messages\/msg_\w+\/;/,
    );
    assert.deepEqual(
      ['x-content-type-options', 'referrer-policy', 'cache-control', 'cross-origin-resource-policy'].map(
        (name) => headers.get(name),
      ),
      ['nosniff', 'no-referrer', 'private, no-store', 'same-origin'],
    );
    assert.doesNotMatch(text, /remote\?|127\.0\.0\.1/);
    const [, inline = ''] = /src="([^"]*\/parts\/1\.2\/inline\?sig=[^"]*)"/.exec(text) ?? [];
    const image = await fetch(new URL(inline.replaceAll('&amp;', '&'), mail.baseUrl));
    assert.deepEqual(
      [
        image.status,
        ...['content-type', 'cross-origin-resource-policy', 'cache-control'].map((name) =>
          image.headers.get(name),
        ),
      ],
      [200, 'image/png', 'cross-origin', 'private, no-store'],
    );
    assert.deepEqual(Buffer.from(await image.arrayBuffer()), PNG);
    assert.deepEqual(heard, []);
  });

  test('of another mailbox is reported as unknown', async () => {
    const id = await bring(MIXED);
    for (const rest of ['', '/html', '/print', '/source', '/raw', '/parts/2', '/parts/1.2/preview'])
      assert.equal((await bob.get(`/messages/${id}${rest}`)).status, 404, rest);
    assert.equal((await bob.post(`/messages/${id}/unsubscribe`, {})).status, 404);
  });

  test('with HTML that is too complex is shown as text, with an explanation', async () => {
    const id = await bring(html(`<p>Dear Ann</p>${'<table><tr><td>'.repeat(100_000)}`));
    const { has_html: has, html_problem: problem, text } = await described(id);
    assert.deepEqual([has, text[0]?.runs[0]?.text], [false, 'Dear Ann']);
    assert.match(problem ?? '', /too large or too complex/);
    assert.equal((await ann.get(`/messages/${id}/html`)).status, 404);
  });

  test('with only text also gets warnings of deceptive links', async () => {
    const text =
      'See https://www.bank.com@evil.example/, https://xn--80ak6aa92e.com/ and https://shop.example/.';
    const { warnings } = await described(await bring([...HEAD, '', text]));
    assert.deepEqual(
      warnings.map(({ text: said }) => said),
      [
        'The link “https://www.bank.com@evil.example/” leads to evil.example; the part before the @ is meant to mislead you.',
        'The link “https://xn--80ak6aa92e.com/” leads to xn--80ak6aa92e.com, which imitates another name.',
      ],
    );
  });

  test('from an impersonator of a known contact gets a warning', async () => {
    await mail.db.database
      .insertInto('writtenAddresses')
      .values(
        ['ben@example.com', 'carl.miller@gmail.com'].map((address) => ({
          projectId: ann.projectId,
          mailboxId: ann.mailboxId,
          addressKey: address,
          address,
          name: null,
          words: ` ${address} `,
          uses: 1,
          writtenAt: new Date(),
        })),
      )
      .execute();
    const warnings = async (from: string, owner = ann) => {
      const id = await bring([`From: ${from}`, ...HEAD.slice(1), '', 'x'], GENUINE, owner);
      return (await owner.get<MailMessage>(`/messages/${id}`)).body.warnings.map(({ text: said }) => said);
    };
    assert.deepEqual(await warnings('Ben <ben@exarnple.com>'), [
      'exarnple.com looks like example.com but is not.',
    ]);
    assert.deepEqual(await warnings('carl.mi11er@gmail.com'), [
      'carl.mi11er@gmail.com looks like carl.miller@gmail.com, to whom you have written, but is a different address.',
    ]);
    assert.deepEqual(await warnings('Ben <ben@example.com>'), []);
    assert.deepEqual(await warnings('Ben <ben@exarnple.com>', bob), [], 'the other mailbox has no contacts');
  });

  test('can be downloaded, shown as source and printed', async () => {
    const id = await bring(MIXED);
    const raw = await ann.get(`/messages/${id}/raw`);
    assert.equal(raw.headers.get('content-disposition'), `attachment; filename="${id}.eml"`);
    assert.match(raw.text, /^From: Shop/);
    const source = await ann.get(`/messages/${id}/source`);
    assert.deepEqual(
      [source.headers.get('content-type'), source.headers.get('x-content-type-options')],
      ['text/plain; charset=utf-8', 'nosniff'],
    );
    const printed = await ann.get(`/messages/${id}/print`);
    assert.match(printed.text, /<dt>From<\/dt><dd><bdi>Shop<\/bdi> &lt;<bdi>news@shop.example<\/bdi>><\/dd>/);
    assert.match(
      printed.headers.get('content-security-policy') ?? '',
      /^sandbox allow-popups (?!.*script-src)/,
    );
  });
});

describe('an attachment', () => {
  test('is downloaded with a safe file name and a type that browsers do not open', async () => {
    const id = await bring(MIXED);
    const { text, headers } = await ann.get(`/messages/${id}/parts/2`);
    assert.equal(text, 'MZ program');
    assert.deepEqual(
      ['content-type', 'content-disposition', 'content-security-policy'].map((name) => headers.get(name)),
      [
        'application/octet-stream',
        'attachment; filename="_fdp.exe"',
        "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
      ],
    );
    assert.equal((await ann.get(`/messages/${id}/parts/9`)).status, 404);
  });

  test('has a preview as an image or as text, according to its content', async () => {
    const id = await bring(MIXED);
    const image = await fetch(
      `${mail.baseUrl}/mail/api/mailboxes/${ann.mailbox}/messages/${id}/parts/1.2/preview`,
      {
        headers: { cookie: mailCookie(ann) },
      },
    );
    assert.equal(image.headers.get('content-type'), 'image/png');
    const text = await fetch(image.url.replace('/1.2/', '/3/'), { headers: { cookie: mailCookie(ann) } });
    assert.deepEqual(
      [text.headers.get('content-type'), await text.text()],
      ['text/plain; charset=utf-8', 'naïve;<b>'],
    );
    assert.equal((await ann.get(`/messages/${id}/parts/2/preview`)).status, 404);
  });

  test('with a file name outside ASCII has the name in both forms that browsers support', () => {
    assert.equal(
      contentDisposition('a "b".txt'),
      `attachment; filename="a _b_.txt"; filename*=UTF-8''a%20%22b%22.txt`,
    );
    assert.equal(
      contentDisposition('naïve.txt'),
      'attachment; filename="na_ve.txt"; filename*=UTF-8\'\'na%C3%AFve.txt',
    );
  });
});

describe('remote images', () => {
  async function remoteOf(markup: string): Promise<URL[]> {
    const { text } = await ann.get(`/messages/${await bring(html(markup))}/html?remote=1`);
    return [...text.matchAll(/src="([^"]*\/remote\?[^"]*)"/g)].map(
      ([, url = '']) => new URL(url.replaceAll('&amp;', '&'), mail.baseUrl),
    );
  }

  test('are loaded through the service, which sends no data about the reader', async () => {
    const [url] = await remoteOf('<img src="EVIL/i.png?ann=1">');
    heard = [];
    assert.ok(url !== undefined);
    const image = await fetch(url, {
      headers: {
        cookie: 'a=b',
        referer: 'https://mail.example/',
        'accept-language': 'de',
        'user-agent': 'Ann',
      },
    });
    assert.deepEqual(
      [image.status, image.headers.get('content-type'), image.headers.get('set-cookie')],
      [200, 'image/png', null],
    );
    assert.deepEqual(
      heard.map(({ url: path, headers }) => [
        path,
        Object.keys(headers).sort().join(' '),
        headers['user-agent'],
      ]),
      [
        [
          '/i.png?ann=1',
          'accept accept-encoding connection host user-agent',
          'Mozilla/5.0 (compatible; Posthorn)',
        ],
      ],
    );
    await fetch(url);
    assert.equal(heard.length, 1, 'the image is cached');
  });

  test('are limited to the images of the message: a changed URL returns 404', async () => {
    const [url] = await remoteOf('<img src="EVIL/forged.png">');
    heard = [];
    assert.ok(url !== undefined);
    const changed = (change: (each: URL) => void): URL => {
      const each = new URL(url);
      change(each);
      return each;
    };
    for (const each of [
      changed(({ searchParams }) => searchParams.set('url', `${evil}/other.png`)),
      changed(({ searchParams }) => searchParams.set('sig', 'A'.repeat(48))),
      changed((other) => (other.pathname = other.pathname.replace(ann.mailbox, bob.mailbox))),
    ])
      assert.equal((await fetch(each)).status, 404);
    assert.deepEqual(heard, []);
  });

  test('are rejected if the response is not an image, is too large, or is at an internal address in any notation', async () => {
    for (const [path, status] of [
      ['svg', 404],
      ['page', 404],
      ['large', 404],
      ['bomb', 404],
      ['endless', 404],
      ['gzip', 404],
      ['cut', 404],
      ['inside', 404],
      ['moved', 200],
      ['to?/to?/moved', 200],
      ['to?/to?/to?/moved', 404],
      // Redirects to internal addresses, in various notations.
      ...[
        'http://2852039166/',
        'http://0251.0376.0251.0376/',
        'http://0xa9.0xfe.0xa9.0xfe/',
        'http://169.254.43518/',
        'http://[::ffff:169.254.169.254]/',
        'http://[::ffff:a9fe:a9fe]/',
        'http://[64:ff9b::a9fe:a9fe]/',
        'http://[fd00::1]/',
        'http://0.0.0.0/',
        'http://0/',
        'http://[::]/',
        'http://10.0.0.1:22/',
        'http://100.64.0.1/',
        'http://192.168.0.1.:80/',
        'file:///etc/passwd',
        'ftp://a.example/',
        'data:image/png;base64,iVBORw0KGgo=',
        'javascript:1',
        '//169.254.169.254/',
      ].map((to) => [`to?${encodeURIComponent(to)}`, 404] as const),
    ] as const) {
      const [url] = await remoteOf(`<img src="EVIL/${path}">`);
      assert.ok(url !== undefined);
      assert.equal((await fetch(url)).status, status, path);
    }
  });

  test('share a limit of pixels with the inline images of the message', async () => {
    const brought = pngOf(7_000).toString('base64');
    const related = [
      ...HEAD,
      'Content-Type: multipart/related; boundary=r',
      '',
      '--r',
      'Content-Type: text/html',
      '',
      `<img src="cid:a@shop">${Array.from({ length: 7 }, (_, n) => `<img src="EVIL/many?${n}">`).join('')}`,
      '--r',
      'Content-Type: image/png',
      'Content-ID: <a@shop>',
      'Content-Transfer-Encoding: base64',
      '',
      brought,
      '--r--',
      '',
    ];
    const { text } = await ann.get(`/messages/${await bring(related)}/html?remote=1`);
    const statuses: number[] = [];
    for (const [, url = ''] of text.matchAll(/src="([^"]*sig=[^"]*)"/g))
      statuses.push((await fetch(new URL(url.replaceAll('&amp;', '&'), mail.baseUrl))).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 404, 404]);
  });

  test('are always shown if the sender is trusted and the message is authenticated', async () => {
    const markup = html('<img src="EVIL/t.png">');
    const { status } = await ann.put('/trusted-senders', { address: 'News@Shop.example' });
    assert.equal(status, 204);
    assert.equal((await described(await bring(markup))).remote.allowed, true);
    const forged = { ...GENUINE, dmarc: { ...GENUINE.dmarc, result: 'fail' } } as const;
    assert.equal((await described(await bring(markup, forged))).remote.allowed, false);
    assert.equal((await described(await bring(markup, null))).remote.allowed, false);
    const { body } = await ann.get<TrustedSenderList>('/trusted-senders');
    assert.deepEqual(
      body.data.map(({ address }) => address),
      ['news@shop.example'],
    );
    await ann.put('/trusted-senders', { address: 'news@shop.example', trusted: false });
    assert.equal((await described(await bring(markup))).remote.allowed, false);
  });
});

describe('unsubscribing', () => {
  const signature = (covered: string) =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=shop.example; s=s1; h=${covered}; bh=x; b=x`;
  const LISTED = [
    'List-Unsubscribe: <mailto:out@shop.example?subject=out>, <https://shop.example/out>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ];
  const COVERING = 'from:subject:list-unsubscribe:list-unsubscribe-post';

  for (const [what, lines, kind] of [
    ['uses one click if a signature covers the fields', [signature(COVERING), ...LISTED], 'one-click'],
    ['uses mail if no signature covers the fields', [signature('from:subject'), ...LISTED], 'mailto'],
    [
      'uses mail if another signature of the domain does not cover the fields',
      [signature(COVERING), signature('from'), ...LISTED],
      'mailto',
    ],
    ['uses a link if there is nothing else', ['List-Unsubscribe: <https://shop.example/out>'], 'link'],
    ['ignores a URL that is not http or https', ['List-Unsubscribe: <javascript:alert(1)>'], undefined],
  ] as const)
    test(what, async () => {
      const { unsubscribe } = await described(await bring([...lines, ...html('x')]));
      assert.equal(unsubscribe?.kind, kind);
    });

  test('uses the subject of the mailto link, in which + does not mean a space', async () => {
    const listed = 'List-Unsubscribe: <mailto:out+42@shop.example?Subject=out%20ann+42>';
    const { unsubscribe } = await described(await bring([listed, ...html('x')]));
    assert.equal(unsubscribe?.address, 'out+42@shop.example');
    assert.equal(unsubscribe.subject, 'out ann+42');
  });
});

test('the sender of a message can see how many of its recipients are waiting for the other kind of provider', async () => {
  const { database } = mail.db;
  const waits = async (id: string, owner = ann) =>
    (await owner.get<MailWaiting>(`/messages/${id}/waiting`)).body;
  const change = (kind: 'sandbox' | 'real') =>
    database.transaction().execute((tx) => changeProviderKind(tx, kind));
  const NOTHING = { other_provider: null, recipients: 0 };
  const lines = ['From: ann@hosted.example', 'Message-ID: <waits@hosted.example>', '', 'Hello'];
  const sent = await bring(lines, null);
  await change('sandbox');
  const submission = newSubmission({
    projectId: ann.projectId,
    mailboxId: ann.mailboxId,
    messageId: '<waits@hosted.example>',
    recipients: ['b', 'c', 'd'].map((name) => recipientOf(`${name}@dst.test`)),
  });
  await insertSubmissions(database, [submission]);
  try {
    assert.deepEqual(await waits(sent), NOTHING, 'the sandbox is about to deliver it');
    await change('real');
    await sql`delete from queue where email_id = ${submission.submissionId} and recipient_index = 2`.execute(
      database,
    );
    assert.deepEqual(await waits(sent), { other_provider: 'sandbox', recipients: 2 });
    const forged = await bring(lines);
    assert.deepEqual(await waits(forged), NOTHING, 'it came from outside');
    const ofBob = await bring(lines, null, bob);
    assert.deepEqual(await waits(ofBob, bob), NOTHING, 'another mailbox sent it');
    assert.equal((await bob.get(`/messages/${sent}/waiting`)).status, 404);
    await sql`update queue set is_sandbox = false where email_id = ${submission.submissionId}`.execute(
      database,
    );
    assert.deepEqual(await waits(sent), NOTHING);
  } finally {
    await sql`delete from queue where email_id = ${submission.submissionId}`.execute(database);
    await sql`delete from settings where name like 'provider_%'`.execute(database);
  }
});
