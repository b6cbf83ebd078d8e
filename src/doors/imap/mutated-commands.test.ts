/** Sends mutated commands to the real server. Every command must get a response, and no command may cause an internal error. */
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

/** Excluded commands, which end the connection or change the protocol of the following input. */
const EXCLUDED = /^(?:LOGOUT|IDLE|COMPRESS|STARTTLS|AUTHENTICATE|LOGIN)/i;
const FROM_DIALOGUES = readDialogues(join(import.meta.dirname, 'dialogues'))
  .flatMap(({ steps }) => steps)
  .flatMap((step) => (step.what === 'say' ? [step.text.replace(/^\S+ /, '')] : []))
  .filter((text) => !text.includes('${') && !/\{\d+\+?\}$/.test(text));
const SEEDS = [...COMMANDS.map(([text]) => text.replaceAll(/\{(\d+)\}/g, '{$1+}')), ...FROM_DIALOGUES].filter(
  (text) => !EXCLUDED.test(text),
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

/** Fills a literal that announces more octets than the command contains. */
const PADDING = `\r\n${'p'.repeat(2_000)}\r\nx NOOP\r\n`;

async function begin(stage: OwnStage): Promise<ImapWire> {
  const wire = await ImapWire.connect(stage);
  await wire.signIn(stage);
  return wire;
}

/** Waits for the response to a mutated command. @returns false if the connection is over */
async function isAnswered(wire: ImapWire, text: string): Promise<boolean> {
  wire.send(Buffer.from(`s SELECT INBOX\r\nt ${text}${PADDING}end NOOP\r\n`));
  for (let line = await wire.next(); line !== null; line = await wire.next()) {
    assert.doesNotMatch(line, /\[UNAVAILABLE\]/);
    if (line.startsWith('end ')) return true;
  }
  return false;
}

test('every mutated command gets a response, and none causes an internal error', async () => {
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
