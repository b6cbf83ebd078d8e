import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { fileName } from './file-name.ts';

describe('the name of an attachment', () => {
  for (const [given, name, warns] of [
    ['Report 2026.pdf', 'Report 2026.pdf', null],
    ['naïve 日本.txt', 'naïve 日本.txt', null],
    ['../../etc/passwd', '_.._etc_passwd', null],
    ['C:\\Windows\\x.dll', 'C__Windows_x.dll', /program/],
    ['invoice\u202efdp.exe', 'invoicefdp.exe', /reorder text/],
    ['invoice.pdf.exe', 'invoice.pdf.exe', /looks like a document but is a program/],
    ['invoice.pdf      .scr', 'invoice.pdf .scr', /looks like a document but is a program/],
    ['x.docm', 'x.docm', /can contain a program/],
    ['x.html', 'x.html', /can run scripts/],
    ['x.svg', 'x.svg', /can run scripts/],
    ['a\r\nContent-Type: x.txt', 'aContent-Type_ x.txt', null],
    ['con.txt', '_con.txt', null],
    ['COM1', '_COM1', null],
    ['com¹.pdf', '_com¹.pdf', null],
    ['COM².tar.gz', '_COM².tar.gz', null],
    ['lpt³', '_lpt³', null],
    ['CONIN$', '_CONIN$', null],
    ['conout$ .txt', '_conout$ .txt', null],
    ['nul .txt', '_nul .txt', null],
    ['COM⁴.txt', 'COM⁴.txt', null],
    ['CONIN$9.txt', 'CONIN$9.txt', null],
    ['.bashrc', 'bashrc', null],
    ['', 'attachment-1.2.pdf', null],
    [' . . ', 'attachment-1.2.pdf', null],
  ] as const)
    test(`the name of an attachment called ${JSON.stringify(given)} is safe`, () => {
      const found = fileName(given, 'application/pdf', '1.2');
      assert.equal(found.name, name);
      if (warns === null) assert.equal(found.warning, null);
      else assert.match(found.warning ?? '', warns);
    });

  test('the name of an attachment never has path separators or control characters', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (given) => {
        const { name } = fileName(given, 'image/png', '1');
        assert.ok(name !== '' && name.length <= 450 && name.isWellFormed());
        assert.doesNotMatch(name, /[\p{Cc}\u202a-\u202e\u2066-\u2069/\\:]|^\./u);
      }),
    );
  });
});
