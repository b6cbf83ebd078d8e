import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { assertSeesBodies } from '../../../../insights/assert-sees-bodies.ts';
import { dashboardRun } from '../operation.ts';
import { previewOrLater, sendPreview } from '../send-preview.ts';

/** Returns the preview that docs/emails.md describes under "What the preview shows". */
export const getEmailPreview = dashboardRun(
  INSPECT_OPERATIONS.getEmailPreview,
  async ({ services, principal, projectId, id, query, reply }) => {
    assertSeesBodies(principal);
    const remote = query.remote === '1';
    const theme = query.theme ?? 'light';
    const preview = await previewOrLater(services.parts.inspector.preview(projectId, id, { remote, theme }));
    return preview === null ? null : sendPreview(reply, preview, remote);
  },
);
