/** Texts and dates of file links. */
import type { FileLink } from '../../../src/contract/mail/file-links.ts';
import { bytes, counted } from '../../ui/amounts.ts';
import { local } from '../../ui/times.ts';

const DAY_MS = 86_400_000;

/** The maximum lifetime of a link, counted from its creation. */
const MAX_DAYS = 90;

/** The name of a link: "plan.zip" for one file, or "3 files". */
export function nameOf({ files }: { files: readonly { name: string }[] }): string {
  return files.length === 1 ? (files[0]?.name ?? 'file') : counted(files.length, 'file');
}

/** The content of a link's card in a message. */
export function cardOf(link: FileLink): { url: string; name: string; details: string } {
  const password = link.has_password ? ', with a password' : '';
  return {
    url: link.url,
    name: nameOf(link),
    details: `${bytes(link.octets)}${password}, until ${local.date(link.expires_at)}`,
  };
}

/** The lifetime chosen for a link, in ms. */
export function lengthOf({
  created_at: created,
  expires_at: expires,
}: Pick<FileLink, 'created_at' | 'expires_at'>): number {
  return Date.parse(expires) - Date.parse(created);
}

/**
 * The new expiry date of a link for a message sent at a given time. The chosen lifetime begins when the message is sent,
 * because a message must not arrive with an expired link.
 * @param chosenMs the lifetime (`lengthOf`) before the link was first extended, so that a second attempt to send does
 * not extend it twice
 * @returns null if the date needs no change; 'never' if the link would expire within a day of sending, and before the
 * chosen lifetime has passed
 */
export function extended(
  { created_at: created, expires_at: expires }: Pick<FileLink, 'created_at' | 'expires_at'>,
  chosenMs: number,
  sentAt: Date,
): Date | null | 'never' {
  const [made, ends] = [Date.parse(created), Date.parse(expires)];
  const wanted = Math.min(sentAt.getTime() + chosenMs, made + MAX_DAYS * DAY_MS);
  if (wanted < sentAt.getTime() + DAY_MS && wanted < sentAt.getTime() + chosenMs) return 'never';
  // A new time on the same day would not change the text of the card, so the date is left unchanged.
  return local.date(new Date(wanted)) === local.date(expires) || wanted <= ends ? null : new Date(wanted);
}

const TOKEN = /\/s\/([\w-]{22})(?![\w-])/g;

/** The tokens of all links in a text or HTML. */
export function tokensIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(TOKEN), ([, token = '']) => token));
}

export const tokenOf = ({ url }: Pick<FileLink, 'url'>): string => [...tokensIn(url)][0] ?? '';

const CHOICES = [1, 3, 7, 14, 30, 60, 90];

/** The lifetimes that the user can choose now, within the maximum lifetime of a link. */
export function daysToChoose({
  created_at: created,
}: Pick<FileLink, 'created_at'>): { days: number; time: string }[] {
  const now = Date.now();
  const last = Date.parse(created) + MAX_DAYS * DAY_MS;
  return CHOICES.filter((days) => now + (days - 1) * DAY_MS < last).map((days) => ({
    days,
    time: new Date(Math.min(now + days * DAY_MS, last)).toISOString(),
  }));
}
