/** An alert lasts as long as its user can open the page that shows the problems. */
import { type RawBuilder, sql } from 'kysely';

/**
 * SQL condition on a row `s` of `alert_subscriptions`: the user is a member of the project, or, for the installation, an operator. It is
 * part of each statement that sends or shows alerts, so that alerts end with the membership.
 */
export const IS_ENTITLED: RawBuilder<boolean> = sql<boolean>`(
  case when s.project_id is null then exists (select from users o where o.id = s.user_id and o.is_operator)
  else exists (
    select from projects p
    join memberships b on b.organization_id = p.organization_id and b.user_id = s.user_id
    left join project_roles r
      on r.organization_id = b.organization_id and r.user_id = b.user_id and r.project_id = p.id
    where p.id = s.project_id and r.role is distinct from 'none') end)`;
