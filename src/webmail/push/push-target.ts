/** Where notifications for a browser are sent, and how they are encrypted. */
import type { PushSubscribe } from '../../contract/mail/push.ts';
import type { Sealer } from '../../db/seal.ts';
import { validationError } from '../../model/app-error.ts';
import { AUTH_BYTES, isPublicKey, type PushKeys } from '../../rfc/web-push/encrypt-push.ts';
import { type Environment, urlProblem } from '../../webhooks/check-url.ts';

export interface PushTarget extends PushKeys {
  endpoint: string;
}

/** @throws AppError validation-failed */
export function parseTarget(
  { endpoint, p256dh, auth }: Pick<PushSubscribe, 'endpoint' | 'p256dh' | 'auth'>,
  environment: Environment,
): PushTarget {
  const problem = urlProblem(endpoint, environment);
  if (problem !== null) throw validationError({ endpoint: problem });
  const publicKey = Buffer.from(p256dh, 'base64url');
  if (!isPublicKey(publicKey)) throw validationError({ p256dh: 'must be a P-256 public key in base64url' });
  const secret = Buffer.from(auth, 'base64url');
  if (secret.length !== AUTH_BYTES) throw validationError({ auth: 'must be 16 bytes in base64url' });
  return { endpoint, publicKey, auth: secret };
}

/** Seals a target, because its URL lets anyone send, and its keys decrypt. */
export function sealTarget(
  sealer: Sealer,
  sessionId: string,
  { endpoint, publicKey, auth }: PushTarget,
): string {
  const stored = { endpoint, p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') };
  return sealer.seal(Buffer.from(JSON.stringify(stored)), contextOf(sessionId));
}

/** @throws if the target was sealed with another POSTHORN_SECRET or was changed */
export function openTarget(sealer: Sealer, sessionId: string, sealed: string): PushTarget {
  const stored = JSON.parse(sealer.open(sealed, contextOf(sessionId)).toString()) as {
    endpoint: string;
    p256dh: string;
    auth: string;
  };
  return {
    endpoint: stored.endpoint,
    publicKey: Buffer.from(stored.p256dh, 'base64url'),
    auth: Buffer.from(stored.auth, 'base64url'),
  };
}

function contextOf(sessionId: string): string {
  return `push_subscriptions/${sessionId}`;
}
