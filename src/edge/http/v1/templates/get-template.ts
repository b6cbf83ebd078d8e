import { Template } from '../../../../contract/templates.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getTemplate. */
export const getTemplate = operation({
  method: 'GET',
  path: '/templates/{id}',
  resource: 'template',
  scope: 'templates:read',
  operationId: 'getTemplate',
  summary: 'Fetch a template',
  tag: 'templates',
  success: { status: 200, description: 'The template.', body: Template },
  run: ({ services, caller, id }) => services.templates.get(caller.projectId, id),
});
