-- migration: one by one
-- Mailboxes whose password hash another mail server made (src/accounts/passwords/imported-hash.ts). They are counted by domain at
-- sign-in (src/mailboxes/sign-in/stand-ins.ts). Most installations have none.
create index concurrently if not exists mailboxes_imported_passwords on mailboxes (domain_id) where password_hash like '{%';
