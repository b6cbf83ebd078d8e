import { Template } from '../../../../contract/templates.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 21. */
export const getTemplate = operation({
  method: 'GET',
  path: '/templates/{id}',
  scope: 'templates:read',
  operationId: 'getTemplate',
  summary: 'Fetch a template',
  tag: 'templates',
  success: { status: 200, description: 'The template.', body: Template },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const templateId = decodeId('tpl', id);
    const template = templateId === null ? null : await services.templates.get(caller.projectId, templateId);
    if (template === null) throw new AppError('not-found', 'There is no such template in this project.');
    return template;
  },
});
