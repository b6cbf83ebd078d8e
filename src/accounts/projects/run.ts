/** Implements the operations of `operations.ts`. */
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { Plan } from '../../model/plans.ts';
import type { Run } from '../calls.ts';
import type { PROJECT_OPERATIONS } from './operations.ts';
import { changeProjectSettings, describeProjectSettings } from './project-settings.ts';
import { createProject, renameProject } from './projects.ts';

/** The parts of the core that the operations need. */
export interface ProjectParts {
  database: Database;
  config: { defaultPlan: Plan; keepDays: number | null };
}

export const run: Run<typeof PROJECT_OPERATIONS, ProjectParts> = {
  createProject: async ({ database, config }, { principal, body: { name, plan } }) => {
    // Attack: an admin of an organization creates a project without the limits that the operator has set.
    if (plan !== undefined && !principal.isOperator)
      throw new AppError(
        'missing-role',
        'Only operators of this installation can choose a plan. Omit the plan.',
        { extensions: { required_role: 'operator' } },
      );
    const id = await createProject(database, principal.organizationId, name, plan ?? config.defaultPlan);
    return { id: encodeId('prj', id), name };
  },
  getProjectSettings: ({ database, config }, { projectId }) =>
    describeProjectSettings(database, projectId, config.keepDays),
  updateProject: async ({ database }, { principal, projectId, body }) => {
    // Attack: an admin of a project removes the limits that the operator has set.
    if (body.plan !== undefined && !principal.isOperator)
      throw new AppError('missing-role', 'Only operators of this installation can choose a plan.', {
        extensions: { required_role: 'operator' },
      });
    const { plan, spam_level: defaultSpamLevel, track_opens: trackOpens } = body;
    const { track_clicks: trackClicks, smtp_events: smtpEvents, mail_directory: mailDirectory } = body;
    const { link_names: linkNames, smtp_tracking: smtpTracking } = body;
    const changes = {
      ...(plan !== undefined && { plan }),
      ...(defaultSpamLevel !== undefined && { defaultSpamLevel }),
      ...(trackOpens !== undefined && { trackOpens }),
      ...(trackClicks !== undefined && { trackClicks }),
      ...(smtpTracking !== undefined && { smtpTracking }),
      ...(smtpEvents !== undefined && { smtpEvents }),
      ...(mailDirectory !== undefined && { mailDirectory }),
      ...(linkNames !== undefined && { linkNames }),
    };
    if (body.name !== undefined) await renameProject(database, projectId, body.name);
    if (Object.keys(changes).length > 0) await changeProjectSettings(database, projectId, changes);
  },
  setRetention: (
    { database },
    { projectId, body: { keep_days: keepDays, keep_bodies_days: keepBodiesDays } },
  ) => changeProjectSettings(database, projectId, { keepDays, keepBodiesDays }),
};
