-- migration: one by one
-- Which kind of provider mail was accepted under: it is delivered under no other (src/queue/provider-kind.ts).
-- Null: an older version accepted it, and any provider delivers it.
alter table emails add column if not exists is_sandbox boolean;
alter table queue add column if not exists is_sandbox boolean;
-- until when it waited for its kind of provider: its days of retries count from then
alter table queue add column if not exists waited_until timestamptz;
-- what the worker of the lease delivers to; null: an older version began it
alter table leases add column if not exists is_sandbox boolean;
