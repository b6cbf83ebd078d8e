/** The URL schemes allowed in links of a message. */
const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:'];

export function isSafeLink(href: string): boolean {
  try {
    return SCHEMES.includes(new URL(href).protocol);
  } catch {
    return false;
  }
}

/** The URL for the typed text; null if the text is not a valid link. */
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
