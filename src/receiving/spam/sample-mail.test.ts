import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCorpus } from '../../../test/spam/corpus.ts';
import { afterMarking, atFirst } from '../../../test/spam/measure.ts';

// The bounds leave some slack below what the measurement prints (docs/decisions/0136), so that a small change of a rule does not break the
// test. Mail of the writer c was not used to train the classifier.
const [spam, ham] = [readCorpus('c', 'spam'), readCorpus('c', 'ham')];

test('much of the sample spam from authenticated hosts goes to Junk, and hardly any wanted mail', () => {
  const caught = atFirst(spam);
  assert.ok(caught.junk >= caught.all * 0.4, `${caught.junk} of ${caught.all}`);
  const wanted = atFirst(ham);
  assert.ok(wanted.junk <= 2, `${wanted.junk} of ${wanted.all}`);
});

test('many further messages of a campaign go to Junk after others were moved there, and hardly any wanted mail', () => {
  const { variants, wanted } = afterMarking(spam, ham);
  assert.ok(variants.junk >= variants.all * 0.45, `${variants.junk} of ${variants.all}`);
  assert.ok(wanted.junk <= wanted.all / 50, `${wanted.junk} of ${wanted.all}`);
});
