import { assertSeesBodies } from '../../../../insights/assert-sees-bodies.ts';
import type { EmailInspector } from '../../../../insights/email-inspector.ts';
import { AppError } from '../../../../model/app-error.ts';
import { TEMPLATE_OPERATIONS } from '../../../../templates/operations.ts';
import { dashboardRun } from '../operation.ts';
import { previewOrLater, sendPreview } from '../send-preview.ts';

export const getTemplatePreview = dashboardRun(
  TEMPLATE_OPERATIONS.getTemplatePreview,
  async ({ services, principal, projectId, id, query, reply }) => {
    const { inspector, templatePages } = services.parts;
    const isLast = query.data === 'last-email';
    if (isLast) assertSeesBodies(principal);
    const variables = isLast ? await lastVariables(inspector, projectId, id) : undefined;
    const content = await templatePages.preview({ projectId, templateId: id }, variables);
    if (content === null) return null;
    const remote = query.remote === '1';
    const theme = query.theme ?? 'light';
    const preview = await previewOrLater(inspector.previewOf(projectId, content, { remote, theme }));
    return sendPreview(reply, preview, remote);
  },
);

async function lastVariables(
  inspector: EmailInspector,
  projectId: string,
  templateId: string,
): Promise<string> {
  const last = await inspector.lastOfTemplate(projectId, templateId);
  if (last?.email) return last.email.variables;
  throw new AppError('not-found', 'No recent email has this template, or its bodies were deleted.');
}
