import { TemplatePreviewQuery } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';
import { previewOrLater, sendPreview } from '../send-preview.ts';

export const getTemplatePreview = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/templates/{id}/preview',
  role: 'viewer',
  resource: { name: 'template', prefix: 'tpl' },
  summary: 'Show what the user has written, filled in with the sample data, as a recipient would see it',
  description: 'A document for a frame, as that of an email. What is missing is left empty.',
  query: TemplatePreviewQuery,
  success: { status: 200, description: 'The document.', media: 'text/html' },
  async run({ services, projectId, id, principal: { userId }, query, reply }) {
    const content = await services.templatePages.preview({ projectId, templateId: id, userId });
    if (content === null) return null;
    const remote = query.remote === '1';
    const theme = query.theme ?? 'light';
    const preview = await previewOrLater(services.inspector.previewOf(projectId, content, { remote, theme }));
    return sendPreview(reply, preview, remote);
  },
});
