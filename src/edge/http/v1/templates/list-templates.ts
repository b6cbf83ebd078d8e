import { TemplateList } from '../../../../contract/templates.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listTemplates. */
export const listTemplates = operation({
  method: 'GET',
  path: '/templates',
  scope: 'templates:read',
  twin: 'listTemplates',
  summary: 'List templates',
  success: { status: 200, description: 'Every template.', body: TemplateList },
  async run({ services, caller }) {
    return { data: await services.templates.list(caller.projectId) };
  },
});
