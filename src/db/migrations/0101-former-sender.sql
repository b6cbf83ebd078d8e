-- When a start last named the sender: one that no mail was sent from is free again a day later.
alter table service_senders add column named_at timestamptz not null default now();

-- Before 0096 the default sender was noreply@ the hosted domain, and mail of the service is stored for a week only. The audit log, which goes back
-- 400 days, shows whether people were sent links or notices before: an invitation by a user, a reset password, a second factor that a user switched
-- off for another one. It does not show the sender, so the first start without POSTHORN_MAIL_FROM reserves the address
-- (src/sending/service-mail/reserve-former-sender.ts). The value lists the hosted domains of that time.
with introduced as (
  select coalesce((select applied_at from schema_changes where name = '0096-service-senders.sql'), now()) as at
)
insert into settings (name, value)
select 'former_sender_domains', string_agg(d.name, ' ' order by d.name)
from domains d, introduced i
where d.project_id = '00000000-0000-0000-0000-000000000000' and d.created_at < i.at
  and not exists (select from service_domains v where v.project_id = d.project_id and v.domain_id = d.id)
  and exists (
    select from audit_log a
    where a.created_at < i.at
      and (a.action = 'user.reset-password' or a.actor_kind = 'user' and a.action in ('invitation.create', 'user.reset-second-factor')))
having count(*) > 0
on conflict do nothing;
