/** Recognizes the request that a mail app sends to unsubscribe (RFC 8058, section 3.2). */

export const MAX_ONE_CLICK_BYTES = 4 * 1024;

const FIELD = 'List-Unsubscribe';
const VALUE = 'One-Click';

/** Whether a form, url-encoded or multipart, is a request to unsubscribe. Never throws. */
export async function isOneClick(contentType: string, body: Buffer): Promise<boolean> {
  try {
    const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
    return form.get(FIELD) === VALUE;
  } catch {
    // The body is truncated or is not a form.
    return false;
  }
}

/** The field in the form of the unsubscribe page. */
export const ONE_CLICK_FIELD = { name: FIELD, value: VALUE } as const;
