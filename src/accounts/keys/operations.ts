/** Operations on API keys. `run.ts` implements them. */
import {
  ApiKey,
  ApiKeyList,
  CreateApiKey,
  CreatedApiKey,
  MemberKeyList,
  RenameApiKey,
} from '../../contract/dashboard/api-keys.ts';
import { declare } from '../../contract/operation.ts';

export const KEY_OPERATIONS = {
  listApiKeys: declare({
    summary: 'List the API keys of a project and the available scopes',
    success: { status: 200, description: 'The keys, without their tokens.', body: ApiKeyList },
    doors: { dashboard: { route: 'GET /projects/{project}/api-keys', role: 'viewer' } },
  }),
  createApiKey: declare({
    summary: 'Create an API key',
    description:
      'A key cannot do more than its creator: `granted_by` in the list names the lowest role for each scope.',
    body: CreateApiKey,
    success: {
      status: 201,
      description: 'The key with its token, which is shown only once.',
      body: CreatedApiKey,
    },
    doors: {
      dashboard: { route: 'POST /projects/{project}/api-keys', role: 'developer', needsConfirmation: true },
    },
  }),
  renameApiKey: declare({
    summary: 'Rename an API key',
    body: RenameApiKey,
    success: { status: 200, description: 'The key.', body: ApiKey },
    doors: {
      dashboard: {
        route: 'PATCH /projects/{project}/api-keys/{id}',
        role: 'developer',
        resource: { name: 'API key', prefix: 'key' },
      },
    },
  }),
  revokeApiKey: declare({
    summary: 'Revoke an API key',
    success: { status: 204, description: 'All running servers reject the key within two seconds.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/api-keys/{id}',
        role: 'developer',
        resource: { name: 'API key', prefix: 'key' },
      },
    },
  }),
  listMemberKeys: declare({
    summary: 'List the API keys that a member created',
    description: 'In all projects of the organization. `removeMember` can revoke them.',
    success: { status: 200, description: 'The keys.', body: MemberKeyList },
    doors: {
      dashboard: {
        route: 'GET /organizations/{organization}/users/{id}/api-keys',
        role: 'admin',
        resource: { name: 'user in this organization', prefix: 'usr' },
      },
    },
  }),
};
