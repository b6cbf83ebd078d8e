-- migration: one by one
-- What waits for its kind of provider is asked for each minute (src/queue/provider-kind.ts, rejoinSetAside).
create index concurrently if not exists queue_set_aside on queue (is_sandbox)
  where next_attempt_at = 'infinity' and destination is null;
