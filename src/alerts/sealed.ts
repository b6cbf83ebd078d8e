/** The sealed columns of a subscription. */
import type { Sealer } from '../db/seal.ts';
import type { AlertTarget } from './channel.ts';

interface SealedTarget {
  id: string;
  urlSealed: string | null;
  secretSealed: string | null;
}

export function sealTarget(
  sealer: Sealer,
  id: string,
  { url, secret }: Pick<AlertTarget, 'url' | 'secret'>,
): Pick<SealedTarget, 'urlSealed' | 'secretSealed'> {
  const seal = (column: string, text: string | null) =>
    text === null ? null : sealer.seal(Buffer.from(text), contextOf(column, id));
  return { urlSealed: seal('url', url), secretSealed: seal('secret', secret) };
}

/** @throws if a column was sealed with another POSTHORN_SECRET or was changed */
export function openTarget(
  sealer: Sealer,
  { id, urlSealed, secretSealed }: SealedTarget,
): Pick<AlertTarget, 'url' | 'secret'> {
  const open = (column: string, sealed: string | null) =>
    sealed === null ? null : sealer.open(sealed, contextOf(column, id)).toString();
  return { url: open('url', urlSealed), secret: open('secret', secretSealed) };
}

function contextOf(column: string, id: string): string {
  return `alert_subscriptions/${id}/${column}`;
}
