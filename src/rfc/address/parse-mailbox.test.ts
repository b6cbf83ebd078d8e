import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { formatMailbox, type MailboxAddress, parseMailbox } from './index.ts';

function parsed(text: string): MailboxAddress {
  const mailbox = parseMailbox(text);
  assert.ok(!('error' in mailbox), `${JSON.stringify(text)}: ${JSON.stringify(mailbox)}`);
  return mailbox;
}

function errorOf(text: string): string {
  const mailbox = parseMailbox(text);
  assert.ok('error' in mailbox, `${JSON.stringify(text)} is taken`);
  return mailbox.error;
}

/** Fragments of the address grammar, for random texts. */
const PIECES = [
  'a|B|.|-|@|"|\\|\t|<|>|(|)|,|;|:|[|]|1|xn--|ü|\u0308|\u037e|\u212a|\u3002|😀|\ud83d|\u200d|\0|\r|\n|\u2028',
  ' |a@b.test|<a@b.test>|[192.0.2.1]|[IPv6:::1]|=?utf-8?Q?x?=',
];
const hostile = fc
  .array(fc.constantFrom(...PIECES.join('|').split('|')), { maxLength: 12 })
  .map((pieces) => pieces.join(''));

describe('parseMailbox', () => {
  it('parseMailbox parses a bare address', () => {
    assert.deepEqual(parsed('Alice.Smith+tag@Mail.Example.TEST'), {
      displayName: null,
      address: 'Alice.Smith+tag@mail.example.test',
      localPart: 'Alice.Smith+tag',
      domain: 'mail.example.test',
      unicode: false,
    });
  });

  it('parseMailbox parses a display name with an address', () => {
    assert.deepEqual(parsed('Dr. Jörg Müller <jörg@BÜRO.example>'), {
      displayName: 'Dr. Jörg Müller',
      address: 'jörg@xn--bro-hoa.example',
      localPart: 'jörg',
      domain: 'xn--bro-hoa.example',
      unicode: true,
    });
  });

  describe('parseMailbox reads the display name', () => {
    const names: [text: string, name: string | null][] = [
      ['a@b.test', null],
      ['<a@b.test>', null],
      ['"" <a@b.test>', null],
      ['Name <a@b.test>', 'Name'],
      ['Name<a@b.test>', 'Name'],
      ['Two  Words\t<a@b.test>', 'Two Words'],
      ['"Smith, Alice" <a@b.test>', 'Smith, Alice'],
      ['"a \\"b\\" \\\\ c" <a@b.test>', 'a "b" \\ c'],
      ['"<c@d.test>" <a@b.test>', '<c@d.test>'],
      ['John "Jack" Doe <a@b.test>', 'John Jack Doe'],
      ["Tim O'Reilly & Sons [EU] <a@b.test>", "Tim O'Reilly & Sons [EU]"],
      ['日本語 😀 <a@b.test>', '日本語 😀'],
      ['=?utf-8?Q?J=C3=B6rg?= <a@b.test>', '=?utf-8?Q?J=C3=B6rg?='],
    ];
    for (const [text, name] of names) {
      it(`parseMailbox reads the display name of ${text}`, () =>
        assert.equal(parsed(text).displayName, name));
    }
  });

  describe('parseMailbox normalizes addresses', () => {
    const spellings: [text: string, address: string][] = [
      ['"a"@b.test', 'a@b.test'],
      ['"\\a"@b.test', 'a@b.test'],
      ['"a.b"@b.test', 'a.b@b.test'],
      ['A@B.Test', 'A@b.test'],
      ['"a b"@b.test', '"a b"@b.test'],
      ['"a\\ b"@b.test', '"a b"@b.test'],
      ['".a"@b.test', '".a"@b.test'],
      ['"a\\@\\"\\\\"@b.test', '"a@\\"\\\\"@b.test'],
      ['""@b.test', '""@b.test'],
      ['a@MÜNCHEN.example', 'a@xn--mnchen-3ya.example'],
      ['a@XN--MNCHEN-3YA.example', 'a@xn--mnchen-3ya.example'],
      ['a@münchen\u3002example', 'a@xn--mnchen-3ya.example'],
      ['a@straße.example', 'a@xn--strae-oqa.example'],
      ['jo\u0308rg@b.test', 'jörg@b.test'],
      ['"jo\u0308rg"@b.test', 'jörg@b.test'],
      ['\u212aelvin@b.test', 'Kelvin@b.test'],
      ['a@[192.0.2.1]', 'a@[192.0.2.1]'],
      ['a@[ipv6:2001:DB8:0:0::0001]', 'a@[IPv6:2001:db8::1]'],
      ['a@localhost', 'a@localhost'],
    ];
    for (const [text, address] of spellings) {
      it(`parseMailbox normalizes ${text} to ${address}`, () => assert.equal(parsed(text).address, address));
    }
  });

  it('parseMailbox requires SMTPUTF8 only for a local part that is not ASCII', () => {
    assert.equal(parsed('Jörg <a@münchen.example>').unicode, false);
    assert.equal(parsed('\u212aelvin@b.test').unicode, false);
    assert.equal(parsed('"jörg müller"@b.test').unicode, true);
  });

  describe('parseMailbox rejects', () => {
    const refused: [text: string, error: RegExp][] = [
      ['post\u00admaster@b.test', /invisible/],
      ['postmaster\u200b@b.test', /invisible/],
      ['post\u2060master@b.test', /invisible/],
      ['abuse\ufe0f@b.test', /invisible/],
      ['postmaster\u3164@b.test', /invisible/],
      ['=?utf-8?q?ceo=40bank.example=00?=@b.test', /encoded word/],
      ['', /empty/],
      ['test', /no @/],
      ['a@', /domain is empty/],
      ['@b.test', /nothing before the @/],
      ['<>', /no @/],
      ['a..b@b.test', /two dots/],
      ['.a@b.test', /begins with a dot/],
      ['a.@b.test', /ends with a dot/],
      ['a@b.test.', /domain ends with a dot/],
      ['a@b..test', /two dots/],
      ['a@-b.test', /hyphen/],
      ['a@b-.test', /hyphen/],
      ['a@-ü.test', /hyphen/],
      ['a@b_c.test', /only letters, digits, hyphens and dots/],
      ['a@b.test/x', /only letters/],
      ['a@xn--a.test', /internationalized/],
      ['a@b\u202ec.test', /internationalized/],
      ['a@127.0.0.1', /square brackets/],
      ['a@b.0x7f', /square brackets/],
      ['a@[127.0.0.01]', /address literal/],
      ['a@[fe80::1]', /address literal/],
      ['a@[IPv6:fe80::1%eth0]', /address literal/],
      ['a@[IPv6:1::2::3]', /address literal/],
      ['a@[192.0.2.1', /closing bracket/],
      ['a@b.test, c@d.test', /comma/],
      ['a@b@c.test', /contains an @/],
      ['a b@c.test', /space/],
      [' a@b.test', /space/],
      ['a@b.test ', /ends with a space; remove/],
      ['Name <a@b.test> ', /ends with a space; remove/],
      ['Name <a@b.test>\t', /ends with a space; remove/],
      [' Name <a@b.test>', /begins with a space; remove/],
      ['a@b.test>', /the closing > has no opening </],
      ['Name <a@b.test', /angle brackets/],
      ['Name a@b.test>', /the closing > has no opening </],
      ['Name <<a@b.test>>', /angle brackets/],
      ['Name <a@b.test> <c@d.test>', /angle brackets/],
      ['Smith, Alice <a@b.test>', /double quotes/],
      ['c@d.test <a@b.test>', /double quotes/],
      ['Name \\" <a@b.test>', /double quotes/],
      ['"Name <a@b.test>', /not closed/],
      ['Group: a@b.test;', /space|groups/],
      ['Group:<a@b.test>', /double quotes/],
      ['<@a.test,@b.test:c@d.test>', /obsolete/],
      ['Name (comment) <a@b.test>', /comment/],
      ['(comment)a@b.test', /comment/],
      ['a@b.test(comment)', /comment/],
      ['"a".b@c.test', /closing quote/],
      ['"a@b.test', /not closed/],
      ['"\\ü"@b.test', /stray backslash/],
      ['a@b\r\nBcc: c@d.test', /line break/],
      ['Name\r\nBcc: <a@b.test>', /line break/],
      ['"Name\nX" <a@b.test>', /control character/],
      ['Na\u0000me <a@b.test>', /control character/],
      ['Na\u2028me <a@b.test>', /control character/],
      ['Na\u0085me <a@b.test>', /control character/],
      ['Na\ud800me <a@b.test>', /control character/],
      ['a\u00a0b@c.test', /invisible/],
      ['a\u202eb@c.test', /invisible/],
      ['<\u0338a@c.test>', /invisible/],
      ['a\ud800@c.test', /invisible/],
      // Unicode normalization turns this character into a semicolon.
      ['a\u037eb@c.test', /one address/],
    ];
    for (const [text, error] of refused) {
      it(`parseMailbox rejects ${JSON.stringify(text)}`, () => {
        const message = errorOf(text);
        assert.match(message, error);
        assert.ok(message.startsWith('not an address: '));
      });
    }
  });

  describe('parseMailbox applies the limits of RFC 5321, section 4.5.3.1', () => {
    const label = 'd'.repeat(63);
    const limits: [what: string, text: string, taken: boolean][] = [
      ['a local part of 64', `${'a'.repeat(64)}@b.test`, true],
      ['a local part of 65', `${'a'.repeat(65)}@b.test`, false],
      ['a UTF-8 local part of 64', `${'ä'.repeat(32)}@b.test`, true],
      ['a UTF-8 local part of 66', `${'ä'.repeat(33)}@b.test`, false],
      ['a quoted local part of 64', `"${'a'.repeat(61)} "@b.test`, true],
      ['a quoted local part of 65', `"${'a'.repeat(62)} "@b.test`, false],
      ['a label of 63', `a@${label}.test`, true],
      ['a label of 64', `a@${label}d.test`, false],
      ['a last label of 64', `a@${label}d`, false],
      ['an A-label of more than 63', `a@${'ü'.repeat(62)}.test`, false],
      ['an address of 254', `aa@${label}.${label}.${label}.${'d'.repeat(59)}`, true],
      ['an address of 255', `aaa@${label}.${label}.${label}.${'d'.repeat(59)}`, false],
      ['a text of 999', `${'n'.repeat(999 - 11)} <a@b.test>`, false],
      ['a text of 998', `${'n'.repeat(998 - 11)} <a@b.test>`, true],
    ];
    for (const [what, text, taken] of limits) {
      it(`parseMailbox ${taken ? 'accepts' : 'rejects'} ${what} octets`, () =>
        assert.equal('error' in parseMailbox(text), !taken));
    }
  });

  it('parseMailbox never throws, and never returns an error with a control character', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), hostile, fc.string()), (text) => {
        const mailbox = parseMailbox(text);
        if ('error' in mailbox) assert.doesNotMatch(mailbox.error, /[\p{Cc}\p{Cs}]/u);
        else assert.doesNotMatch(mailbox.address + mailbox.displayName, /[\p{Cc}\p{Cs}]/u);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('parseMailbox parses the text from formatMailbox to the same mailbox', () => {
    const name = fc
      .string({ unit: 'grapheme' })
      .map((text) => `"${text.replace(/["\\]/g, '\\$&')}" <a@b.test>`);
    fc.assert(
      fc.property(fc.oneof(hostile, name, fc.emailAddress()), (text) => {
        const mailbox = parseMailbox(text);
        if ('error' in mailbox) return;
        assert.deepEqual(parseMailbox(formatMailbox(mailbox)), mailbox);
        assert.equal(parsed(mailbox.address).address, mailbox.address);
        assert.equal(mailbox.address, `${mailbox.localPart}@${mailbox.domain}`);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('parseMailbox rejects texts longer than 998 characters without parsing them', () => {
    for (const unit of ['"', '\\', '(', '<', '@', 'ü', 'a.', '"a" ']) {
      assert.match(errorOf(unit.repeat(100_000)), /longer than 998/);
    }
  });

  const corpora = process.env['POSTHORN_CORPORA'];
  it('parseMailbox agrees with the test collection of isemail', { skip: corpora === undefined }, () => {
    const cases = JSON.parse(readFileSync(`${corpora}/addresses.json`, 'utf8')) as {
      address: string;
      category: string;
    }[];
    const must = new Map([
      ['ISEMAIL_ERR', false],
      ['ISEMAIL_VALID_CATEGORY', true],
      ['ISEMAIL_DNSWARN', true],
    ]);
    const judged = cases.filter(({ category }) => must.has(category));
    assert.ok(judged.length > 0);
    for (const { address, category } of judged) {
      // Some copies of the collection write control characters as Unicode control pictures.
      const text = address.replace(/[\u2400-\u241f]/g, (picture) =>
        String.fromCharCode(picture.charCodeAt(0) - 0x2400),
      );
      assert.equal(
        !('error' in parseMailbox(text)),
        must.get(category),
        `${JSON.stringify(address)} is ${category}`,
      );
    }
  });
});
