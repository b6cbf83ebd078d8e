import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { anyText } from '../../../test/support/any-text.ts';
import {
  bothNotify,
  decodeXtext,
  DEFAULT_NOTIFY,
  type DsnRequest,
  readEnvelopeId,
  readNotify,
  readOriginalRecipient,
  readReturns,
  writeMailRequest,
  writeRcptRequest,
} from './dsn-parameters.ts';

/** Encodes xtext (RFC 3461, section 4). */
function xtext(text: string): string {
  return text.replace(
    /[^!-*,-<>-~]/g,
    (sign) => `+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
});

describe('xtext', () => {
  test('decodeXtext decodes any printable text that was encoded as xtext', () => {
    fc.assert(fc.property(printable, (text) => assert.equal(decodeXtext(xtext(text)), text)));
  });

  test('decoding any text never returns a control character or a line separator', () => {
    const part = fc.constantFrom(
      '+0D',
      '+0A',
      '+',
      '+2',
      '=',
      ' ',
      'é',
      '\\x{0A}',
      '\\x{41}',
      ';',
      'utf-8;',
      'a',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
          anyText(),
        ),
        (text) => {
          for (const read of [decodeXtext(text), readEnvelopeId(text), readOriginalRecipient(text)])
            assert.doesNotMatch(read ?? '', /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
          assert.ok((readNotify(text) ?? 0) <= 7);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });
});

const NOTHING: DsnRequest = {
  envelopeId: null,
  returns: null,
  notify: DEFAULT_NOTIFY,
  originalRecipient: null,
};

describe('the DSN parameters for another server', () => {
  const cases: [asked: Partial<DsnRequest>, rcptTo: string, mail: string, rcpt: string][] = [
    [{}, 'B@dst.test', '', ' ORCPT=rfc822;B@dst.test'],
    [{ returns: 'headers' }, 'b@dst.test', ' RET=HDRS', ' ORCPT=rfc822;b@dst.test'],
    [
      { returns: 'full', envelopeId: 'a b+c=d' },
      'b@dst.test',
      ' RET=FULL ENVID=a+20b+2Bc+3Dd',
      ' ORCPT=rfc822;b@dst.test',
    ],
    [{ notify: 0 }, 'b@dst.test', '', ' NOTIFY=NEVER ORCPT=rfc822;b@dst.test'],
    [{ notify: 7 }, 'b@dst.test', '', ' NOTIFY=SUCCESS,FAILURE,DELAY ORCPT=rfc822;b@dst.test'],
    // An explicit NOTIFY is forwarded, even if it equals the default.
    [{ notify: 6 }, 'b@dst.test', '', ' NOTIFY=FAILURE,DELAY ORCPT=rfc822;b@dst.test'],
    [{ originalRecipient: 'x400;/S=A/' }, 'b@dst.test', '', ' ORCPT=x400;/S+3DA/'],
    [{}, 'jörg+1@dst.test', '', ' ORCPT=utf-8;j\\x{F6}rg\\x{2B}1@dst.test'],
    [{ originalRecipient: 'utf-8;😀@dst.test' }, 'b@dst.test', '', ' ORCPT=utf-8;\\x{1F600}@dst.test'],
    [{ originalRecipient: `rfc822;${'='.repeat(200)}@dst.test` }, 'b@dst.test', '', ''],
    [{ envelopeId: '='.repeat(50) }, 'b@dst.test', '', ' ORCPT=rfc822;b@dst.test'],
  ];
  for (const [asked, rcptTo, mail, rcpt] of cases)
    test(`the parameters of ${JSON.stringify(asked).slice(0, 60)} and ${rcptTo} are "${mail}" and "${rcpt}"`, () => {
      assert.equal(writeMailRequest({ ...NOTHING, ...asked }), mail);
      assert.equal(writeRcptRequest({ ...NOTHING, ...asked }, rcptTo), rcpt);
    });

  test('the parameters of any request are parsed to the same request, and contain no separators', () => {
    const request = fc.record({
      envelopeId: fc.option(fc.oneof(printable, anyText())),
      returns: fc.constantFrom(null, 'full' as const, 'headers' as const),
      notify: fc.integer({ min: 0, max: 7 }),
      originalRecipient: fc.option(
        fc
          .tuple(fc.constantFrom('rfc822;', 'utf-8;', 'UTF-8;', ''), fc.oneof(printable, anyText()))
          .map((parts) => parts.join('')),
      ),
    });
    fc.assert(
      fc.property(request, (asked) => {
        const [mail, rcpt] = [writeMailRequest(asked), writeRcptRequest(asked, 'b@dst.test')];
        assert.match(mail, /^(?: RET=(?:FULL|HDRS))?(?: ENVID=[!-<>-~]{1,100})?$/);
        assert.match(rcpt, /^ NOTIFY=[A-Z,]+(?: ORCPT=[A-Za-z0-9-]+;[!-<>-~]+)?$/);
        assert.equal(readNotify(/NOTIFY=(\S+)/.exec(rcpt)?.[1] ?? ''), asked.notify);
        assert.equal(readReturns(/RET=(\S+)/.exec(mail)?.[1] ?? ''), asked.returns);
        const id = /ENVID=(\S+)/.exec(mail)?.[1];
        if (id !== undefined) assert.equal(readEnvelopeId(id), asked.envelopeId);
        const original = /ORCPT=(\S+)/.exec(rcpt)?.[1];
        if (original !== undefined)
          assert.equal(readOriginalRecipient(original), asked.originalRecipient ?? 'rfc822;b@dst.test');
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('bothNotify combines two requests for the same address', () => {
    assert.equal(bothNotify(DEFAULT_NOTIFY, DEFAULT_NOTIFY), DEFAULT_NOTIFY);
    assert.equal(bothNotify(DEFAULT_NOTIFY, 1), 7);
    assert.equal(bothNotify(0, DEFAULT_NOTIFY), 6);
    assert.equal(bothNotify(1, 4), 5);
  });
});
