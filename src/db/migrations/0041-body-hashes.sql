-- SHA-256 of the body in its relaxed form (RFC 6376, section 3.4.4), so that no attempt reads the whole message to sign it. Null: it does.
alter table submissions add column body_hash bytea;
