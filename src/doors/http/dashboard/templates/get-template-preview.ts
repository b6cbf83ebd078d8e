import { TEMPLATE_OPERATIONS } from '../../../../templates/operations.ts';
import { dashboardRun } from '../operation.ts';
import { previewOrLater, sendPreview } from '../send-preview.ts';

export const getTemplatePreview = dashboardRun(
  TEMPLATE_OPERATIONS.getTemplatePreview,
  async ({ services, projectId, id, query, reply }) => {
    const content = await services.parts.templatePages.preview({ projectId, templateId: id });
    if (content === null) return null;
    const remote = query.remote === '1';
    const theme = query.theme ?? 'light';
    const preview = await previewOrLater(
      services.parts.inspector.previewOf(projectId, content, { remote, theme }),
    );
    return sendPreview(reply, preview, remote);
  },
);
