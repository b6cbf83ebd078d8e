/** By itself, because the supervisor shows such a link and loads nothing that asks a database. */
export type Purpose = 'welcome' | 'reset' | 'invitation';

/** @param baseUrl of the service, without a trailing slash: never what a request says */
export function linkUrl(baseUrl: string, purpose: Purpose, token: string): string {
  return `${baseUrl}/dashboard/${purpose}#${token}`;
}
