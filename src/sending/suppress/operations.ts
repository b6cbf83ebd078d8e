/** Operations on suppressed addresses. `run.ts` implements them. */
import {
  ExplainedSuppression,
  ExportSuppressionsQuery,
  GetSuppressionQuery,
  ImportSuppressions,
  ImportedSuppressions,
  RemoveSuppressions,
  RemovedSuppressions,
  SearchSuppressionsQuery,
} from '../../contract/dashboard/suppressions.ts';
import {
  AddSuppressions,
  AddedSuppressions,
  ListSuppressionsQuery,
  Suppression,
  SuppressionList,
} from '../../contract/suppressions.ts';
import { declare } from '../../contract/operation.ts';

export const SUPPRESSION_OPERATIONS = {
  listSuppressions: declare({
    summary: 'List addresses that get no more mail, newest first',
    description:
      'Addition to the contract. Pages are stable: what is added meanwhile does not shift later pages.',
    query: ListSuppressionsQuery,
    success: { status: 200, description: 'A page of the list.', body: SuppressionList },
    doors: {
      api: { route: 'GET /suppressions', scope: 'suppressions:read', twin: 'listSuppressions' },
    },
  }),
  searchSuppressions: declare({
    summary: 'Search the addresses that get no more mail, newest first',
    query: SearchSuppressionsQuery,
    success: { status: 200, description: 'A page of the list.', body: SuppressionList },
    doors: {
      dashboard: { id: 'listSuppressions', route: 'GET /projects/{project}/suppressions', role: 'viewer' },
    },
  }),
  addSuppressions: declare({
    summary: 'Send no more mail to addresses',
    body: AddSuppressions,
    success: { status: 200, description: 'What stands for each address now.', body: AddedSuppressions },
    doors: {
      api: {
        route: 'POST /suppressions',
        scope: 'suppressions:write',
        description:
          'Addition to the contract. Up to 1,000 addresses, all or none. It may be repeated: an entry that is there already only grows stronger.',
      },
      dashboard: { route: 'POST /projects/{project}/suppressions', role: 'developer' },
    },
  }),
  importSuppressions: declare({
    summary: 'Add the addresses of a piece of a file',
    description:
      'Up to 1,000 lines of CSV, or of addresses. What is no address is left out and named. A piece may be sent twice.',
    body: ImportSuppressions,
    success: { status: 200, description: 'What was read and added.', body: ImportedSuppressions },
    doors: {
      dashboard: { route: 'POST /projects/{project}/suppressions/import', role: 'developer' },
    },
  }),
  getSuppression: declare({
    summary: 'Fetch why an address gets no more mail',
    description: 'Addition to the contract. 404: it is not on the list.',
    success: { status: 200, description: 'The entry.', body: Suppression },
    doors: {
      api: { route: 'GET /suppressions/{address}', scope: 'suppressions:read', twin: 'explainSuppression' },
    },
  }),
  explainSuppression: declare({
    summary: 'Tell why an address gets no more mail',
    query: GetSuppressionQuery,
    success: { status: 200, description: 'The entry, and what led to it.', body: ExplainedSuppression },
    doors: {
      dashboard: { route: 'GET /projects/{project}/suppressions/why', role: 'viewer' },
    },
  }),
  removeSuppression: declare({
    summary: 'Send mail to an address again',
    description:
      'Addition to the contract. From the next attempt on mail goes there again. If its server still refuses, the address is back with the next bounce.',
    success: { status: 204, description: 'Taken off the list.' },
    doors: {
      api: {
        route: 'DELETE /suppressions/{address}',
        scope: 'suppressions:write',
        twin: 'removeSuppressions',
      },
    },
  }),
  // Not a DELETE, because several addresses are removed in one transaction.
  removeSuppressions: declare({
    summary: 'Send mail to addresses again',
    body: RemoveSuppressions,
    success: {
      status: 200,
      description: 'From the next attempt on mail goes there again.',
      body: RemovedSuppressions,
    },
    doors: {
      dashboard: { route: 'POST /projects/{project}/suppressions/removal', role: 'developer' },
    },
  }),
  exportSuppressions: declare({
    summary: 'Export the addresses that get no more mail',
    description:
      'CSV with a line of names, or a JSON object for each line. An export that breaks off was ended by an error, or with the session.',
    query: ExportSuppressionsQuery,
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: { dashboard: { route: 'GET /projects/{project}/suppressions/export', role: 'viewer' } },
  }),
};
