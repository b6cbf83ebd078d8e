import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessKey, ProvenPasswords, WrongPasswords } from './memory.ts';

const MINUTE_MS = 60_000;

test('a proven password is cached for five minutes, and only for its key', () => {
  let nowMs = 0;
  const proven = new ProvenPasswords(() => nowMs);
  proven.add('here', 'secret');
  nowMs = 5 * MINUTE_MS - 1;
  assert.equal(proven.has('elsewhere', 'secret'), false);
  assert.equal(proven.has('here', 'secret'), true);
  nowMs++;
  assert.equal(proven.has('here', 'secret'), false);
});

test('after two wrong guesses the proven password is no longer cached', () => {
  const proven = new ProvenPasswords();
  proven.add('here', 'secret');
  assert.equal(proven.has('here', 'guess'), false);
  assert.equal(proven.has('here', 'secret'), true);
  assert.equal(proven.has('here', 'another guess'), false);
  assert.equal(proven.has('here', 'secret'), false);
});

test('a wrong password is cached for an hour, and only for the same guess', () => {
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
