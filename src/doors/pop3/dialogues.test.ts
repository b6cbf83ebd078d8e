import { after, before, describe, test } from 'node:test';
import { playDialogue, readDialogues } from './dialogue.fixture.ts';
import { startTestListener, type TestListener } from './pop3.fixture.ts';

let listener: TestListener;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

describe('POP3', () => {
  for (const dialogue of readDialogues())
    test(dialogue.title, async () => playDialogue(dialogue, await listener.newStage()));
});
