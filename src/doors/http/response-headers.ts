import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Browser features that no page of the service uses. The policy stops injected content from using these features (W3C Permissions Policy).
 */
const PERMISSIONS = `
  accelerometer camera display-capture encrypted-media geolocation gyroscope
  magnetometer microphone midi payment screen-wake-lock serial usb xr-spatial-tracking`
  .trim()
  .split(/\s+/)
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * A hook for `onSend`. Pages get `Permissions-Policy`, and JSON gets `Cross-Origin-Resource-Policy`, so that a page of another site cannot
 * load API responses into its process (Fetch, section 3.7). A problem sent in place of an image is exempt: it contains no data, and the
 * frame that shows a message has no origin and requests images that may have failed.
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
