/** Where links of a message may lead. */
const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:'];

export function isSafeLink(href: string): boolean {
  try {
    return SCHEMES.includes(new URL(href).protocol);
  } catch {
    return false;
  }
}

/** What somebody typed, as the address of a link; null: it is none. */
export function linkOf(typed: string): string | null {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return null;
  const isEmail = /^[^\s/:@]+@[^\s/:@]+\.[^\s/:@]+$/.test(text);
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text);
  const href = isEmail ? `mailto:${text}` : hasScheme ? text : `https://${text}`;
  const hasHost =
    !/^https?:/i.test(href) || /^https?:\/\/[^/?#]*[^/?#.]\.[^/?#.]+|^https?:\/\/localhost/i.test(href);
  return isSafeLink(href) && hasHost ? href : null;
}
