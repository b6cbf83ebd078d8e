/** What is said of a file link. */
import type { FileLink } from '../../../src/contract/mail/file-links.ts';
import { bytes, counted } from '../../ui/amounts.ts';

const DAY_MS = 86_400_000;
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** How long a link may last, from its making. */
const MAX_DAYS = 90;

export const dayOf = (time: string | Date): string => DATE.format(new Date(time));

/** "plan.zip", or "3 files" */
export function nameOf({ files }: { files: readonly { name: string }[] }): string {
  return files.length === 1 ? (files[0]?.name ?? 'file') : counted(files.length, 'file');
}

/** As the card in a message has it. */
export function cardOf(link: FileLink): { url: string; name: string; details: string } {
  const password = link.has_password ? ', with a password' : '';
  return {
    url: link.url,
    name: nameOf(link),
    details: `${bytes(link.octets)}${password}, until ${dayOf(link.expires_at)}`,
  };
}

/** What was chosen for it, in ms. */
export function lengthOf({
  created_at: created,
  expires_at: expires,
}: Pick<FileLink, 'created_at' | 'expires_at'>): number {
  return Date.parse(expires) - Date.parse(created);
}

/**
 * Until when a link has to last that goes out at a time, so that it lasts as long as was chosen for it: a letter must not come with a link that is over.
 * @param chosenMs `lengthOf` it before it was made longer: a second try does not add to the first
 * @returns null: it need not be changed; 'never': it cannot last until then
 */
export function extended(
  { created_at: created, expires_at: expires }: Pick<FileLink, 'created_at' | 'expires_at'>,
  chosenMs: number,
  sentAt: Date,
): Date | null | 'never' {
  const [made, ends] = [Date.parse(created), Date.parse(expires)];
  const wanted = Math.min(sentAt.getTime() + chosenMs, made + MAX_DAYS * DAY_MS);
  if (wanted < sentAt.getTime() + DAY_MS && wanted < sentAt.getTime() + chosenMs) return 'never';
  // On the same day the card says what it said.
  return dayOf(new Date(wanted)) === dayOf(expires) || wanted <= ends ? null : new Date(wanted);
}

const TOKEN = /\/s\/([\w-]{22})(?![\w-])/g;

/** The tokens of all links that stand in a text, or in HTML. */
export function tokensIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(TOKEN), ([, token = '']) => token));
}

export const tokenOf = ({ url }: Pick<FileLink, 'url'>): string => [...tokensIn(url)][0] ?? '';

const CHOICES = [1, 3, 7, 14, 30, 60, 90];

/** Ends that may be chosen now: from now, within what a link may last. */
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
