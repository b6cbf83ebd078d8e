/** Body of the request by which a mail program unsubscribes (RFC 8058, section 3.2). */

export const MAX_ONE_CLICK_BYTES = 4 * 1024;

const FIELD = 'List-Unsubscribe';
const VALUE = 'One-Click';

/** Whether a form says to unsubscribe, in either of the types that forms have. Never throws. */
export async function isOneClick(contentType: string, body: Buffer): Promise<boolean> {
  try {
    const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    return form.get(FIELD) === VALUE;
  } catch {
    // Not a form, or one that is broken off.
    return false;
  }
}

/** What the page's own form sends. */
export const ONE_CLICK_FIELD = { name: FIELD, value: VALUE } as const;
