/** Operations on domains, their records, keys and tracking. `run.ts` implements them. */
import {
  DashboardDomain,
  DashboardDomainList,
  DomainTrackingSettings,
} from '../contract/dashboard/domains.ts';
import { CreateDomain, Domain, DomainList } from '../contract/domains.ts';
import { declare } from '../contract/operation.ts';

export const DOMAIN_OPERATIONS = {
  listDomains: declare({
    summary: 'List domains',
    success: { status: 200, description: "The hosted domain and the project's own.", body: DomainList },
    doors: {
      api: { route: 'GET /domains', scope: 'domains:read', twin: 'listDomains' },
    },
  }),
  listDomainSummaries: declare({
    summary: 'List the domains of a project',
    success: { status: 200, description: 'The domains, the hosted one first.', body: DashboardDomainList },
    doors: {
      dashboard: { id: 'listDomains', route: 'GET /projects/{project}/domains', role: 'viewer' },
    },
  }),
  createDomain: declare({
    summary: 'Add a domain',
    body: CreateDomain,
    success: { status: 201, description: 'The domain.', body: Domain },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      api: {
        route: 'POST /domains',
        scope: 'domains:write',
        description: 'Returns the DNS records to publish. Publish them, then verify the domain.',
      },
      dashboard: {
        id: 'addDomain',
        route: 'POST /projects/{project}/domains',
        role: 'developer',
        success: 'The domain, with the records to publish.',
      },
    },
  }),
  getDomain: declare({
    summary: 'Fetch a domain with its DNS records',
    success: {
      status: 200,
      description: 'The domain, with the results of the last DNS check.',
      body: Domain,
    },
    doors: {
      api: { route: 'GET /domains/{id}', scope: 'domains:read', twin: 'getDomain' },
    },
  }),
  getDomainDetails: declare({
    summary: 'Get a domain with its DNS records and the results of the last check',
    success: { status: 200, description: 'The domain.', body: DashboardDomain },
    doors: {
      dashboard: {
        id: 'getDomain',
        route: 'GET /projects/{project}/domains/{id}',
        role: 'viewer',
        resource: { name: 'domain', prefix: 'dom' },
      },
    },
  }),
  deleteDomain: declare({
    summary: 'Remove a domain',
    success: { status: 204, description: 'Removed.' },
    errors: ['hosted-domain-protected', 'domain-in-use'],
    doors: {
      api: {
        route: 'DELETE /domains/{id}',
        scope: 'domains:write',
        description: 'The hosted domain cannot be removed, nor can a domain that still has mailboxes.',
      },
      dashboard: {
        id: 'removeDomain',
        route: 'DELETE /projects/{project}/domains/{id}',
        role: 'admin',
        resource: { name: 'domain', prefix: 'dom' },
        summary: 'Remove a domain and its DKIM keys',
        description: 'Mail from the domain that is still queued will fail.',
      },
    },
  }),
  verifyDomain: declare({
    summary: 'Check the DNS records of a domain again',
    description: 'Checks DNS now and returns the results: the flags, and each record as found in DNS.',
    success: { status: 200, description: 'The domain after the check.', body: Domain },
    doors: {
      api: { route: 'POST /domains/{id}/verify', scope: 'domains:write', twin: 'checkDomain' },
    },
  }),
  checkDomain: declare({
    summary: 'Check the DNS records of a domain',
    success: { status: 200, description: 'The domain after the check.', body: DashboardDomain },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/domains/{id}/check',
        role: 'developer',
        resource: { name: 'domain', prefix: 'dom' },
      },
    },
  }),
  verifyDomainManually: declare({
    summary: 'Verify a domain without DNS records, for testing',
    description:
      'The project can then send from the domain. Only for operators of the installation. Rejected in production.',
    success: { status: 200, description: 'The domain.', body: DashboardDomain },
    errors: ['hosted-domain-protected'],
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/domains/{id}/manual-verification',
        role: 'developer',
        resource: { name: 'domain', prefix: 'dom' },
      },
    },
  }),
  setDomainTracking: declare({
    summary: 'Set the tracking of mail from a domain',
    body: DomainTrackingSettings,
    success: {
      status: 200,
      description: 'The domain. The change takes effect within two seconds.',
      body: DashboardDomain,
    },
    errors: ['hosted-domain-protected'],
    doors: {
      dashboard: {
        route: 'PUT /projects/{project}/domains/{id}/tracking',
        role: 'admin',
        resource: { name: 'domain', prefix: 'dom' },
      },
    },
  }),
  startDkimRotation: declare({
    summary: 'Start to rotate the DKIM key of a domain',
    description:
      'Publish the record of the new key next to the current one. Once it is seen in DNS, the new key signs.',
    success: { status: 200, description: 'The domain, with the record to publish.', body: DashboardDomain },
    errors: ['hosted-domain-protected'],
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/domains/{id}/dkim-rotation',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'domain', prefix: 'dom' },
      },
    },
  }),
  cancelDkimRotation: declare({
    summary: 'Cancel the rotation of a DKIM key',
    description: 'Deletes the new key. If it already signs, nothing changes.',
    success: { status: 200, description: 'The domain.', body: DashboardDomain },
    errors: ['hosted-domain-protected'],
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/domains/{id}/dkim-rotation',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'domain', prefix: 'dom' },
      },
    },
  }),
};
