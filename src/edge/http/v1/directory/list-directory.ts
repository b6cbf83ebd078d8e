import { DirectoryList } from '../../../../contract/directory.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listDirectory. */
export const listDirectory = operation({
  method: 'GET',
  path: '/directory',
  scope: 'directory:read',
  twin: 'listPeople',
  summary: 'List the address book',
  success: { status: 200, description: 'The people, and the shares of the directory.', body: DirectoryList },
  run: ({ services, caller }) => services.directory.list(caller.projectId),
});
