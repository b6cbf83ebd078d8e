/** Tests file names of downloads, the content of zips, and files that cannot be downloaded. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { anyText } from '../../../../test/support/any-text.ts';
import fc from 'fast-check';
import { contentDisposition } from '../mail/messages/send-hostile.ts';
import { type FileFields, type LinkWorld, openLinks } from './links.fixture.ts';
import { offeredFiles } from './offered-file.ts';

let world: LinkWorld;
let scanning: LinkWorld;
before(async () => {
  [world, scanning] = await Promise.all([openLinks(), openLinks({ hasScanner: true })]);
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await scanning[Symbol.asyncDispose]();
});

async function pageOf(
  of: LinkWorld,
  files: readonly FileFields[],
): Promise<{ path: string; page: string; hrefs: string[] }> {
  const { path } = await of.newLink({ files });
  const page = await (await fetch(of.baseUrl + path)).text();
  const hrefs = Array.from(page.matchAll(/ href="(\.\.\/s\/[^"]+)"/g), ([, href = '']) => href);
  return {
    path,
    page,
    hrefs: hrefs.map((href) => new URL(href.replaceAll('&#39;', "'"), `${of.baseUrl}${path}`).href),
  };
}

const NAMES: readonly (readonly [given: string, disposition: RegExp])[] = [
  ['report.pdf', /^attachment; filename="report\.pdf"$/],
  [
    'naïve 日本.txt',
    /^attachment; filename="na_ve __\.txt"; filename\*=UTF-8''na%C3%AFve%20%E6%97%A5%E6%9C%AC\.txt$/,
  ],
  [
    'a"; filename="b.exe',
    /^attachment; filename="a__; filename=_b\.exe"; filename\*=|^attachment; filename="a_; filename=_b\.exe"/,
  ],
  ['a\r\nSet-Cookie: x=1\r\n\r\n<script>', /^attachment; filename="aSet-Cookie_ x=1_script_"$/],
  ['../../etc/passwd', /^attachment; filename="_\.\._etc_passwd"$/],
  ['..\\..\\boot.ini', /^attachment; filename="_\.\._boot\.ini"$/],
  ['C:\\autoexec.bat', /^attachment; filename="C__autoexec\.bat"$/],
  ['invoice\u202efdp.exe', /^attachment; filename="invoicefdp\.exe"$/],
  ['con.txt', /^attachment; filename="_con\.txt"$/],
  ['a%2e%2e%2fb', /^attachment; filename="a_2e_2e_2fb"; filename\*=UTF-8''a%252e%252e%252fb$/],
  ['x\u0000y\u001f\u007f\u0085z', /^attachment; filename="xyz"$/],
  [' . ', /^attachment; filename="attachment-1\.html"$/],
  [`${'long'.repeat(100)}.pdf`, /^attachment; filename="[a-z]{150,200}[.…_]*\.pdf"/],
  ['👩‍👩‍👧.png', /^attachment; filename="_+\.png"; filename\*=UTF-8''/],
  ["it's (1)*!.txt", /^attachment; filename="it's \(1\)_!\.txt"$/],
  ['=cmd|calc', /^attachment; filename="=cmd_calc"$/],
];

describe('a file', () => {
  for (const [given, disposition] of NAMES)
    test(`with the name ${JSON.stringify(given.slice(0, 30))} is downloaded with a safe Content-Disposition`, async () => {
      const { page, hrefs } = await pageOf(world, [
        { name: given, type: 'text/html', content: Buffer.from('<script>alert(1)</script>') },
      ]);
      assert.doesNotMatch(page, /<script|\u202e/);
      assert.equal(hrefs.length, 1);
      const { status, headers } = await fetch(hrefs[0] ?? '');
      assert.equal(status, 200);
      assert.match(headers.get('content-disposition') ?? '', disposition);
      assert.equal(headers.get('content-type'), 'application/octet-stream');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
      assert.equal(headers.get('set-cookie'), null);
    });

  test('with any name has a valid Content-Disposition and a valid URL', () => {
    const file = {
      id: '',
      position: 0,
      type: '',
      octets: 0,
      crc32: 0,
      wholeAt: null,
      scan: null,
      isWaitOver: false,
    };
    const name = fc.oneof(
      anyText({ maxLength: 400 }),
      anyText({ maxLength: 20 }),
      fc.constantFrom('\ud800', 'a\udfff.b', '.'.repeat(400), `a.${'b'.repeat(400)}`),
    );
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
        const offered = offeredFiles(
          names.map((each) => ({ ...file, name: each })),
          false,
        );
        assert.equal(new Set(offered.map((each) => each.name.toLowerCase())).size, names.length);
        for (const { name } of offered) {
          assert.match(
            contentDisposition(name),
            /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]+"(?:; filename\*=UTF-8''(?:[\w.~&+^`|#$-]|%[0-9A-F]{2})+)?$/,
          );
          assert.ok(Buffer.byteLength(name) <= 220 && name.isWellFormed());
          assert.doesNotMatch(name, /[/\\]|^\.\.?$/);
        }
      }),
    );
  });

  test('that is incomplete, being scanned or infected cannot be downloaded and is not in the zip', async () => {
    const clean = { scan: 'clean', content: Buffer.from('clean') } as const;
    const files = [
      { ...clean, name: 'a' },
      { name: 'b', isWhole: false },
      { name: 'c' },
      { name: 'd', scan: 'infected' },
      { ...clean, name: 'e' },
    ] as const;
    const { path, page, hrefs } = await pageOf(scanning, files);
    const paths = hrefs.map((href) => href.slice(`${scanning.baseUrl}${path}`.length));
    assert.deepEqual(paths, ['/1/a', '/5/e', '/all.zip']);
    for (const words of [/still being uploaded/, /being scanned/, /found a threat/, /found nothing/])
      assert.match(page, words);
    for (const [each, status, retries] of [
      ['/2/b', 503, true],
      ['/3/c', 503, true],
      ['/4/d', 403, false],
    ] as const) {
      const answer = await fetch(scanning.baseUrl + path + each);
      assert.deepEqual([answer.status, answer.headers.get('retry-after') !== null], [status, retries]);
      assert.equal(answer.headers.get('content-disposition'), null);
    }
    const zip = Buffer.from(await (await fetch(`${scanning.baseUrl}${path}/all.zip`)).arrayBuffer());
    assert.equal(zip.readUInt16LE(zip.length - 22 + 10), 2);
  });

  test('that was not scanned is downloadable with a warning if there is no scanner, it is too large, or an hour has passed', async () => {
    for (const [of, file] of [
      [world, {}],
      [scanning, { scan: 'unscanned' }],
      [scanning, { ageMinutes: 61 }],
    ] as const) {
      const { page, hrefs } = await pageOf(of, [file]);
      assert.match(page, /This file was not scanned for viruses/);
      assert.equal((await fetch(hrefs[0] ?? '')).status, 200);
    }
  });

  test('that was not scanned is marked among files that were scanned', async () => {
    const { page } = await pageOf(scanning, [{ scan: 'unscanned' }, { scan: 'clean' }]);
    assert.match(page, /Some of these files were not scanned for viruses/);
    assert.equal(page.match(/Not scanned for viruses/g)?.length, 1);
  });
});

describe('a zip', () => {
  test('contains all files under distinct names, and its download can be resumed', async () => {
    const names = ['../a.txt', '..\\a.txt', '/a.txt', 'A.txt', 'a.txt', 'con', 'x/y/z'];
    const content = Buffer.alloc(70_000, 7);
    const { hrefs } = await pageOf(
      world,
      names.map((name) => ({ name, content })),
    );
    const whole = await fetch(hrefs.at(-1) ?? '');
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.equal(whole.headers.get('content-disposition'), 'attachment; filename="files.zip"');
    assert.equal(Number(whole.headers.get('content-length')), bytes.length);
    const inside = namesIn(bytes);
    assert.equal(new Set(inside.map((name) => name.toLowerCase())).size, names.length);
    for (const name of inside) assert.doesNotMatch(name, /[/\\:]|^\.|^con$/i);
    const headers = {
      range: `bytes=${bytes.length - 100_000}-`,
      'if-range': whole.headers.get('etag') ?? '',
    };
    const rest = await fetch(hrefs.at(-1) ?? '', { headers });
    assert.equal(rest.status, 206);
    assert.deepEqual(Buffer.from(await rest.arrayBuffer()), bytes.subarray(-100_000));
  });
});

/** Returns the file names in the central directory of the zip. */
function namesIn(zip: Buffer): string[] {
  let at = zip.readUInt32LE(zip.length - 22 + 16);
  return Array.from({ length: zip.readUInt16LE(zip.length - 22 + 10) }, () => {
    const end = at + 46 + zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, end);
    at = end + zip.readUInt16LE(at + 30);
    return name;
  });
}
