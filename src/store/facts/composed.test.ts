import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { compose } from '../../rfc/message/compose.ts';
import { type Entity, readEntity } from '../../rfc/mime/index.ts';
import { normalForm } from '../search/normal-form.ts';
import { LIMITS, readMessageFacts } from './message-facts.ts';

/** A part to compose: its type, and either its text or the parts inside it. */
type Part = [type: string, body: string | Part[]];

const bodies = fc
  .array(fc.constantFrom('line', '--b', '--b1x', ' --b1', '--', 'Subject: x', '', '--b0--x'), {
    maxLength: 6,
  })
  .map((lines) => lines.join('\r\n'));
const trees: fc.Arbitrary<Part> = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(fc.constantFrom('text/plain', 'image/png'), bodies),
    fc.tuple(
      fc.constantFrom('multipart/mixed', 'multipart/alternative'),
      fc.array(tie('part'), { minLength: 1, maxLength: 4 }),
    ),
    fc.tuple(fc.constant('message/rfc822'), fc.tuple(tie('part'))),
  ),
})).part;

/** Writes a part as MIME. Each multipart has its own boundary. Some boundaries are prefixes of other boundaries. */
function write([type, body]: Part, lineEnd: string, counter = { boundaries: 0 }): string {
  if (typeof body === 'string') return `Content-Type: ${type}\r\n\r\n${body}`.replaceAll('\r\n', lineEnd);
  if (type === 'message/rfc822') {
    return `Content-Type: ${type}${lineEnd}${lineEnd}${write(body[0] as Part, lineEnd, counter)}`;
  }
  const boundary = `boundary${'x'.repeat(counter.boundaries++)}`;
  const parts = body.map((part) => `--${boundary}${lineEnd}${write(part, lineEnd, counter)}${lineEnd}`);
  return `Content-Type: ${type};${lineEnd}\tboundary=${boundary}${lineEnd}${lineEnd}${parts.join('')}--${boundary}--${lineEnd}`;
}

function read(raw: Buffer, entity: Entity): Part {
  if (entity.message !== null) return [entity.type, [read(raw, entity.message)]];
  if (entity.parts.length > 0) return [entity.type, entity.parts.map((part) => read(raw, part))];
  return [entity.type, raw.toString('utf8', entity.bodyStart, entity.end)];
}

describe('composed messages', () => {
  it('parsing a composed message returns the original parts', () => {
    const withLf = ([type, body]: Part): Part => [
      type,
      typeof body === 'string' ? body.replaceAll('\r\n', '\n') : body.map(withLf),
    ];
    // The final line end of a multipart is not part of the entity that contains it.
    fc.assert(
      fc.property(trees, fc.constantFrom('\r\n', '\n'), (tree, lineEnd) => {
        const raw = Buffer.from(write(tree, lineEnd));
        assert.deepEqual(read(raw, readEntity(raw, LIMITS)), lineEnd === '\n' ? withLf(tree) : tree);
      }),
      { numRuns: runs(500) },
    );
  });

  it('reading the facts of a composed message returns the values it was composed from', () => {
    const mailboxOf = (name: string, at: number): MailboxAddress => ({
      ...(parseMailbox(`a${at}@example.test`) as MailboxAddress),
      displayName: name.trim() || null,
    });
    /** Texts that composing does not change: without control characters, and with single spaces only. */
    const words = anyText({ maxLength: 40 }).map((text) => text.replace(/[\p{C}\s]+/gu, ' ').trim());
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 5 }), words, words, (names, subject, text) => {
        const [from, ...to] = names.map(mailboxOf) as [MailboxAddress, ...MailboxAddress[]];
        const date = new Date('2026-11-22T10:00:00Z');
        const composed = compose({
          from,
          to,
          cc: [],
          replyTo: [],
          subject,
          html: null,
          text: `body ${text}`,
          headers: [['References', '<0@x.test>']],
          messageId: '<1@example.test>',
          date,
        });
        const facts = readMessageFacts(Buffer.concat([Buffer.from(`${composed.header}\r\n`), composed.body]));
        const shown = (list: readonly MailboxAddress[]) =>
          list.map(({ displayName, address }) => ({ name: displayName ?? '', address }));
        assert.deepEqual(
          [facts.subject, facts.from, facts.to, facts.sentAt, facts.messageId, facts.references],
          [subject, shown([from]), shown(to), date, '<1@example.test>', ['<0@x.test>']],
        );
        assert.equal(facts.text.split('\n\n')[1], normalForm(`body ${text}`).trim());
      }),
      { numRuns: runs(500) },
    );
  });
});
