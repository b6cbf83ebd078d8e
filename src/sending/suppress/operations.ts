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
    summary: 'List suppressed addresses, newest first',
    description:
      'Addition to contract 0.3.0. Pages are stable: entries added in the meantime do not shift later pages.',
    query: ListSuppressionsQuery,
    success: { status: 200, description: 'A page of the list.', body: SuppressionList },
    doors: {
      api: { route: 'GET /suppressions', scope: 'suppressions:read', twin: 'listSuppressions' },
    },
  }),
  searchSuppressions: declare({
    summary: 'Search suppressed addresses, newest first',
    query: SearchSuppressionsQuery,
    success: { status: 200, description: 'A page of the list.', body: SuppressionList },
    doors: {
      dashboard: { id: 'listSuppressions', route: 'GET /projects/{project}/suppressions', role: 'viewer' },
    },
  }),
  addSuppressions: declare({
    summary: 'Suppress addresses',
    body: AddSuppressions,
    success: { status: 200, description: 'The entry of each address.', body: AddedSuppressions },
    doors: {
      api: {
        route: 'POST /suppressions',
        scope: 'suppressions:write',
        description:
          'Addition to contract 0.3.0. Up to 1,000 addresses, all or none. It can be repeated: an existing entry keeps the stronger reason and the later expiry.',
      },
      dashboard: { route: 'POST /projects/{project}/suppressions', role: 'developer' },
    },
  }),
  importSuppressions: declare({
    summary: 'Import part of a file of addresses',
    description:
      'Up to 1,000 lines of CSV or addresses. Invalid lines are skipped and reported. A part can be sent twice.',
    body: ImportSuppressions,
    success: {
      status: 200,
      description: 'The lines read and the addresses added.',
      body: ImportedSuppressions,
    },
    doors: {
      dashboard: { route: 'POST /projects/{project}/suppressions/import', role: 'developer' },
    },
  }),
  getSuppression: declare({
    summary: 'Fetch the suppression of an address',
    description: 'Addition to contract 0.3.0. 404: the address is not suppressed.',
    success: { status: 200, description: 'The entry.', body: Suppression },
    doors: {
      api: { route: 'GET /suppressions/{address}', scope: 'suppressions:read', twin: 'explainSuppression' },
    },
  }),
  explainSuppression: declare({
    summary: 'Fetch why an address is suppressed',
    query: GetSuppressionQuery,
    success: { status: 200, description: 'The entry and its cause.', body: ExplainedSuppression },
    doors: {
      dashboard: { route: 'GET /projects/{project}/suppressions/why', role: 'viewer' },
    },
  }),
  removeSuppression: declare({
    summary: 'Remove a suppressed address',
    description:
      'Addition to contract 0.3.0. From the next attempt on the address gets mail again. If its server still rejects it, the next bounce suppresses it again.',
    success: { status: 204, description: 'Removed.' },
    doors: {
      api: {
        route: 'DELETE /suppressions/{address}',
        scope: 'suppressions:write',
        twin: 'removeSuppressions',
      },
    },
  }),
  // POST instead of DELETE, because several addresses are removed in one transaction.
  removeSuppressions: declare({
    summary: 'Remove suppressed addresses',
    body: RemoveSuppressions,
    success: {
      status: 200,
      description: 'From the next attempt on these addresses get mail again.',
      body: RemovedSuppressions,
    },
    doors: {
      dashboard: { route: 'POST /projects/{project}/suppressions/removal', role: 'developer' },
    },
  }),
  exportSuppressions: declare({
    summary: 'Export suppressed addresses',
    description:
      'CSV with a header line, or one JSON object per line. A truncated export was ended by an error or with the session.',
    query: ExportSuppressionsQuery,
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    raw: true,
    doors: { dashboard: { route: 'GET /projects/{project}/suppressions/export', role: 'viewer' } },
  }),
};
