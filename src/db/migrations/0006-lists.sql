-- The filters of the list: for each an index that gives a project's emails in the order of their ids, newest first, so that
-- few hits are found without reading the others, and of many only as many as a page holds.

create index emails_status on emails (project_id, status, id);
create index emails_sender on emails (project_id, sender_address, id);

-- A row for each tag of an email. `emails.tags` has them as given.
create table email_tags (
  project_id uuid not null,
  tag text not null,
  email_id uuid not null,
  primary key (project_id, tag, email_id)
);
insert into email_tags (project_id, tag, email_id)
select distinct project_id, tag, id from emails, unnest(tags) tag
order by project_id, tag, id;
