/** Operations on the directory and its shares. `run.ts` implements them. */
import {
  ChangePerson,
  CreateShare,
  CreatedShare,
  FoundPeople,
  SearchPeopleQuery,
  Shares,
} from '../contract/dashboard/directory.ts';
import { CreatePerson, DirectoryList, Person } from '../contract/directory.ts';
import { declare } from '../contract/operation.ts';

export const DIRECTORY_OPERATIONS = {
  listDirectory: declare({
    summary: 'List the address book',
    success: {
      status: 200,
      description: 'The people, and the shares of the directory.',
      body: DirectoryList,
    },
    doors: {
      api: { route: 'GET /directory', scope: 'directory:read', twin: 'listPeople' },
    },
  }),
  listPeople: declare({
    summary: 'Search the directory of a project, by name',
    query: SearchPeopleQuery,
    success: { status: 200, description: 'A page of people.', body: FoundPeople },
    doors: {
      dashboard: { route: 'GET /projects/{project}/directory', role: 'viewer' },
    },
  }),
  createPerson: declare({
    summary: 'Add a person',
    body: CreatePerson,
    success: { status: 201, description: 'The person.', body: Person },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      api: { route: 'POST /directory', scope: 'directory:write' },
      dashboard: {
        route: 'POST /projects/{project}/directory',
        role: 'developer',
        summary: 'Add a person to the directory',
      },
    },
  }),
  changePerson: declare({
    summary: 'Change a person who was added manually',
    body: ChangePerson,
    success: { status: 200, description: 'The person.', body: Person },
    errors: ['already-exists', 'synced-member-protected'],
    doors: {
      dashboard: {
        route: 'PATCH /projects/{project}/directory/{id}',
        role: 'developer',
        resource: { name: 'person', prefix: 'per' },
      },
    },
  }),
  deletePerson: declare({
    summary: 'Remove a person',
    success: { status: 204, description: 'Removed.' },
    errors: ['synced-member-protected'],
    doors: {
      api: {
        route: 'DELETE /directory/{id}',
        scope: 'directory:write',
        description: 'A person synced from a mailbox cannot be removed. A shared person returns 404.',
      },
      dashboard: {
        route: 'DELETE /projects/{project}/directory/{id}',
        role: 'developer',
        resource: { name: 'person', prefix: 'per' },
        summary: 'Delete a person who was added manually',
        success: 'Deleted.',
      },
    },
  }),
  listShares: declare({
    summary: 'List the shares of directories, from and to the project',
    success: { status: 200, description: 'The shares.', body: Shares },
    doors: {
      dashboard: { route: 'GET /projects/{project}/shares', role: 'viewer' },
    },
  }),
  // This needs no confirmation of identity, because it only takes access away from another project.
  deleteShare: declare({
    summary: 'Stop sharing the directory with another project',
    success: { status: 204, description: 'The other project can no longer see the directory.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/shares/{id}',
        role: 'admin',
        resource: { name: 'share', prefix: 'shr' },
      },
    },
  }),
  createShare: declare({
    summary: 'Share the directory with another project',
    body: CreateShare,
    success: { status: 201, description: 'The share.', body: CreatedShare },
    errors: ['already-exists'],
    doors: {
      dashboard: { route: 'POST /projects/{project}/shares', role: 'admin', needsConfirmation: true },
    },
  }),
};
