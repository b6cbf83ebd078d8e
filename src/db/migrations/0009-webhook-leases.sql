-- Deliveries of webhooks are claimed under a lease: who has the lease of a live process may have an answer that is not
-- written yet, so nobody else takes the delivery.
alter table workers add column holds text not null default 'recipients' check (holds in ('recipients', 'deliveries'));
alter table webhook_deliveries add column epoch uuid;
