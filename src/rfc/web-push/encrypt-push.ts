/**
 * Encrypts a push message for one browser (RFC 8291, with the content coding `aes128gcm` of RFC 8188), so that the push service in between
 * cannot read it.
 */
import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

const CURVE = 'prime256v1';
const SALT_BYTES = 16;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const SECRET_BYTES = 32;
const TAG_BYTES = 16;
/** An uncompressed point: 4, then two coordinates. */
export const PUBLIC_KEY_BYTES = 65;
export const AUTH_BYTES = 16;
/** Push services need not accept more (RFC 8030, section 7.2). The single record has this size at most. */
const RECORD_BYTES = 4096;
/** Ends the last record. Zeros may follow as padding (RFC 8188, section 2). */
const LAST = Buffer.of(2);
const HEADER_BYTES = SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES;

/** The maximum size of a message. */
export const MAX_PUSH_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - LAST.length;

/** The keys that a browser creates for a subscription. */
export interface PushKeys {
  /** Its public key, `PUBLIC_KEY_BYTES` long. */
  publicKey: Buffer;
  /** A secret that the push service does not have, `AUTH_BYTES` long. */
  auth: Buffer;
}

/** Values that are random, except in tests. */
export interface PushRandomness {
  salt: Buffer;
  sender: ECDH;
}

/** Whether the bytes are a public key with which messages can be encrypted. */
export function isPublicKey(publicKey: Buffer): boolean {
  if (publicKey.length !== PUBLIC_KEY_BYTES) return false;
  try {
    // Fails if the point is not on the curve.
    randomSender().computeSecret(publicKey);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param padTo zeros are added up to this size, so that the push service learns nothing from the size
 * @throws RangeError if the message has more than `MAX_PUSH_BYTES`
 */
export function encryptPush(
  message: Buffer,
  { publicKey, auth }: PushKeys,
  padTo = 0,
  { salt, sender }: PushRandomness = { salt: randomBytes(SALT_BYTES), sender: randomSender() },
): Buffer {
  if (message.length > MAX_PUSH_BYTES) throw new RangeError('the push message is too long');
  const own = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, own]);
  const secret = derive(sender.computeSecret(publicKey), auth, info, SECRET_BYTES);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const padding = Buffer.alloc(Math.max(0, Math.min(padTo, MAX_PUSH_BYTES) - message.length));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([
    salt,
    size,
    Buffer.of(own.length),
    own,
    cipher.update(Buffer.concat([message, LAST, padding])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function randomSender(): ECDH {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return sender;
}

function derive(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}
