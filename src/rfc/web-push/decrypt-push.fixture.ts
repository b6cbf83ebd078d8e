/** The browser's side of a subscription, for tests: decrypts messages by RFC 8291, independently of the code that encrypts them. */
import { createDecipheriv, createECDH, createHmac, type ECDH, randomBytes } from 'node:crypto';
import type { PushKeys } from './encrypt-push.ts';

export interface PushReceiver {
  ecdh: ECDH;
  keys: PushKeys;
}

export function newReceiver(): PushReceiver {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return { ecdh, keys: { publicKey: ecdh.getPublicKey(), auth: randomBytes(16) } };
}

const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]) => {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

/** @returns the message without its padding @throws if it was not encrypted for the receiver */
export function decryptPush(body: Buffer, { ecdh, keys }: PushReceiver): Buffer {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const record = body.subarray(21 + keyLength);
  if (record.length > body.readUInt32BE(16)) throw new Error('the message has more than one record');
  const combined = hmac(keys.auth, ecdh.computeSecret(sender));
  const secret = hmac(combined, 'WebPush: info\0', keys.publicKey, sender, Buffer.of(1));
  const extracted = hmac(salt, secret);
  const key = hmac(extracted, 'Content-Encoding: aes128gcm\0', Buffer.of(1)).subarray(0, 16);
  const nonce = hmac(extracted, 'Content-Encoding: nonce\0', Buffer.of(1)).subarray(0, 12);
  const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  const end = plain.findLastIndex((byte) => byte !== 0);
  if (plain[end] !== 2) throw new Error('the record is not the last one');
  return plain.subarray(0, end);
}
