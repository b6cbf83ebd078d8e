import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorClock } from '../../../test/support/processor-time.ts';
import { isLoop, readHops } from './loops.ts';

const hop = (name: string) => `Received: from a by ${name};\r\n\tnow\r\n`;
const manyMailboxes = (count: number) =>
  Array.from({ length: count }, (_, n) => `Delivered-To: m${n}@acme.example\r\n`).join('');
const cases: [name: string, message: string, isLoop: boolean][] = [
  ['fifty Received fields', `${hop('b').repeat(50)}\r\n`, false],
  ['fifty-one Received fields', `${hop('b').repeat(51)}\r\n`, true],
  ['fifty-one Received fields in capitals', `${'RECEIVED : x\r\n'.repeat(51)}\r\n`, true],
  ['sixty Received fields in the body', `Subject: x\r\n\r\n${hop('b').repeat(60)}`, false],
  ['continuation lines that resemble Received', `X: y\r\n${' Received: z\r\n'.repeat(60)}\r\n`, false],
  ['the recipient in Delivered-To', 'Delivered-To: Anna@Acme.example\r\n\r\n', true],
  ['a late Delivered-To', `${hop('b').repeat(9)}delivered-to:  anna@acme.example \r\n\r\n`, true],
  ['fifty other addresses in Delivered-To', `${manyMailboxes(50)}\r\n`, false],
  ['one other address fifty-one times', `${'Delivered-To: m@acme.example\r\n'.repeat(51)}\r\n`, true],
  ['fifty-one other addresses in Delivered-To', `${manyMailboxes(51)}\r\n`, true],
  ['a longer address', 'Delivered-To: anna@acme.example.org\r\nSubject: anna@acme.example\r\n\r\n', false],
  ['an empty header', '', false],
];
for (const [name, message, expected] of cases) {
  test(`a message with ${name} ${expected ? 'loops' : 'is accepted'}`, () => {
    assert.equal(isLoop(readHops(Buffer.from(message)), 'anna@acme.example'), expected);
  });
}

test('an address with non-ASCII letters is recognized', () => {
  const hops = readHops(Buffer.from('Delivered-To: Älva@acme.example\r\n\r\n'));
  assert.equal(isLoop(hops, 'älva@acme.example'), true);
});

test('any header is read in linear time', () => {
  for (const field of ['A: b\r\n', ' x\r\n', ':\r\n', 'Delivered-To: a@b.example\r\n']) {
    const raw = Buffer.from(`X: y\r\n${field.repeat(1_048_000 / field.length)}\r\n`);
    const took = processorClock();
    readHops(raw);
    // Reading takes a few milliseconds on an idle machine; a scan that is not linear takes minutes.
    assert.ok(took() < 1_000, field);
  }
});
