import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unwrapIfFlowed } from './flowed.ts';

const FLOWED = { format: 'Flowed' };
const DELSP = { format: 'flowed', delsp: 'Yes' };

const TEXTS: readonly [given: string, parameters: Record<string, string>, text: string][] = [
  ['one \ntwo\nthree', FLOWED, 'one two\nthree'],
  ['one \ntwo', DELSP, 'onetwo'],
  [' From here\n  two spaces\n >no quote', FLOWED, 'From here\n two spaces\n>no quote'],
  ['> quoted \n> text\n>> deeper \n> less\n>\nend', FLOWED, '> quoted text\n>> deeper\n> less\n>\nend'],
  ['one \n-- \nAnn \nLee', FLOWED, 'one \n-- \nAnn Lee'],
  ['one \n two', {}, 'one \n two'],
  ['one \n two', { format: 'fixed', delsp: 'yes' }, 'one \n two'],
];

describe('unwrapIfFlowed', () => {
  for (const [given, parameters, text] of TEXTS)
    it(`unwrapIfFlowed reads ${JSON.stringify(given)} with ${JSON.stringify(parameters)}`, () => {
      assert.equal(unwrapIfFlowed(given, new Map(Object.entries(parameters))), text);
    });
});
