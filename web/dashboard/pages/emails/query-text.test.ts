import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnfinished, mistakenField, searchFor, valueOf } from './query-text.ts';

test('a search is unfinished if the next letter may complete the value of its last field', () => {
  for (const text of [
    'to:',
    'a tag:"',
    'status:b',
    'order Status:SEN',
    'stream:tr',
    'queue:un',
    'outcome:hard outcome:deliv',
    'provider:',
    'since:7',
    'until:2026-1',
    'since:2026-11-2',
    'since:2026-11-20T10',
    'since:2026-11-20T10:00',
    'until:2026-11-20T10:00+01:',
  ])
    assert.ok(isUnfinished(text), text);
  for (const text of [
    '',
    'b',
    'to:b',
    'status:bounced',
    'status:sent',
    'status:lost',
    'status:b order',
    'stream:bulk',
    'queue:untried',
    'outcome:opened',
    'domain:acme',
    'since:7d',
    'since:2026-11-20',
    'until:2026-11-20T10:00Z',
    'until:2026-11-20T10:00+01:00',
    'since:soon',
    'id:em_0',
  ])
    assert.ok(!isUnfinished(text), text);
});

test('the search for a number contains what it counts', () => {
  const since = '2026-11-20T00:00:00.000Z';
  for (const [counted, search] of [
    [{}, ''],
    [{ outcome: 'hard', since }, 'outcome:hard since:2026-11-20T00:00Z'],
    [{ since, until: '2026-11-20T06:00:00.000Z' }, 'since:2026-11-20T00:00Z until:2026-11-20T06:00Z'],
    [
      { provider: 'La Poste', tags: ['a', 'Größe "M"', ''] },
      String.raw`provider:"La Poste" tag:=a tag:"=Größe \"M\"" tag:=`,
    ],
  ] as const)
    assert.equal(searchFor(counted), search);
  assert.equal(valueOf(searchFor({ tags: ['Größe "M"'] }), 'tag'), '=Größe "M"');
});

test('a mistyped field is recognized, and other words with a colon are not', () => {
  for (const [text, field] of [
    ['stat:bounced', 'status'],
    ['a satus:sent', 'status'],
    ['outcomes:hard', 'outcome'],
    ['sinc:7d', 'since'],
    ['providr:gmail', 'provider'],
    ['subj:"your order"', 'subject'],
  ] as const)
    assert.equal(mistakenField(text)?.field, field, text);
  for (const text of [
    'Re:hello',
    'https://acme.example',
    'status:sent',
    'order:42',
    '"stat:x"',
    'Fwd: hi',
    'state',
  ])
    assert.equal(mistakenField(text), null, text);
});
