-- Mail of the service that holds a link opening an account: sealed with POSTHORN_SECRET, and deleted with its link. It is in no backup, and neither
-- in blobs nor in sandbox_messages. Older code finds no bytes for such mail, tries it again after 30 seconds, and gives up after five attempts.
create table service_bodies (
  -- in submissions and in the queue
  submission_id uuid primary key,
  link_id uuid not null references sign_in_links on delete cascade,
  -- the message with CRLF line ends
  sealed text not null
);
create index service_bodies_link on service_bodies (link_id);

-- An invitation whose mailed token has ended still has the link that the inviter hands over.
create function delete_service_bodies() returns trigger language plpgsql as $$
begin
  delete from service_bodies where link_id = new.id;
  return null;
end $$;
create trigger sign_in_links_delete_bodies after update of mailed_token_sha256 on sign_in_links
  for each row when (old.mailed_token_sha256 is distinct from new.mailed_token_sha256)
  execute function delete_service_bodies();
