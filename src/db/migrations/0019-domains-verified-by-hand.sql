-- When the operator marked a claim as verified without DNS, for trying out. Servers in production do not look at it.
alter table domains add column verified_by_hand_at timestamptz;
