/**
 * URLs of sign-in links. This file imports no database code, because the supervisor shows a welcome link and must not load database code.
 */
export type Purpose = 'welcome' | 'reset' | 'invitation';

/** @param baseUrl the configured public URL without a trailing slash; never taken from a request */
export function linkUrl(baseUrl: string, purpose: Purpose, token: string): string {
  return `${baseUrl}/dashboard/${purpose}#${token}`;
}
