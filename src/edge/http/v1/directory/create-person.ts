import { CreatePerson, Person } from '../../../../contract/directory.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, createPerson. */
export const createPerson = operation({
  method: 'POST',
  path: '/directory',
  scope: 'directory:write',
  twin: 'createPerson',
  summary: 'Add a person',
  body: CreatePerson,
  success: { status: 201, description: 'The person.', body: Person },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, caller, body }) => services.directory.add(caller.projectId, body),
});
