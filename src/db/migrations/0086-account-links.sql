-- Who has seen a link that opens an account, and accounts that their address does not vouch for yet (docs/dashboard.md, Unverified accounts).
-- Both tables are small. Older code leaves all of these at their defaults: its accounts count as verified, its links as copied.

-- Null: verified. Else what verifies the account: opening a link sent to its address, or a second factor where mail is read here.
alter table users add column verifies_by text check (verifies_by in ('mail', 'second-factor'));

alter table sign_in_links
  -- Of the token in the mail. The other one is shown to the inviter or printed for an operator.
  add column mailed_token_sha256 bytea unique,
  -- The mail went to a mailbox here: its token resets the password of a user with a second factor, behind that factor.
  add column mailed_needs_factor boolean not null default false,
  -- Of the mail that carries the token: it is checked once more when it is sent.
  add column submission_id uuid unique,
  -- An owner or an operator has to confirm the invitation first.
  add column awaits_confirmation boolean not null default false;

-- A new password that is set once the second factor is proved. The mailed token is used up then.
alter table sign_in_links add column pending_password_hash text;

-- A mailed link stops working as soon as mail for its address can be received here, even if the mail is in transit elsewhere then.
-- Attack: a mailbox with the address is created after the link was mailed, and a smart host that retries for days delivers the link there.
-- A link that needs a second factor too keeps working.
create function end_mailed_links(names text[]) returns void language plpgsql as $$
begin
  -- Links are mailed under the exclusive lock (src/sending/service-mail/account-mail.ts), so neither side misses what the other one commits.
  perform pg_advisory_xact_lock_shared(7340086);
  update sign_in_links l set mailed_token_sha256 = null
  where l.mailed_token_sha256 is not null and not l.mailed_needs_factor
    and regexp_replace(coalesce(l.email_key, (select u.email_key from users u where u.id = l.user_id)), '^.*@', '') = any (names);
end $$;

-- Whether mail can be received on a claim: it is the installation's, verified, or was verified once.
create function may_receive(claim domains) returns boolean language sql stable as $$
  select claim.project_id = '00000000-0000-0000-0000-000000000000' or claim.status in ('verified', 'warning')
    or exists (select from domains_first_verified f where f.project_id = claim.project_id and f.domain_id = claim.id)
$$;

create function end_mailed_links_of_added() returns trigger language plpgsql as $$
begin
  perform end_mailed_links(array(
    select distinct d.name from added a
    join domains d on d.project_id in (a.project_id, '00000000-0000-0000-0000-000000000000') and d.id = a.domain_id
    where may_receive(d)));
  return null;
end $$;
create trigger mailboxes_end_mailed_links after insert on mailboxes
  referencing new table as added for each statement execute function end_mailed_links_of_added();
create trigger aliases_end_mailed_links after insert on aliases
  referencing new table as added for each statement execute function end_mailed_links_of_added();

create function end_mailed_links_of_catch_all() returns trigger language plpgsql as $$
begin
  perform end_mailed_links(array(
    select d.name from domains d
    where d.project_id in (new.project_id, '00000000-0000-0000-0000-000000000000') and d.id = new.domain_id and may_receive(d)));
  return null;
end $$;
create trigger mailboxes_catch_all_ends_mailed_links after update of is_catch_all on mailboxes
  for each row when (new.is_catch_all and not old.is_catch_all) execute function end_mailed_links_of_catch_all();

create function end_mailed_links_of_verified() returns trigger language plpgsql as $$
begin
  perform end_mailed_links(array[new.name]);
  return null;
end $$;
create trigger domains_verified_ends_mailed_links after update of status on domains
  for each row when (new.status in ('verified', 'warning') and old.status not in ('verified', 'warning'))
  execute function end_mailed_links_of_verified();
