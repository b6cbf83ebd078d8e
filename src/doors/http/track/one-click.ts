/** Recognises the request with which a mail program unsubscribes (RFC 8058, section 3.2). */

export const MAX_ONE_CLICK_BYTES = 4 * 1024;

const FIELD = 'List-Unsubscribe';
const VALUE = 'One-Click';

/** Whether a form of either media type requests to unsubscribe. Never throws. */
export async function isOneClick(contentType: string, body: Buffer): Promise<boolean> {
  try {
    const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    return form.get(FIELD) === VALUE;
  } catch {
    // The body is not a form, or it is truncated.
    return false;
  }
}

/** The field that the page's own form sends. */
export const ONE_CLICK_FIELD = { name: FIELD, value: VALUE } as const;
