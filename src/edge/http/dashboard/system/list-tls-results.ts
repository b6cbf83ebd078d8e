import { TlsResultPage, TlsResultsQuery } from '../../../../contract/dashboard/tls-results.ts';
import { dashboardOperation } from '../operation.ts';

export const listTlsResults = dashboardOperation({
  method: 'GET',
  path: '/system/tls-results',
  role: 'operator',
  summary: "List how TLS went with the recipients' servers",
  query: TlsResultsQuery,
  success: { status: 200, description: 'A page of the results.', body: TlsResultPage },
  run: ({ services, query }) => services.system.tlsResults(query),
});
