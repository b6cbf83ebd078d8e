/** The signing secrets and the URL credentials of routes, which are stored sealed. */
import type { Sealer } from '../db/seal.ts';
import type { SealedSecrets, SigningSecrets } from '../webhooks/secret.ts';

export function sealRouteSecret(sealer: Sealer, routeId: string, secret: string): string {
  return sealer.seal(Buffer.from(secret), `routes/${routeId}/secret`);
}

/** The secret that signs requests, and the previous one while it is still accepted. @throws if a secret cannot be decrypted */
export function openRouteSecrets(sealer: Sealer, row: SealedSecrets, now: Date): SigningSecrets {
  const context = `routes/${row.id}/secret`;
  const { previousSecretSealed, previousSecretUntil } = row;
  const isRotated =
    previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > now;
  const newest = sealer.open(row.secretSealed, context).toString();
  return isRotated
    ? { current: sealer.open(previousSecretSealed, context).toString(), next: newest }
    : { current: newest, next: null };
}

/** @param credentials `user:password` */
export function sealCredentials(sealer: Sealer, routeId: string, credentials: string): string {
  return sealer.seal(Buffer.from(credentials), `routes/${routeId}/credentials`);
}

/** @throws if the credentials cannot be decrypted */
export function openCredentials(sealer: Sealer, routeId: string, sealed: string): string {
  return sealer.open(sealed, `routes/${routeId}/credentials`).toString();
}
