-- The process of a lease (processes.id); null: an older version began the lease, and its claims wait for the end of it.
alter table leases add column process_id uuid;

-- Nothing more is claimed under a closed lease. What is in flight under it is still settled.
alter table leases add column is_closed boolean not null default false;
