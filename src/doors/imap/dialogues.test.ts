/** Plays the dialogues in `dialogues/` against one listener. */
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { playDialogue, readDialogues } from './dialogue.fixture.ts';
import { startTestListener } from './listener.fixture.ts';

let listener: Awaited<ReturnType<typeof startTestListener>>;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

for (const dialogue of readDialogues(join(import.meta.dirname, 'dialogues')))
  test(`${dialogue.file}: ${dialogue.title}`, async () => playDialogue(dialogue, await listener.stage()));
