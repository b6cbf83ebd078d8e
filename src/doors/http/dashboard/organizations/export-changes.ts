import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { listChanges } from '../../../../accounts/list-changes.ts';
import type { ChangesFilter } from '../../../../accounts/list-changes.ts';
import { type ChangeList } from '../../../../contract/dashboard/organizations.ts';
import { csvLine } from '../../../../rfc/csv/csv.ts';
import { dashboardRun } from '../operation.ts';
import { sendExport } from '../send-export.ts';
import type { FairReads } from '../../../../db/fair-reads.ts';

const PAGE = 500;
const COLUMNS = [
  'created_at',
  'action',
  'actor_kind',
  'actor',
  'address',
  'project_id',
  'target',
  'target_name',
  'before',
  'after',
];

type Change = ChangeList['data'][number];

export const exportChanges = dashboardRun(ACCOUNT_OPERATIONS.exportChanges, (call) => {
  const { organizationId } = call.principal;
  const { format, ...filter } = call.query;
  return sendExport(call, {
    name: 'changes',
    format,
    columns: COLUMNS,
    csvOf,
    scope: { organizationId },
    role: 'admin',
    open: async (assertMayContinue, onAbort) =>
      pagesOf(call.services.parts.dashboardReads, organizationId, filter, assertMayContinue, onAbort),
  });
});

async function* pagesOf(
  reads: FairReads,
  organizationId: string,
  filter: ChangesFilter,
  assertMayContinue: () => Promise<void>,
  onAbort: AbortSignal,
): AsyncGenerator<readonly Change[]> {
  for (let cursor: string | null = ''; cursor !== null && !onAbort.aborted; ) {
    await assertMayContinue();
    const query = { ...filter, limit: PAGE, ...(cursor !== '' && { cursor }) };
    const page: ChangeList = await reads.run(organizationId, (pool) =>
      listChanges(pool, organizationId, query),
    );
    yield page.data;
    cursor = page.next_cursor;
  }
}

function csvOf({ created_at: at, action, actor, target, ...change }: Change): string {
  return csvLine([
    at,
    action,
    actor.kind,
    actor.name,
    actor.address ?? '',
    change.project_id ?? '',
    target,
    change.target_name ?? '',
    ...[change.before, change.after].map((fields) => (fields === null ? '' : JSON.stringify(fields))),
  ]);
}
