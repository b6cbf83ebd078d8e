import assert from 'node:assert/strict';
import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { NO_MESSAGE } from '../../../test/support/composing.ts';
import { newEmail } from '../../../test/support/emails.ts';
import type { SigningKey } from '../../rfc/dkim/sign.ts';
import { ReturnPaths } from '../../reports/return-path.ts';
import { TrackingLinks } from '../track/tracking-links.ts';
import { composerOf } from './compose-email.ts';

const key = createSecretKey(Buffer.alloc(32, 1));
const tracking = { opens: true, clicks: true, unsubscribe: true, base_url: 'https://mail.acme.example' };

const SIGNING_KEY: SigningKey = {
  domain: 'posthorn.localhost',
  selector: 'test',
  algorithm: 'ed25519-sha256',
  privateKey: generateKeyPairSync('ed25519').privateKey,
};

/** Composes an email. Each query for signing keys increments `queries` and waits until `release` is called. */
function composing(fields: Parameters<typeof newEmail>[0]) {
  const pendingKeys = Promise.withResolvers<SigningKey[]>();
  let queries = 0;
  const keyring = {
    keysFor() {
      queries += 1;
      return pendingKeys.promise;
    },
  } as unknown as Parameters<typeof composerOf>[1]['keyring'];
  const { projectId, emailId, traceParent, ...email } = newEmail(fields);
  const content = { ...email, toList: [...email.to], cc: [], ...NO_MESSAGE };
  const composer = composerOf(
    { projectId, emailId, traceParent, content },
    {
      keyring,
      returnPaths: new ReturnPaths(key),
      trackingLinks: new TrackingLinks(key),
      blobs: { open: () => Promise.resolve(null) },
    },
  );
  return {
    compose: composer.compose,
    queries: () => queries,
    release: (...keys: SigningKey[]) => pendingKeys.resolve(keys),
  };
}

test('the copies of a tracked email are composed one after another, so that other work can run in between', async () => {
  const { compose, queries, release } = composing({ tracking });
  const copies = [compose(0), compose(1), compose(2)];
  assert.equal(queries(), 1);
  release(SIGNING_KEY);
  const composed = await Promise.all(copies);
  assert.equal(queries(), 3);
  assert.equal(new Set(composed.map((copy) => copy?.data.toString())).size, 3);
});

test('an email without tracking is composed once for all recipients', async () => {
  const { compose, queries, release } = composing({});
  const copies = [compose(0), compose(1)];
  release(SIGNING_KEY);
  const [first, second] = await Promise.all(copies);
  assert.equal(queries(), 1);
  assert.equal(first, second);
});

for (const kind of ['plain', 'tracked'] as const) {
  test(`a ${kind} email without a signing key is not composed`, async () => {
    const { compose, release } = composing(kind === 'tracked' ? { tracking } : {});
    release();
    assert.equal(await compose(0), null);
  });
}

test('header fields that instruct relays, accepted by an earlier version, are removed and other fields are kept', async () => {
  const headers = { 'X-SES-CONFIGURATION-SET': 'other', 'x-smtpapi': '{}', 'X-Sesame': 'open' };
  const { compose, release } = composing({ headers });
  release(SIGNING_KEY);
  const message = (await compose(0))?.data.toString() ?? '';
  assert.doesNotMatch(message, /^x-(ses-|smtpapi)/im);
  assert.match(message, /^X-Sesame: open\r$/m);
});
