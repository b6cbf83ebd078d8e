/** Commands with something wrong in them, on the real server: each is answered, and none is a fault of ours. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { COMMANDS } from '../../rfc/imap/commands.fixture.ts';
import { mutated } from '../../rfc/imap/mutate.fixture.ts';
import { readDialogues } from './dialogue.fixture.ts';
import { type OwnStage, startTestListener } from './listener.fixture.ts';
import { ImapWire } from './wire.fixture.ts';

let listener: Awaited<ReturnType<typeof startTestListener>>;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

/** Those after which a connection is over, or something else than commands is said. */
const OTHERS = /^(?:LOGOUT|IDLE|COMPRESS|STARTTLS|AUTHENTICATE|LOGIN)/i;
const SAID = readDialogues(join(import.meta.dirname, 'dialogues'))
  .flatMap(({ steps }) => steps)
  .flatMap((step) => (step.what === 'say' ? [step.text.replace(/^\S+ /, '')] : []))
  .filter((text) => !text.includes('${') && !/\{\d+\+?\}$/.test(text));
const SEEDS = [...COMMANDS.map(([text]) => text.replaceAll(/\{(\d+)\}/g, '{$1+}')), ...SAID].filter(
  (text) => !OTHERS.test(text),
);

const RUNS = 6;

const MESSAGE = Buffer.from(
  [
    'From: a <a@a.example>',
    'Subject: =?utf-8?q?=C3=B6?=',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Transfer-Encoding: base64',
    '',
    'aGVsbG8=',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    '',
    'hello',
    '--b--',
    '',
  ].join('\r\n'),
);

/** Takes whatever a literal lacks that is longer than what was sent for it. */
const PADDING = `\r\n${'p'.repeat(2_000)}\r\nx NOOP\r\n`;

async function begin(stage: OwnStage): Promise<ImapWire> {
  const wire = await ImapWire.connect(stage);
  await wire.signIn(stage);
  return wire;
}

/** @returns false: the connection is over */
async function isAnswered(wire: ImapWire, text: string): Promise<boolean> {
  wire.send(Buffer.from(`s SELECT INBOX\r\nt ${text}${PADDING}end NOOP\r\n`));
  for (let line = await wire.next(); line !== null; line = await wire.next()) {
    assert.doesNotMatch(line, /\[UNAVAILABLE\]/);
    if (line.startsWith('end ')) return true;
  }
  return false;
}

test('commands with something wrong in them are answered, and the server goes on', async () => {
  const stage = await listener.stage();
  await fc.assert(
    fc.asyncProperty(
      fc.array(mutated(SEEDS), { minLength: 1, maxLength: 50, size: 'max' }),
      async (texts) => {
        for (let count = 0; count < 3; count++) await stage.deliver('INBOX', MESSAGE, []);
        let wire = await begin(stage);
        try {
          for (const text of texts)
            if (!(await isAnswered(wire, text))) {
              wire[Symbol.dispose]();
              wire = await begin(stage);
            }
        } finally {
          wire[Symbol.dispose]();
        }
      },
    ),
    { numRuns: RUNS },
  );
});
