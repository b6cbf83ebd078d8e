-- How many octets a message gains where all of its lines have to end with CRLF (POP3).
alter table message_contents add column crlf_growth int not null default 0;
-- Few messages gain any: those that a mail app put there with other line ends.
create index message_contents_crlf on message_contents (project_id, mailbox_id, object_id) include (crlf_growth) where crlf_growth <> 0;
