import type { FastifyReply, FastifyRequest } from 'fastify';

/** What no page of the service uses, and no text that slips into a page may use (W3C Permissions Policy). */
const PERMISSIONS = `
  accelerometer camera display-capture encrypted-media geolocation gyroscope
  magnetometer microphone midi payment screen-wake-lock serial usb xr-spatial-tracking`
  .trim()
  .split(/\s+/)
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * A hook for `onSend`: pages carry `Permissions-Policy`, and JSON carries `Cross-Origin-Resource-Policy`, so that a page of another site
 * cannot load an answer of the API into its process (Fetch, section 3.7). A problem in place of an image does not: it holds no data, and the
 * frame of a message, which has no origin, asks for images that may have failed.
 */
export function addResponseHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const type = reply.getHeader('content-type');
  if (typeof type === 'string') {
    if (type.startsWith('text/html')) reply.header('permissions-policy', PERMISSIONS);
    else if (/^application\/(?:[\w.]+\+)?json\b/.test(type) && !isImageProblem(request, type))
      reply.header('cross-origin-resource-policy', 'same-origin');
  }
  done(null, payload);
}

function isImageProblem({ headers }: FastifyRequest, type: string): boolean {
  return headers['sec-fetch-dest'] === 'image' && type.startsWith('application/problem+json');
}
