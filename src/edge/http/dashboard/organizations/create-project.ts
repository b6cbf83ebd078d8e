import { AppError } from '../../../../model/app-error.ts';
import { CreatedProject, CreateProject } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const createProject = dashboardOperation({
  method: 'POST',
  path: '/organizations/{organization}/projects',
  role: 'admin',
  confirms: true,
  summary: 'Make a project',
  description: 'Only operators of the installation choose its plan.',
  body: CreateProject,
  success: { status: 201, description: 'The project.', body: CreatedProject },
  errors: ['already-exists'],
  async run({ services, principal, body: { name, plan } }) {
    // Attack: whoever runs an organisation makes a project without the limits that the operator has set.
    if (plan !== undefined && !principal.isOperator) throw missingRole();
    return services.organizations.createProject(principal.organizationId, name, plan);
  },
});

function missingRole(): AppError {
  return new AppError(
    'missing-role',
    'Only the operators of this installation choose a plan: leave it out.',
    {
      extensions: { required_role: 'operator' },
    },
  );
}
