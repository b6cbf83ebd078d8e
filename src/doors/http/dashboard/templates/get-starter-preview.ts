import { TEMPLATE_OPERATIONS } from '../../../../templates/operations.ts';
import { dashboardRun } from '../operation.ts';
import { previewOrLater, sendPreview } from '../send-preview.ts';

export const getStarterPreview = dashboardRun(
  TEMPLATE_OPERATIONS.getStarterPreview,
  async ({ services, projectId, query, reply }) => {
    const { inspector, templatePages } = services.parts;
    const content = await templatePages.starterPreview(projectId, query.starter);
    const options = { remote: false, theme: query.theme ?? 'light' };
    return sendPreview(reply, await previewOrLater(inspector.previewOf(projectId, content, options)), false);
  },
);
