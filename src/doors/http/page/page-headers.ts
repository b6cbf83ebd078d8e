/** The headers of pages that this service renders. */

/** Allows no content from other hosts, no inline code and no framing, so that injected markup cannot act. */
export function contentSecurityPolicy(formAction: "'none'" | "'self'"): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    `form-action ${formAction}`,
  ].join('; ');
}

export const PAGE_HEADERS = {
  'content-security-policy': contentSecurityPolicy("'none'"),
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

export const HTML_TYPE = 'text/html; charset=utf-8';
