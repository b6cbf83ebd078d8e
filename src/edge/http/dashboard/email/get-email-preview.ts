import { PreviewQuery } from '../../../../contract/dashboard/email.ts';
import { dashboardOperation } from '../operation.ts';
import { assertSeesBodies, EMAIL } from './email-resource.ts';

/**
 * Whatever the markup is, nothing of it runs, is sent, or leads away, and it has no origin. Styles stand in the message; images come
 * with it, unless those of elsewhere were asked for.
 */
function policy(remote: boolean): string {
  return [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${remote ? ' https: http:' : ''}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** docs/emails.md, What the preview shows. */
export const getEmailPreview = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails/{id}/preview',
  role: 'viewer',
  resource: EMAIL,
  summary: 'Show an email as its recipient sees it',
  description:
    'A document for a frame, with a policy of its own: nothing in it runs or leads anywhere, and it counts as no open. Not to viewers who may not see bodies.',
  query: PreviewQuery,
  success: { status: 200, description: 'The document.', media: 'text/html' },
  async run({ services, principal, projectId, id, query, reply }) {
    assertSeesBodies(principal);
    const remote = query.remote === '1';
    const preview = await services.inspector.preview(projectId, id, {
      remote,
      theme: query.theme ?? 'light',
    });
    if (preview === null) return null;
    return reply
      .headers({
        'content-security-policy': policy(remote),
        'x-frame-options': 'SAMEORIGIN',
        'x-content-type-options': 'nosniff',
        'x-dns-prefetch-control': 'off',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(preview);
  },
});
