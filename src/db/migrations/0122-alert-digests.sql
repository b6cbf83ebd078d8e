-- Weekly digests (docs/alerts.md) are found by the time at which they are due.
create index alert_subscriptions_digest on alert_subscriptions (digest_at) where digest_at is not null;
