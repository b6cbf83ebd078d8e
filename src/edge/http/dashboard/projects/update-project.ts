import { UpdateProject } from '../../../../contract/dashboard/projects.ts';
import { AppError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';

export const updateProject = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}',
  role: 'admin',
  summary: 'Rename a project, or change its settings',
  description:
    'Only operators of the installation choose its plan. Servers know a change within two seconds.',
  body: UpdateProject,
  success: { status: 204, description: 'It is changed.' },
  errors: ['already-exists'],
  async run({ services, principal, projectId, body }) {
    // Attack: whoever runs a project takes away the limits that the operator has set.
    if (body.plan !== undefined && !principal.isOperator)
      throw new AppError('missing-role', 'Only the operators of this installation choose a plan.', {
        extensions: { required_role: 'operator' },
      });
    const { plan, spam_level: defaultSpamLevel, track_opens: trackOpens } = body;
    const { track_clicks: trackClicks, smtp_events: smtpEvents, mail_directory: mailDirectory } = body;
    const { link_names: linkNames } = body;
    const changes = {
      ...(plan !== undefined && { plan }),
      ...(defaultSpamLevel !== undefined && { defaultSpamLevel }),
      ...(trackOpens !== undefined && { trackOpens }),
      ...(trackClicks !== undefined && { trackClicks }),
      ...(smtpEvents !== undefined && { smtpEvents }),
      ...(mailDirectory !== undefined && { mailDirectory }),
      ...(linkNames !== undefined && { linkNames }),
    };
    if (body.name !== undefined) await services.projects.rename(projectId, body.name);
    if (Object.keys(changes).length > 0) await services.projects.change(projectId, changes);
  },
});
