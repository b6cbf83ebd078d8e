/** Sends mutated lines of all dialogues. No line may cause an internal error. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { readDialogues } from './dialogue.fixture.ts';
import { startTestListener } from './listener.fixture.ts';

const LINES = readDialogues(join(import.meta.dirname, 'dialogues'))
  .flatMap(({ steps }) => steps.flatMap((step) => (step.what === 'say' ? [step.text] : [])))
  .filter((line) => !/ (?:LOGOUT|STARTTLS|COMPRESS|LOGIN|AUTHENTICATE) ?/i.test(` ${line} `));
// biome-ignore format: a list
const WORDS = ['1:*', '4294967295', '0', '*', '$', '()', '""', 'NIL', '{3}', '{3+}', '~{2+}', '\\Seen', '(', '"', ')', 'INBOX',
  '&Jjo-', '99999999999999999999', '-1', 'BODY[1.2.3.HEADER]<0.5>', 'MODSEQ', '(CHANGEDSINCE 1)', 'UID', 'NOT', 'OR', 'RETURN (PARTIAL -1:-5)',
  'CHARSET', '\xff\xe9', '\0', 'DONE'];

const word = fc.constantFrom(...WORDS);
const mutated = fc
  .tuple(fc.constantFrom(...LINES), fc.array(fc.tuple(fc.nat(30), fc.nat(2), word), { maxLength: 3 }))
  .map(([line, changes]) => {
    const words = line.split(' ');
    for (const [at, removed, added] of changes) words.splice(at % (words.length + 1), removed, added);
    return words.join(' ');
  });

const TOO_LONG = 200_000;
/** The test closes a connection after this silence, because the server may wait for the rest of an announced literal. */
const SILENT_MS = 1_000;

test('mutated lines of dialogues cause no internal error', async () => {
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line) => logged.push(line) });
  await using listener = await startTestListener({}, { logger });
  const { user, password, deliver } = await listener.stage();
  for (let n = 0; n < 3; n++) await deliver('INBOX', Buffer.from(`Subject: ${n}\r\n\r\nHello\r\n`), []);
  await fc.assert(
    fc.asyncProperty(fc.array(mutated, { minLength: 10, maxLength: 30 }), async (lines) => {
      const socket = connect(listener.port, '127.0.0.1');
      await once(socket, 'connect');
      const all = [`l LOGIN ${user} "${password}"`, 's SELECT INBOX', ...lines, 'DONE'];
      const sent = all.map((line) => `${line}\r\n`).join('');
      // The last line exceeds every limit, and fills literals that were announced but not sent.
      socket.write(Buffer.from(`${sent}${'x'.repeat(TOO_LONG)}`, 'latin1'));
      socket.setTimeout(SILENT_MS, () => socket.end());
      const response = await text(socket);
      assert.match(response, /^l OK/m);
      assert.deepEqual(logged, []);
    }),
    { numRuns: 25 },
  );
});
