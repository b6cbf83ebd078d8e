/** Names that the pages and the service worker share. */

/** The message from the worker to a tab: a click on a notification opens this conversation. */
export interface OpenConversation {
  path: string;
  conversation: string;
}

/** The address in the URL of a page of the web client; empty if there is none. */
export function addressIn(url: string, origin: string): string {
  return decodeURIComponent(new URL(url, origin).pathname.split('/')[2] ?? '');
}
