-- When a start last named the sender: one that no mail was sent from is free again a day later.
alter table service_senders add column named_at timestamptz not null default now();
