import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STARTER_KEYS, type StarterKey } from '../../../../src/model/template-starters.ts';
import { starterOf } from '../../../../src/templates/starters/starters.ts';
import { suggestedStarter } from './suggest-starter.ts';

const STARTERS = STARTER_KEYS.map(starterOf);

for (const [name, expected] of [
  ['', 'blank'],
  ['weekly digest', 'blank'],
  ['Password reset', 'password-reset'],
  ['forgot-password', 'password-reset'],
  ['Sign-in code', 'sign-in-code'],
  ['login_code', 'sign-in-code'],
  ['sign up', 'welcome'],
  ['Verify your email address', 'verify-email'],
  ['email confirmation', 'verify-email'],
  ['Welcome', 'welcome'],
  ['team invite', 'invitation'],
  ['Receipt', 'receipt'],
  ['ORDER CONFIRMATION', 'receipt'],
  ['Invoice', 'invoice'],
  ['Order shipped', 'order-shipped'],
  ['Payment failed', 'payment-failed'],
  ['card declined', 'payment-failed'],
] satisfies [string, StarterKey][])
  test(`the name ${JSON.stringify(name)} suggests the starter ${expected}`, () => {
    assert.equal(suggestedStarter(name, STARTERS)?.key, expected);
  });

test('each starter except the blank one is suggested for its own title', () => {
  for (const { key, title } of STARTERS.slice(1)) assert.equal(suggestedStarter(title, STARTERS)?.key, key);
});

test('no starter is suggested while none is loaded', () => {
  assert.equal(suggestedStarter('Password reset', []), undefined);
});
