import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from './words.ts';

test('changes are described in English', () => {
  const words = [
    ['api-key.create', 'API key created'],
    ['app-password.revoke', 'App password revoked'],
    ['domain.add-to-installation', 'Domain added to installation'],
    ['domain.delete', 'Domain removed'],
    ['mailbox.set-password', 'Mailbox password set'],
    ['person.create', 'Person added'],
    ['share.delete', 'Share deleted'],
    ['suppression.delete', 'Suppression removed'],
    ['template-layout.create', 'Template layout created'],
    ['template.discard-draft', 'Template draft discarded'],
    ['user.add-authenticator-app', 'User authenticator app added'],
    ['user.use-recovery-code', 'User recovery code used'],
    ['webhook.retry-delivery', 'Webhook delivery retried'],
    ['webhook.rotate-secret', 'Webhook secret rotated'],
    ['webhook.unknown-change', 'Webhook unknown change'],
  ] as const;
  for (const [action, expected] of words) assert.equal(wordsOf(action), expected);
});
