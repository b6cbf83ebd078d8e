import { Template } from '../../../../contract/templates.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getTemplate. */
export const getTemplate = operation({
  method: 'GET',
  path: '/templates/{id}',
  scope: 'templates:read',
  twin: 'getTemplate',
  summary: 'Fetch a template',
  success: { status: 200, description: 'The template.', body: Template },
  run: ({ services, caller, id }) => services.templates.get(caller.projectId, id),
});
