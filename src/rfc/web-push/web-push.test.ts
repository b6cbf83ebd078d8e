import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import { claimsOf } from '../../../test/support/push-service.ts';
import { decryptPush, newReceiver } from './decrypt-push.fixture.ts';
import { AUTH_BYTES, encryptPush, isPublicKey, MAX_PUSH_BYTES, PUBLIC_KEY_BYTES } from './encrypt-push.ts';
import { newVapidKey, vapidHeader, vapidPairOf } from './vapid.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

test('a message is encrypted as in the example of RFC 8291, appendix A', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const receiver = {
    publicKey: bytes(
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    ),
    auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  };
  const message = Buffer.from('When I grow up, I want to be a watermelon');
  const random = { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), sender };
  assert.equal(
    encryptPush(message, receiver, 0, random).toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('a padded message has the size of its padding, and no message is larger than push services must accept', () => {
  const receiver = newReceiver();
  const sizes = ['', 'a', 'é'.repeat(200)].map((text) => {
    const encrypted = encryptPush(Buffer.from(text), receiver.keys, 1000);
    assert.equal(decryptPush(encrypted, receiver).toString(), text);
    return encrypted.length;
  });
  assert.equal(new Set(sizes).size, 1);
  assert.equal(encryptPush(Buffer.alloc(MAX_PUSH_BYTES), receiver.keys, 9999).length, 4096);
  assert.throws(() => encryptPush(Buffer.alloc(MAX_PUSH_BYTES + 1), receiver.keys), RangeError);
});

test('a public key must be a point of the curve', () => {
  const { keys } = newReceiver();
  assert.ok(isPublicKey(keys.publicKey));
  assert.equal(keys.auth.length, AUTH_BYTES);
  for (const wrong of [
    Buffer.alloc(0),
    Buffer.alloc(PUBLIC_KEY_BYTES),
    Buffer.alloc(PUBLIC_KEY_BYTES, 4),
    keys.publicKey.subarray(1),
    Buffer.concat([keys.publicKey, Buffer.of(0)]),
  ])
    assert.equal(isPublicKey(wrong), false, wrong.toString('hex'));
});

test('the push service can verify the signature with the public key', () => {
  const pair = vapidPairOf(newVapidKey());
  const claims = { audience: 'https://push.example', subject: 'https://posthorn.example', expiresAt: 5 };
  const { publicKey } = pair;
  const header = vapidHeader(pair, claims);
  assert.deepEqual(claimsOf(header, publicKey), {
    aud: 'https://push.example',
    exp: 5,
    sub: 'https://posthorn.example',
  });
  const other = vapidHeader(vapidPairOf(newVapidKey()), claims);
  assert.throws(() => claimsOf(other.replace(/k=.*/, `k=${publicKey}`), publicKey), /signature is wrong/);
});
