import { SystemCertificates } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const listCertificates = dashboardOperation({
  method: 'GET',
  path: '/system/certificates',
  role: 'operator',
  summary: 'List what ports with TLS show',
  success: { status: 200, description: 'The certificates.', body: SystemCertificates },
  run: ({ services }) => services.system.certificates(),
});
