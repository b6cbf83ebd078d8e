import { PreviewQuery } from '../../../../contract/dashboard/email.ts';
import { assertSeesBodies } from '../../../../inspect/assert-sees-bodies.ts';
import { dashboardOperation } from '../operation.ts';
import { previewOrLater, sendPreview } from '../send-preview.ts';

/** docs/emails.md, What the preview shows. */
export const getEmailPreview = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails/{id}/preview',
  role: 'viewer',
  resource: { name: 'email', prefix: 'em' },
  summary: 'Show an email as its recipient sees it',
  description:
    'A document for a frame, with a policy of its own: nothing in it runs or leads anywhere, and it counts as no open. Not to viewers who may not see bodies.',
  query: PreviewQuery,
  success: { status: 200, description: 'The document.', media: 'text/html' },
  async run({ services, principal, projectId, id, query, reply }) {
    assertSeesBodies(principal);
    const remote = query.remote === '1';
    const theme = query.theme ?? 'light';
    const preview = await previewOrLater(services.inspector.preview(projectId, id, { remote, theme }));
    return preview === null ? null : sendPreview(reply, preview, remote);
  },
});
