/** The HTML of a caught message as a page of its own. */
import type { OpenedMail } from '../../../dev/inbox.ts';
import { contentOf, type MessageFile } from '../../../dev/read-message.ts';

/**
 * Scripts never run, and the page has no origin, so it can neither read this service nor act in it. Unlike the preview in the dashboard, it loads images from
 * other hosts and follows links, so that tests can click them.
 */
export const VIEW_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline' http: https:; font-src data: http: https:; img-src data: http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

const CONTENT_ID = /\bcid:([^"'\s<>)]+)/gi;
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/;

/** Attack: a message names its image a million times. Further images are missing. */
const MAX_IMAGES_LENGTH = 64 * 1024 * 1024;

/** @param isEmbedded whether links open in a new tab */
export function framedHtml(
  { html, files, raw }: Pick<OpenedMail, 'html' | 'files' | 'raw'>,
  isEmbedded: boolean,
): string {
  const images = new Map(files.filter(({ type }) => IMAGE.test(type)).map((file) => [file.contentId, file]));
  const urls = new Map<MessageFile, string>();
  let left = MAX_IMAGES_LENGTH;
  // The page has no origin, so images of the message would be requests from another site.
  const whole = html.replaceAll(CONTENT_ID, (written, id: string) => {
    const image = images.get(id) ?? images.get(decodedId(id));
    if (image === undefined) return written;
    const url = urls.get(image) ?? `data:${image.type};base64,${contentOf(raw, image).toString('base64')}`;
    urls.set(image, url);
    if (url.length > left) return written;
    left -= url.length;
    return url;
  });
  return isEmbedded
    ? `<!doctype html><base target="_blank">${whole.replace(/^\s*<!doctype[^>]*>/i, '')}`
    : whole;
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
