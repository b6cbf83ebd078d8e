import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessKey, ProvenPasswords, WrongPasswords } from './memory.ts';

const MINUTE_MS = 60_000;

test('a password is right for five minutes, in the place where it was', () => {
  let nowMs = 0;
  const proven = new ProvenPasswords(() => nowMs);
  proven.add('here', 'secret');
  nowMs = 5 * MINUTE_MS - 1;
  assert.equal(proven.has('elsewhere', 'secret'), false);
  assert.equal(proven.has('here', 'secret'), true);
  nowMs++;
  assert.equal(proven.has('here', 'secret'), false);
});

test('after two guesses nothing is known of the right one', () => {
  const proven = new ProvenPasswords();
  proven.add('here', 'secret');
  assert.equal(proven.has('here', 'guess'), false);
  assert.equal(proven.has('here', 'secret'), true);
  assert.equal(proven.has('here', 'another guess'), false);
  assert.equal(proven.has('here', 'secret'), false);
});

test('a wrong password is wrong for an hour, for what it was wrong for', () => {
  let nowMs = 0;
  const wrong = new WrongPasswords(() => nowMs);
  wrong.add(guessKey(['192.0.2.1', 'sales', null, 'guess']), 'not-enough');
  nowMs = 60 * MINUTE_MS - 1;
  assert.equal(wrong.reasonOf(guessKey(['192.0.2.1', 'sales', null, 'guess'])), 'not-enough');
  assert.equal(wrong.reasonOf(guessKey(['192.0.2.1', 'sales', null, 'guess', 'hash'])), null);
  assert.equal(wrong.reasonOf(guessKey(['192.0.2.2', 'sales', null, 'guess'])), null);
  nowMs++;
  assert.equal(wrong.reasonOf(guessKey(['192.0.2.1', 'sales', null, 'guess'])), null);
});
