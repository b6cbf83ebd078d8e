import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCorpus, type SampleMessage } from '../../../test/spam/corpus.ts';
import { afterMarking, afterMarkingAll, atFirst } from '../../../test/spam/measure.ts';
import { readSamples, train, TRAINED } from '../../../test/spam/train.ts';
import { packModel } from './classifier.ts';
import weights from './classifier-weights.json' with { type: 'json' };

// The bounds leave some slack below what the measurement prints (docs/decisions/0136), so that a small change of a rule does not break the
// test. Mail of the writer c did not train the classifier.
const [spam, ham] = [readCorpus('c', 'spam'), readCorpus('c', 'ham')];

test('much of the sample spam from authenticated hosts goes to Junk, and hardly any wanted mail', () => {
  const caught = atFirst(spam);
  assert.ok(caught.junk >= caught.all * 0.4, `${caught.junk} of ${caught.all}`);
  const wanted = atFirst(ham);
  assert.ok(wanted.junk <= 2, `${wanted.junk} of ${wanted.all}`);
});

test('the sample mail with which the filter is measured is from other domains than that with which it was trained', () => {
  const domainsOf = (messages: readonly SampleMessage[]) =>
    messages.map(({ mail }) => mail.arrival.mailFrom.replace(/^.*@/, '').toLowerCase());
  const trained = new Set(
    TRAINED.flatMap((writer) => [
      ...domainsOf(readCorpus(writer, 'spam')),
      ...domainsOf(readCorpus(writer, 'ham')),
    ]),
  );
  assert.ok(trained.size > 500);
  assert.deepEqual(
    domainsOf([...spam, ...ham]).filter((domain) => trained.has(domain)),
    [],
  );
});

test('the weights of the classifier are those that the training computes', () => {
  assert.deepEqual(packModel(train(readSamples(TRAINED))), weights);
});

test('many further messages of a campaign go to Junk after others were moved there, and hardly any wanted mail', () => {
  const { variants, wanted } = afterMarking(spam, ham);
  assert.ok(variants.junk >= variants.all * 0.45, `${variants.junk} of ${variants.all}`);
  assert.ok(wanted.junk <= wanted.all / 50, `${wanted.junk} of ${wanted.all}`);
  const worst = afterMarkingAll(spam, ham);
  assert.ok(worst.junk <= worst.all / 25, `${worst.junk} of ${worst.all}`);
});
