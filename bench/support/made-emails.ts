/**
 * SQL for rows (project_id, at, n, id) of emails in the project `default`. The latest email is created now, and each id is a UUIDv7 with
 * the time `at`.
 */
export function madeEmails(count: number, secondsApart: number): string {
  return `
    select project_id, at, n, (substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
    from (select id as project_id from projects where name = 'default') project,
      generate_series(1, ${count}) n,
      lateral (select date_trunc('milliseconds', now()) - (${count} - n) * interval '${secondsApart} seconds' as at) moment,
      lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as ms) clock`;
}
