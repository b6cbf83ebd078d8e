/** Runs our IMAP and POP3 dialogues against Dovecot. If Dovecot responds differently, the dialogue must explain the difference. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, suite, test } from 'node:test';
import { type Dialogue, playDialogue, readDialogues } from '../../src/doors/imap/dialogue.fixture.ts';
import { ImapWire } from '../../src/doors/imap/wire.fixture.ts';
import {
  playDialogue as playPop3,
  readDialogues as readPop3,
} from '../../src/doors/pop3/dialogue.fixture.ts';
import { type Dovecot, startDovecot } from './dovecot.ts';
import { hookLimit, withPeers } from './peers.ts';

const IMAP_DIALOGUES = fileURLToPath(new URL('../../src/doors/imap/dialogues', import.meta.url));
/** A short timeout for dialogues in which Dovecot is known to respond differently. */
const DIFFERS_MS = 1_000;

suite('Dovecot', withPeers, () => {
  let dovecot: Dovecot;
  let claimed: string[];
  before(async () => {
    dovecot = await startDovecot();
    const stage = dovecot.newStage();
    using wire = await ImapWire.connect({ host: stage.host, port: dovecot.imapPort });
    await wire.signIn(stage);
    claimed = (await wire.command('a CAPABILITY')).join(' ').split(' ');
  }, hookLimit);
  after(() => dovecot[Symbol.asyncDispose](), hookLimit);

  async function agrees(
    { differs }: Pick<Dialogue, 'differs'>,
    play: (patience: { patienceMs?: number }) => Promise<void>,
  ) {
    const why = differs.find((each) => each.startsWith('dovecot'));
    if (why === undefined) await play({});
    else if (why.startsWith('dovecot at times')) await play({}).catch(() => {});
    else
      await assert.rejects(
        play({ patienceMs: DIFFERS_MS }),
        `Dovecot responds as we do, so this note is wrong: ${why}`,
      );
  }

  for (const dialogue of readDialogues(IMAP_DIALOGUES))
    test(`IMAP, ${dialogue.file}: ${dialogue.title}`, async (context) => {
      const missing = dialogue.needs.find((each) => !claimed.includes(each));
      if (missing !== undefined) return context.skip(`Dovecot has no ${missing}`);
      await agrees(dialogue, (patience) =>
        playDialogue(dialogue, { ...dovecot.newStage(), port: dovecot.imapPort, ...patience }),
      );
    });

  for (const dialogue of readPop3())
    test(`POP3, ${dialogue.file}: ${dialogue.title}`, () =>
      agrees(dialogue, (patience) =>
        playPop3(dialogue, { ...dovecot.newStage(), port: dovecot.pop3Port, ...patience }),
      ));
});
